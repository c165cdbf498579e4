/* array.h - CUDA arrays: what cudaArray_t and cudaMipmappedArray_t point to. Private to array.c,
 * copy.c and texture.c.
 */
#ifndef EMULATOR_RUNTIME_ARRAY_H
#define EMULATOR_RUNTIME_ARRAY_H

#include "cudart.h"
#include "emulator/base/texture.h"

struct cudaArray {
    struct cudaArray *next;
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as asked for: 0 where it has no such dimension */
    unsigned flags;
    struct texel_format texel;
    struct texture_level level; /* where its texels are */
    uint64_t base, bytes;       /* its memory; a level's: the whole mipmap's */
    bool of_mipmap;
};
struct cudaMipmappedArray {
    struct cudaMipmappedArray *next;
    unsigned nlevels;
    struct cudaArray level[TEXTURE_LEVELS];
};

/* NULL: it is none that there is. */
struct cudaArray *array_find(cudaArray_const_t a);
struct cudaMipmappedArray *mipmap_find(cudaMipmappedArray_const_t m);
/* False: there are no such texels. */
bool texel_format_of(const struct cudaChannelFormatDesc *d, struct texel_format *f);

#endif
