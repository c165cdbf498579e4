/* random.h - repeatable numbers for make_input(), and the pattern of what nobody wrote.
 *
 * Counter based (splitmix64): element i of stream s is a pure function of (s, i), so inputs
 * do not depend on the order, size or number of threads in which they are made.
 */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include "base/mix.h"

#include <stdint.h>

static inline uint64_t random_u64(uint64_t stream, uint64_t i)
{
    return mix64(stream * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u);
}

/* Uniform in [-1, 1), all 24 bits of the significand in use: rounding to fewer shows. */
static inline float random_f32(uint64_t stream, uint64_t i)
{
    return (float)((int64_t)(random_u64(stream, i) >> 39) - (1 << 24)) * 0x1p-24f;
}

/* The byte that fills outputs and scratch before a run. 0x7c..0x7f and 0xfc..0xfe repeated are
 * at least 10^36 in size as f32 and f64, NaN as f16: no comparison with a tolerance lets them
 * pass. */
static inline unsigned char poison_byte(uint64_t seed)
{
    static const unsigned char bytes[] = {0x7c, 0x7d, 0x7e, 0x7f, 0xfc, 0xfd, 0xfe};

    return bytes[random_u64(seed, 0x706f69736f6e) % sizeof(bytes)];
}

#endif
