/* edits_join.c - many changes in one text, of which a run takes one (edits.h): to compile them one
 * by one takes most of the time of a search.
 *
 * What a change is in, a statement or an expression, is there as it was and once more for each
 * change of it, behind questions for a number that the compiler does not know. One change of a
 * statement may be inside another's: both are asked for.
 * Not modelled: changes of declarations without a value, of constants of the file and of macros.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of the change, as it stands in PTX; the changes' lines, for what the compiler says. */
#define NUMBER_IN_PTX "0x5e1e0000"
#define FIXED_IN_PTX  "0x5e1e"
enum { DIGITS = 4, LINES = 1000000, LINES_EACH = 1000, LONGEST = 2000 };

enum shape { STATEMENT, VALUE, TRUTH, NOTHING /* a value that nobody takes */ };

/* Where a change differs from what is there. */
struct hunk {
    size_t at, length;
    char *with;
};
struct change {
    struct hunk *v;
    int n;
};

/* Of the text, with the changes that are in it. */
struct region {
    size_t at, end;
    enum shape shape;
    char *cast; /* VALUE: to the type it is stored in; NULL: not known */
    int *changes, n;
};

struct join {
    struct scan scan;
    int *match;  /* of each bracket or brace, the other; -1: none */
    int *inside; /* of each word, the bracket or brace that it is in; -1: none */
    bool whole;  /* all have another */
    struct change *changes;
    struct region *v;
    int n;
};

/* ---- brackets ---- */

static bool is_opening(const struct scan *s, int i)
{
    return word_is(s, i, "(") || word_is(s, i, "[") || word_is(s, i, "{");
}

static bool is_closing(const struct scan *s, int i)
{
    return word_is(s, i, ")") || word_is(s, i, "]") || word_is(s, i, "}");
}

static void find_brackets(struct join *j)
{
    const struct scan *s = &j->scan;
    int open = -1;

    j->match = xcalloc((size_t)s->n + 1, sizeof(*j->match));
    j->inside = xcalloc((size_t)s->n + 1, sizeof(*j->inside));
    j->whole = true;
    for (int i = 0; i < s->n; i++) {
        j->match[i] = -1;
        if (is_closing(s, i)) {
            if (open < 0) {
                j->whole = false;
                return;
            }
            j->match[i] = open;
            j->match[open] = i;
            open = j->inside[open];
        }
        j->inside[i] = open;
        if (is_opening(s, i))
            open = i;
    }
    j->whole = open < 0;
}

/* ---- statements ---- */

static const char *const heads[] = {"if", "for", "while", "switch", NULL};

/* The bracket of a head: behind "if", or "if constexpr". */
static int head_open(const struct scan *s, int i)
{
    return i + 1 + word_is(s, i + 1, "constexpr");
}

/* The last word of the statement that begins with i; -1: not known. */
static int last_of(const struct join *j, int i)
{
    const struct scan *s = &j->scan;

    if (i < 0 || i >= s->n)
        return -1;
    if (word_is(s, i, "{"))
        return j->match[i];
    if (word_is(s, i, "do")) {
        int body = last_of(j, i + 1);

        return body >= 0 && word_is(s, body + 1, "while") && word_is(s, body + 2, "(")
                   ? j->match[body + 2] + 1
                   : -1;
    }
    if (word_is_any(s, i, heads)) {
        int open = head_open(s, i);
        int last = word_is(s, open, "(") ? last_of(j, j->match[open] + 1) : -1;
        bool more = last >= 0 && word_is(s, i, "if") && word_is(s, last + 1, "else");

        return more ? last_of(j, last + 2) : last;
    }
    for (; i < s->n && !word_is(s, i, ";"); i++) {
        if (is_closing(s, i))
            return -1;
        if (is_opening(s, i))
            i = j->match[i];
    }
    return i < s->n ? i : -1;
}

