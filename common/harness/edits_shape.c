/* edits_shape.c - the small changes to what is done of what there is (editing.h): a loop for an if,
 * a copy for a reference, all of an index given to a function that was given a part, a guard behind
 * the index that it is about.
 */
#include "base/alloc.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

static const char *const less[] = {"<", "<=", NULL}, *const asks[] = {"==", "!=", NULL},
                         *const products[] = {"*", "/", "%", NULL};

enum { NAMES = 8 };

/* Is it the first in its function, from word `from` on, that is such? */
static bool is_first(const struct scan *s, int from, int i, bool (*is)(const struct scan *s, int i))
{
    for (int k = from; k < i; k++) {
        if (word_same(s, k, i) && is(s, k))
            return false;
    }
    return true;
}

/* A variable that is set where it is declared, alone or behind another. */
static bool is_set(const struct scan *s, int i)
{
    return word_kind(s, i) == NAME && word_is(s, i + 1, "=") &&
           (word_is_declared(s, i) ||
            (word_is_any(s, i - 1, (const char *const[]){",", "*", NULL}) &&
             (word_is_type(s, statement_begin(s, i)) ||
              word_is(s, statement_begin(s, i), "const"))));
}

/* if (i < n), of threads that have one each: a loop over all. */
static void as_loop(struct scan *s, int i)
{
    int close = condition_end(s, i);

    if (close != i + 5 || !word_is_plain(s, i + 2) || !word_is_any(s, i + 3, less))
        return;
    char *name = words_text(s, i + 2, i + 2), *condition = words_text(s, i + 2, close - 1);
    change(s, i, close, xformat("for (; %s; %s += blockDim.x)", condition, name));
    change(s, i, close, xformat("for (; %s; %s += gridDim.x * blockDim.x)", condition, name));
    free(name);
    free(condition);
}

/* T &a = b: a copy. */
static void on_itself(struct scan *s, int i)
{
    if (word_is(s, i, "&") && word_kind(s, i - 1) == NAME && word_kind(s, i + 1) == NAME &&
        word_is(s, i + 2, "=") && statement_begin(s, i) >= i - 2)
        change(s, i, i, xstrdup(""));
}

/* Where variable i is declared and set: the first word of what it is set to; -1: nowhere. */
static int value_of(const struct scan *s, int i)
{
    for (int k = s->blocks[s->v[i].block].open; k < i; k++) {
        if (word_same(s, k, i) && is_set(s, k))
            return k + 2;
    }
    return -1;
}

/* f(a), the call that begins with word i: of a + b. For free(); NULL: it is none. */
static char *call_with(const struct scan *s, int i, int from, int to)
{
    if (i < 0 || word_kind(s, i) != NAME || !word_is(s, i + 1, "("))
        return NULL;
    char *f = words_text(s, i, i + 1), *a = words_text(s, i + 2, word_match(s, i + 1, 1) - 1),
         *rest = words_text(s, from, to), *all = xformat("%s%s + %s)", f, a, rest);

    free(f);
    free(a);
    free(rest);
    return all;
}

/* [f(a) + b], or [v + b] where v is f(a): [f(a + b)]; and v[b], where v is &x[f(a)]. */
static void call_of_all(struct scan *s, int i)
{
    int end = word_is(s, i, "[") ? word_match(s, i, 1) : -1;

    if (end < 0)
        return;
    int direct = word_is(s, i + 2, "(") ? word_match(s, i + 2, 1) + 1 : i + 2,
        call = word_is(s, i + 2, "(") ? i + 1 : value_of(s, i + 1), array = value_of(s, i - 1);
    char *all =
        direct < end && word_is(s, direct, "+") ? call_with(s, call, direct + 1, end - 1) : NULL;
    if (all)
        change(s, i + 1, end - 1, all);
    if (array > 0 && word_is(s, array, "&") && word_is(s, array + 2, "[") &&
        (all = call_with(s, array + 3, i + 1, end - 1))) {
        char *name = words_text(s, array + 1, array + 1);

        change(s, i - 1, end, xformat("%s[%s]", name, all));
        free(name);
        free(all);
    }
}

