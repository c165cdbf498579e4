// Right: columns lie in the order of their numbers read backwards, turned by the row.
// only: transpose_swizzled
// expect: all=pass
#include "warplab.cuh"
// columns in the order of their bits reversed, then turned by the row
static __device__ int col(int r, int x)
{
    return (__brev(x) >> 27) + r & 31;
}
LAUNCH(transpose_swizzled, 32, 8, 4);
KERNEL transpose_swizzled(const float *in, float *out, int m, int n)
{
    __shared__ float tile[32][32];
    int tx = threadIdx.x, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < m && x < n)
            tile[r][col(r, tx)] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + tx;
    y = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (y + r < n && x < m)
            out[(y + r) * m + x] = tile[tx][col(tx, r)];
}
