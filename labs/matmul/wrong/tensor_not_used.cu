// Right, but by ordinary multiply-adds.
// only: mm_tensor
// expect: tensor-used=fail
// hint: tensor-used: mma_sync
#include "warplab.cuh"
#include <cuda_fp16.h>

#define L 32

LAUNCH(mm_tensor, 1024, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    __shared__ half sa[L][L], sb[L][L];
    int tx = threadIdx.x % L, ty = threadIdx.x / L;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : half(0);
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : half(0);
        __syncthreads();
        for (int i = 0; i < L; i++)
            sum += __half2float(sa[ty][i]) * __half2float(sb[i][tx]);
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
