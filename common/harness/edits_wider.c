/* edits_wider.c - the small changes that look further than a few words (editing.h): a chain of ifs,
 * the other end of a loop, what a like sum of the statement has.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

static const char *const sums[] = {"+", "-", NULL}, *const asks[] = {"==", "!=", NULL},
                         *const products[] = {"*", "/", "%", NULL};

/* Where the last change has statement a now. */
static void say(struct scan *s, const char *where, const char *a)
{
    char *line = one_line(a, strlen(a));

    change_told(s, xformat("with \"%s\" %s,", line, where));
    free(line);
}

int body_end(const struct scan *s, int i)
{
    int end = word_is(s, i, "{") ? brace_end(s, i) : statement_end(s, i) + 1;

    return end > 0 && word_is_any(s, end, (const char *const[]){";", "}", NULL}) ? end : -1;
}

/* … of the if that word i is, without its else; -1: it is none. */
static int if_end(const struct scan *s, int i)
{
    int body = word_is(s, i, "if") ? head_body(s, i) : -1;

    return body < 0 ? -1 : body_end(s, body);
}

/* if (a == 0) …; if (a == 1) …; else …: else before each of them but the first. */
static void chain_of_else(struct scan *s, int i)
{
    int end = word_is(s, i - 1, "else") ? -1 : if_end(s, i), last = -1;
    struct text t = {0};
    size_t at = s->v[i].at;

    while (end > 0 && word_is(s, end + 1, "if") && word_kind(s, end + 3) == NAME &&
           word_same(s, end + 3, i + 2)) {
        last = end + 1;
        text_bytes(&t, s->text + at, s->v[last].at - at);
        text_add(&t, "else ");
        at = s->v[last].at;
        end = if_end(s, last);
    }
    if (last > 0 && word_is(s, end + 1, "else"))
        end = body_end(s, end + 2);
    if (last > 0 && end > 0) {
        text_bytes(&t, s->text + at, s->v[end].at + s->v[end].length - at);
        change(s, i, end, xstrdup(t.s));
        change_told(s, xstrdup("with \"else\" before each if that follows this one,"));
    }
    text_free(&t);
}

static bool is_loop(const struct scan *s, int open)
{
    int head =
        word_is(s, open, "{") && word_is(s, open - 1, ")") ? word_match(s, open - 1, -1) : -1;

    return head > 0 && word_is_any(s, head - 1, (const char *const[]){"for", "while", NULL});
}

/* The first statement of a loop as its last, and the last as the first. */
static void end_of_loop(struct scan *s, int i)
{
    int first = i + 1, close = is_loop(s, i) ? brace_end(s, i) : -1,
        end = close > 0 ? statement_end(s, first) + 1 : -1;

    if (close < 0)
        return;
    if (word_is(s, end, ";") && end + 1 < close && !word_is_type(s, first) &&
        !word_is_keyword(s, first)) {
        char *a = words_text(s, first, end), *rest = words_text(s, end + 1, close - 1);

        change(s, first, close - 1, xformat("%s %s", rest, a));
        say(s, "at the end of its loop", a);
        free(a);
        free(rest);
    }
    int last = word_is(s, close - 1, ";") ? statement_begin(s, close - 2) : -1;
    if (last > first && word_is_any(s, last - 1, (const char *const[]){";", "}", NULL}) &&
        !word_is_type(s, last) && !word_is_keyword(s, last)) {
        char *a = words_text(s, last, close - 1), *rest = words_text(s, first, last - 1);

        change(s, first, close - 1, xformat("%s %s", a, rest));
        say(s, "at the beginning of its loop", a);
        free(a);
        free(rest);
    }
}

/* The last statement of a loop, with the heads that it is under, behind the loop. */
static void out_of_loop(struct scan *s, int i)
{
    static const char *const heads[] = {"for", "while", "if", NULL};
    int close = is_loop(s, i) ? brace_end(s, i) : -1,
        last = close > 0 && word_is(s, close - 1, ";") ? statement_begin(s, close - 2) : -1;

    while (last > i && word_is(s, last - 1, ")") &&
           word_is_any(s, word_match(s, last - 1, -1) - 1, heads))
        last = word_match(s, last - 1, -1) - 1;
    if (last <= i + 1 || word_is(s, last - 1, "else") || word_is_type(s, last))
        return;
    int head = word_match(s, i - 1, -1) - 1;
    char *a = words_text(s, last, close - 1), *before = words_text(s, head, last - 1);
    change(s, head, close, xformat("{ %s } %s }", before, a)); /* one statement, for edits_join() */
    say(s, "behind its loop", a);
    free(before);
    free(a);
}

/* a % b, which is 0 where nothing is left over: b then; or a, as that goes on. */
static void whole_rest(struct scan *s, int i)
{
    int left = word_is(s, i, "%") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right < 0 || word_is_any(s, right + 1, asks))
        return;
    left = chain_back(s, left, products);
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right);
    change(s, left, right, xformat("((%s - 1) %% %s + 1)", a, b));
    change(s, left, right, xstrdup(a));
    free(a);
    free(b);
}

/* Is the operand that word i is one of this sum? */
static bool adds(const struct scan *s, int from, int to, int i)
{
    for (int k = from; k <= to; k += 2) {
        if (word_same(s, k, i))
            return true;
    }
    return false;
}

/* Names and numbers alone, with signs between them: the last word of such a sum that begins with
 * word i. */
