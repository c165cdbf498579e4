// A tile without padding, whose columns are read by exchanges: 32 lanes meet in one bank, which no
// load or store shows.
// class: elsewhere
// only: transpose_shared
// expect: tile-banks=fail
// hint: tile-banks: banks
#include "warplab.cuh"

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][32], still[32][32];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned dy = threadIdx.y; dy < 32; dy += blockDim.y)
        if (x0 + tx < width && y0 + dy < height)
            tile[dy][tx] = in[(y0 + dy) * width + x0 + tx];
    __syncthreads();
    for (unsigned dx = threadIdx.y; dx < 32; dx += blockDim.y) {
        if (x0 + dx < width && y0 + tx < height) {
            float v = atomicExch(&tile[tx][dx], 0.0f);
            volatile float *back = &still[threadIdx.y][tx];

            *back = v; // a load and a store there must be
            out[(x0 + dx) * height + y0 + tx] = *back;
        }
    }
}
