// Columns beyond the first 300 are left out.
// class: only-where-looked
// only: transpose_padded
// expect: padded-ok=fail padded-clean=blocked padded-banks=blocked padded-coalesced=blocked
// hint: padded-ok: n x m
#include "warplab.cuh"
LAUNCH(transpose_padded, 32, 8, 4);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[32 * 33];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < m && x < n)
            tile[r * 33 + tx] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < n && x < m && x < 300)
            out[(y + r) * m + x] = tile[tx * 33 + r];
}
