// Right: four independent partial sums over k a thread, added pairwise; a's tile kept transposed.
// only: mm_shared
// expect: all=pass
#include "warplab.cuh"

#define L     32
#define PARTS 4
#define ROWS  (L / PARTS) // steps of k in each part of a tile

LAUNCH(mm_shared, 32, 32, 1);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][L + 1], sb[L][L];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    float part[PARTS] = {};

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[tx][ty] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < ROWS; i++)
            for (int p = 0; p < PARTS; p++)
                part[p] += sa[p * ROWS + i][ty] * sb[p * ROWS + i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = (part[0] + part[1]) + (part[2] + part[3]);
}
