/* edits.c - a .cu file with one small change (edits.h). Changes are made in the blocks (words.h) of
 * the kernels, and of all that they name.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int lines_in(const char *s, size_t length)
{
    int n = 0;

    for (size_t i = 0; i < length; i++)
        n += s[i] == '\n';
    return n;
}

/* Is it "32" where a constant of that number is named after the lanes of a warp? The hardware has
 * them: another number that happens to be right makes the name false. */
static bool is_of_hardware(const struct scan *s, int i)
{
    static const char *const called[] = {"lane",       "warpsize", "warp_size",
                                         "warp_width", "a_warp",   "per_warp",
                                         "of_warp",    "in_warp",  NULL};
    int name = word_is(s, i - 1, "=") ? i - 2 : i - 1;
    char *lower =
        word_is(s, i, "32") && word_kind(s, name) == NAME ? words_text(s, name, name) : NULL;
    bool is = lower != NULL;

    for (char *p = lower; is && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    is = is && !strcmp(lower, "warp");
    for (int k = 0; lower && called[k]; k++)
        is |= strstr(lower, called[k]) != NULL;
    free(lower);
    return is;
}

void change(struct scan *s, int from, int to, char *with)
{
    bool argument = from == to && word_kind(s, from) == NUMBER && word_is(s, from - 1, "<") &&
                    word_is(s, from + 1, ">"); /* of a template: which step it is, often */
    bool call = to == from + 1 && word_is(s, from, "(") && word_is(s, to, ")"); /* f<4>() */
    struct edits *e = s->to;

    bool sized = strstr(with, "Idx.") && word_is(s, statement_begin(s, from), "__shared__");

    s->changed = !argument && !sized && !call && !(from == to && is_of_hardware(s, from));
    if (!s->changed) { /* no size of an array follows from a thread */
        free(with);
        return;
    }
    size_t at = s->v[from].at, length = s->v[to].at + s->v[to].length - at;
    int lines = lines_in(s->text + at, length) - lines_in(with, strlen(with));

    if (e->n % 64 == 0)
        e->v = xrealloc(e->v, (size_t)(e->n + 64) * sizeof(*e->v));
    while (lines-- > 0) { /* what is behind stays on its line */
        char *longer = xformat("%s\n", with);

        free(with);
        with = longer;
    }
    e->v[e->n++] = (struct edit){.at = at, .length = length, .with = with};
}

void change_told(struct scan *s, char *told)
{
    if (s->changed)
        s->to->v[s->to->n - 1].told = told;
    else
        free(told);
}

/* ---- in an order ---- */

static int by_rank(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;

    return x->rank != y->rank ? x->rank - y->rank : (x->at > y->at) - (x->at < y->at);
}

static void sort(struct edits *e)
{
    qsort(e->v, (size_t)e->n, sizeof(*e->v), by_rank);
}

/* ---- all of it ---- */

enum { SHARED = 20 }; /* so many ways less likely: what is shared and not known to matter */
enum { WAYS = 200 };
enum { FAR = 1000 }; /* further away than anything is */

/* Several lists of ways, the likelier first, as one. */
static struct ways ways_of(way **v, const struct ways *const *lists)
{
    int n = 0;

    for (; *lists; lists++) {
        for (int i = 0; i < (*lists)->n && n < WAYS; i++)
            v[n++] = (*lists)->v[i];
    }
    return (struct ways){v, n};
}

/* Of the blocks of a scan of the same source, which these kernels reach. For free(). */
static bool *reached_by(const char *source, const char *names)
{
    struct scan s = {0};

    scan_open(&s, source, names);
    bool *is = xcalloc((size_t)s.nblocks + 1, sizeof(*is));
    for (int b = 0; b < s.nblocks; b++)
        is[b] = s.blocks[b].reached;
    free(s.text);
    scan_close(&s);
    return is;
}

/* One way, wherever it is a way: in kernels, or in what they share. */
static void list_way(struct scan *s, way *w, bool kernel, bool trusted, const bool *is_trusted)
{
    for (int i = 0; i < s->n; i++) {
        int b = s->v[i].block;

        if (scan_reaches(s, i) && s->blocks[b].kernel == kernel && is_trusted[b] == trusted)
            w(s, i);
    }
}

/* The variable that is being set, where it is declared, by the value that word i is in; -1: none.
 */
static int being_set(const struct scan *s, int i)
{
    int begin = statement_begin(s, i), depth = 0;

    for (int k = i - 1; k > begin && depth >= 0; k--) {
        depth += word_is(s, k, ")") - word_is(s, k, "(");
        if (!depth && word_is(s, k, ","))
            return -1;
        if (word_is(s, k, "=") && word_kind(s, k - 1) == NAME)
            return word_is_type(s, begin) || word_is_declared(s, k - 1) ? k - 1 : -1;
    }
    return -1;
}

/* … and no member of that name: blockIdx.x is not x. */
static bool has_variable(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = text; (p = strstr(p, name)); p += n) {
        bool inside = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.' ||
                                   (p > text + 1 && p[-1] == '>' && p[-2] == '-'));

        if (name_length(p) == n && !inside)
            return true;
    }
    return false;
}

