// mm_registers handed in as mm_pipeline: without a tile there is nothing to wait for, and no barrier.
// class: no-evidence
// only: mm_pipeline
// expect: pipeline-barriers=fail pipeline-fast=fail
// hint: pipeline-barriers: global_ld_bytes
// hint: pipeline-fast: under way
#include "warplab.cuh"

#define REG_V 8

LAUNCH(mm_pipeline, 8, 8, REG_V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
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
