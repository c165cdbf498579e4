/* rules.c - see rules.h: the rules of compute capability 1.0 and 1.1, by group of lanes.
 *
 * A warp's access is served in halves (the profile's coalescing_group), each by itself.
 *
 * Global memory (CUDA C Programming Guide 5.0, F.3.2.1): a half of 4-, 8- or 16-byte words
 * is one transaction of 64 bytes, one of 128 or two of 128, when lane k has the k-th word of
 * a segment of that size and alignment; lanes that are off do not matter. Every other access
 * is a transaction of 32 bytes for each lane that is on. Counted in units of 32 bytes.
 *
 * Shared memory (F.3.3): a half is served in steps. A step serves everyone who wants one word,
 * the broadcast word, and one address in each other bank. The guide leaves open which; here
 * it is always that of the lowest lane. 8- and 16-byte accesses go word by word.
 *
 * Not modelled: what stores of several lanes to one word cost (taken for a broadcast).
 * Atomics, of which those devices have none, cost a transaction a lane.
 */
#include "rules.h"

#define SECTOR 32

bool rules_differ(const struct device_profile *d)
{
    return d->coalescing_rules != 0;
}

/* Sectors of one group; lane k of it is addr[k]. */
static uint32_t group_sectors(const uint64_t *addr, uint32_t mask, uint32_t lanes, uint32_t size)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask), sectors = 0;
    uint64_t base = addr[first] - (uint64_t)first * size;
    bool in_order = (size == 4 || size == 8 || size == 16) && base % (size == 4 ? 64 : 128) == 0;

    for (uint32_t k = first; k < lanes; k++) {
        if (!(mask >> k & 1))
            continue;
        in_order = in_order && addr[k] == base + (uint64_t)k * size;
        sectors += (uint32_t)((addr[k] + size - 1) / SECTOR - addr[k] / SECTOR) + 1;
    }
    return in_order ? lanes * size / SECTOR : sectors;
}

/* Steps that one group takes for a word a lane. */
static uint32_t group_steps(const uint64_t *addr, uint32_t mask, uint32_t banks)
{
    uint32_t steps = 0;

    for (; mask; steps++) {
        uint64_t broadcast = addr[__builtin_ctz(mask)] / 4;
        uint32_t busy = 1u << broadcast % banks, served = 0;

        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(m);
            uint32_t bank = 1u << addr[k] / 4 % banks;

            if (addr[k] / 4 == broadcast || !(busy & bank))
                served |= 1u << k;
            busy |= bank;
        }
        mask &= ~served;
    }
    return steps;
}

static void global(const struct access *a, const uint64_t *addr, uint32_t mask, uint32_t lanes,
                   struct rule_count *n)
{
    n->sectors += a->kind == ACCESS_ATOMIC ? (uint32_t)__builtin_popcount(mask)
                                           : group_sectors(addr, mask, lanes, a->size);
}

static void shared(const struct device_profile *d, const struct access *a, const uint64_t *addr,
                   uint32_t mask, struct rule_count *n)
{
    for (uint32_t word = 0; word < a->size; word += 4) {
        uint64_t at[32] = {0};

        for (uint32_t m = mask; m; m &= m - 1)
            at[__builtin_ctz(m)] = addr[__builtin_ctz(m)] + word;
        uint32_t steps = group_steps(at, mask, d->banks);
        n->wavefronts += steps;
        n->conflicts += steps - 1;
    }
}

/* Words of one offset lie side by side, lane by lane, whatever the lane's own offset is. */
static void local(const struct access *a, const uint64_t *addr, uint32_t mask, uint32_t lane,
                  uint32_t lanes, struct rule_count *n)
{
    for (uint32_t word = 0; word < a->size; word += 4) {
        uint64_t at[32] = {0};

        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(m);

            at[k] = (addr[k] + word) / 4 * 128 + (uint64_t)(lane + k) * 4;
        }
        n->sectors += group_sectors(at, mask, lanes, 4);
    }
}

void rules_count(const struct device_profile *d, const struct access *a, struct rule_count *n)
{
    uint32_t lanes = d->coalescing_group;

    for (uint32_t lane = 0; lane < 32; lane += lanes) {
        uint32_t mask = lanes < 32 ? a->mask >> lane & ((1u << lanes) - 1) : a->mask;

        if (!mask)
            continue;
        if (a->space == ACCESS_GLOBAL)
            global(a, a->addr + lane, mask, lanes, n);
        else if (a->space == ACCESS_LOCAL)
            local(a, a->addr + lane, mask, lane, lanes, n);
        else if (a->kind != ACCESS_ATOMIC)
            shared(d, a, a->addr + lane, mask, n);
    }
}
