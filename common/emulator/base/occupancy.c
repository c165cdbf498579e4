/* occupancy.c - see occupancy.h.
 *
 * The CUDA Occupancy Calculator's rules. Registers: rounded up per warp to the allocation
 * unit; an SM gives them out to whole warps, a quarter of it (a sub-partition) at a time
 * since Kepler, so the warps are a multiple of four. Shared memory: static, dynamic and
 * the reserve of compute capability 8.0 on, rounded up to the unit.
 */
#include "occupancy.h"

enum { PARTITIONS = 4 };

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return unit > 1 ? (n + unit - 1) / unit * unit : n;
}

static uint32_t by_registers(const struct device_profile *d, uint32_t warps, uint32_t registers)
{
    uint32_t a_warp = round_up(registers * d->warp_size, d->register_allocation_unit);
    uint32_t parts = d->cc_major >= 3 ? PARTITIONS : 1;

    if (!registers)
        return UINT32_MAX;
    if (d->cc_major < 2) /* G80: a block's registers are given out in one piece */
        return d->registers_per_sm /
               round_up(round_up(warps, 2) * d->warp_size * registers, d->register_allocation_unit);
    if (registers > d->max_registers_per_thread ||
        round_up(warps, parts) * a_warp > d->registers_per_block)
        return 0;
    return d->registers_per_sm / parts / a_warp * parts / warps;
}

static uint32_t by_shared(const struct device_profile *d, uint32_t bytes)
{
    uint32_t most = d->shared_per_block_optin > d->shared_per_block ? d->shared_per_block_optin
                                                                    : d->shared_per_block;
    uint32_t need = round_up(bytes + d->shared_reserved_per_block, d->shared_allocation_unit);

    if (bytes > most)
        return 0;
    return need ? d->shared_per_sm / need : UINT32_MAX;
}

struct occupancy occupancy_of(const struct device_profile *d, uint32_t threads, uint32_t registers,
                              uint32_t shared_bytes)
{
    uint32_t warps = (threads + d->warp_size - 1) / d->warp_size;
    uint32_t max_warps = d->max_threads_per_sm / d->warp_size;
    struct occupancy o = {0, 0, "warps"};
    struct {
        const char *name;
        uint32_t blocks;
    } limits[] = {
        {"warps", 0},
        {"blocks", d->max_blocks_per_sm},
        {"registers", 0},
        {"shared memory", 0},
    };

    if (!warps || threads > d->max_threads_per_block)
        return o;
    limits[0].blocks = max_warps / warps;
    limits[2].blocks = by_registers(d, warps, registers);
    limits[3].blocks = by_shared(d, shared_bytes);
    o.blocks_per_sm = limits[0].blocks;
    for (int i = 1; i < 4; i++)
        if (limits[i].blocks < o.blocks_per_sm) {
            o.blocks_per_sm = limits[i].blocks;
            o.limiter = limits[i].name;
        }
    o.fraction = (double)(o.blocks_per_sm * warps) / max_warps;
    return o;
}

uint32_t occupancy_registers(const struct device_profile *d, uint32_t threads)
{
    uint32_t warps = (threads + d->warp_size - 1) / d->warp_size;
    uint32_t n = d->max_registers_per_thread;

    while (n > 1 && by_registers(d, warps, n) == 0)
        n--;
    return n;
}

uint32_t occupancy_shared_out(const struct device_profile *d, uint64_t threads, uint32_t blocks)
{
    enum { UNIT = 8, MOST = 256 };
    uint64_t warps = (threads + d->warp_size - 1) / d->warp_size * blocks;
    uint64_t whole = (warps + PARTITIONS - 1) / PARTITIONS * PARTITIONS * d->warp_size;
    uint64_t n = whole ? d->registers_per_sm / whole / UNIT * UNIT : 0;

    return n < MOST ? (uint32_t)n : MOST;
}
