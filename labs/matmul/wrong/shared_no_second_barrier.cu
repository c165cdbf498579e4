// No barrier before the tiles are overwritten: a fast warp spoils a slow one's data.
// only: mm_shared
// expect: shared-ok=fail shared-clean=fail shared-reuse=blocked
// hint: shared-clean: before anybody overwrites
// hint: shared-ok: results are wrong
#include "warplab.cuh"

#define SH_L 32

LAUNCH(mm_shared, SH_L, SH_L, 1);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[SH_L][SH_L], sb[SH_L][SH_L];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * SH_L + ty, col = blockIdx.x * SH_L + tx;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += SH_L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads(); // the tiles are complete
        for (int i = 0; i < SH_L; i++)
            sum += sa[ty][i] * sb[i][tx];
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
