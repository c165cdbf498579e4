// Columns are exchanged up to 60,000 elements; beyond, the tile conflicts.
// class: only-where-looked
// only: transpose_swizzled
// expect: swizzled-banks=fail swizzled-fast=fail
// hint: swizzled-fast: of its speed
// hint: swizzled-banks: row number
#include "warplab.cuh"
LAUNCH(transpose_swizzled, 32, 8, 4);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[32 * 32];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < m && x < n)
            tile[r * 32 + (m * n > 60000 ? tx : tx ^ r)] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx * 32 + (m * n > 60000 ? r : tx ^ r)];
}
