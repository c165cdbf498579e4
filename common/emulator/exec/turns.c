/* turns.c - orders that are drawn. See turns.h. */
#include "turns.h"
#include "base/mix.h"
#include <stdbool.h>

static uint64_t wanted; /* under no lock: launches read it once */

uint64_t turns_set(uint64_t from)
{
    uint64_t before = wanted;
    wanted = from;
    return before;
}
uint64_t turns_now(void)
{
    return wanted;
}

/* No table, as a grid may be large: each step is one to one on the numbers of so many bits, and
 * what is not below n goes on until it is. */
uint64_t turns_at(uint64_t order, uint64_t k, uint64_t n)
{
    enum { ROUNDS = 4 };
    uint32_t bits = n > 2 ? 64 - (uint32_t)__builtin_clzll(n - 1) : 1;
    uint64_t mask = ~0ull >> (64 - bits);
    if (n < 2)
        return k;
    do {
        for (uint64_t r = 0; r < ROUNDS; r++) {
            uint64_t key = mix64(order + r);
            k = (k + key) & mask;
            k = k * (key >> 32 | 1) & mask;
            k ^= k >> (bits + 1) / 2;
        }
    } while (k >= n);
    return k;
}

static bool between(uint64_t k, uint64_t n)
{
    return k > 0 && k < n - 1;
}

uint64_t turns_draw(uint64_t from, uint64_t n)
{
    for (;;) {
        from = mix64(from + 0x9e3779b97f4a7c15u);
        bool first = between(turns_at(from, 0, n), n), last = between(turns_at(from, n - 1, n), n);
        if (n < 3 || (n == 3 ? first || last : first && last))
            return from;
    }
}