/* if (a >= n) return; b = …; to be asked of b, behind it. */
static void guard_behind(struct scan *s, int i)
{
    static const char *const more[] = {">=", ">", NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int close = condition_end(s, i), sign = i + 2;

    if (close < 0 || !word_is(s, close + 1, "return") || !word_is(s, close + 2, ";"))
        return;
    while (sign < close && !word_is_any(s, sign, more))
        sign++;
    char *asked = words_text(s, sign, close - 1);
    for (int k = close + 3, n = 0; sign < close && k < in->end && n < 3; k++) {
        int end = is_set(s, k) ? statement_end(s, k) : -1;

        if (end < 0 || !word_is(s, end + 1, ";"))
            continue;
        char *between = words_text(s, close + 3, end + 1), *name = words_text(s, k, k);
        change(s, i, end + 1, xformat("%s if (%s %s) return;", between, name, asked));
        free(between);
        free(name);
        n++;
    }
    free(asked);
}

/* One condition more, as the last of several, of what the function is given and they do not ask. */
static void asked_too(struct scan *s, int i)
{
    static const char *const joins[] = {"||", "&&", NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int name = -1, to = i + 1, found = 0, depth = 0;

    if (!word_is_any(s, i, joins))
        return;
    for (; to < in->end && depth >= 0; to++) {
        depth += word_is(s, to, "(") - word_is(s, to, ")");
        if (word_is_any(s, to, joins) ||
            (!depth && word_is_any(s, to, (const char *const[]){";", "?", NULL})))
            break;
        if (name < 0 && depth >= 0 && word_is_plain(s, to))
            name = to;
    }
    to -= depth < 0 ? 2 : 1;
    if (name < 0 || word_is_any(s, to + 1, joins))
        return;
    int from = statement_begin(s, i);
    for (int k = in->first; k < in->open && found < NAMES; k++) {
        bool is_asked = !(word_is_variable(s, k) &&
                          word_is_any(s, k + 1, (const char *const[]){",", ")", NULL}));
        for (int w = from; w <= to && !is_asked; w++)
            is_asked = word_same(s, w, k);
        if (is_asked)
            continue;
        char *sign = words_text(s, i, i), *all = words_text(s, i + 1, to),
             *before = name > i + 1 ? words_text(s, i + 1, name - 1) : xstrdup(""),
             *behind = name < to ? words_text(s, name + 1, to) : xstrdup(""),
             *other = words_text(s, k, k);
        change(s, i + 1, to, xformat("%s %s %s%s %s", all, sign, before, other, behind));
        free(sign);
        free(all);
        free(before);
        free(behind);
        free(other);
        found++;
    }
}

/* a.b: another member that the function takes of some; as a bound, without that one of the same. */
static void member_of_all(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int n = 0;

    if (!word_is_member(s, i) || s->v[i].length < 2)
        return;
    for (int k = in->open; k < in->end && n < NAMES; k++) {
        if (!word_is_member(s, k) || s->v[k].length < 2 || word_same(s, k, i) ||
            word_is(s, k + 1, "(") || !is_first(s, in->open, k, word_is_member))
            continue;
        change(s, i, i, words_text(s, k, k));
        n++;
        if (!word_is_any(s, i - 3, less) || !word_same(s, k - 2, i - 2))
            continue;
        char *end = words_text(s, i - 2, i), *first = words_text(s, k - 2, k);
        change(s, i, i, xformat("%s - %s", end + s->v[i].at - s->v[i - 2].at, first));
        free(end);
        free(first);
    }
}

/* a < b / 2: every other one. */
static void every_other(struct scan *s, int i)
{
    int left = word_is(s, i, "<") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right < 0 || !word_is(s, right + 1, "/"))
        return;
    left = chain_back(s, left, products);
    char *a = words_text(s, left, i - 1);
    change(s, left, right + 2, xformat("%s %% 2 == 0", a));
    change(s, left, right + 2, xformat("%s %% 2 == 1", a));
    free(a);
}

/* a * b[1], as of a row that goes up by the same: b[a]. */
static void own_element(struct scan *s, int i)
{
    int left = word_is(s, i, "*") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1;

    if (left < 0 || !word_is(s, i + 2, "[") || !word_is(s, i + 3, "1") || !word_is(s, i + 4, "]"))
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, i + 1);
    change(s, left, i + 4, xformat("%s[%s]", b, a));
    free(a);
    free(b);
}

