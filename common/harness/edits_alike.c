/* edits_alike.c - the small changes to what is done alike nearby (editing.h): a pointer goes on as
 * the one beside it does, an element is stored to the place that it was loaded from, each store of
 * several is asked about, a loop asks before its first round.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

enum { FOUND = 6 /* of one sort, for one word */ };

/* ---- how far a variable goes on ---- */

/* a += b; the last word of b, where word i is a. -1: another statement. */
static int moves(const struct scan *s, int i)
{
    bool is = i > 0 && word_kind(s, i) == NAME && word_is(s, i + 1, "+=") &&
              word_is_any(s, i - 1, (const char *const[]){";", "{", "}", ")", NULL});

    return is ? statement_end(s, i) : -1;
}

static void as_far(struct scan *s, int i, int last, int other)
{
    int end = other < 0 ? -1 : moves(s, other);
    char *a = words_text(s, i + 2, last), *b = end < 0 ? xstrdup(a) : words_text(s, other + 2, end);

    if (strcmp(a, b) != 0)
        change(s, i + 2, last, xstrdup(b));
    free(a);
    free(b);
}

/* a += c; b += d; as far as the one before it, or behind it. */
static void moves_alike(struct scan *s, int i)
{
    int last = moves(s, i);

    if (last < 0)
        return;
    as_far(s, i, last, word_is(s, i - 1, ";") ? statement_begin(s, i - 2) : -1);
    as_far(s, i, last, last + 2);
}

/* ---- loops ---- */

/* do …; while (a); asks too late. */
static void asked_first(struct scan *s, int i)
{
    int end = word_is(s, i, "do") ? body_end(s, i + 1) : -1,
        close = end > 0 && word_is(s, end + 1, "while") ? word_match(s, end + 2, 1) : -1;

    if (close < 0 || !word_is(s, close + 1, ";"))
        return;
    char *head = words_text(s, end + 1, close), *does = words_text(s, i + 1, end);
    change(s, i, close + 1, xformat("%s %s", head, does));
    change_told(s, xformat("with \"%s\" before the loop's body in place of behind it,", head));
    free(head);
    free(does);
}

/* ---- arrays and places ---- */

/* a[i], of another array that the function has elements of. */
static void of_other_array(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int found[FOUND], n = 0;

    if (word_kind(s, i) != NAME || !word_is(s, i + 1, "[") || word_is_member(s, i) ||
        word_is_declared(s, i))
        return;
    for (int k = in->open; k < in->end && n < FOUND; k++) {
        if (word_kind(s, k) == NAME && word_is(s, k + 1, "[") && !word_is_member(s, k) &&
            !word_same(s, k, i) && word_is_new(s, k, found, n))
            found[n++] = k;
    }
    for (int k = 0; k < n; k++)
        change(s, i, i, words_text(s, found[k], found[k]));
}

/* The first word of a[b] that word i is, or was set to; -1: it is something else. */
static int element_in(const struct scan *s, int i)
{
    int set = word_is(s, i + 1, ";") ? set_to(s, i) : i, close;

    if (set < 0 || word_kind(s, set) != NAME || !word_is(s, set + 1, "["))
        return -1;
    close = word_match(s, set + 1, 1);
    return close > 0 && word_is(s, close + 1, ";") ? set : -1;
}

/* a[i] = b[j]: to the place that it comes from. */
static void to_its_place(struct scan *s, int i)
{
    int close = word_kind(s, i) == NAME && word_is(s, i + 1, "[") ? word_match(s, i + 1, 1) : -1,
        from = close > 0 && word_is(s, close + 1, "=") ? element_in(s, close + 2) : -1;

    if (from < 0)
        return;
    char *a = words_text(s, i + 2, close - 1),
         *b = words_text(s, from + 2, word_match(s, from + 1, 1) - 1);
    if (strcmp(a, b) != 0)
        change(s, i + 2, close - 1, xstrdup(b));
    free(a);
    free(b);
}

