// Right: three sets of tiles, words brought by asynchronous copies two tiles ahead; zeros past the edge are copies of nothing.
// only: mm_pipeline
// expect: all=pass
#include "warplab.cuh"
#include <cuda_pipeline_primitives.h>

#define L 64
#define S 16
#define V 4
#define X (L / V)
#define T (X * X)
#define STAGES 3

struct stage {
    float a[L][S + 1], b[S][L];
};

static __device__ void bring(stage &s, const float *a, const float *b, int m, int n, int k, int k0, int t)
{
    const int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    for (int j = t; j < L * S; j += T) {
        int r = j / S, i = j % S;
        bool in = row0 + r < m && k0 + i < k;
        __pipeline_memcpy_async(&s.a[r][i], in ? &a[(row0 + r) * k + k0 + i] : a, 4, in ? 0 : 4);
    }
    for (int j = t; j < L * S; j += T) {
        int i = j / L, r = j % L;
        bool in = k0 + i < k && col0 + r < n;
        __pipeline_memcpy_async(&s.b[i][r], in ? &b[(k0 + i) * n + col0 + r] : b, 4, in ? 0 : 4);
    }
}

LAUNCH(mm_pipeline, X, X, V, sizeof(stage) * STAGES);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    extern __shared__ __align__(16) unsigned char memory[];
    stage *s = reinterpret_cast<stage *>(memory);
    const int x = threadIdx.x, y = threadIdx.y, t = y * X + x;
    float sum[V][V] = {};

    for (int j = 0; j < STAGES - 1; j++) {
        if (j * S < k)
            bring(s[j], a, b, m, n, k, j * S, t);
        __pipeline_commit();
    }
    for (int j = 0; j * S < k; j++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if ((j + STAGES - 1) * S < k)
            bring(s[(j + STAGES - 1) % STAGES], a, b, m, n, k, (j + STAGES - 1) * S, t);
        __pipeline_commit();
        const stage &now = s[j % STAGES];
#pragma unroll
        for (int i = 0; i < S; i++) {
            float p[V], q[V];
#pragma unroll
            for (int v = 0; v < V; v++) {
                p[v] = now.a[y + v * X][i];
                q[v] = now.b[i][x + v * X];
            }
#pragma unroll
            for (int v = 0; v < V; v++)
#pragma unroll
                for (int u = 0; u < V; u++)
                    sum[v][u] += p[v] * q[u];
        }
    }
#pragma unroll
    for (int v = 0; v < V; v++)
#pragma unroll
        for (int u = 0; u < V; u++) {
            int row = blockIdx.y * L + y + v * X, col = blockIdx.x * L + x + u * X;
            if (row < m && col < n)
                c[row * n + col] = sum[v][u];
        }
}
