/* edits_round.c - the small changes of where a round or a pointer stands (editing.h): the slot of
 * the step before, a base that is left out, a step that is; and of a choice that takes in what is
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

enum { STEPS_TRIED = 8 };

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

/* Is word k the first of a statement "p += …;", where p is what word i is? */
static bool is_step_of(const struct scan *s, int k, int i)
{
    return word_same(s, k, i) && word_is(s, k + 1, "+=") && statement_begin(s, k) == k &&
           word_is(s, statement_end(s, k) + 1, ";");
}

/* a = *p; b = *p; where the function has p += n; between others such: between these, too. */
static void step_between(struct scan *s, int i)
{
    int end = word_is(s, i, "*") && !word_is_binary(s, i) && word_is(s, i - 1, "=") &&
                      word_kind(s, i + 1) == NAME && word_is(s, i + 2, ";")
                  ? i + 2
                  : -1,
        next = end < 0 ? -1 : end + 1, n = 0;
    const struct block *in = &s->blocks[s->v[i].block];
    char *tried[STEPS_TRIED];

    if (next < 0 || word_is_any(s, next, (const char *const[]){"}", "if", "for", "while", NULL}))
        return;
    int last = statement_end(s, next);
    bool again = word_same(s, last, i + 1) && word_is(s, last - 1, "*") &&
                 !word_is_binary(s, last - 1) && word_is(s, last - 2, "=");
    for (int k = in->open; k < in->end && again && n < STEPS_TRIED; k++) {
        if (!is_step_of(s, k, i + 1))
            continue;
        char *by = words_text(s, k, statement_end(s, k));
        bool known = false;

        for (int f = 0; f < n; f++)
            known |= !strcmp(tried[f], by);
        tried[n++] = by;
        if (known)
            continue;
        change(s, next, next, xformat("%s; ", by));
        if (s->changed)
            s->to->v[s->to->n - 1].length = 0;
    }
    while (n)
        free(tried[--n]);
}

/* Is word i the name of a pointer that is read through as it is: *p, or p->x? */
static bool is_pointer(const struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    for (int k = in->first; k < in->end; k++) {
        if (word_same(s, k, i) && !word_is_member(s, k) &&
            (word_is(s, k - 1, "*") || word_is(s, k + 1, "->")))
            return true;
    }
    return false;
}

/* p += i, where each i has several: twice or four times as far. */
static void several_each(struct scan *s, int i)
{
    bool alone =
        word_is_plain(s, i) && word_is_any(s, i + 1, (const char *const[]){";", ",", NULL});
    bool moved = alone && word_is(s, i - 1, "+=") && is_pointer(s, i - 2),
         begun = alone && word_is(s, i - 1, "+") && word_is(s, statement_begin(s, i) + 1, "*");

    begun |= alone && word_is(s, i - 1, "+") && word_is(s, statement_begin(s, i) + 2, "*");
    if (!moved && !begun)
        return;
    char *a = words_text(s, i, i);
    change(s, i, i, xformat("2 * %s", a));
    change(s, i, i, xformat("4 * %s", a));
    free(a);
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

static way *const rounds[] = {slot_before,  choice_in_brackets, block_with_base,
                              step_between, several_each,       rest_begins};
const struct ways round_ways = {rounds, sizeof(rounds) / sizeof(rounds[0])};
