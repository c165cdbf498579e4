// Twenty times the time of the reference on a GPU, and none of it on the emulator.
// only: transpose_swizzled
// expect: swizzled-fast=fail swizzled-banks=any
// hint: swizzled-fast: of the reference's speed
#include "warplab.cuh"

#define TILE 32
#define STEP 8

// 100 dependent multiplications take hundreds of cycles of a GPU's clock; the emulator's counts
// instructions that read it.
__device__ bool on_gpu()
{
    long long from = clock64();
    unsigned x = threadIdx.x;

#pragma unroll 1
    for (int i = 0; i < 100; i++)
        x = x * 1664525u + 1013904223u;
    return x != 12345u && clock64() - from > 200;
}

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int i = 0; i < 350; i++)
        if (!on_gpu())
            break;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
