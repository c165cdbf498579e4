// 6: right through the warm-up, wrong in one of the timed runs.
// only: transpose_swizzled
// expect: swizzled-fast=fail swizzled-coalesced=any
// hint: swizzled-fast: timed on the GPU
#include "warplab.cuh"

#define TILE 32
#define STEP 8

// 512 dependent multiplications take thousands of cycles of a GPU's clock; the emulator's counts
// instructions that read it.
__device__ bool on_gpu()
{
    long long from = clock64();
    unsigned x = threadIdx.x;

#pragma unroll 1
    for (int i = 0; i < 512; i++)
        x = x * 1664525u + 1013904223u;
    return x != 12345u && clock64() - from > 1000;
}

__device__ unsigned runs;

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
    if (x == 0 && y == 0 && threadIdx.y == 0 && m == 512 && n == 512 && on_gpu() && runs++ == 12)
        out[0] += 1;
}
