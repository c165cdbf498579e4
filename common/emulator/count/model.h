/* model.h - modelled time of a launch, from its counters.
 *
 * A first-order bound model: the launch takes as long as its busiest resource needs, and
 * at least as long as its latency allows. Formulas and calibration: MODEL.md, model.c.
 */
#ifndef EMULATOR_MODEL_H
#define EMULATOR_MODEL_H

#include "emulator/base/occupancy.h"
#include "emulator/exec/launch.h"

struct model_launch {
    uint64_t blocks; /* of the grid */
    uint32_t threads_per_block;
    struct occupancy occupancy; /* occupancy_of() */
    /* Sectors that leave the SM (L1 misses) and distinct sectors of the whole launch, from
     * traffic.h; 0: not known, and every requested sector is taken to be a miss. */
    uint64_t l2_sectors, unique_sectors;
    /* 128-byte lines that the requests touch, counted per request; 0: not known. */
    uint64_t l1_lines;
    /* Distinct sectors that were in L2 when the launch began, as far as one knows. */
    uint64_t l2_resident_sectors;
};

/* Fills modelled_ms, bound, occupancy, occupancy_limiter and blocks_per_sm of *out. */
void model_time(const struct counters *c, const struct model_launch *l,
                const struct device_profile *d, struct emu_result *out);

/* Time of a copy between host and device, or (pcie false) inside the device; ms. */
double model_copy_ms(const struct device_profile *d, uint64_t bytes, bool pcie);

#endif