static int plain_sum(const struct scan *s, int i)
{
    int end = i;

    if (word_kind(s, i) == SIGN || (word_kind(s, i - 1) == SIGN && word_is_any(s, i - 1, sums)))
        return -1;
    while (word_is_any(s, end + 1, sums) && word_kind(s, end + 2) != SIGN)
        end += 2;
    return end;
}

/* f(a + b + c, d + c): f(a + b + c, d + b + c), what another sum of the statement has beside what
 * they share. */
static void as_in_other_sum(struct scan *s, int i)
{
    int end = plain_sum(s, i), begin = statement_begin(s, i), last = statement_end(s, begin), to;

    if (end < i + 2)
        return;
    for (int k = begin; k <= last; k = to > k ? to + 1 : k + 1) {
        to = plain_sum(s, k);
        bool shares = false;

        if (to < k + 2 || (k <= end && to >= i))
            continue;
        for (int a = k; a <= to; a += 2)
            shares |= adds(s, i, end, a);
        for (int a = k; a <= to && shares; a += 2) {
            if (adds(s, i, end, a) || (a > k && !word_is(s, a - 1, "+")))
                continue;
            char *was = words_text(s, i, end), *more = words_text(s, a, a);

            change(s, i, end, xformat("%s + %s", was, more));
            free(was);
            free(more);
        }
    }
}

/* a.b * a.b: another member of the function's. */
static void member_of_squares(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (!word_is(s, i, "*") || !word_is_member(s, i - 1) || !word_same(s, i - 1, i + 3) ||
        !word_same(s, i - 3, i + 1))
        return;
    char *a = words_text(s, i - 3, i - 2);
    for (int k = in->open; k < in->end; k++) {
        bool known = !word_is_member(s, k) || word_same(s, k, i - 1) || word_is(s, k + 1, "(");

        for (int before = in->open; before < k && !known; before++)
            known = word_is_member(s, before) && word_same(s, before, k);
        if (known)
            continue;
        char *b = words_text(s, k, k);
        change(s, i - 3, i + 3, xformat("%s%s", a, b));
        free(b);
    }
    free(a);
}

/* a * b / c: a * (b / c). */
static void last_two_first(struct scan *s, int i)
{
    int left = word_is_any(s, i, products) && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right < 0 || !word_is_any(s, left - 1, products) || !word_is_binary(s, left - 1))
        return;
    char *a = words_text(s, left, right);
    change(s, left, right, xformat("(%s)", a));
    free(a);
}

/* if (a): while (a), but round what jumps: it would leave that loop, which nobody means. */
static void again_and_again(struct scan *s, int i)
{
    int end = if_end(s, i);

    if (end < 0 || word_is(s, end + 1, "else") || word_jumps(s, i, end))
        return;
    char *rest = words_text(s, i + 1, end);
    change(s, i, end, xformat("while %s", rest));
    change_told(s, xstrdup("with \"while\" in place of \"if\""));
    free(rest);
}

/* a + b < c: a < b. */
static void first_of_pair(struct scan *s, int i)
{
    static const char *const less[] = {"<", "<=", NULL};
    int left = word_is_any(s, i, less) && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1,
        before = right > 0 && word_is(s, left - 1, "+") ? operand_back(s, left - 2) : -1;

    if (before < 0 || word_is_any(s, before - 1, sums))
        return;
    char *a = words_text(s, before, left - 2), *b = words_text(s, left, i - 1);
    change(s, before, right, xformat("%s < %s", a, b));
    free(a);
    free(b);
}

/* x = a[min(i, n - 1)], the last one again beyond the end: what x is used for, where i < n alone.
 */
static void beyond_end(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int close = word_is(s, i, "min") && word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1,
        comma = close > 0 ? chain_on(s, operand_on(s, i + 2), sums) + 1 : -1,
        begin = statement_begin(s, i), set = begin;

    if (comma < 0 || !word_is(s, comma, ",") || !word_is(s, close - 1, "1") ||
        !word_is(s, close - 2, "-"))
        return;
    while (set < i && !word_is(s, set + 1, "="))
        set++;
    char *a = words_text(s, i + 2, comma - 1), *b = words_text(s, comma + 1, close - 3);
    for (int k = statement_end(s, begin) + 1; k < in->end && set < i; k++) {
        if (!word_same(s, k, set) || word_is(s, k + 1, "=") || word_is_member(s, k))
            continue;
        char *x = words_text(s, k, k);
        change(s, k, k, xformat("(%s < %s ? %s : 0)", a, b, x));
        free(x);
        if (!word_is(s, k - 1, "(") || !word_is(s, k + 1, ")") || word_kind(s, k - 2) != NAME)
            continue;
        x = words_text(s, k - 2, k + 1);
        change(s, k - 2, k + 1, xformat("(%s < %s && %s)", a, b, x));
        free(x);
    }
    free(a);
    free(b);
}

/* f(T &a): f(T a), of a function that is called. */
static void by_value(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (i != in->open + 1 || in->kernel)
        return;
    for (int k = in->first; k < in->open; k++) {
        if (word_is(s, k, "&") && word_kind(s, k - 1) == NAME && word_kind(s, k + 1) == NAME)
            change(s, k, k, xstrdup(""));
    }
}

static way *const wider[] = {chain_of_else,   end_of_loop,       out_of_loop,    whole_rest,
                             as_in_other_sum, member_of_squares, last_two_first, again_and_again,
                             first_of_pair,   beyond_end,        by_value};
const struct ways wider_ways = {wider, sizeof(wider) / sizeof(wider[0])};