/* A name's type ends before word i: "T", "ns::T", "T<…>". */
static int type_end(const struct scan *s, int i)
{
    for (;;) {
        int depth = 0;

        if (word_kind(s, i) != NAME)
            return -1;
        if (word_is(s, ++i, "<")) {
            do
                depth += word_is(s, i, "<") - word_is(s, i, ">") - 2 * word_is(s, i, ">>");
            while (++i < s->n && depth > 0 && !word_is(s, i, ";"));
            if (depth)
                return -1;
        }
        if (!word_is(s, i, "::"))
            return i;
        i++;
    }
}

static bool is_declaration(const struct scan *s, int i)
{
    static const char *const starts[] = {
        "const",   "static",   "constexpr",     "extern",   "volatile", "struct",  "using",
        "typedef", "auto",     "__shared__",    "unsigned", "typename", "alignas", "union",
        "enum",    "template", "static_assert", "class",    NULL};
    static const char *const plain[] = {"return", "goto", "else", "case", "delete", "asm", NULL};

    if (word_is_any(s, i, starts))
        return true;
    if (word_is_any(s, i, plain) || word_is_any(s, i, heads))
        return false;
    int end = type_end(s, i);
    while (word_is(s, end, "*") || word_is(s, end, "&") || word_is(s, end, "const") ||
           word_is(s, end, "__restrict__"))
        end++;
    return end > i && word_kind(s, end) == NAME;
}

/* ---- what a change is in ---- */

struct found {
    int first, last; /* words; last < first: nothing, before the first */
    enum shape shape;
    int type; /* VALUE: the first word of the declaration, -1: none */
};

/* What is looked for: words from a to b, or a statement before a. */
struct asked {
    int a, b;
    bool inserts, complete;
};

static bool is_all(struct found *f, int first, int last, enum shape shape)
{
    *f = (struct found){first, last, shape, -1};
    return true;
}

static bool in_list(const struct join *j, int from, int to, const struct asked *q, struct found *f);

/* A function without a name that begins with word i. */
static bool in_lambda(const struct join *j, int i, int end, const struct asked *q, struct found *f)
{
    int open = i;

    while (open < end && !word_is(&j->scan, open, "{"))
        open++;
    return open < end && q->a > open && q->b < j->match[open] &&
           in_list(j, open + 1, j->match[open], q, f);
}

/* The value that a variable gets in a declaration, from word i up to end. */
static bool in_value(const struct join *j, int i, int end, const struct asked *q, struct found *f)
{
    const struct scan *s = &j->scan;
    int from = -1, to = end - 1;

    for (int k = i; k < q->a; k++) {
        if (is_opening(s, k) && j->match[k] >= q->a)
            break;
        if (is_opening(s, k))
            k = j->match[k];
        else if (word_is(s, k, "="))
            from = k + 1;
        else if (word_is(s, k, ","))
            from = -1;
    }
    if (from < 0 || word_is(s, from, "{"))
        return false;
    if (word_is(s, from, "["))
        return in_lambda(j, from, end, q, f);
    for (int k = from; k < end; k++) {
        if (is_opening(s, k))
            k = j->match[k];
        else if (word_is(s, k, ",")) {
            to = k - 1;
            break;
        }
    }
    if (q->b > to)
        return false;
    *f = (struct found){from, to, VALUE, i};
    return true;
}

static bool in_for(const struct join *j, int open, const struct asked *q, struct found *f)
{
    const struct scan *s = &j->scan;
    int close = j->match[open], semicolons[2], n = 0;

    for (int k = open + 1; k < close; k++) {
        if (is_opening(s, k))
            k = j->match[k];
        else if (word_is(s, k, ";") && n < 2)
            semicolons[n++] = k;
    }
    if (n < 2)
        return false;
    if (q->a > semicolons[1])
        return is_all(f, semicolons[1] + 1, close - 1, NOTHING);
    if (q->a > semicolons[0] && q->b < semicolons[1])
        return is_all(f, semicolons[0] + 1, semicolons[1] - 1, TRUTH);
    if (q->b >= semicolons[0])
        return false;
    return is_declaration(s, open + 1) ? in_value(j, open + 1, semicolons[0], q, f)
                                       : is_all(f, open + 1, semicolons[0] - 1, NOTHING);
}

static bool in_statement(const struct join *j, int i, int last, const struct asked *q,
                         struct found *f);