/* ---- conditions ---- */

/* a == 0, or a != 0: of what a is compared with elsewhere. */
static void of_its_bound(struct scan *s, int i)
{
    static const char *const asks[] = {"==", "!=", NULL}, *const less[] = {"<", ">",
                                                                           "<=", ">=", NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int found[FOUND], n = 0;

    if (word_kind(s, i) != NUMBER || !word_is_any(s, i - 1, asks) || !word_is_plain(s, i - 2))
        return;
    for (int k = in->open; k < in->end && n < FOUND; k++) {
        if (word_same(s, k, i - 2) && word_is_any(s, k + 1, less) && word_is_plain(s, k + 2) &&
            word_is_new(s, k + 2, found, n))
            found[n++] = k + 2;
    }
    for (int k = 0; k < n; k++)
        change(s, i, i, words_text(s, found[k], found[k]));
}

/* Words from … to stand at word i, too. */
static bool stands_at(const struct scan *s, int from, int to, int i)
{
    bool same = true;

    for (int k = from; k <= to && same; k++)
        same = word_same(s, k, i + k - from);
    return same;
}

/* a[b + 1] = …; at word k, where b is asked about: the bracket behind b + 1. -1: another one. */
static int store_beyond(const struct scan *s, int k, int from, int to)
{
    int close = word_kind(s, k) == NAME && word_is(s, k + 1, "[") ? word_match(s, k + 1, 1) : -1;
    bool is = close > 0 && word_is(s, close + 1, "=") && stands_at(s, from, to, k + 2) &&
              word_is(s, k + 3 + to - from, "+") &&
              word_is_any(s, k - 1, (const char *const[]){";", "{", "}", NULL});

    return is ? close : -1;
}

/* if (b < n) { a[b] = …; a[b + 1] = …; }, or if (b >= n) return; before them: only the first is
 * asked about. */
static void each_store_asked(struct scan *s, int i)
{
    int close = condition_end(s, i), to = close > 0 ? operand_on(s, i + 2) : -1, op, first = -1,
        last = -1, end;

    if (to < 0)
        return;
    to = chain_on(s, to, (const char *const[]){"+", "*", NULL});
    op = to + 1;
    bool inside = word_is(s, op, "<") && word_is(s, close + 1, "{"),
         behind = word_is(s, op, ">=") && word_is(s, close + 1, "return");
    if ((!inside && !behind) || op + 2 > close)
        return;
    end = inside ? brace_end(s, close + 1) : s->blocks[s->v[i].block].end;
    char *bound = words_text(s, op + 1, close - 1), *asked = NULL;
    struct text t = {0};
    for (int k = close + 1; k < end; k++) {
        int bracket = store_beyond(s, k, i + 2, to);

        if (bracket < 0)
            continue;
        char *place = words_text(s, k + 2, bracket - 1);
        if (first < 0) {
            first = k;
            asked = xformat("if (%s < %s)", place, bound);
        } else {
            text_bytes(&t, s->text + s->v[last].at, s->v[k].at - s->v[last].at);
        }
        text_addf(&t, "if (%s < %s) ", place, bound);
        last = k;
        free(place);
    }
    if (first >= 0) {
        int stop = statement_end(s, last) + 1;

        text_bytes(&t, s->text + s->v[last].at, s->v[stop].at + s->v[stop].length - s->v[last].at);
        change(s, first, stop, xformat("{ %s }", t.s)); /* one statement, for edits_join() */
        change_told(s, first == last ? xformat("with \"%s\" before this store,", asked)
                                     : xformat("with \"%s\" before this store, and the like before "
                                               "each of the others behind it,",
                                               asked));
    }
    text_free(&t);
    free(bound);
    free(asked);
}

static way *const alike[] = {moves_alike,  asked_first,  of_other_array,
                             to_its_place, of_its_bound, each_store_asked};
const struct ways alike_ways = {alike, sizeof(alike) / sizeof(alike[0])};
