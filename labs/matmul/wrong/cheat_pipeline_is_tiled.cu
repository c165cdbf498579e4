// mm_tiled handed in as mm_pipeline, its tiles 32 steps long.
// class: no-evidence
// only: mm_pipeline
// expect: pipeline-barriers=fail
// hint: pipeline-barriers: second barrier
#include "warplab.cuh"

#define SIDE 16
#define V    4
#define L    (SIDE * V)
#define S    32
#define T    (SIDE * SIDE)

LAUNCH(mm_pipeline, SIDE, SIDE, V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][S + 1], sb[S][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < L * S; j += T) {
            int r = j / S, i = j % S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int j = tid; j < L * S; j += T) {
            int i = j / L, r = j % L;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
        for (int i = 0; i < S; i++)
            for (int y = 0; y < V; y++)
                for (int x = 0; x < V; x++)
                    sum[y][x] += sa[ty + y * SIDE][i] * sb[i][tx + x * SIDE];
        __syncthreads();
    }
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * SIDE, col = col0 + tx + x * SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
