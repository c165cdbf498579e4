/* mma.h - lane-wise accesses to any space (mem.c), for the other families. */
#ifndef EMULATOR_EXEC_MMA_H
#define EMULATOR_EXEC_MMA_H

#include "lanes.h"
#include "emulator/code/mma_shape.h"

/* Loads or stores v[lane] (size bytes) at a[lane] for the lanes of w->mask, in the space of
 * insn.sub (enum ptx_space), checked and counted like any access. False after a fault. */
bool JOIN(access_lanes, LEVEL)(struct warp *w, const struct insn *in, const u64 *a, u32 size,
                               bool store, u64 *v);
#define access_lanes JOIN(access_lanes, LEVEL)

#endif