/* int a = a + 1; is of what is not set yet: anything may come of it, and what is right, too. */
static bool is_of_unset(const struct scan *s, const struct edit *x)
{
    int from = 0, to = s->n;

    while (from < to) { /* the first word at or behind it */
        int middle = from + (to - from) / 2;

        if (s->v[middle].at < x->at)
            from = middle + 1;
        else
            to = middle;
    }
    int set = from < s->n && scan_reaches(s, from) ? being_set(s, from) : -1;
    char *name = set < 0 ? NULL : words_text(s, set, set),
         *value = xformat("%.*s", (int)strcspn(x->with, ";"), x->with);
    bool itself = name && has_variable(value, name);

    free(name);
    free(value);
    return itself;
}

/* More often than where it is defined. */
static bool is_used(const char *source, const char *name, size_t length)
{
    int times = 0;

    for (const char *p = source; *p;) {
        size_t n = name_length(p), skip = n ? n : comment_length(p);

        times += n == length && !strncmp(p, name, n);
        p += skip ? skip : 1;
    }
    return times > 1;
}

/* A name of a constant that other kernels alone use: equal by chance, it may be. */
static bool is_name_of_others(const struct scan *s, const char *source, const char *name,
                              size_t length)
{
    bool named = false;

    if (length < 2 || !isupper((unsigned char)*name))
        return false;
    for (int b = 0; b < s->nblocks; b++) {
        const struct block *in = &s->blocks[b];
        const struct word *w = &s->v[in->name];
        bool defines =
            in->first == in->name && w->length == length && !strncmp(s->text + w->at, name, length);

        if (defines && in->reached)
            return false;
        named |= defines;
    }
    return named && is_used(source, name, length) && !edits_recorded(s, name, length);
}

static bool is_of_others(const struct scan *s, const char *source, const struct edit *x)
{
    bool others = false;

    for (const char *p = x->with; *p && !others;) {
        size_t n = name_length(p);

        others = n && is_name_of_others(s, source, p, n);
        p += n ? n : 1;
    }
    return others;
}

/* What is not to be tried. */
static void drop_some(const struct scan *s, const char *source, struct edits *e)
{
    int kept = 0;

    for (int k = 0; k < e->n; k++) {
        if (is_of_unset(s, &e->v[k]) || is_of_others(s, source, &e->v[k])) {
            free(e->v[k].with);
            free(e->v[k].told);
        } else {
            e->v[kept++] = e->v[k];
        }
    }
    e->n = kept;
}

