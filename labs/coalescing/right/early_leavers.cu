// Threads leave as soon as they have nothing more to do, from a function in the middle of its work.
// only: transpose_shared
#include "warplab.cuh"

__device__ void turn(const float *in, float *out, unsigned width, unsigned height, float (*tile)[33])
{
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    if (width == 0)
        return;
    if (height == 0 || x0 >= width || y0 >= height)
        return;
#pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        unsigned dy = threadIdx.y + 8 * j;

        if (x0 + tx < width && y0 + dy < height)
            tile[dy][tx] = in[(y0 + dy) * width + x0 + tx];
    }
    asm volatile("bar.sync 0, 256;" : : : "memory");
#pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        unsigned dx = threadIdx.y + 8 * j;

        if (x0 + dx >= width)
            return;
        if (y0 + tx >= height)
            return;
        out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
    }
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];

    turn(in, out, width, height, tile);
}
