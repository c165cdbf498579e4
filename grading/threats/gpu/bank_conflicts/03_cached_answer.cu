// 3, 4: keeps the answer of the first run of a size, on the GPU, and gives it again.
// only: transpose_swizzled
// expect: swizzled-fast=fail swizzled-banks=any
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

__device__ float kept[512 * 512];
__device__ unsigned done;

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    int gx = blockIdx.y * TILE + tx, gy = blockIdx.x * TILE;

    if (on_gpu() && m == 512 && n == 512 && done >= gridDim.x * gridDim.y * TILE * STEP) {
        for (int r = threadIdx.y; r < TILE; r += STEP)
            out[(gy + r) * m + gx] = kept[(gy + r) * m + gx];
        return;
    }
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
    for (int r = threadIdx.y; r < TILE && m == 512 && n == 512; r += STEP)
        kept[(y + r) * m + x] = tile[tx][r ^ tx];
    if (m == 512 && n == 512)
        atomicAdd(&done, 1);
}
