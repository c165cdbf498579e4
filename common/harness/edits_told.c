/* edits_told.c - a small change in words (edits.h): as whole operands, and as what its line has
 * once.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

char *one_line(const char *s, size_t length)
{
    char *line = xzalloc(length + 1), *to = line;

    for (size_t i = 0; i < length; i++) {
        if (!isspace((unsigned char)s[i]))
            *to++ = s[i];
        else if (to > line && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > line && to[-1] == ' ')
        to[-1] = '\0';
    return line;
}

size_t edits_condition(const char *text, size_t at, size_t *length)
{
    int depth = 0;
    size_t open = at, end;

    while (open > 0 && text[open - 1] != ';' && text[open - 1] != '{' && depth >= 0) {
        open--;
        depth += text[open] == ')' ? 1 : text[open] == '(' ? -1 : 0;
        if (depth < 0 && (open < 3 || strncmp(text + open - 3, "if ", 3)))
            depth = 0; /* of a call, or around a part */
    }
    if (depth >= 0)
        return 0;
    depth = 0;
    for (end = open; text[end] && (end == open || depth > 0); end++)
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    *length = end - open - 2; /* from bracket to bracket */
    return *length ? open + 1 : 0;
}

enum {
    SHORT_WORDS = 3,
    AROUND = 60,
    LONG_WORDS = 110,
    LONG_CHANGE = 300 /* what is to be written has to be read whole */
};                    /* characters: that tell little, and that may be told */

/* The sign of an assignment, or one of a choice. */
static bool is_edge(const char *text, size_t at)
{
    char c = text[at], before = at ? text[at - 1] : '\0', behind = text[at + 1];
    bool compares = behind == '=' || strchr("=!", before) ||
                    (strchr("<>", before) && !(at > 1 && text[at - 2] == before));

    return c == '=' ? !compares : c == ':' ? before != ':' && behind != ':' : c == '?';
}

/* What is set to what begins at text[at], without its type; text[at], too: nothing is. */
static size_t with_target(const char *text, size_t at)
{
    size_t to = at;
    int depth = 0;

    while (to > 0 && text[to - 1] == ' ')
        to--;
    if (!to || !is_edge(text, to - 1) || text[to - 1] != '=')
        return at;
    for (to--; to > 0 && strchr(" +-*/%&|^<>", text[to - 1]); to--)
        ;
    while (to > 0 && (depth || !strchr(" (,;{\n", text[to - 1]))) {
        to--;
        depth += text[to] == ']' || text[to] == ')';
        depth -= text[to] == '[' || text[to] == '(';
    }
    return to;
}

/* Where what is around text[at] begins, or ends: brackets, a comma, a semicolon, what is set, a
 * part of a choice. step: -1 or 1. */
static size_t edge_of(const char *text, size_t at, int step)
{
    static const char *const in[] = {"([", ")]"}, *const stops = ",;{}\n";
    int depth = 0;

    while (at > 0 && text[at]) {
        char c = text[step < 0 ? at - 1 : at];

        depth += strchr(in[step < 0], c) ? 1 : strchr(in[step > 0], c) ? -1 : 0;
        if (depth < 0 || (!depth && (strchr(stops, c) || is_edge(text, step < 0 ? at - 1 : at))))
            break;
        if (step > 0 && (!strncmp(text + at, " //", 3) || !strncmp(text + at, " /*", 3)))
            break;
        at += (size_t)step;
    }
    return at;
}

/* Of what is long, its beginning. */
static char *shortened(char *line, size_t most)
{
    char *all = line;

    if (strlen(line) <= most)
        return line;
    line = xformat("%.*s…", (int)most, all);
    free(all);
    return line;
}

/* Words from … to; `loosest`: what binds least of the operators in them, before or after the
 * change, outside of all brackets; TIGHT: none. */
struct excerpt {
    int from, to, loosest;
};
enum { CHOICE = 0 /* ? and : */, TIGHT = 100 };