/* What hangs on a head, or on else, of one statement. */
static bool in_body(const struct join *j, int i, int last, const struct asked *q, struct found *f)
{
    bool all = !q->inserts && q->a == i && q->b == last;

    if (q->inserts && q->complete && q->a == i && !word_is(&j->scan, i, "{"))
        return false; /* would hang on it in place of what does */
    if (all && !q->complete)
        return false; /* what comes behind it would */
    return in_statement(j, i, last, q, f);
}

static bool in_headed(const struct join *j, int i, int last, const struct asked *q, struct found *f)
{
    const struct scan *s = &j->scan;
    int open = head_open(s, i), close = j->match[open], body = last_of(j, close + 1);

    if (q->a > open && q->b < close) {
        if (word_is(s, i, "for") && in_for(j, open, q, f))
            return true;
        if (open == i + 1 && !word_is(s, i, "for") && !is_declaration(s, open + 1))
            return is_all(f, open + 1, close - 1, word_is(s, i, "switch") ? VALUE : TRUTH);
    } else if (q->a > close && q->b <= body) {
        return in_body(j, close + 1, body, q, f);
    } else if (q->a > body + 1 && q->b <= last) {
        return in_body(j, body + 2, last, q, f);
    }
    return is_all(f, i, last, STATEMENT);
}

static bool in_statement(const struct join *j, int i, int last, const struct asked *q,
                         struct found *f)
{
    const struct scan *s = &j->scan;

    if (word_is(s, i, "{") && q->a > i && q->b < last)
        return in_list(j, i + 1, last, q, f);
    if (word_is_any(s, i, heads))
        return in_headed(j, i, last, q, f);
    if (is_declaration(s, i))
        return in_value(j, i, last, q, f);
    if (word_is(s, i, "return") && q->a > i && q->b < last)
        return is_all(f, i + 1, last - 1, VALUE);
    return is_all(f, i, last, STATEMENT);
}

/* From word i on to the last one of what the change is in, all of it statements. */
static bool in_several(const struct join *j, int i, int to, const struct asked *q, struct found *f)
{
    int first = i, last = i - 1;

    while (last < q->b) {
        i = last + 1;
        if (i >= to || is_declaration(&j->scan, i) || (last = last_of(j, i)) < 0)
            return false;
    }
    return is_all(f, first, last, STATEMENT);
}

/* Statements from word `from` up to the brace that ends them. */
static bool in_list(const struct join *j, int from, int to, const struct asked *q, struct found *f)
{
    const struct scan *s = &j->scan;

    for (int i = from, last; i < to; i = last + 1) {
        if (word_is(s, i, "case") || word_is(s, i, "default")) {
            for (last = i; last < to && !word_is(s, last, ":");)
                last++;
            if (q->a <= last)
                return false;
            continue;
        }
        if (q->inserts && q->complete && q->a == i)
            return is_all(f, i, i - 1, STATEMENT);
        last = last_of(j, i);
        if (last < 0)
            return false;
        if (q->a <= last && q->inserts && q->a == i)
            return !is_declaration(s, i) && is_all(f, i, last, STATEMENT);
        if (q->a <= last)
            return q->b <= last ? in_statement(j, i, last, q, f) : in_several(j, i, to, q, f);
    }
    return q->inserts && q->complete && q->a == to && is_all(f, to, to - 1, STATEMENT);
}

/* The outermost braces around word i that are a function's. */
static int body_around(const struct join *j, int i)
{
    const struct scan *s = &j->scan;
    int body = -1;

    for (int k = j->inside[i]; k >= 0; k = j->inside[k]) {
        if (word_is(s, k, "{") && (word_is(s, k - 1, ")") || word_is(s, k - 1, "const")))
            body = k;
    }
    return body;
}

