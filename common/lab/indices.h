/* indices.h - a set of an array's elements in words. */
#ifndef LAB_INDICES_H
#define LAB_INDICES_H

#include "base/text.h"

#include <stdint.h>

/* Of an array of `count` elements, in rows of `row` (0: it has one dimension), the n > 0 elements
 * at index[], which rise: "in[64] to in[127]", "row 3 of a", "every 2nd element from in[1] to
 * in[127]". All of them are told, or how many there are besides. */
void indices_put(struct text *t, const char *name, const uint64_t *index, uint64_t n,
                 uint64_t count, uint64_t row);

#endif
