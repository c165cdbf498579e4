// Right: tiles of 48 by twelve steps: on small matrices they hang over more than 64 do.
// only: mm_tiled
// expect: all=pass
#include "warplab.cuh"

#define TL_V    4
#define TL_SIDE 12
#define TL_L    (TL_SIDE * TL_V) // 48
#define TL_S    12
#define TL_T    (TL_SIDE * TL_SIDE)

// Twelve steps of 48 x 48: four words of each tile a thread. Its outputs are twelve apart both ways.
LAUNCH(mm_tiled, TL_SIDE, TL_SIDE, TL_V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[TL_S][TL_L + 1], sb[TL_S][TL_L];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * TL_SIDE + tx;
    const int row0 = blockIdx.y * TL_L, col0 = blockIdx.x * TL_L;
    float sum[TL_V][TL_V] = {};

    for (int k0 = 0; k0 < k; k0 += TL_S) {
#pragma unroll
        for (int j = t; j < TL_L * TL_S; j += TL_T) {
            const int r = j / TL_S, i = j % TL_S; // of a, along k

            sa[i][r] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
#pragma unroll
        for (int j = t; j < TL_L * TL_S; j += TL_T) {
            const int i = j / TL_L, s = j % TL_L; // of b, along n

            sb[i][s] = col0 + s < n && k0 + i < k ? b[(k0 + i) * n + col0 + s] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TL_S; i++) {
            float y[TL_V];

#pragma unroll
            for (int s = 0; s < TL_V; s++)
                y[s] = sb[i][tx + s * TL_SIDE];
#pragma unroll
            for (int r = 0; r < TL_V; r++) {
                const float x = sa[i][ty + r * TL_SIDE];

#pragma unroll
                for (int s = 0; s < TL_V; s++)
                    sum[r][s] = fmaf(x, y[s], sum[r][s]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < TL_V; r++)
#pragma unroll
        for (int s = 0; s < TL_V; s++)
            if (row0 + ty + r * TL_SIDE < m && col0 + tx + s * TL_SIDE < n)
                c[(row0 + ty + r * TL_SIDE) * n + col0 + tx + s * TL_SIDE] = sum[r][s];
}
