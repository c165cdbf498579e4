/* edits_shape.c - the small changes to what is done of what there is (editing.h): a loop for an if,
 * a copy for a reference, all of an index given to a function that was given a part, a guard behind
 * the index that it is about.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

/* Says the last change in words of its own, which are taken. */
static void say(struct scan *s, char *told)
{
    change_told(s, told);
}

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
    change(s, i, close, xformat("for (; %s; %s++)", condition, name));
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

/* Where variable i is set: the first word of what it is set to; -1: nowhere. */
static int value_of(const struct scan *s, int i)
{
    for (int k = s->blocks[s->v[i].block].open; k < i; k++) {
        if (word_same(s, k, i) && word_is(s, k + 1, "=") &&
            (is_set(s, k) || statement_begin(s, k) == k))
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

        if (end < 0 || !word_is(s, end + 1, ";") || word_is(s, statement_begin(s, k) - 1, "("))
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

/* f(i), or a[i], of a part that begins with a member of some: f(b.first + i). */
static void from_member(struct scan *s, int i)
{
    static const char *const before[] = {"(", "[", ",", NULL}, *const behind[] = {")", "]", ",",
                                                                                  NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int n = 0;

    if (!word_is_plain(s, i) || word_is_array(s, i) || !word_is_any(s, i - 1, before) ||
        !word_is_any(s, i + 1, behind))
        return;
    char *a = words_text(s, i, i);
    for (int k = in->open; k < in->end && n < NAMES / 2; k++) {
        if (!word_is_member(s, k) || s->v[k].length < 2 || word_is(s, k + 1, "(") ||
            word_kind(s, k - 2) != NAME || !is_first(s, in->open, k, word_is_member))
            continue;
        char *b = words_text(s, k - 2, k);
        change(s, i, i, xformat("%s + %s", b, a));
        free(b);
        n++;
    }
    free(a);
}

/* a * b, a number of halves: that of their bytes, where shared memory is addressed by these. */
static void in_bytes(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int right = word_is(s, i, "*") && word_is_binary(s, i) ? operand_on(s, i + 1) : -1;
    bool addresses = false;

    if (right < 0 || word_is_any(s, right + 1, products))
        return;
    for (int k = in->open; k < in->end && !addresses; k++)
        addresses = word_is(s, k, "shared_address");
    if (!addresses)
        return;
    char *b = words_text(s, i + 1, right);
    change(s, i + 1, right, xformat("%s * 2", b));
    free(b);
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

static bool is_assigned(const struct scan *s, int i)
{
    static const char *const by[] = {"=", "+=", "-=", "*=", "|=", "&=", "^=", "++", "--", NULL};

    return word_is_any(s, i + 1, by) ||
           word_is_any(s, i - 1, (const char *const[]){"++", "--", NULL});
}

/* Is a word that is changed between words from … to among those of the value of set variable k? */
static bool depends(const struct scan *s, int k, int from, int to)
{
    int end = statement_end(s, k);

    for (int v = k + 2; v <= end && !word_is(s, v, ","); v++) {
        for (int w = from; w < to && word_is_plain(s, v); w++) {
            if (word_same(s, w, v) && is_assigned(s, w))
                return true;
        }
    }
    return false;
}

/* The last word of what set variable k is set to, before a comma or the end. */
static int value_end(const struct scan *s, int k)
{
    int end = statement_end(s, k), depth = 0;

    for (int v = k + 2; v <= end; v++) {
        depth += word_is_any(s, v, (const char *const[]){"(", "[", "{", NULL}) -
                 word_is_any(s, v, (const char *const[]){")", "]", "}", NULL});
        if (!depth && word_is(s, v, ","))
            return v - 1;
    }
    return end;
}

/* What is set once before a loop, in each of its rounds: all that it changes itself, from names and
 * numbers; and all that is made of what it changes. */
static void in_each_round(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int body = word_is(s, i, "if") ? -1 : head_body(s, i),
        close = body > 0 && word_is(s, body, "{") ? brace_end(s, body) : -1, n = 0, made = 0;
    struct text again = {0}, of = {0};

    if (close < 0)
        return;
    for (int k = in->open; k < i; k++) {
        bool changes = false;

        if (!is_set(s, k) || word_is(s, statement_begin(s, k) - 1, "("))
            continue;
        for (int w = body; w < close && !changes; w++)
            changes = word_same(s, w, k) && is_assigned(s, w);
        char *set = words_text(s, k, value_end(s, k));
        if (changes && value_end(s, k) == k + 2) {
            text_addf(&again, " %s;", set);
            n++;
        } else if (!changes && (depends(s, k, i, close) || made)) {
            text_addf(&of, " %s;", set);
            made++;
        }
        free(set);
    }
    if (n > 1) {
        change(s, body, body, xformat("{%s", again.s));
        say(s, xformat("with \"%s\" in each round of the loop,", again.s + 1));
    }
    if (made) {
        change(s, body, body, xformat("{%s", of.s));
        say(s, xformat("with \"%s\" in each round of the loop,", of.s + 1));
    }
    text_free(&again);
    text_free(&of);
}

/* One loop with a barrier in it, as two: all that is before it is done first. */
static void loop_parted(struct scan *s, int i)
{
    int body = word_is(s, i, "for") ? head_body(s, i) : -1,
        close = body > 0 && word_is(s, body, "{") ? brace_end(s, body) : -1, depth = 0;

    for (int k = body; k < close; k++) {
        depth += word_is(s, k, "{") - word_is(s, k, "}");
        if (depth != 1 || !word_is(s, k, "__syncthreads") || k == body + 1 || k + 4 >= close)
            continue;
        char *head = words_text(s, i, body - 1), *first = words_text(s, body + 1, k - 1),
             *second = words_text(s, k + 4, close - 1);
        change(s, i, close,
               xformat("%s { %s } __syncthreads(); %s { %s }", head, first, head, second));
        say(s, xformat("with all rounds of what is before the __syncthreads() of this loop first, "
                       "then that, and then a loop of what is behind it,"));
        free(head);
        free(first);
        free(second);
    }
}

/* a = b; for (…) c; to for (…) c; a = b; */
static void behind_loop(struct scan *s, int i)
{
    int end = statement_begin(s, i) == i && !word_is_type(s, i) ? statement_end(s, i) : -1,
        loop = end + 2, last, body = end >= 0 && word_is(s, loop, "for") ? head_body(s, loop) : -1;

    if (body < 0 || word_is(s, i + 1, "(") || !word_is(s, end + 1, ";"))
        return;
    if (word_is(s, body, "{"))
        last = brace_end(s, body);
    else
        for (last = body; !word_is(s, last, ";") && last < s->n - 1; last++)
            ;
    if (last < 0)
        return;
    char *a = words_text(s, i, end + 1), *does = words_text(s, loop, last);
    change(s, i, last, xformat("%s %s", does, a));
    say(s, xformat("with \"%s\" behind the loop that follows it,", a));
    free(a);
    free(does);
}

/* a[v] = 0; of a thread's first alone. */
static void cleared_by_all(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int close =
            word_is_plain(s, i) && word_is(s, i - 1, "[") && word_is(s, i + 1, "]") ? i + 1 : -1,
        begin = statement_begin(s, i), n = 0;

    if (close < 0 || !word_is(s, close + 1, "=") || word_kind(s, close + 2) != NUMBER ||
        !word_is(s, close + 3, ";") || begin >= i - 1 || word_is(s, begin, "for"))
        return;
    char *v = words_text(s, i, i), *before = words_text(s, begin, i - 1),
         *value = words_text(s, close + 2, close + 2);
    for (int k = in->open; k < in->end && n < NAMES; k++) {
        if (!word_is_constant(s, k) || !is_first(s, in->open, k, word_is_constant))
            continue;
        char *all = words_text(s, k, k);
        change(s, begin, close + 3,
               xformat("for (unsigned each = %s; each < %s; each += 32) %seach] = %s;", v, all,
                       before, value));
        free(all);
        n++;
    }
    free(v);
    free(before);
    free(value);
}

/* min(a, n): another bound of the function, or a member of some. */
static void bound_of_least(struct scan *s, int i)
{
    static const char *const calls[] = {"min", "umin", "fminf", NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int end = word_is_any(s, i, calls) && word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1,
        n = 0;

    if (end < 0 || !word_is(s, end - 2, ",") || !word_is_plain(s, end - 1))
        return;
    for (int k = in->first; k < in->end && n < NAMES; k++) {
        bool member = word_is_member(s, k) && !word_is_plain(s, k - 2) && !word_is(s, k + 1, "(") &&
                      is_first(s, in->first, k, word_is_member);

        if (!member && !(word_is_parameter(s, k) && !word_same(s, k, end - 1)))
            continue;
        change(s, end - 1, end - 1, words_text(s, member ? k - 2 : k, k));
        n++;
    }
}

/* bool a = b; of rows that are taken: and its row, too. */
void rows_asked(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int end = word_is(s, i, "bool") && word_is(s, i + 2, "=") ? statement_end(s, i) : -1, n = 0;

    for (int k = end; end > 0 && k < in->end && k < end + 60; k++) {
        int left = word_is(s, k, "*") && word_is_binary(s, k) ? operand_back(s, k - 1) : -1;

        if (left < end || !word_is_plain(s, k + 1) || n >= 2 * NAMES)
            continue;
        for (int size = in->first; size < in->open; size++) {
            if (!word_is_parameter(s, size) || word_same(s, size, k + 1))
                continue;
            bool whole = word_is(s, left, "(");
            char *was = words_text(s, i, end), *row = words_text(s, left + whole, k - 1 - whole),
                 *than = words_text(s, size, size);
            change(s, i, end, xformat("%s && %s < %s", was, row, than));
            free(was);
            free(row);
            free(than);
            n++;
        }
    }
}

/* The bracket that closes a call of two operands, of which the last is one word; -1: it is none. */
static int end_of_two(const struct scan *s, int i)
{
    int end = word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1;

    return end >= 0 && word_is(s, end - 2, ",") ? end : -1;
}

static bool is_of_two(const struct scan *s, int i)
{
    return end_of_two(s, i) >= 0;
}

/* f(a, 0) and others of the same function, each of the first alone. */
static void operands_alone(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int last = -1, calls = 0;
    struct text t = {0};
    size_t at = s->v[i].at;

    if (!word_is_any(s, i, (const char *const[]){"fmaxf", "fminf", NULL}) || !is_of_two(s, i) ||
        !is_first(s, in->open, i, is_of_two))
        return;
    for (int k = i; k < in->end; k++) {
        int end = word_same(s, k, i) ? end_of_two(s, k) : -1;

        if (end < 0)
            continue;
        char *alone = words_text(s, k + 2, end - 3);
        text_bytes(&t, s->text + at, s->v[k].at - at);
        text_add(&t, alone);
        free(alone);
        at = s->v[end].at + s->v[end].length;
        last = end;
        calls++;
    }
    if (calls > 1) {
        char *name = words_text(s, i, i);

        change(s, i, last, xstrdup(t.s));
        say(s,
            xformat("with the first operand alone in place of \"%s\" and its second, here and in "
                    "the rest of the function,",
                    name));
        free(name);
    }
    text_free(&t);
}

/* a * b % c == d: both. */
static void each_rest(struct scan *s, int i)
{
    int right = word_is(s, i, "*") && word_is_binary(s, i) ? operand_on(s, i + 1) : -1,
        left = right > 0 ? operand_back(s, i - 1) : -1, end;

    if (left < 0)
        return;
    bool whole = word_is(s, left - 1, "(") && word_is(s, right + 1, ")");
    int rest = right + 1 + whole, asks_at;
    if (!word_is(s, rest, "%") || (asks_at = operand_on(s, rest + 1) + 1) <= 0 ||
        !word_is_any(s, asks_at, asks) || (end = operand_on(s, asks_at + 1)) < 0)
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right),
         *than = words_text(s, rest, end);
    change(s, left - whole, end,
           xformat("%s %s %s %s %s", a, than, word_is(s, asks_at, "==") ? "&&" : "||", b, than));
    free(a);
    free(b);
    free(than);
}

/* a + b != 0, which two may come to that are not: a != 0 || b != 0. */
static void each_of_sum(struct scan *s, int i)
{
    int left = word_is(s, i, "+") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right < 0 || !word_is_any(s, right + 1, asks) || !word_is(s, right + 2, "0"))
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right),
         *than = words_text(s, right + 1, right + 2);
    change(s, left, right + 2,
           xformat("%s %s %s %s %s", a, than, word_is(s, right + 1, "==") ? "&&" : "||", b, than));
    free(a);
    free(b);
    free(than);
}

/* a ? b : c, where another choice of the file has another c. */
static void other_else(struct scan *s, int i)
{
    int end = is_else(s, i) ? operand_on(s, i + 1) : -1, n = 0;

    if (end < 0)
        return;
    char *is = words_text(s, i + 1, end);
    for (int k = 0; k < s->n && n < NAMES; k++) {
        int to = k != i && is_else(s, k) ? operand_on(s, k + 1) : -1;
        char *other = to < 0 || word_kind(s, k + 1) == NUMBER ? NULL : words_text(s, k + 1, to);

        if (other && strcmp(other, is) != 0) {
            change(s, i + 1, end, xstrdup(other));
            n++;
        }
        free(other);
    }
    free(is);
}

/* b = f(b, a[j]), where b began as a[i]: and a[i] is to have it. */
static void stored_back(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int end = word_is_plain(s, i) && statement_begin(s, i) == i && is_assigned(s, i)
                  ? statement_end(s, i)
                  : -1;

    for (int k = in->open; k < i && end > 0; k++) {
        bool loads = word_same(s, k, i) && word_is(s, k + 1, "=") && word_is(s, k + 3, "["),
             stores = word_same(s, k, i) && word_is(s, k - 1, "=") && word_is(s, k - 2, "]") &&
                      word_is(s, k + 1, ";");

        if (!loads && !stores)
            continue;
        int from = loads ? k + 2 : statement_begin(s, k), to = loads ? value_end(s, k) : k - 2;
        char *place = words_text(s, from, to), *was = words_text(s, i, end),
             *name = words_text(s, i, i);
        change(s, i, end + 1, xformat("{ %s; %s = %s; }", was, place, name));
        free(place);
        free(was);
        free(name);
        return;
    }
}

/* a / b, which is twice as many as there are pairs. */
static void of_pairs(struct scan *s, int i)
{
    int right = word_is(s, i, "/") && word_is_binary(s, i) && word_kind(s, i + 1) != NUMBER
                    ? operand_on(s, i + 1)
                    : -1;

    if (right < 0)
        return;
    char *b = words_text(s, i + 1, right);
    change(s, i + 1, right, xformat("(2 * %s)", b));
    free(b);
}

static way *const shapes[] = {
    what_is_left,   as_loop,        on_itself,     call_of_all, guard_behind, member_of_all,
    every_other,    from_last,      own_element,   other_end,   goes_along,   operand_alone,
    times_a_group,  asked_too,      in_each_round, loop_parted, behind_loop,  cleared_by_all,
    bound_of_least, operands_alone, each_rest,     each_of_sum, other_else,   stored_back,
    from_member,    in_bytes,       of_pairs};
const struct ways shape_ways = {shapes, sizeof(shapes) / sizeof(shapes[0])};