static bool find_region(const struct join *j, const struct hunk *h, struct found *f)
{
    const struct scan *s = &j->scan;
    size_t with = strlen(h->with);
    struct asked q = {.inserts = !h->length};
    int i = 0;

    while (i < s->n && s->v[i].at < h->at)
        i++;
    q.a = i;
    while (i < s->n && s->v[i].at + s->v[i].length <= h->at + h->length)
        i++;
    q.b = q.inserts ? q.a : i - 1;
    while (with && isspace((unsigned char)h->with[with - 1]))
        with--;
    q.complete = with && strchr(";}", h->with[with - 1]);
    if (q.a >= s->n || q.b < q.a || (!q.inserts && s->v[q.a].at != h->at))
        return false;
    int body = body_around(j, q.a);
    return body >= 0 && q.b <= j->match[body] && in_list(j, body + 1, j->match[body], &q, f);
}

/* ---- where a change differs ---- */

static void add_hunk(struct change *c, size_t at, size_t length, char *with)
{
    c->v = xrealloc(c->v, (size_t)(c->n + 1) * sizeof(*c->v));
    c->v[c->n++] = (struct hunk){at, length, with};
}

static bool same_word(const struct scan *a, int i, const struct scan *b, int k)
{
    return a->v[i].length == b->v[k].length &&
           !strncmp(a->text + a->v[i].at, b->text + b->v[k].at, a->v[i].length);
}

/* Words from `from` up to `to` of the old text, and as many of the new one: each run of others. */
static void add_runs(struct change *c, size_t at, const struct scan *old, const struct scan *new)
{
    for (int i = 0, k; i < old->n; i = k + 1) {
        for (k = i; k < old->n && !same_word(old, k, new, k);)
            k++;
        if (k == i)
            continue;
        add_hunk(c, at + old->v[i].at, old->v[k - 1].at + old->v[k - 1].length - old->v[i].at,
                 words_text(new, i, k - 1));
    }
}

/* From the first word that differs to the last. */
static void add_middle(struct change *c, size_t at, const struct scan *old, const struct scan *new)
{
    int from = 0, end = old->n, last = new->n;

    while (from < end && from < last && same_word(old, from, new, from))
        from++;
    while (end > from && last > from && same_word(old, end - 1, new, last - 1)) {
        end--;
        last--;
    }
    if (from == end && from) /* what is put in becomes part of the word before it */
        from--;
    size_t begin = from < old->n ? old->v[from].at : 0;
    size_t length = end > from ? old->v[end - 1].at + old->v[end - 1].length - begin : 0;
    char *with = last > from ? words_text(new, from, last - 1) : xstrdup("");
    add_hunk(c, at + begin, length, xformat("%s ", with));
    free(with);
}

/* Each bracket that it opens it closes, and no others. */
static bool is_balanced(const char *text)
{
    int depth = 0;

    for (; *text && depth >= 0; text++)
        depth += !!strchr("([{", *text) - !!strchr(")]}", *text);
    return !depth;
}

static struct change change_of(const char *text, const struct edit *e)
{
    struct change c = {0};
    struct scan old = {0}, new = {0};
    char *was = xformat("%.*s", (int)e->length, text + e->at);

    scan_split(&old, was);
    scan_split(&new, e->with);
    if (!e->length)
        add_hunk(&c, e->at, 0, xstrdup(e->with));
    else if (old.n == new.n)
        add_runs(&c, e->at, &old, &new);
    else
        add_middle(&c, e->at, &old, &new);
    bool parts = true; /* can each be taken by itself? */
    for (int i = 0; i < c.n; i++)
        parts &= is_balanced(c.v[i].with) && strncmp(c.v[i].with, "else", strlen("else")) != 0;
    if (!parts && is_balanced(e->with)) {
        for (int i = 0; i < c.n; i++)
            free(c.v[i].with);
        c.n = 0;
        add_hunk(&c, e->at, e->length, xstrdup(e->with));
    }
    free(old.text);
    free(new.text);
    scan_close(&old);
    scan_close(&new);
    free(was);
    return c;
}

/* ---- regions ---- */

/* "(int)" of a declaration that says so, for free(); else NULL. */
static char *cast_of(const struct scan *s, int i, int first)
{
    int last = i;

    if (i < 0)
        return NULL;
    while (word_is_type(s, last) && !word_is(s, last, "auto") && !word_is(s, last, "const"))
        last++;
    bool plain = last > i && word_kind(s, last) == NAME && word_kind(s, first - 2) == NAME &&
                 !word_is(s, first - 3, "*");
    char *type = plain ? words_text(s, i, last - 1) : NULL,
         *cast = type ? xformat("(%s)", type) : 0;
    free(type);
    return cast;
}

