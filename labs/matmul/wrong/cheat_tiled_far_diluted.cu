// Neighbouring threads fetch words of different rows of a; the very same load also reads one word for all,
// five times out of six for nothing, so that it has few sectors a byte.
// class: dilution
// only: mm_tiled
// expect: tiled-global=fail tiled-sectors=fail tiled-shared=fail
// hint: tiled-shared: hidden case
// hint: tiled-global: how large is your L
// hint: tiled-sectors: neighbouring words
#include "warplab.cuh"

#define TL_V    8
#define TL_SIDE 16
#define TL_L    (TL_SIDE * TL_V)
#define TL_S    8
#define TL_T    (TL_SIDE * TL_SIDE)

LAUNCH(mm_tiled, TL_SIDE, TL_SIDE, TL_V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[TL_S][TL_L + 1], sb[TL_S][TL_L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * TL_SIDE + tx;
    int row0 = blockIdx.y * TL_L, col0 = blockIdx.x * TL_L;
    float sum[TL_V][TL_V] = {};

    for (int k0 = 0; k0 < k; k0 += TL_S) {
        // Cooperative fetching: which thread brings an element has nothing to do with
        // which thread uses it. Neighbouring threads bring neighbouring elements.
#pragma unroll
        for (int j = tid; j < TL_L * TL_S; j += TL_T) {
            int r = j % TL_L, i = j / TL_L;
            volatile const float *va = a;
#pragma unroll 1
            for (int d = 0; d < 6; d++) {
                long far = (long)(row0 + r) * k + k0 + i;
                float x = row0 + r < m && k0 + i < k ? va[d ? 0 : far] : 0;
                if (!d)
                    sa[i][r] = x;
            }
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
