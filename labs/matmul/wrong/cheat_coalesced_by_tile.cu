// The lanes stay a row apart: their words come through a tile in shared memory, which is a later step.
// class: no-evidence
// only: mm_coalesced
// expect: coalesced-sectors=fail
// hint: coalesced-sectors: straight from global memory
#include "warplab.cuh"
LAUNCH(mm_coalesced, 32, 32, 1);
KERNEL mm_coalesced(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[32][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row0 = blockIdx.y * 32, col = blockIdx.x * 32 + ty, row = row0 + tx;
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += 32) {
        sa[ty][tx] = row0 + ty < m && k0 + tx < k ? a[(row0 + ty) * k + k0 + tx] : 0;
        __syncthreads();
        for (int i = 0; i < 32 && k0 + i < k; i++)
            if (col < n)
                sum += sa[tx][i] * b[(k0 + i) * n + col];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
