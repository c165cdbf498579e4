// 8 x 8 outputs a thread in registers, straight from global memory. Shared memory is read without
// conflicts, for nothing, but for the results, which pass through it.
// class: no-evidence
// only: mm_vector
// expect: vector-wide=fail vector-banks=fail
// hint: vector-wide: 512 bytes
// hint: vector-banks: another thread
#include "warplab.cuh"

#define DUM   8
#define REG_V 8

LAUNCH(mm_vector, 8, 4, REG_V);
KERNEL mm_vector(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row0 = blockIdx.y * blockDim.y * REG_V + threadIdx.y;
    int col0 = blockIdx.x * blockDim.x * REG_V + threadIdx.x;
    int dy = blockDim.y, dx = blockDim.x;
    int me = threadIdx.y * 8 + threadIdx.x;
    __shared__ float st[32][33];
    volatile float *q = &st[0][me];

    for (int i = 0; i < 32; i++)
        st[i][me] = 0;
    __syncthreads();
    float sum[REG_V][REG_V] = {};

    for (int i = 0; i < k; i++) {
#pragma unroll
        for (int z = 0; z < DUM; z++)
            (void)*q;
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
            if (row < m && col < n) {
                volatile float *p = &st[(x + y) % 32][me];
                *p = sum[y][x];
                c[row * n + col] = *p;
            }
        }
}
