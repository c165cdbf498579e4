// Right: rows of 45 words; all that a thread loads is on its way before any of it is stored.
// only: transpose_padded
// expect: all=pass
#include "warplab.cuh"

LAUNCH(transpose_padded, 32, 4, 8);
KERNEL transpose_padded(const float *in, float *out, int m, int n)
{
    constexpr int row = 45, rows = 8, step = 4;
    __shared__ float tile[31 * row + 32];
    const int lane = threadIdx.x, r0 = threadIdx.y;
    int x = blockIdx.x * 32 + lane, y = blockIdx.y * 32 + r0;
    float mine[rows];

#pragma unroll
    for (int k = 0; k < rows; k++)
        mine[k] = x < n && y + k * step < m ? in[(size_t)(y + k * step) * n + x] : 0;
#pragma unroll
    for (int k = 0; k < rows; k++)
        tile[(r0 + k * step) * row + lane] = mine[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < rows; k++)
        mine[k] = tile[lane * row + r0 + k * step];
    x = blockIdx.y * 32 + lane;
    y = blockIdx.x * 32 + r0;
#pragma unroll
    for (int k = 0; k < rows; k++)
        if (x < m && y + k * step < n)
            out[(size_t)(y + k * step) * m + x] = mine[k];
}
