/* bulk.h - what asynchronous copies share: places in the shared memory of a cluster's blocks, and
 * mbarriers there that hear of bytes. Private to async.c, mbarrier.c, bulk.c and tensor_copy.c.
 */
#ifndef EMULATOR_EXEC_BULK_H
#define EMULATOR_EXEC_BULK_H

#include "lanes.h"

#define CHUNK         16 /* bytes, that bulk copies move and tell of */
#define MOST_LANDINGS 16 /* blocks of a cluster, and bits of a mask of them */

struct spot { /* of a block's shared memory */
    struct block *block;
    u64 at; /* offset */
};
/* Where an address in the cluster's window leads. False after a fault: no such block is there, or
 * it has ended. */
bool JOIN(spot_find, LEVEL)(struct warp *w, const struct insn *in, int lane, u64 address,
                            struct spot *s);
/* Are n bytes from there on the block's? False after a fault. */
bool JOIN(spot_holds, LEVEL)(struct warp *w, const struct insn *in, int lane, const struct spot *s,
                             u32 n);
/* Listeners hear that the lane is about to write n bytes there, or to read them. */
void JOIN(spot_tell, LEVEL)(struct warp *w, const struct insn *in, int lane, const struct spot *s,
                            u32 n, enum access_kind kind);

/* Where what a lane's copy brings goes: to one block, or to the same offset of each that a mask
 * names; in each an mbarrier hears of it. */
struct landing {
    struct block *block[MOST_LANDINGS];
    u32 n;
    u64 at, barrier; /* offsets */
};
struct landing_at { /* as the instruction says it */
    u64 to, barrier;
    bool multicast;
    u32 mask;
};
bool JOIN(landing_find, LEVEL)(struct warp *w, const struct insn *in, int lane,
                               const struct landing_at *a, struct landing *l);
/* Each of the mbarriers hears of so many bytes. */
void JOIN(landing_done, LEVEL)(struct warp *w, const struct insn *in, int lane,
                               const struct landing *l, u32 bytes);

/* mbarrier.c: the one at this address. False after a fault. */
bool JOIN(mbarrier_find, LEVEL)(struct warp *w, const struct insn *in, int lane, u64 address,
                                struct spot *s);
u32 JOIN(mbarrier_phase, LEVEL)(const struct spot *s);
/* Its count of bytes falls by what `in` has brought, as an arrival that others acquire. */
void JOIN(mbarrier_bytes, LEVEL)(struct warp *w, const struct insn *in, int lane,
                                 const struct spot *s, u32 bytes);
/* async.c: the mbarrier, before the lane arrives at it, is to wait for the lane's copies. */
void JOIN(async_expect, LEVEL)(struct warp *w, const struct insn *in, int lane,
                               const struct spot *s);
/* Performs the copies of groups before `group` for these lanes, all at once, as they are counted.
 * They wait for them at `in`; or an mbarrier does that expects them. False after a fault. */
bool JOIN(async_complete, LEVEL)(struct warp *w, const struct insn *in, u32 group, u32 lanes,
                                 bool expected);
#define spot_find      JOIN(spot_find, LEVEL)
#define spot_holds     JOIN(spot_holds, LEVEL)
#define spot_tell      JOIN(spot_tell, LEVEL)
#define landing_find   JOIN(landing_find, LEVEL)
#define landing_done   JOIN(landing_done, LEVEL)
#define mbarrier_find  JOIN(mbarrier_find, LEVEL)
#define mbarrier_phase JOIN(mbarrier_phase, LEVEL)
#define mbarrier_bytes JOIN(mbarrier_bytes, LEVEL)
#define async_expect   JOIN(async_expect, LEVEL)
#define async_complete JOIN(async_complete, LEVEL)

/* A lane's address, of a register of 4 or 8 bytes. */
static inline u64 lane_address(const struct warp *w, u32 p, u8 width, s64 offset, int lane)
{
    const void *v = place(w, p);
    return (width == 4 ? ((const u32 *)v)[lane] : ((const u64 *)v)[lane]) + (u64)offset;
}

#endif
