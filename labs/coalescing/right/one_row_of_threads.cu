// A tile by a single warp, in a flat array with rows of 33 words.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 1);
KERNEL transpose_shared(const float *__restrict__ in, float *__restrict__ out, unsigned width, unsigned height)
{
    __shared__ float tile[32 * 33];
    const size_t x0 = blockIdx.x * 32ull, y0 = blockIdx.y * 32ull, lane = threadIdx.x;

#pragma unroll
    for (unsigned row = 0; row < 32; row++)
        if (x0 + lane < width && y0 + row < height)
            tile[33 * row + lane] = __ldg(&in[(y0 + row) * width + (x0 + lane)]);
    __syncwarp();
    if (y0 + lane >= height)
        return;
#pragma unroll
    for (unsigned column = 0; column < 32; column++)
        if (x0 + column < width)
            out[(x0 + column) * height + (y0 + lane)] = tile[33 * lane + column];
}
