/* texture_quick.h - plain fetches of a whole warp at once. Private to texture.c and
 * texture_quick.c.
 */
#ifndef EMULATOR_EXEC_TEXTURE_QUICK_H
#define EMULATOR_EXEC_TEXTURE_QUICK_H

#include "lanes.h"
#include "emulator/code/texture_op.h"
#include "emulator/exec/texture.h"

/* Operands, as the registers have them. */
struct lanes {
    u32 at[3][WARP], dx[3][WARP], dy[3][WARP], layer[WARP], lod[WARP];
};
/* What a warp's lanes touched. */
struct touched {
    u64 address[MOST_TAPS][WARP], sector[WARP][MOST_TAPS];
    u32 mask[MOST_TAPS]; /* lanes that have a k-th */
    u32 n[WARP], rounds;
};

/* Of an instruction with this operand and such a texture: are there lanes to be quick for? */
bool JOIN(texture_quick, LEVEL)(const struct texture *t, const struct texture_op *op);
/* Fetches for lanes of `mask`, as texture_fetch() does to the bit; the rest of them, which it
 * returns, is to be fetched lane by lane: borders, infinities, NaN. */
u32 JOIN(texture_quick_fetch, LEVEL)(const struct texture *t, const struct texture_op *op,
                                     intptr_t delta, const struct lanes *l, u32 mask,
                                     u64 result[4][WARP], struct touched *all);
#define texture_quick       JOIN(texture_quick, LEVEL)
#define texture_quick_fetch JOIN(texture_quick_fetch, LEVEL)

#endif