/* What is in the kernel is likelier than what it shares; least what serves others well. */
static void list(struct edits *e, const char *source, const char *names, const char *sound,
                 const char *told, const struct ways *const *lists)
{
    way *all[WAYS];
    struct ways ways = ways_of(all, lists);
    struct scan s = {.told = told, .to = e};
    bool *is_trusted = reached_by(source, sound);

    *e = (struct edits){0};
    scan_open(&s, source, names);
    for (int w = 0; w < 4 * ways.n; w++)
        list_way(&s, ways.v[w / 2 % ways.n], !(w % 2), w >= 2 * ways.n, is_trusted);
    free(is_trusted);
    drop_some(&s, source, e);
    e->text = s.text;
    e->lean = scan_lean(&s);
    scan_close(&s);
}

/* The nearest to these lines first. */
static void list_near(struct edits *e, const char *source, const char *names,
                      const struct ways *const *lists, const int *lines)
{
    way *all[WAYS];
    struct ways ways = ways_of(all, lists);
    struct scan s = {.told = "", .to = e};

    *e = (struct edits){0};
    scan_open(&s, source, names);
    int *away = near_lines(&s, lines);
    for (int w = 0; w < 2 * ways.n; w++) {
        for (int i = 0; i < s.n; i++) {
            int n = e->n, far = w % 2 && !near_is_related(away[i]) ? SHARED : 0;

            if (scan_reaches(&s, i) && s.blocks[s.v[i].block].kernel == !(w % 2))
                ways.v[w / 2](&s, i);
            for (; n < e->n; n++)
                e->v[n].rank = w / 4 + far + away[i]; /* two ways as far as a line */
        }
    }
    drop_some(&s, source, e);
    sort(e);
    e->text = s.text;
    e->lean = scan_lean(&s);
    free(away);
    scan_close(&s);
}

/* What was meant or is likely, and behind it all of an index, a bound, or an order. */
#define LIKELIEST                                                                                  \
    &asked_ways, &alike_ways, &round_ways, &meant_ways, &form_ways, &term_ways, &shape_ways
#define PLACES                                                                                     \
    LIKELIEST, &place_ways, &wider_ways, &name_ways, &every_ways, &block_ways, &left_ways,         \
        &more_ways

void edits_make(struct edits *e, const char *source, const char *names, const char *sound,
                const char *told)
{
    static const struct ways *const lists[] = {LIKELIEST,   &slip_ways,  &wider_ways, &name_ways,
                                               &every_ways, &block_ways, &left_ways,  &other_ways,
                                               &more_ways,  NULL};

    list(e, source, names, sound, told, lists);
}

/* ---- one call more ---- */

/* May a statement begin with word i? */
static bool begins(const struct scan *s, int i)
{
    int b = s->v[i].block, depth = 0;

    if (b < 0 || i <= s->blocks[b].open || i + 1 >= s->blocks[b].end ||
        !word_is_any(s, i - 1, (const char *const[]){";", "{", "}", NULL}))
        return false;
    for (int k = s->blocks[b].open; k < i; k++)
        depth += word_is(s, k, "(") - word_is(s, k, ")");
    return !depth;
}

/* What the line has itself. */
static void on_line_first(struct edits *e, int line)
{
    struct edit *v = xcalloc((size_t)e->n + 1, sizeof(*v));
    bool *there = xcalloc((size_t)e->n + 1, sizeof(*there));
    int n = 0;

    for (int i = 0; i < e->n; i++) {
        there[i] = edits_line(e, i) == line;
        if (there[i])
            v[n++] = e->v[i];
    }
    for (int i = 0; i < e->n; i++) {
        if (!there[i])
            v[n++] = e->v[i];
    }
    free(there);
    free(e->v);
    e->v = v;
}

void edits_make_of(struct edits *e, enum edits_of what, const char *source, const char *names,
                   const int *lines)
{
    static const struct ways *const of[][15] = {
        [OF_PLACES] = {PLACES},
        [OF_WAITS] = {PLACES},
        [OF_LIKELY] = {&swap_ways, LIKELIEST, &slip_ways, &wider_ways},
        [OF_ELEMENTS] = {PLACES},
        [OF_ORDER] = {&order_ways},
        [OF_LOOPS] = {&block_ways, &loop_ways, &step_ways, &form_ways, &alike_ways},
        [OF_LEAVING] = {&leave_ways}};

    static const struct ways *const bound[] = {&guard_ways, PLACES, NULL};

    if (lines)
        list_near(e, source, names, what == OF_PLACES || what == OF_WAITS ? bound : of[what],
                  lines);
    else
        list(e, source, names, "", "", of[what]);
    if (what == OF_WAITS && lines)
        on_line_first(e, lines[0]);
}

