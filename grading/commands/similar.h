/* similar.h - how alike two sources are in structure, as tokens.h reads them. */
#ifndef GRADING_SIMILAR_H
#define GRADING_SIMILAR_H

#include <stdint.h>

struct prints { /* fingerprints of a source, sorted, each once */
    uint64_t *v;
    int n;
};

struct prints prints_of(const char *source);
void prints_free(struct prints *p);
/* Takes away what is in `common` (the skeleton that everybody was given). */
void prints_subtract(struct prints *p, const struct prints *common);
/* Share of the smaller one's fingerprints that the other has, 0 to 1; 0 when either has too
 * few to mean anything. */
double prints_overlap(const struct prints *a, const struct prints *b);

#endif