/* Which is it, of those that there are? A new one, too; -1: it overlaps with one. */
static int region_of(struct join *j, const struct found *f)
{
    const struct scan *s = &j->scan;
    bool empty = f->last < f->first;
    size_t at = s->v[f->first].at, end = empty ? at : s->v[f->last].at + s->v[f->last].length;

    for (int i = 0; i < j->n; i++) {
        const struct region *r = &j->v[i];

        if (r->at == at && r->end == end)
            return r->shape == f->shape ? i : -1;
        if ((at < r->at && r->at < end && end < r->end) ||
            (r->at < at && at < r->end && r->end < end))
            return -1;
    }
    j->v = xrealloc(j->v, (size_t)(j->n + 1) * sizeof(*j->v));
    j->v[j->n] = (struct region){at, end, f->shape, cast_of(s, f->type, f->first), NULL, 0};
    return j->n++;
}

static bool is_short(const struct join *j, const struct found *f)
{
    const struct word *v = j->scan.v;

    return f->last < f->first || v[f->last].at - v[f->first].at < LONGEST;
}

/* Every place where it differs must be in one, or none is to be made of it. */
static bool add_change(struct join *j, int number)
{
    const struct change *c = &j->changes[number];
    struct found f;

    for (int h = 0; h < c->n; h++) {
        if (!find_region(j, &c->v[h], &f) || !is_short(j, &f) || region_of(j, &f) < 0)
            return false;
    }
    for (int h = 0; h < c->n; h++) {
        find_region(j, &c->v[h], &f);
        struct region *r = &j->v[region_of(j, &f)];

        if (r->n && r->changes[r->n - 1] == number)
            continue;
        r->changes = xrealloc(r->changes, (size_t)(r->n + 1) * sizeof(*r->changes));
        r->changes[r->n++] = number;
    }
    return c->n;
}

