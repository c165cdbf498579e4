// Writes down the columns of out by atomics, which no count of stores shows.
// class: elsewhere
// only: transpose_swizzled
// expect: swizzled-coalesced=fail swizzled-banks=fail swizzled-fast=fail
// hint: swizzled-fast: of its speed
// hint: swizzled-coalesced: not in the matrices
// hint: swizzled-banks: row number
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    __syncthreads();
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            atomicExch(&out[x * m + y + r], tile[r][tx ^ r]);
}
