/* edits_round.c - the small changes of where a round or a pointer stands (editing.h): the slot of
 * the step before, a base that is left out; and of a choice that takes in what is
 * before it.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

/* x[steps % 2]: of the step before, where there is one; and x[(steps - 1) % 2]. */
static void slot_before(struct scan *s, int i)
{
    bool less = word_is(s, i - 1, ")") && word_is(s, i - 2, "1") && word_is(s, i - 3, "-") &&
                word_is(s, i - 5, "(");
    int name = less ? i - 4 : i - 1, from = less ? i - 5 : i - 1;

    if (!word_is(s, i, "%") || !word_is_plain(s, name) || !word_is(s, from - 1, "[") ||
        !word_is(s, i + 2, "]") || word_is_constant(s, name))
        return;
    char *a = words_text(s, name, name);
    if (!less)
        change(s, from, i - 1, xformat("(%s - 1)", a));
    change(s, from, i - 1, xformat("(%s > 0 ? %s - 1 : 0)", a, a));
    free(a);
}

/* The first word of the operand or the product that ends with word i, or of one in brackets. */
static int choice_from(const struct scan *s, int i)
{
    static const char *const asks[] = {"<", "<=", ">", ">=", "==", "!=", NULL};
    static const char *const parts[] = {"*", "/", "%", NULL};
    int from = operand_back(s, i);

    if (from > 0 && word_is_any(s, from - 1, asks)) {
        from = operand_back(s, from - 2);
        from = from < 0 ? -1 : chain_back(s, from, parts);
    }
    return from;
}

/* a ^ b ? c : d, which is (a ^ b) ? c : d: as a ^ (b ? c : d). */
static void choice_in_brackets(struct scan *s, int i)
{
    static const char *const before[] = {"^", "|", "&", "+", "-", "*", NULL};
    int from = word_is(s, i, "?") ? choice_from(s, i - 1) : -1, colon = i, depth = 0;

    if (from < 1 || !word_is_any(s, from - 1, before) || !word_is_binary(s, from - 1))
        return;
    while (colon + 1 < s->n && !(!depth && word_is(s, colon, ":")) && !word_is(s, colon, ";")) {
        colon++;
        depth += word_is(s, colon, "(") - word_is(s, colon, ")");
    }
    int end = word_is(s, colon, ":") ? operand_on(s, colon + 1) : -1;
    if (end < 0 || !word_is_any(s, end + 1, (const char *const[]){";", ",", ")", "]", NULL}))
        return;
    char *choice = words_text(s, from, end), *sign = words_text(s, from - 1, from - 1);
    char *line = one_line(choice, strlen(choice));
    change(s, from, end, xformat("(%s)", choice));
    change_told(s, xformat("with \"%s\" in brackets, as \"%s\" binds before \"?\",", line, sign));
    free(line);
    free(sign);
    free(choice);
}

/* Word i is blockIdx, and all of blockIdx.y is what stands at word k. */
static bool is_same_member(const struct scan *s, int k, int i)
{
    return word_same(s, k, i) && word_is(s, k + 1, ".") && word_same(s, k + 2, i + 2);
}

/* blockIdx.y * n, where the function has first + blockIdx.y elsewhere. */
static void block_with_base(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int base[8], n = 0;

    if (!word_is(s, i, "blockIdx") || !word_is(s, i + 1, ".") || !word_is(s, i + 3, "*"))
        return;
    for (int k = in->open; k < in->end && n < 8; k++) {
        int with = !is_same_member(s, k, i) ? -1
                   : word_is(s, k - 1, "+") ? k - 2
                   : word_is(s, k + 3, "+") ? k + 4
                                            : -1;
        bool other = with > 0 && word_is_plain(s, with) && !word_is_array(s, with) && k != i &&
                     !word_is_any(s, k + 3, (const char *const[]){"*", "/", "%", NULL}) &&
                     !word_is_any(s, with - 1, (const char *const[]){"*", "/", "%", NULL}) &&
                     !word_is_any(s, with + 1, (const char *const[]){"*", "/", "%", NULL});

        if (other && word_is_new(s, with, base, n))
            base[n++] = with;
    }
    for (int b = 0; b < n; b++) {
        char *first = words_text(s, base[b], base[b]), *a = words_text(s, i, i + 2);

        change(s, i, i + 2, xformat("(%s + %s)", first, a));
        free(first);
        free(a);
    }
}

static way *const rounds[] = {slot_before, choice_in_brackets, block_with_base};
const struct ways round_ways = {rounds, sizeof(rounds) / sizeof(rounds[0])};
