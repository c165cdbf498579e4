/* philox.h - Philox4x32-10: four random words of a counter of four words and a key of two.
 *
 * J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (2011). No
 * state: whoever wants words 4 i to 4 i + 3 asks for counter i, in any order.
 */
#ifndef LAB_PHILOX_H
#define LAB_PHILOX_H

#include <stdint.h>

struct philox_words {
    uint32_t w[4];
};

static inline struct philox_words philox_round(struct philox_words c, uint32_t k0, uint32_t k1)
{
    uint64_t a = (uint64_t)0xd2511f53 * c.w[0], b = (uint64_t)0xcd9e8d57 * c.w[2];

    return (struct philox_words){{(uint32_t)(b >> 32) ^ c.w[1] ^ k0, (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c.w[3] ^ k1, (uint32_t)a}};
}

static inline struct philox_words philox(struct philox_words counter, uint32_t k0, uint32_t k1)
{
    for (uint32_t r = 0; r < 10; r++)
        counter = philox_round(counter, k0 + r * 0x9e3779b9, k1 + r * 0xbb67ae85);
    return counter;
}

#endif