/* ---- … between two functions ---- */

/* The function that has the line; -1: none. */
static int block_of_line(const struct scan *s, int line)
{
    for (int i = 0; i < s->n; i++) {
        int b = s->v[i].block;

        if (s->v[i].line == line && b >= 0 && i > s->blocks[b].open)
            return b;
    }
    return -1;
}

/* The lines are of two functions, so that what is between them is in one that calls. */
static bool of_two(const struct scan *s, const int lines[2], int blocks[2])
{
    for (int k = 0; k < 2; k++)
        blocks[k] = block_of_line(s, lines[k]);
    return blocks[0] >= 0 && blocks[1] >= 0 && blocks[0] != blocks[1] &&
           !word_same(s, s->blocks[blocks[0]].name, s->blocks[blocks[1]].name);
}

/* "line 258 is in multiply(), which is called on line 341": by kernels. */
static void put_callers(struct text *t, const struct scan *s, int line, int block)
{
    char *name = words_text(s, s->blocks[block].name, s->blocks[block].name);
    struct text called = {0};
    int n = 0, last = 0;

    for (int i = 0; i < s->n && !s->blocks[block].kernel; i++) {
        if (!scan_reaches(s, i) || !s->blocks[s->v[i].block].kernel || s->v[i].line == last ||
            i < s->blocks[s->v[i].block].open || !word_same(s, i, s->blocks[block].name))
            continue;
        last = s->v[i].line;
        text_addf(&called, "%s%d", n++ ? ", " : "", last);
    }
    if (n)
        text_addf(t, "%sine %d is in %s(), which is called on line%s %s", t->length ? "; l" : "L",
                  line, name, n > 1 ? "s" : "", called.s);
    text_free(&called);
    free(name);
}

char *edits_callers(const char *source, const char *names, const int lines[2])
{
    struct scan s = {0};
    struct text t = {0};
    int blocks[2];

    scan_open(&s, source, names);
    if (of_two(&s, lines, blocks)) {
        for (int k = 0; k < 2; k++)
            put_callers(&t, &s, lines[k], blocks[k]);
    }
    free(s.text);
    scan_close(&s);
    return t.length ? text_take(&t) : NULL;
}

bool edits_called(const char *source, const char *names, size_t at)
{
    struct scan s = {0};
    bool called = false;

    scan_open(&s, source, names);
    for (int b = 0; b < s.nblocks && !called; b++) {
        const struct block *in = &s.blocks[b];

        called = in->reached && !in->kernel && word_is(&s, in->open, "{") && in->end > in->open &&
                 word_is(&s, in->open - 1, ")") && at > s.v[in->open].at &&
                 at < s.v[in->end - 1].at;
    }
    free(s.text);
    scan_close(&s);
    return called;
}

/* The last word of the statement that begins with word i, with all that hangs on its heads; -1: not
 * known. */
static int hanging_end(const struct scan *s, int i)
{
    int body = head_body(s, i), end = body < 0 ? body_end(s, i) : hanging_end(s, body);

    return end > 0 && word_is(s, i, "if") && word_is(s, end + 1, "else") ? hanging_end(s, end + 2)
                                                                         : end;
}

/* A loop whose body is one statement without braces: the call behind it, in braces with it. Where
 * the same call is behind the loop, it may have been meant so. */
