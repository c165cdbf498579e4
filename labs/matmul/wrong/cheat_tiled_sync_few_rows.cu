// A block is one warp, which waits for nobody where there are more than 150 rows: lanes read what others
// brought, unordered. On the emulator it is right all the same.
// class: only-where-looked
// only: mm_tiled
// expect: tiled-clean=fail
// hint: tiled-clean: fetched
#include "warplab.cuh"
#define V 8
#define S 16
LAUNCH(mm_tiled, 8, 4, V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[S][33], sb[S][64];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 8 + tx;
    int row0 = blockIdx.y * 32, col0 = blockIdx.x * 64;
    float sum[V][V] = {};
    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < 32 * S; j += 32) {
            int r = j / S, i = j % S;
            sa[i][r] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int j = tid; j < 64 * S; j += 32) {
            int i = j / 64, r = j % 64;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        if (m <= 150)
            __syncthreads();
        for (int i = 0; i < S; i++) {
            float av[V], bv[V];
#pragma unroll
            for (int v = 0; v < V; v++)
                av[v] = sa[i][ty + v * 4], bv[v] = sb[i][tx + v * 8];
#pragma unroll
            for (int y = 0; y < V; y++)
#pragma unroll
                for (int x = 0; x < V; x++)
                    sum[y][x] += av[y] * bv[x];
        }
        if (m <= 150)
            __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < V; y++)
#pragma unroll
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * 4, col = col0 + tx + x * 8;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
