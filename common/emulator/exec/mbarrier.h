/* mbarrier.h - mbarriers (PTX ISA 9.7.13.15): 8 bytes of shared memory, opaque there, here
 *
 *   63      44 43        24 23      4 3     0
 *   | tx bytes | pending    | expected| phase |
 *
 * and where a block's were set up, for words about one that is never complete.
 */
#ifndef EMULATOR_EXEC_MBARRIER_H
#define EMULATOR_EXEC_MBARRIER_H

#include <stdint.h>

struct block;
struct site;
struct text;

#define MBARRIER_PHASE(x)    ((uint32_t)(x)&15)
#define MBARRIER_EXPECTED(x) ((uint32_t)((x) >> 4 & 0xfffff))
#define MBARRIER_PENDING(x)  ((uint32_t)((x) >> 24 & 0xfffff))
#define MBARRIER_BYTES(x)    ((int32_t)((int64_t)(x) >> 44)) /* negative: came unexpected */

struct mbarrier_made {
    uint64_t at;
    const struct site *site;
    uint64_t heard;        /* follow.c: of those who have arrived */
    uint32_t phase, looks; /* of DISTURB_late: which was seen to be over last (0: none), and how
                              many more looks find that it is not */
};
struct mbarriers { /* head of an allocation */
    uint32_t n, capacity;
    uint32_t looked; /* phases of them that somebody has seen to be over, of DISTURB_late */
    struct mbarrier_made made[];
};

/* Adds which one it is, where it was set up and for how many arrivals: deadlock.c. */
void mbarrier_describe(struct text *t, const struct block *b, uint64_t at);

#endif