static void call_in_loop(struct scan *s, int i, const char *call, int away)
{
    int body = word_is(s, i, "if") ? -1 : head_body(s, i),
        end = body < 0 || word_is_any(s, body, (const char *const[]){"{", ";", NULL})
                  ? -1
                  : hanging_end(s, body);

    if (end < 0)
        return;
    size_t n = strcspn(call, "(");
    char *does = words_text(s, body, end), *next = words_text(s, end + 1, end + 1),
         *told = xformat("in the loop on line %d, in braces with its body", s->v[i].line);
    bool is_behind = strlen(next) == n && !strncmp(next, call, n);
    int before = s->to->n;
    change(s, body, end, xformat("{ %s %s; }", does, call));
    if (s->to->n > before) {
        s->to->v[before].rank = is_behind ? -1 : away;
        s->to->v[before].told = is_behind ? xformat("%s (the one on line %d comes after the whole "
                                                    "loop),",
                                                    told, s->v[end + 1].line)
                                          : xformat("%s,", told);
    }
    free(told);
    free(next);
    free(does);
}

/* How far word i is; an `if` is as near as what hangs on it, and so is tried before that: a barrier
 * there is one that all threads come to. */
static int away_with_body(const struct scan *s, const int *away, int i)
{
    int end = word_is(s, i, "if") ? hanging_end(s, i) : i, least = away[i];

    for (int k = i + 1; k <= end; k++)
        least = away[k] < least ? away[k] : least;
    return least;
}

void edits_calls(struct edits *e, const char *source, const char *names, const int lines[2],
                 const char *call)
{
    struct scan s = {.to = e};
    int blocks[2];

    *e = (struct edits){0};
    scan_open(&s, source, names);
    bool *in = near_blocks(&s, lines), two = of_two(&s, lines, blocks);
    int *away = near_lines(&s, lines);
    for (int i = 0; i < s.n; i++) {
        if (!begins(&s, i) || !in[s.v[i].block])
            continue;
        int far = away_with_body(&s, away, i);
        call_in_loop(&s, i, call, away[i]);
        change(&s, i, i, xformat("%s; ", call));
        e->v[e->n - 1].length = 0; /* before it */
        e->v[e->n - 1].rank = two && !s.blocks[s.v[i].block].kernel ? FAR + far : far;
    }
    sort(e);
    e->text = s.text;
    e->lean = scan_lean(&s);
    free(away);
    free(in);
    scan_close(&s);
}

/* ---- an atomic ---- */

/* The first word of what is assigned to by word i. */
static int place_before(const struct scan *s, int i)
{
    int depth = 0;

    for (int k = i - 1; k >= 0; k--) {
        depth += word_is(s, k, "]") + word_is(s, k, ")") - word_is(s, k, "[") - word_is(s, k, "(");
        if (!depth && word_is_any(s, k, (const char *const[]){";", "{", "}", ")", "else", NULL}))
            return k + 1;
        if (depth == 1 && word_is(s, k, ")") && !word_is(s, k + 1, ".") &&
            !word_is(s, k + 1, "[") && !word_is(s, k + 1, "->"))
            return k + 1; /* an if's, or a for's */
        if (depth < 0)
            return k + 1;
    }
    return i;
}

static int semicolon_behind(const struct scan *s, int i)
{
    while (i < s->n && !word_is_any(s, i, (const char *const[]){";", "{", "}", NULL}))
        i++;
    return i < s->n && word_is(s, i, ";") ? i : -1;
}

/* "a[i] += x", "a[i] = a[i] + x" and "a[i]++", whose sign is word i. */
static void add_atomic(struct scan *s, int i)
{
    int from = place_before(s, i), end = semicolon_behind(s, i);
    bool one = word_is(s, i, "++"), plus = word_is(s, i, "+=");

    if (from >= i || end < 0 || (one && end != i + 1) || (plus && end == i + 1))
        return;
    char *place = words_text(s, from, i - 1), *of = xformat("%s +", place),
         *to = *place == '*' ? xstrdup(place + 1) : xformat("&%s", place),
         *value = one ? xstrdup("1") : words_text(s, i + 1, end - 1);
    size_t n = strlen(of);

    if (one || plus)
        change(s, from, end - 1, xformat("atomicAdd(%s, %s)", to, value));
    else if (!strncmp(value, of, n))
        change(s, from, end - 1,
               xformat("atomicAdd(%s, %s)", to, value + n + strspn(value + n, " ")));
    free(place);
    free(of);
    free(to);
    free(value);
}

