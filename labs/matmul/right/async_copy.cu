// Right: the copy engine of sm_80 and later (cp.async) brings the next tile straight into shared memory,
// without a detour through registers; past an edge it writes zeros.
// only: mm_pipeline
// expect: all=pass
#include "warplab.cuh"
#include <cuda_pipeline.h>

#define SIDE 16
#define V    4
#define L    (SIDE * V)
#define S    16
#define T    (SIDE * SIDE)

struct tiles {
    float a[L][S + 1], b[S][L];
};

static __device__ void fetch(struct tiles &s, const float *a, const float *b, int m, int n, int k,
                             int row0, int col0, int k0, int tid)
{
    for (int j = tid; j < L * S; j += T) {
        int r = j / S, i = j % S;
        bool there = row0 + r < m && k0 + i < k;
        __pipeline_memcpy_async(&s.a[r][i], there ? &a[(row0 + r) * k + k0 + i] : a, 4,
                                there ? 0 : 4);
    }
    for (int j = tid; j < L * S; j += T) {
        int i = j / L, r = j % L;
        bool there = k0 + i < k && col0 + r < n;
        __pipeline_memcpy_async(&s.b[i][r], there ? &b[(k0 + i) * n + col0 + r] : b, 4,
                                there ? 0 : 4);
    }
    __pipeline_commit();
}

LAUNCH(mm_pipeline, SIDE, SIDE, V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ struct tiles s[2];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L, now = 0;
    float sum[V][V] = {};

    fetch(s[0], a, b, m, n, k, row0, col0, 0, tid);
    for (int k0 = 0; k0 < k; k0 += S, now ^= 1) {
        __pipeline_wait_prior(0);
        __syncthreads(); // everybody's part of this tile is there, and the last one is done with
        if (k0 + S < k)
            fetch(s[now ^ 1], a, b, m, n, k, row0, col0, k0 + S, tid);
        for (int i = 0; i < S; i++)
            for (int y = 0; y < V; y++)
                for (int x = 0; x < V; x++)
                    sum[y][x] += s[now].a[ty + y * SIDE][i] * s[now].b[i][tx + x * SIDE];
    }
    __pipeline_wait_prior(0);
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * SIDE, col = col0 + tx + x * SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