/* -1: they are no expression, but some, or statements. */
static int loosest_of(const struct scan *s, int from, int to)
{
    int depth = 0, least = TIGHT;

    for (int i = from; i <= to && least >= 0; i++) {
        int level = word_is(s, i, "?") || word_is(s, i, ":") ? CHOICE : binds(s, i);

        depth += word_is(s, i, "(") + word_is(s, i, "[") - word_is(s, i, ")") - word_is(s, i, "]");
        if (depth < 0 || word_is_any(s, i, (const char *const[]){";", "{", "}", NULL}) ||
            (!depth && (word_is(s, i, ",") || word_assigns(s, i))))
            least = -1;
        else if (!depth && (level || word_is(s, i, "?")) && level < least)
            least = level;
    }
    return depth ? -1 : least;
}

/* Does what stands before take the first operand from them: a - (b + c) is not a - b + c? */
static bool takes_first(const struct scan *s, struct excerpt x)
{
    static const char *const any_order[] = {"+", "&", "|", "^", "&&", "||", NULL};
    int level = binds(s, x.from - 1);
    bool divides = false;

    for (int i = x.from; i <= x.to; i++)
        divides |= word_is(s, i, "/") || word_is(s, i, "%");
    if (word_is(s, x.from - 1, "*"))
        return level > x.loosest || (level == x.loosest && divides);
    return level > x.loosest ||
           (level && level == x.loosest && !word_is_any(s, x.from - 1, any_order));
}

/* … with the whole operands of the loosest. */
static struct excerpt whole(const struct scan *s, struct excerpt x)
{
    int at;

    while (x.loosest < TIGHT && takes_first(s, x) && (at = operand_back(s, x.from - 2)) >= 0)
        x.from = at;
    while (x.loosest < TIGHT && binds(s, x.to + 1) > x.loosest &&
           (at = operand_on(s, x.to + 2)) >= 0)
        x.to = at;
    return x;
}

/* Is what they are on the line where they begin once? */
static bool is_once(const struct scan *s, struct excerpt x)
{
    size_t begin = s->v[x.from].at, end = begin + strcspn(s->text + begin, "\n");
    int n = 0;

    begin = edits_line_begin(s->text, begin);
    for (int i = 0; i < s->n && s->v[i].at < end; i++) {
        bool same = s->v[i].at >= begin;

        for (int k = 0; same && k <= x.to - x.from; k++)
            same = word_same(s, i + k, x.from + k);
        n += same;
    }
    return n == 1;
}

/* How far what has commas, or questions, around it goes: to brackets, or to `stops`. */
static struct excerpt stretched(const struct scan *s, struct excerpt x, bool commas)
{
    static const char *const ends[] = {"(", ")", "[", "]", "{", "}", ";", "return", NULL};

    for (int step = -1; step < 2; step += 2) {
        int *end = step < 0 ? &x.from : &x.to;

        while (*end > 0 && *end < s->n - 1) {
            int next = *end + step;

            if (word_is(s, next, step < 0 ? ")" : "(") || word_is(s, next, step < 0 ? "]" : "["))
                next = word_match(s, next, step);
            else if (word_is_any(s, next, ends) ||
                     (!commas && (word_is(s, next, ",") || word_assigns(s, next))))
                break;
            if (next < 0 || next >= s->n)
                break;
            *end = next;
        }
    }
    return x;
}

/* The next larger expression around them; the same: there is none. */
static struct excerpt around(const struct scan *s, struct excerpt x)
{
    int before = binds(s, x.from - 1), behind = binds(s, x.to + 1), at;
    static const char *const asks[] = {"?", ":", NULL};

    if (word_is(s, x.from - 1, "::") && word_kind(s, x.from - 2) == NAME)
        return (struct excerpt){x.from - 2, x.to, x.loosest};
    if (before || behind) {
        at = before >= behind ? operand_back(s, x.from - 2) : operand_on(s, x.to + 2);
        if (at >= 0)
            *(before >= behind ? &x.from : &x.to) = at;
        x.loosest = before >= behind ? before : behind;
        return at < 0 ? x : whole(s, x);
    }
    if (word_is_any(s, x.from - 1, asks) || word_is_any(s, x.to + 1, asks))
        return stretched(s, x, false);
    if (word_assigns(s, x.from - 1) && (at = operand_back(s, x.from - 2)) >= 0)
        return (struct excerpt){at, x.to, x.loosest};
    if ((word_is(s, x.from - 1, "(") || word_is(s, x.from - 1, "[")) &&
        word_match(s, x.from - 1, 1) == x.to + 1) {
        at = operand_back(s, x.to + 1);
        return (struct excerpt){at < 0 ? x.from - 1 : at, x.to + 1, x.loosest};
    }
    return stretched(s, x, true);
}

