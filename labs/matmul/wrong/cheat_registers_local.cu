// A thread brings a strip of its rows and columns into an array indexed by variables, which is local
// memory, and reads every operand of every product there: few global loads, nothing in registers.
// class: elsewhere
// only: mm_registers
// expect: registers-reuse=fail registers-reuse4=fail
// hint: registers-reuse: V x V products
// hint: registers-reuse4: 2 N^3 / V
#include "warplab.cuh"

#define V 4
#define S 8

LAUNCH(mm_registers, 32, 8, V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = blockIdx.y * blockDim.y * V + threadIdx.y;
    int col0 = blockIdx.x * blockDim.x * V + threadIdx.x;
    float av[V][S], bv[V][S];
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
#pragma unroll 1
        for (int v = 0; v < V; v++)
            for (int i = 0; i < S; i++) {
                int row = row0 + v * blockDim.y, col = col0 + v * blockDim.x;
                av[v][i] = row < m && k0 + i < k ? a[row * k + k0 + i] : 0;
                bv[v][i] = col < n && k0 + i < k ? b[(k0 + i) * n + col] : 0;
            }
#pragma unroll
        for (int y = 0; y < V; y++)
#pragma unroll
            for (int x = 0; x < V; x++)
#pragma unroll 1
                for (int i = 0; i < S; i++)
                    sum[y][x] += av[y][i] * bv[x][i];
    }
#pragma unroll
    for (int y = 0; y < V; y++)
#pragma unroll
        for (int x = 0; x < V; x++) {
            int row = row0 + y * blockDim.y, col = col0 + x * blockDim.x;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
