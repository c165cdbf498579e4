// Goes down the columns of in, without a tile; each element is put into shared memory and taken out again by the same thread.
// class: no-evidence
// only: transpose_swizzled
// expect: swizzled-banks=fail swizzled-coalesced=fail swizzled-fast=fail
// hint: swizzled-fast: of its speed
// hint: swizzled-banks: row number
// hint: swizzled-coalesced: not in the matrices
#include "warplab.cuh"

LAUNCH(transpose_swizzled, 32, 8, 4);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ volatile float tile[32][32];
    int tx = threadIdx.x, x = blockIdx.y * 32 + tx, y = blockIdx.x * 32;

    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < n && x < m) {
            tile[r][tx ^ 13] = in[x * n + y + r];
            out[(y + r) * m + x] = tile[r][tx ^ 13];
        }
}
