// 16 x 16 outputs a thread in registers, straight from global memory. Beside it a tile is filled and
// read, as often as one would expect, and what is read is thrown away.
// class: no-evidence
// only: mm_shared
// expect: shared-reuse=fail
// hint: shared-reuse: fetched by one thread only
#include "warplab.cuh"

#define V 16

LAUNCH(mm_shared, 8, 4, V);
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float tile[32];
    int tid = threadIdx.y * blockDim.x + threadIdx.x;
    int row0 = blockIdx.y * blockDim.y * V + threadIdx.y;
    int col0 = blockIdx.x * blockDim.x * V + threadIdx.x;
    unsigned word = (unsigned)__cvta_generic_to_shared(&tile[tid]);
    float sum[V][V] = {};

    tile[tid] = k ? a[0] : 0;
    __syncthreads();
    for (int i = 0; i < k; i++) {
        float av[V], bv[V];
#pragma unroll
        for (int v = 0; v < V; v++) {
            int row = row0 + v * blockDim.y, col = col0 + v * blockDim.x;
            av[v] = row < m ? a[row * k + i] : 0;
            bv[v] = col < n ? b[i * n + col] : 0;
        }
#pragma unroll
        for (int y = 0; y < V; y++)
#pragma unroll
            for (int x = 0; x < V; x++) {
                float unused;
                asm volatile("ld.shared.f32 %0, [%1];" : "=f"(unused) : "r"(word));
                asm volatile("ld.shared.f32 %0, [%1];" : "=f"(unused) : "r"(word));
                sum[y][x] += av[y] * bv[x];
            }
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
