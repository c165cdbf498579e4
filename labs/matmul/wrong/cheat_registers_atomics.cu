// One output at a time, every word fetched anew: but by atomics that change nothing, which are no
// loads.
// class: elsewhere
// only: mm_registers
// expect: registers-reuse=fail registers-reuse4=fail
// hint: registers-reuse: V x V products
// hint: registers-reuse4: 2 N^3 / V
#include "warplab.cuh"

#define V 4

static __device__ float fetch(const float *p)
{
    return __int_as_float(atomicOr((int *)p, 0));
}

LAUNCH(mm_registers, 32, 8, V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = blockIdx.y * blockDim.y * V + threadIdx.y;
    int col0 = blockIdx.x * blockDim.x * V + threadIdx.x;

    for (int row = row0; row < m && row < row0 + V * (int)blockDim.y; row += blockDim.y)
        for (int col = col0; col < n && col < col0 + V * (int)blockDim.x; col += blockDim.x) {
            float sum = 0;
            for (int i = 0; i < k; i++)
                sum += fetch(&a[row * k + i]) * fetch(&b[i * n + col]);
            c[row * n + col] = sum;
        }
}
