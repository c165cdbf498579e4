/* edits_round.c - the small changes of where a round or a pointer stands (editing.h): the slot of
 * the step before.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>

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

static way *const rounds[] = {slot_before};
const struct ways round_ways = {rounds, 1};
