// Swizzled at the shapes that gates have, and read from one bank at all others.
// class: only-where-looked
// only: transpose_swizzled
// expect: swizzled-banks=fail swizzled-fast=fail
// hint: swizzled-fast: of its speed
// hint: swizzled-banks: column number
#include "warplab.cuh"

#define TILE 32
#define STEP 8

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;
    int turn = m == 96 || m == 512 ? 31 : 0;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ (r & turn)] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ (tx & turn)];
}
