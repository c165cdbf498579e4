// A thread for every element of the tile: blocks of 32 x 32.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 32);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    unsigned ty = threadIdx.y;

    if (x0 + tx < width && y0 + ty < height)
        tile[tx][ty] = in[(y0 + ty) * width + x0 + tx];
    __syncthreads();
    if (x0 + ty < width && y0 + tx < height)
        out[(x0 + ty) * height + y0 + tx] = tile[ty][tx];
}
