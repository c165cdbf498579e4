// Right, but each output is summed up on its own: V x V outputs, and nothing shared.
// only: mm_registers
// expect: registers-reuse=fail registers-reuse4=fail
// hint: registers-reuse: V + V words
// hint: registers-reuse4: for global_ld_bytes
#include "warplab.cuh"

// A thread's columns lie blockDim.x apart, not side by side: so the 32 lanes of a warp
// still read 32 neighbouring floats of b at a time.

#define REG_V 4

LAUNCH(mm_registers, 32, 8, REG_V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = blockIdx.y * blockDim.y * REG_V + threadIdx.y;
    int col0 = blockIdx.x * blockDim.x * REG_V + threadIdx.x;
    int dy = blockDim.y, dx = blockDim.x;
    float sum[REG_V][REG_V] = {};

#pragma unroll
    for (int y = 0; y < REG_V; y++)
#pragma unroll
        for (int x = 0; x < REG_V; x++) {
            int row = row0 + y * dy, col = col0 + x * dx;
            for (int i = 0; i < k && row < m && col < n; i++)
                sum[y][x] += a[row * k + i] * b[i * n + col];
        }
#pragma unroll
    for (int y = 0; y < REG_V; y++)
#pragma unroll
        for (int x = 0; x < REG_V; x++) {
            int row = row0 + y * dy, col = col0 + x * dx;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
