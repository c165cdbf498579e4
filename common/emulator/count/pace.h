/* pace.h - how long a block lives when nothing but its own warps' dependences hold it up.
 *
 * A few blocks of a launch are watched (traffic.c). For each of their warps the instructions are
 * played again on a clock: an instruction starts when its operands are there, a load's result comes
 * after the memory's latency, a warp waits at a barrier for the last one. What comes out is the
 * block's life in cycles, were the SM its own: the latency that other warps have to hide.
 *
 * The clock runs twice, once as if all that misses L1 were in L2 and once as if it came from DRAM;
 * which share does is known when the launch has ended (model.c).
 */
#ifndef EMULATOR_PACE_H
#define EMULATOR_PACE_H

#include "emulator/exec/events.h"

struct pace;

enum { PACE_NEAR, PACE_FAR, PACE_CLOCKS }; /* what misses L1 is in L2; in DRAM */

struct pace *pace_new(const struct block_info *b);
void pace_free(struct pace *p);

/* The listener's events, for this block. */
void pace_path(struct pace *p, const struct site *first, uint32_t ninsns, uint32_t warp);
/* misses: does one of the sectors come from beyond L1? */
void pace_access(struct pace *p, const struct access *a, bool misses);
/* From the next basic block on nothing is watched: of accesses one hears no more. */
void pace_stop(struct pace *p);
/* At barrier `id`, CLUSTER_BARRIER among them. */
void pace_arrive(struct pace *p, const struct site *s, uint32_t warp, uint32_t id);
void pace_leave(struct pace *p, uint32_t id);
/* At an mbarrier: an arrival, at another block's where peer, or bytes of a bulk copy; a load: the
 * warp's wait is over. */
void pace_mbarrier(struct pace *p, const struct access *a, uint32_t bytes, bool peer);

/* Passes that a request needs through the banks of shared memory or L1, and through L1's tags. */
uint32_t pace_passes(const struct access *a);

/* Of shared memory, in what was watched, added to *to: all passes; those of accesses whose lanes
 * are all predicated off, which count as none; those of loads that ptxas joins to another. */
struct pace_shared {
    uint64_t passes, skipped, joined;
};
void pace_shared(const struct pace *p, struct pace_shared *to);

/* After the block's end: cycles from its first warp's start to its last one's end; a warp that was
 * not watched to its end is taken to go on as it did. */
void pace_life(struct pace *p, double cycles[PACE_CLOCKS]);

#endif
