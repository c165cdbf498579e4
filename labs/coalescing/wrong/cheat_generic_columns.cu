// A tile without padding, read by addresses that do not say that they are shared memory's.
// class: elsewhere
// only: transpose_shared
// expect: tile-banks=fail
// hint: tile-banks: banks
#include "warplab.cuh"

__device__ float get(const float *p)
{
    float v;

    asm volatile("ld.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory");
    return v;
}

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
            volatile float *back = &still[threadIdx.y][tx];

            *back = get(&tile[tx][dx]);
            out[(x0 + dx) * height + y0 + tx] = *back;
        }
    }
}
