// Right: tiles of 16, words fetched by a function that is called.
// only: mm_shared
// expect: all=pass
#include "warplab.cuh"
#include <cuda_fp16.h>
#include <mma.h>
static __device__ __noinline__ float at(const float *p, int r, int i, int rows, int cols)
{
    return r < rows && i < cols ? p[r * cols + i] : 0.0f;
}
LAUNCH(mm_shared, 16, 16, 1);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[16][16], sb[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        __syncthreads();
        sa[ty][tx] = at(a, row, k0 + tx, m, k);
        sb[ty][tx] = at(b, k0 + ty, col, k, n);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum = fmaf(sa[ty][i], sb[i][tx], sum);
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
