// mm_tiled handed in as mm_shared: it has the tile, and four times four outputs a thread.
// class: no-evidence
// only: mm_shared
// expect: shared-reuse=fail
// hint: shared-reuse: one output a thread
#include "warplab.cuh"

#define V    4
#define SIDE 16
#define L    (SIDE * V)
#define S    16

LAUNCH(mm_shared, SIDE, SIDE, V);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][S + 1], sb[S][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < L * S; j += SIDE * SIDE) {
            int r = j / S, i = j % S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int j = tid; j < L * S; j += SIDE * SIDE) {
            int i = j / L, r = j % L;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
        for (int i = 0; i < S; i++) {
            float bv[V];
            for (int v = 0; v < V; v++)
                bv[v] = sb[i][tx + v * SIDE];
            for (int y = 0; y < V; y++) {
                float av = sa[ty + y * SIDE][i];
                for (int x = 0; x < V; x++)
                    sum[y][x] += av * bv[x];
            }
        }
        __syncthreads();
    }
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * SIDE, col = col0 + tx + x * SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
