// Rows are longer where their number is odd, and nowhere else: there columns are exchanged.
// class: no-evidence
// only: transpose_padded
// expect: padded-banks=fail
// hint: padded-banks: one row length apart
#include "warplab.cuh"
LAUNCH(transpose_padded, 32, 8, 4);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    __shared__ float tile[32 * 33];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < m && x < n)
            tile[m % 2 ? r * 33 + tx : r * 32 + (tx ^ r)] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[m % 2 ? tx * 33 + r : tx * 32 + (tx ^ r)];
}
