// mm_tiled handed in as mm_registers: the reuse is in shared memory, where the next kernels have it.
// class: no-evidence
// only: mm_registers
// expect: registers-reuse=fail registers-reuse4=fail
// hint: registers-reuse: V x V products
// hint: registers-reuse4: 2 N^3 / V
#include "warplab.cuh"

#define SIDE 16
#define L    16

LAUNCH(mm_registers, SIDE, SIDE, 1);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][L], sb[L][L];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < L; i++)
            sum += sa[ty][i] * sb[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
