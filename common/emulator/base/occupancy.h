/* occupancy.h - how many blocks fit one multiprocessor.
 *
 * The calculation of NVIDIA's occupancy calculator: registers are given out per warp in
 * units, shared memory per block in units with a reserve, and whichever of registers,
 * shared memory, warps and block slots runs out first is the limiter.
 */
#ifndef EMULATOR_OCCUPANCY_H
#define EMULATOR_OCCUPANCY_H

#include "profile.h"

struct occupancy {
    uint32_t blocks_per_sm;
    double fraction;     /* of the SM's warps, 0..1 */
    const char *limiter; /* "registers", "shared memory", "warps", "blocks" */
};

/* threads per block, registers per thread, static plus dynamic shared bytes per block.
 * 0 blocks when one block does not fit at all. */
struct occupancy occupancy_of(const struct device_profile *d, uint32_t threads, uint32_t registers,
                              uint32_t shared_bytes);

/* The most registers a thread, at most 255, with which a block of these threads fits. */
uint32_t occupancy_registers(const struct device_profile *d, uint32_t threads);

/* The registers a thread, a multiple of 8 and at most 256, that ptxas gives each thread at first
 * where so many blocks of these threads are to fit, and setmaxnreg shares them out anew. */
uint32_t occupancy_shared_out(const struct device_profile *d, uint64_t threads, uint32_t blocks);

#endif
