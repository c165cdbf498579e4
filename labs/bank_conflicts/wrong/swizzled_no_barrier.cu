// Reads what other threads wrote, without waiting for them.
// only: transpose_swizzled
// expect: swizzled-ok=fail swizzled-clean=fail swizzled-banks=blocked swizzled-coalesced=blocked swizzled-fast=blocked
// hint: swizzled-ok: NaN
// hint: swizzled-clean: race in shared memory
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
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
