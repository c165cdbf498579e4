/* model.h - modelled time of a launch, from its counters and a sample of its blocks.
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
    struct sampled sampled;
};

/* Fills *out but for the counters. */
void model_time(const struct counters *c, const struct model_launch *l,
                const struct device_profile *d, struct emu_result *out);

/* Warp instructions that an SM issues a cycle. */
double model_issue_rate(const struct device_profile *d);

/* Cycles that a warp's product has its scheduler's tensor core. */
struct insn_cost;
double model_tensor_cycles(const struct device_profile *d, const struct insn_cost *c);

/* From where to where a copy goes. */
enum copy_way {
    COPY_ON_HOST,
    COPY_ON_DEVICE,
    COPY_IN,
    COPY_OUT,
    COPY_PEER,  /* from device to device over their link */
    COPY_STAGED /* from device to device through the host, where no access was enabled */
};
enum copy_memory { PINNED_MEMORY, PAGEABLE_MEMORY, MANAGED_MEMORY }; /* of the host; prefetched */
struct copy_path {
    enum copy_way way;
    enum copy_memory memory;
};
/* Time of a copy, with nothing else on the bus; ms. 0 within the host: host time is not modelled.
 */
double model_copy_ms(const struct device_profile *d, uint64_t bytes, struct copy_path path);
/* Of a library's kernels, each of which reads and writes all its data: `bytes` in `passes`. They
 * come from L2 where they fit. */
double model_passes_ms(const struct device_profile *d, uint64_t bytes, unsigned passes);
/* Of an operation of several devices that moves so many bytes over each one's link; 0: none. */
double model_link_ms(const struct device_profile *d, uint64_t bytes);
/* Of managed pages that move because a kernel, or else the host, touches them; 0 for none. */
double model_fault_ms(const struct device_profile *d, uint64_t bytes, bool to_device);

#endif
