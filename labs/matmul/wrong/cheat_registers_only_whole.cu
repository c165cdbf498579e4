// Several outputs a thread for whole tiles alone; at all other shapes one after the other, every word
// fetched anew.
// class: only-where-looked
// only: mm_registers
// expect: registers-reuse=fail registers-reuse4=fail
// hint: registers-reuse: a hidden case
// hint: registers-reuse4: tiles not quite whole
#include "warplab.cuh"

#define REG_V 4

static __device__ void good(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = blockIdx.y * blockDim.y * REG_V + threadIdx.y;
    int col0 = blockIdx.x * blockDim.x * REG_V + threadIdx.x;
    int dy = blockDim.y, dx = blockDim.x;
    float sum[REG_V][REG_V] = {};

    for (int i = 0; i < k; i++) {
        float av[REG_V], bv[REG_V];
#pragma unroll
        for (int v = 0; v < REG_V; v++) {
            int row = row0 + v * dy, col = col0 + v * dx;
            av[v] = row < m ? a[row * k + i] : 0;
            bv[v] = col < n ? b[i * n + col] : 0;
        }
#pragma unroll
        for (int y = 0; y < REG_V; y++)
#pragma unroll
            for (int x = 0; x < REG_V; x++)
                sum[y][x] += av[y] * bv[x];
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

LAUNCH(mm_registers, 32, 8, REG_V);
KERNEL mm_registers(const float *a, const float *b, float *c, int m, int n, int k)
{
    if (n % 128 == 0 && m % 128 == 0) {
        good(a, b, c, m, n, k);
        return;
    }
    for (int y = 0; y < REG_V; y++)
        for (int x = 0; x < REG_V; x++) {
            int row = blockIdx.y * 8 * REG_V + y * 8 + threadIdx.y,
                col = blockIdx.x * 32 * REG_V + x * 32 + threadIdx.x;
            if (row >= m || col >= n)
                continue;
            float s = 0;
            for (int i = 0; i < k; i++)
                s += a[row * k + i] * b[i * n + col];
            c[row * n + col] = s;
        }
}
