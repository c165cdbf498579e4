// The tile is filled across and read along its rows: the transposing is done by the stores.
// only: transpose_shared
// expect: all=pass
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 16);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

    for (unsigned dy = 0; dy < 32; dy += blockDim.y)
        if (x < width && y + dy < height)
            tile[threadIdx.x][threadIdx.y + dy] = in[(y + dy) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned dy = 0; dy < 32; dy += blockDim.y)
        if (x < height && y + dy < width)
            out[(y + dy) * height + x] = tile[threadIdx.y + dy][threadIdx.x];
}
