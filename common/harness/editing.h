/* editing.h - what the parts of the small changes share (edits*.c only).
 *
 * edits.c        lists of changes, in an order; what is made of one
 * edits_ways.c   the ways in which a word, or some, can be another
 */
#ifndef HARNESS_EDITING_H
#define HARNESS_EDITING_H

#include "edits.h"
#include "words.h"

/* Adds to s->to what can be changed at word i. */
typedef void way(struct scan *s, int i);
struct ways {
    way *const *v; /* the likelier first */
    int n;
};
extern const struct ways all_ways, place_ways, order_ways, assignment_ways;

/* Words from … to become `with`, which is taken. */
void change(struct scan *s, int from, int to, char *with);

#endif
