// Right: the next tile waits in registers, 4 bytes at a time, and the steps of a tile are unrolled.
// only: mm_pipeline
// expect: all=pass
#include "warplab.cuh"

#define SIDE 16
#define V    4
#define L    (SIDE * V)
#define S    16
#define T    (SIDE * SIDE)
#define N    (L * S / T) // words a thread brings of each tile

LAUNCH(mm_pipeline, SIDE, SIDE, V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[2][S][L + 2], sb[2][S][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L, now = 1;
    float sum[V][V] = {}, fa[N], fb[N];

    for (int k0 = 0; k0 < k + S; k0 += S, now ^= 1) {
        if (k0 < k) // on its way while the last tile is multiplied
#pragma unroll
            for (int j = 0; j < N; j++) {
                int r = (tid + j * T) / S, i = (tid + j * T) % S;
                int q = (tid + j * T) / L, p = (tid + j * T) % L;
                fa[j] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
                fb[j] = k0 + q < k && col0 + p < n ? b[(k0 + q) * n + col0 + p] : 0;
            }
        if (k0 > 0) {
#pragma unroll
            for (int i = 0; i < S; i++) {
                float av[V], bv[V];
#pragma unroll
                for (int v = 0; v < V; v++) {
                    av[v] = sa[now][i][ty + v * SIDE];
                    bv[v] = sb[now][i][tx + v * SIDE];
                }
#pragma unroll
                for (int j = 0; j < V * V; j++)
                    sum[j / V][j % V] += av[j / V] * bv[j % V];
            }
        }
        if (k0 >= k)
            break;
#pragma unroll
        for (int j = 0; j < N; j++) {
            sa[now ^ 1][(tid + j * T) % S][(tid + j * T) / S] = fa[j];
            sb[now ^ 1][(tid + j * T) / L][(tid + j * T) % L] = fb[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < V * V; j++) {
        int row = row0 + ty + j / V * SIDE, col = col0 + tx + j % V * SIDE;
        if (row < m && col < n)
            c[row * n + col] = sum[j / V][j % V];
    }
}
