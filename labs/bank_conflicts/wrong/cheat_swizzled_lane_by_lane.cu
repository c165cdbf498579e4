// transpose_conflict's tile, whose columns lie in one bank: one lane after the other reads, so that no two of
// a load meet there.
// class: dilution
// only: transpose_swizzled
// expect: swizzled-banks=fail swizzled-fast=fail
// hint: swizzled-fast: of its speed
// hint: swizzled-banks: wavefronts
#include "warplab.cuh"

#define TILE 32
#define STEP 8

static __device__ float one_by_one(const float *word, int lane)
{
    float v = 0;

#pragma unroll
    for (int l = 0; l < 32; l++)
        asm volatile("{ .reg .pred p; setp.eq.s32 p, %1, %2; @p ld.shared.f32 %0, [%3]; }"
                     : "+f"(v)
                     : "r"(lane), "r"(l), "r"((unsigned)__cvta_generic_to_shared(word))
                     : "memory");
    return v;
}

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = one_by_one(&tile[tx][r], tx);
}
