/* texture.h - what a lane reads of a texture: coordinates to texels, filtered.
 *
 * Filtered numbers are an H200's to the bit (cases/texture_fetch.c); texture.c says how it does it.
 */
#ifndef EMULATOR_EXEC_TEXTURE_H
#define EMULATOR_EXEC_TEXTURE_H

#include "emulator/base/texture.h"

#define MOST_TAPS 16 /* texels of a fetch: 8 of each of two levels */

enum texture_detail { DETAIL_NONE, DETAIL_LEVEL, DETAIL_GRADIENT };
struct texture_fetch {
    bool whole, cube, layered, gather, point; /* point: whatever the filter */
    uint8_t dims, detail, component;          /* of the instruction; component: gather's */
    float at[3], dx[3], dy[3], lod;
    int32_t whole_at[3], whole_lod;
    uint32_t layer;
};
struct texture_taps {
    uint32_t n;
    uint64_t address[MOST_TAPS]; /* of texels that memory was read for */
};

/* `delta` added to an address of the texture's gives where it is on the host. Results: four
 * floats, or integers as they are, in v. */
void texture_fetch(const struct texture *t, const struct texture_fetch *f, intptr_t delta,
                   uint32_t v[4], struct texture_taps *taps);
/* Do its fetches give floats? */
static inline bool texture_floats(const struct texture *t)
{
    return t->to_float || t->format.kind == TEXEL_FLOAT;
}
/* The sector of 32 bytes that a texel at this address lies in, as a number. */
uint64_t texture_sector(const struct texture *t, uint64_t address);

#endif