/* The first word that ends behind text[at]. */
static int word_at(const struct scan *s, size_t at)
{
    int i = 0;

    while (i < s->n && s->v[i].at + s->v[i].length <= at)
        i++;
    return i;
}

/* A minus of what follows alone, with nothing before that it takes it from. */
static bool is_sign(const struct scan *s, int i)
{
    return i > 0 && word_is(s, i, "-") &&
           !word_is_any(s, i - 1, (const char *const[]){")", "]", NULL}) &&
           ((word_kind(s, i - 1) != NAME && word_kind(s, i - 1) != NUMBER) ||
            word_is_keyword(s, i - 1));
}

/* Of text[*from] to text[*end], which become `changed`: whole operands, as often around them as it
 * takes until the line has them once. */
static void widen(const char *text, size_t *from, size_t *end, const char *changed)
{
    struct scan s = {0}, c = {0};

    scan_split(&s, text);
    scan_split(&c, changed);
    struct excerpt x = {word_at(&s, *from), word_at(&s, *end - 1), 0};
    int was = loosest_of(&s, x.from, x.to), is = loosest_of(&c, 0, c.n - 1);
    bool words = x.to < s.n && s.v[x.from].at == *from && s.v[x.to].at + s.v[x.to].length == *end;

    x.loosest = is < was ? is : was;
    if (words && x.loosest >= 0) {
        struct excerpt now = whole(&s, x), last = x;

        for (bool more = true; more;) {
            bool fits =
                s.v[now.to].at + s.v[now.to].length - s.v[now.from].at <= (size_t)LONG_WORDS;

            last = fits ? now : last;
            now = around(&s, last);
            more = fits && !is_once(&s, last) && (now.from < last.from || now.to > last.to);
        }
        last.from -= is_sign(&s, last.from - 1);
        *from = s.v[last.from].at;
        *end = s.v[last.to].at + s.v[last.to].length;
    }
    free(s.text);
    free(c.text);
    scan_close(&s);
    scan_close(&c);
}

static char *changed_from(const char *text, const struct edit *x, size_t from, size_t end)
{
    return xformat("%.*s%s%.*s", (int)(x->at - from), text + from, x->with,
                   (int)(end - x->at - x->length), text + x->at + x->length);
}

char *edits_words(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    const char *text = e->text;
    size_t from = x->at, end = x->at + x->length, rest = strcspn(text + from, ";{}\n");

    if (x->told)
        return xstrdup(x->told);
    if (x->length && x->length <= SHORT_WORDS && strlen(x->with) <= SHORT_WORDS) {
        from = with_target(text, edge_of(text, from, -1));
        end = edge_of(text, end, 1);
        from += strspn(text + from, " ");
        while (end > from && text[end - 1] == ' ')
            end--;
        if (end - from > AROUND) {
            from = x->at;
            end = from + x->length;
        }
    } else if (x->length && strchr("+-*/%", text[end + strspn(text + end, " ")])) {
        end = edge_of(text, end, 1); /* a part of a sum alone says something else */
    }
    char *changed = changed_from(text, x, from, end);
    if (x->length) {
        widen(text, &from, &end, changed);
        free(changed);
        changed = changed_from(text, x, from, end);
    }
    char *was = shortened(one_line(text + from, x->length ? end - from : rest), LONG_WORDS),
         *is = shortened(one_line(changed, strlen(changed)), LONG_CHANGE), *words;

    if (!x->length)
        words = xformat("with \"%s\" put in before \"%s\"", is, was);
    else if (!strcmp(is, ";") || !*is)
        words = xformat("without \"%s\"", was);
    else
        words = xformat("with \"%s\" in place of \"%s\"", is, was);
    free(changed);
    free(was);
    free(is);
    return words;
}
