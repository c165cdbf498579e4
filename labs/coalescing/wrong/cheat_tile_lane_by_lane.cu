// A tile without padding, whose columns lie in one bank: one lane after the other reads, so that no two of a
// load meet there.
// class: dilution
// only: transpose_shared
// expect: tile-banks=fail
// hint: tile-banks: wavefronts
#include "warplab.cuh"

__device__ float one_by_one(const float *word, unsigned lane)
{
    float v = 0;

#pragma unroll
    for (unsigned l = 0; l < 32; l++)
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, %2; @p ld.shared.f32 %0, [%3]; }"
                     : "+f"(v)
                     : "r"(lane), "r"(l), "r"((unsigned)__cvta_generic_to_shared(word))
                     : "memory");
    return v;
}

LAUNCH(transpose_shared, 32, 8);
KERNEL transpose_shared(const float *in, float *out, unsigned width, unsigned height)
{
    __shared__ float tile[32][32];
    unsigned x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x;

    for (unsigned y = threadIdx.y; y < 32; y += 8)
        if (x0 + tx < width && y0 + y < height)
            tile[y][tx] = in[(y0 + y) * width + x0 + tx];
    __syncthreads();
    for (unsigned x = threadIdx.y; x < 32; x += 8)
        if (x0 + x < width && y0 + tx < height)
            out[(x0 + x) * height + y0 + tx] = one_by_one(&tile[tx][x], tx);
}
