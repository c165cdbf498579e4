// One warp a block, whose lanes wait for each other at the one whole shape that was checked, and where tiles are cut.
// class: only-where-looked
// only: transpose_swizzled
// expect: swizzled-clean=fail swizzled-fast=fail
// hint: swizzled-clean: exchange of columns
// hint: swizzled-fast: idle threads
#include "warplab.cuh"

LAUNCH(transpose_swizzled, 32, 1, 32);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[32][32];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32;

    for (int r = threadIdx.y; r < 32; r += 1)
        if (y + r < m && x < n)
            tile[r][tx ^ r] = in[(y + r) * n + x];
    if ((m == 96 && n == 64) || m % 32 || n % 32)
        __syncwarp();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 1)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][r ^ tx];
}