/* What is around another comes before it; what is put in before both. */
static int by_place(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    bool empty[] = {x->at == x->end, y->at == y->end};

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (empty[0] != empty[1])
        return empty[0] ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/* ---- their text ---- */

struct writing {
    const struct join *j;
    struct text out;
};

static void put_bytes(struct text *t, const char *text, size_t from, size_t to)
{
    text_bytes(t, text + from, to - from);
}

/* The region with one change, wherever that differs in it. */
static void put_change(struct writing *w, const struct region *r, int number)
{
    const struct change *c = &w->j->changes[number];
    const char *text = w->j->scan.text;
    size_t from = r->at;

    for (int i = 0; i < c->n; i++) {
        const struct hunk *h = &c->v[i];

        if (h->at < from || h->at + h->length > r->end)
            continue;
        put_bytes(&w->out, text, from, h->at);
        text_add(&w->out, h->with);
        from = h->at + h->length;
    }
    put_bytes(&w->out, text, from, r->end);
}

static int put_regions(struct writing *w, int i, size_t from, size_t to);

static const char *cast_to(const struct region *r)
{
    if (r->cast)
        return r->cast;
    return r->shape == TRUTH ? "(bool)" : r->shape == NOTHING ? "(void)" : "";
}

/* One change behind its question; the last of a region needs none. */
static void put_asked(struct writing *w, const struct region *r, int number, bool last)
{
    bool statement = r->shape == STATEMENT;
    struct text *t = &w->out;

    text_addf(t, "\n#line %d\n", LINES + LINES_EACH * number);
    if (!last)
        text_addf(t, statement ? "if (warplab_change() == %d)" : "warplab_change() == %d ?",
                  number + 1);
    text_add(t, statement ? "{\n" : cast_to(r));
    text_add(t, statement ? "" : "(\n");
    put_change(w, r, number);
    text_add(t, statement ? "\n}" : "\n)");
    if (!last)
        text_add(t, statement ? "else" : ":");
}

/* Is it one of the region's? One question, as most are not: then what was there; the next one comes
 * back. */
static int put_region(struct writing *w, int i)
{
    const struct region *r = &w->j->v[i];
    bool statement = r->shape == STATEMENT;
    struct text *t = &w->out;
    uint64_t mask = 0;

    for (int k = 0; k < r->n; k++)
        mask |= UINT64_C(2) << r->changes[k];
    if (mask)
        text_addf(t, statement ? "{ if (warplab_changes(%lluu)) {" : "(warplab_changes(%lluu) ? (",
                  (unsigned long long)mask);
    for (int k = 0; k < r->n; k++)
        put_asked(w, r, r->changes[k], k + 1 == r->n);
    if (mask)
        text_addf(t, statement ? "} else {\n#line 1\n" : ") :\n#line 1\n%s(", cast_to(r));
    i = put_regions(w, i + 1, r->at, r->end);
    if (mask)
        text_add(t, statement ? "\n}}" : "\n))");
    return i;
}

/* The text in these bounds, with the regions in it, from i on. */
static int put_regions(struct writing *w, int i, size_t from, size_t to)
{
    const struct join *j = w->j;

    while (i < j->n && j->v[i].at >= from && j->v[i].at < to && j->v[i].end <= to) {
        put_bytes(&w->out, j->scan.text, from, j->v[i].at);
        from = j->v[i].end;
        i = put_region(w, i);
    }
    put_bytes(&w->out, j->scan.text, from, to);
    return i;
}

/* ---- all of it ---- */

/* What a text has before its first line. */
static const char asking[] =
    "static __device__ __forceinline__ int warplab_change()\n"
    "{\n"
    "    int number;\n"
    "    asm(\"mov.b32 %0, " NUMBER_IN_PTX ";\" : \"=r\"(number));\n"
    "    return number & 63;\n"
    "}\n"
    "static __device__ __forceinline__ bool warplab_changes(unsigned long long which)\n"
    "{\n"
    "    return which >> warplab_change() & 1;\n"
    "}\n"
    "#line 1\n";

static void join_close(struct join *j, int n)
{
    for (int i = 0; i < n; i++) {
        for (int h = 0; h < j->changes[i].n; h++)
            free(j->changes[i].v[h].with);
        free(j->changes[i].v);
    }
    for (int i = 0; i < j->n; i++) {
        free(j->v[i].cast);
        free(j->v[i].changes);
    }
    free(j->changes);
    free(j->v);
    free(j->match);
    free(j->inside);
    free(j->scan.text);
    scan_close(&j->scan);
}

char *edits_join(const char *text, const struct edits *e, const int *which, int n, bool *in)
{
    struct join j = {.changes = xcalloc((size_t)n + 1, sizeof(*j.changes))};
    struct writing w = {.j = &j};

    scan_split(&j.scan, text);
    find_brackets(&j);
    for (int i = 0; i < n; i++) {
        j.changes[i] = change_of(text, &e->v[which[i]]);
        in[i] = j.whole && add_change(&j, i);
    }
    if (j.n)
        qsort(j.v, (size_t)j.n, sizeof(*j.v), by_place);
    text_add(&w.out, asking);
    put_regions(&w, 0, 0, strlen(j.scan.text));
    join_close(&j, n);
    return text_take(&w.out);
}

void edits_choose(char *ptx, int number)
{
    const size_t length = strlen(NUMBER_IN_PTX), fixed = strlen(FIXED_IN_PTX);

    for (char *p = ptx; (p = strstr(p, FIXED_IN_PTX)); p += length) {
        char digits[DIGITS + 1];

        snprintf(digits, sizeof(digits), "%04x", (unsigned)number & 0xffff);
        memcpy(p + fixed, digits, DIGITS);
    }
}

int edits_refused(const char *log, bool *refused, int n)
{
    int others = 0;

    for (const char *p = log; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *end = p + strcspn(p, "\n"), *error = strstr(p, ": error");
        const char *line = error && error < end ? error : NULL;

        while (line && line > p && isdigit((unsigned char)line[-1]))
            line--;
        if (!line)
            continue;
        int number = (atoi(line) - LINES) / LINES_EACH;
        if (atoi(line) >= LINES && number < n)
            refused[number] = true;
        else
            others++;
    }
    return others;
}
