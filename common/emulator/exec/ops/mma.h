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
/* Counts a load or store of `matrices` times 8 rows of 16 bytes of shared memory, at a[row]. */
void JOIN(count_rows, LEVEL)(struct warp *w, const struct insn *in, const u64 *a, u32 matrices);
#define count_rows JOIN(count_rows, LEVEL)
/* Are they where they should be, and nobody listens? Then they can be moved whole. */
bool JOIN(rows_in_reach, LEVEL)(const struct warp *w, const struct insn *in, const u64 *a,
                                u32 matrices);
#define rows_in_reach JOIN(rows_in_reach, LEVEL)

#endif
