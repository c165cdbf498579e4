/* edits_zero.c - what a change makes a quotient, a rest or a part of bits of: the text with a plain
 * 0 there (edits.h). Where that does as well, as for x / 64 of an x below 64, the change has only
 * taken the term away. */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

static const char *const lessen[] = {"/", "%", ">>", "&", NULL};
static const char *const chained[] = {"*", "/", "%", ">>", "&", NULL};

/* Of words that begin in a part of the text. */
static int count_lessening(const struct scan *s, size_t from, size_t end, int *last)
{
    int n = 0;

    for (int i = 0; i < s->n; i++) {
        if (s->v[i].at < from || s->v[i].at >= end || !word_is_any(s, i, lessen) ||
            !word_is_binary(s, i))
            continue;
        *last = i;
        n++;
    }
    return n;
}

static int count_in(const char *text, size_t from, size_t end, int *last)
{
    struct scan s = {0};

    scan_split(&s, text);
    int n = count_lessening(&s, from, end, last);
    free(s.text);
    scan_close(&s);
    return n;
}

char *edits_as_zero(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    char *text = edits_apply(e, i), *zero = NULL;
    struct scan s = {0};
    int sign = -1, other = -1;
    size_t end = x->at + strlen(x->with);

    scan_split(&s, text);
    int is = count_lessening(&s, x->at, end, &sign);
    if (is > count_in(e->text, x->at, x->at + x->length, &other)) {
        int from = operand_back(&s, sign - 1), to = operand_on(&s, sign + 1);

        from = from < 0 ? -1 : chain_back(&s, from, chained);
        to = to < 0 ? -1 : chain_on(&s, to, chained);
        if (from >= 0 && to >= 0) {
            struct edit nothing = {.at = s.v[from].at,
                                   .length = s.v[to].at + s.v[to].length - s.v[from].at,
                                   .with = (char[]){"0"}};
            struct edits one = {.text = text, .v = &nothing, .n = 1};

            zero = edits_apply(&one, 0);
        }
    }
    free(text);
    free(s.text);
    scan_close(&s);
    return zero;
}