/* a - b, counted from the last: a - 1 - b. */
static void from_last(struct scan *s, int i)
{
    int left = word_is(s, i, "-") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1;

    if (left < 0 || word_kind(s, i + 1) == NUMBER || word_is(s, left - 1, "*"))
        return;
    char *a = words_text(s, left, i - 1);
    change(s, left, i - 1, xformat("%s - 1", a));
    free(a);
}

/* a < N, where a variable began as N and has become less. */
static void what_is_left(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (!word_is_any(s, i - 1, less) || (!word_is_constant(s, i) && !word_is_plain(s, i)))
        return;
    for (int k = in->open; k < i; k++) {
        if (is_set(s, k) && word_same(s, k + 2, i) &&
            word_is_any(s, k + 3, (const char *const[]){";", ",", NULL}))
            change(s, i, i, words_text(s, k, k));
    }
}

/* a == 31: the first, or the last, of a warp and of a block. */
static void other_end(struct scan *s, int i)
{
    if (!word_is_any(s, i, asks) || word_kind(s, i + 1) != NUMBER)
        return;
    bool first = word_is(s, i + 1, "0");
    change(s, i + 1, i + 1, xstrdup(first ? "31" : "0"));
    if (first)
        change(s, i + 1, i + 1, xstrdup("blockDim.x - 1"));
}

/* x = 0; as where a row ends: and another goes on. */
static void goes_along(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int n = 0;

    if (!word_is_plain(s, i) || word_is_declared(s, i) || !word_is(s, i + 1, "=") ||
        !word_is(s, i + 2, "0") || !word_is(s, i + 3, ";") || statement_begin(s, i) != i)
        return;
    char *a = words_text(s, i, i + 2);
    for (int k = in->open; k < i && n < NAMES; k++) {
        if (!is_set(s, k) || word_same(s, k, i) || word_is_array(s, k))
            continue;
        char *b = words_text(s, k, k);
        change(s, i, i + 2, xformat("%s, %s++", a, b));
        free(b);
        n++;
    }
    free(a);
}

/* f(a, 0), whose other operand is too much. */
static void operand_alone(struct scan *s, int i)
{
    static const char *const calls[] = {"fmaxf", "fminf", "max", "min", "fmax", "fmin", NULL};
    int end = word_is_any(s, i, calls) && word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1,
        depth = 0;

    for (int k = i + 2; k < end; k++) {
        depth += word_is(s, k, "(") - word_is(s, k, ")");
        if (!depth && word_is(s, k, ",")) {
            change(s, i, end, words_text(s, i + 2, k - 1));
            change(s, i, end, words_text(s, k + 1, end - 1));
        }
    }
}

/* a / b + c: a / b times so many, as what is divided goes on by groups of these. */
static void times_a_group(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int left = word_is(s, i, "/") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1, n = 0, last = -1;

    if (right < 0 || !word_is(s, right + 1, "+"))
        return;
    char *a = words_text(s, left, right);
    for (int k = in->open; k < in->end && n < NAMES; k++) {
        if (!word_is_any(s, k - 1, products) ||
            (word_kind(s, k) != NUMBER && !word_is_constant(s, k)) || word_same(s, k, i + 1) ||
            (n && word_same(s, k, last)))
            continue;
        last = k;
        char *b = words_text(s, k, k);
        change(s, left, right, xformat("%s * %s", a, b));
        free(b);
        n++;
    }
    free(a);
}

static way *const shapes[] = {
    what_is_left, as_loop,     on_itself, call_of_all, guard_behind,  member_of_all, every_other,
    from_last,    own_element, other_end, goes_along,  operand_alone, times_a_group, asked_too};
const struct ways shape_ways = {shapes, sizeof(shapes) / sizeof(shapes[0])};
