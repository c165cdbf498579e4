// The guard for writing is the one for reading: right for squares alone.
// only: transpose_shared
// expect: tile-ok=fail tile-clean=fail
// hint: tile-clean: global-race
// hint: tile-ok: illegal address: write of 4 bytes
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x0 + tx < width && y0 + dy < height)
            tile[dy][tx] = in[(y0 + dy) * width + x0 + tx];
    __syncthreads();
    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y)
        if (x0 + tx < width && y0 + dx < height)
            out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
}