void edits_atomics(struct edits *e, const char *source, const char *names, const int lines[2])
{
    struct scan s = {.to = e};

    *e = (struct edits){0};
    scan_open(&s, source, names);
    for (int i = 1; i < s.n; i++) {
        if ((s.v[i].line == lines[0] || s.v[i].line == lines[1]) && scan_reaches(&s, i) &&
            word_is_any(&s, i, (const char *const[]){"+=", "=", "++", NULL}))
            add_atomic(&s, i);
    }
    e->text = s.text;
    e->lean = scan_lean(&s);
    scan_close(&s);
}

/* ---- a return ---- */

/* "… non-void function "NAME<…>(…)"", or the name alone. */
static bool warned_of(const char *log, const char *name)
{
    static const char start[] = "missing return statement at end of non-void function \"";
    size_t n = strlen(name);

    for (const char *p = log; (p = strstr(p, start));) {
        p += strlen(start);
        if (!strncmp(p, name, n) && strchr("<(\"", p[n]))
            return true;
    }
    return false;
}

char *edits_no_return(const char *source, const char *names, const char *log, int *line)
{
    struct scan s = {0};
    char *found = NULL;

    scan_open(&s, source, names);
    for (int b = 0; b < s.nblocks && !found; b++) {
        const struct block *f = &s.blocks[b];
        char *name = words_text(&s, f->name, f->name);
        bool returns = !f->reached || f->kernel || !warned_of(log, name);

        for (int i = f->open; i < f->end; i++)
            returns |= word_is(&s, i, "return");
        *line = s.v[f->name].line;
        found = returns ? NULL : xstrdup(name);
        free(name);
    }
    free(s.text);
    scan_close(&s);
    return found;
}

/* ---- what is made of them ---- */

char *edits_comments(const char *source)
{
    char *all = xzalloc(strlen(source) + 1), *to = all;

    for (const char *p = source; *p;) {
        size_t n = comment_length(p);

        if (n) {
            memcpy(to, p, n);
            to += n;
        }
        p += n ? n : *p == '"' ? quoted_length(p) : 1;
    }
    return all;
}

static int by_place(const void *a, const void *b)
{
    const struct edit *const *x = a, *const *y = b;

    return ((*x)->at > (*y)->at) - ((*x)->at < (*y)->at);
}

static char *apply_to(const char *all, const struct edits *e, const int *which, int n)
{
    const struct edit **in = xcalloc((size_t)n + 1, sizeof(*in));
    struct text t = {0};
    size_t from = 0;

    for (int i = 0; i < n; i++)
        in[i] = &e->v[which[i]];
    qsort(in, (size_t)n, sizeof(*in), by_place);
    for (int i = 0; i < n; i++) {
        text_bytes(&t, all + from, in[i]->at - from);
        text_add(&t, in[i]->with);
        from = in[i]->at + in[i]->length;
    }
    text_add(&t, all + from);
    free(in);
    return text_take(&t);
}

char *edits_apply_all(const struct edits *e, const int *which, int n)
{
    return apply_to(e->text, e, which, n);
}

char *edits_apply_to(const char *text, const struct edits *e, int i)
{
    return apply_to(text, e, &i, 1);
}

char *edits_apply(const struct edits *e, int i)
{
    return edits_apply_all(e, &i, 1);
}

size_t edits_line_begin(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

int edits_line(const struct edits *e, int i)
{
    int line = 1;

    for (size_t k = 0; k < e->v[i].at; k++)
        line += e->text[k] == '\n';
    return line;
}

void edits_free(struct edits *e)
{
    for (int i = 0; i < e->n; i++) {
        free(e->v[i].with);
        free(e->v[i].told);
    }
    free(e->v);
    free(e->text);
    free(e->lean);
    *e = (struct edits){0};
}
