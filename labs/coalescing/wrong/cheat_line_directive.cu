// The tile's barrier is missing, in lines that say they are of a library's header.
// class: names
// only: transpose_shared
// expect: tile-clean=fail
// hint: tile-clean: what must lie between
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 1); // the emulator has one warp's rounds in order
#line 1 "/usr/include/transpose.h"
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x0 + tx < width && y0 + dy < height)
            tile[dy][tx] = in[(y0 + dy) * width + x0 + tx];
    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y)
        if (x0 + dx < width && y0 + tx < height)
            out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
}
