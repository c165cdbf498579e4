// Asynchronous copies, which are waited for at once: nobody multiplies while a tile of 32 steps is on its
// way, and there are two barriers for each.
// class: no-evidence
// only: mm_pipeline
// expect: pipeline-barriers=fail pipeline-fast=fail
// hint: pipeline-barriers: amid the work
// hint: pipeline-fast: under way
#include "warplab.cuh"
#include <cuda_pipeline.h>

#define SIDE 16
#define V    4
#define L    (SIDE * V)
#define S    32
#define T    (SIDE * SIDE)

static __device__ void fetch(float *to, const float *from, const float *base, bool there)
{
    __pipeline_memcpy_async(to, there ? from : base, 4, there ? 0 : 4);
}

LAUNCH(mm_pipeline, SIDE, SIDE, V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][S + 1], sb[S][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < L * S; j += T) {
            int r = j / S, i = j % S;
            fetch(&sa[r][i], &a[(row0 + r) * k + k0 + i], a, row0 + r < m && k0 + i < k);
        }
        for (int j = tid; j < L * S; j += T) {
            int i = j / L, r = j % L;
            fetch(&sb[i][r], &b[(k0 + i) * n + col0 + r], b, k0 + i < k && col0 + r < n);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int i = 0; i < S; i++)
            for (int y = 0; y < V; y++)
                for (int x = 0; x < V; x++)
                    sum[y][x] += sa[ty + y * SIDE][i] * sb[i][tx + x * SIDE];
        __syncthreads();
    }
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * SIDE, col = col0 + tx + x * SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
