/* compare.h - results against the reference, and what the errors look like. */
#ifndef LAB_COMPARE_H
#define LAB_COMPARE_H

#include "lab.h"

#define COMPARE_SHOWN 3

struct compare_hints {
    int poison;              /* the byte outputs were filled with, -1: none */
    uint32_t block_threads;  /* of the last step; 0: unknown */
    uint32_t items;          /* elements a thread; 0: unknown */
    bool unsaid;             /* how many are wrong is enough: what they look like takes as long */
    const uint64_t *written; /* of compare_written(): the others are passed over; NULL: none is */
};

struct comparison {
    uint64_t count, nwrong, nunwritten; /* of the wrong ones those that nobody wrote */
    int nshown;
    struct lab_mismatch shown[COMPARE_SHOWN];
    char cause[200]; /* what all of them look like, "" when nothing fits */
    /* Of floating-point numbers that are numbers on both sides and have a finite bound: the sum of
     * |expected - got|, that of |expected|, and the greatest difference. */
    double off, size, most_off;
};

/* Bits, one for 64 elements each, of those of which any was written since all were filled with the
 * byte poison; NULL: all of them. To be freed. */
uint64_t *compare_written(enum dtype t, const void *got, uint64_t count, int poison);

/* Compares count elements. tolerance: an absolute bound per element, NULL for the very bits.
 * Within bounds NaN passes where it is expected, and nothing else does there; 0 is -0. */
struct comparison compare(enum dtype t, const void *expected, const void *got,
                          const double *tolerance, uint64_t count,
                          const struct compare_hints *hints);

#endif
