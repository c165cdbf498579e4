// Only whole tiles of k are added up.
// only: mm_shared
// expect: shared-ok=fail
// hint: shared-ok: zero
#include "warplab.cuh"

#define SH_L 32

LAUNCH(mm_shared, SH_L, SH_L, 1);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[SH_L][SH_L], sb[SH_L][SH_L];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * SH_L + ty, col = blockIdx.x * SH_L + tx;
    float sum = 0;

    for (int k0 = 0; k0 + SH_L <= k; k0 += SH_L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads(); // the tiles are complete
        for (int i = 0; i < SH_L; i++)
            sum += sa[ty][i] * sb[i][tx];
        __syncthreads(); // nobody reads them any more
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
