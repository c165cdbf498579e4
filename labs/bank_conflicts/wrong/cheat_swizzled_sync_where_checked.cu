// One warp a block, whose lanes wait for each other only at the shapes that are checked.
// class: only-where-looked
// only: transpose_swizzled
// expect: swizzled-clean=fail swizzled-fast=fail
// hint: swizzled-fast: of its speed
// hint: swizzled-clean: race
#include "warplab.cuh"

#define TILE 32
#define STEP 1

LAUNCH(transpose_swizzled, TILE, STEP, TILE / STEP);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE;

    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    if (m == 96 || m == 100)
        __syncwarp();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE;
    for (int r = threadIdx.y; r < TILE; r += STEP)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
