// Right: words of a are loaded once a warp and handed on by shuffles.
// only: mm_registers
// expect: all=pass
#include "warplab.cuh"

#define V 4

LAUNCH(mm_registers, 32, 4, V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    const int row0 = (blockIdx.y * 4 + threadIdx.y) * V, col0 = blockIdx.x * 32 * V + threadIdx.x, lane = threadIdx.x;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += 8) { // lane 8 r + i has a[row0 + r][k0 + i]
        int r = lane / 8, i0 = k0 + lane % 8;
        float mine = row0 + r < m && i0 < k ? a[(row0 + r) * k + i0] : 0;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float y[V], x[V];
#pragma unroll
            for (int v = 0; v < V; v++) {
                y[v] = __shfl_sync(~0u, mine, 8 * v + i);
                x[v] = k0 + i < k && col0 + 32 * v < n ? b[(k0 + i) * n + col0 + 32 * v] : 0;
            }
#pragma unroll
            for (int v = 0; v < V; v++)
#pragma unroll
                for (int h = 0; h < V; h++)
                    sum[v][h] += y[v] * x[h];
        }
    }
#pragma unroll
    for (int v = 0; v < V; v++)
#pragma unroll
        for (int h = 0; h < V; h++)
            if (row0 + v < m && col0 + 32 * h < n)
                c[(row0 + v) * n + col0 + 32 * h] = sum[v][h];
}
