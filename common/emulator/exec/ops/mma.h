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
/* Counts loads or stores of `matrices` times 8 rows of 16 bytes of shared memory, at a[row], as
 * access_lanes() counts their halves, two at a time in each of 32 lanes: neighbours in a row, or,
 * turned, in two rows. False, with nothing done, where it is not as simple: somebody listens, a row
 * is not where it should be. */
bool JOIN(access_rows, LEVEL)(struct warp *w, const struct insn *in, const u64 *a, u32 matrices,
                              bool turned, bool store);
#define access_rows JOIN(access_rows, LEVEL)

#endif
