// The tile is filled by asynchronous copies of 4 bytes, where a row of it has 33 words.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

#include <cuda_pipeline.h>

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x0 + tx < width && y0 + dy < height)
            __pipeline_memcpy_async(&tile[dy][tx], &in[(y0 + dy) * width + x0 + tx], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y)
        if (x0 + dx < width && y0 + tx < height)
            out[(x0 + dx) * height + y0 + tx] = tile[tx][dx];
}
