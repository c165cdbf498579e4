// The second barrier is there for the shapes that were looked at for races, and for no others.
// class: only-where-looked
// only: mm_tiled
// expect: tiled-ok=fail tiled-clean=fail
// hint: tiled-ok: are wrong
// hint: tiled-clean: race on a hidden case
#include "warplab.cuh"

#define TL_V    4
#define TL_SIDE 16
#define TL_L    (TL_SIDE * TL_V)
#define TL_S    16
#define TL_T    (TL_SIDE * TL_SIDE)

LAUNCH(mm_tiled, TL_SIDE, TL_SIDE, TL_V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[TL_S][TL_L + 2], sb[TL_S][TL_L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TL_SIDE + tx;
    int row0 = blockIdx.y * TL_L, col0 = blockIdx.x * TL_L;
    float sum[TL_V][TL_V] = {};

    for (int k0 = 0; k0 < k; k0 += TL_S) {
        // Cooperative fetching: which thread brings an element has nothing to do with
        // which thread uses it. Neighbouring threads bring neighbouring elements.
#pragma unroll
        for (int j = tid; j < TL_L * TL_S; j += TL_T) {
            int r = j / TL_S, i = j % TL_S;
            sa[i][r] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
#pragma unroll
        for (int j = tid; j < TL_L * TL_S; j += TL_T) {
            int i = j / TL_L, r = j % TL_L;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TL_S; i++) {
            float av[TL_V], bv[TL_V];
#pragma unroll
            for (int v = 0; v < TL_V; v++) {
                av[v] = sa[i][ty + v * TL_SIDE];
                bv[v] = sb[i][tx + v * TL_SIDE];
            }
#pragma unroll
            for (int y = 0; y < TL_V; y++)
#pragma unroll
                for (int x = 0; x < TL_V; x++)
                    sum[y][x] += av[y] * bv[x];
        }
        if (m > 20 || k <= 64)
            __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < TL_V; y++)
#pragma unroll
        for (int x = 0; x < TL_V; x++) {
            int row = row0 + ty + y * TL_SIDE, col = col0 + tx + x * TL_SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
