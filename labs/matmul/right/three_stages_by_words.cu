// Right: three stages of asynchronous copies, of which lanes at an edge take fewer words than others.
// only: mm_pipeline
// expect: all=pass
#include "warplab.cuh"
#include <cuda_pipeline.h>

#define SIDE   16
#define V      4
#define L      (SIDE * V)
#define S      16
#define T      (SIDE * SIDE)
#define STAGES 3

struct tiles {
    float a[L][S + 4], b[S][L];
};

// Four words of a row from col on, zero from ncols on.
static __device__ void copy4(float *to, const float *m, int row, int col, int nrows, int ncols)
{
    int words = row < nrows ? min(max(ncols - col, 0), 4) : 0;
    const float *from = words ? m + row * ncols + col : m;

    if (ncols % 4 == 0) // then rows start on 16 bytes, and it is all four or none
        __pipeline_memcpy_async(to, from, 16, 16 - 4 * words);
    else
        for (int j = 0; j < 4; j++)
            __pipeline_memcpy_async(&to[j], j < words ? from + j : m, 4, j < words ? 0 : 4);
}

static __device__ void fetch(struct tiles &s, const float *a, const float *b, int m, int n, int k,
                             int row0, int col0, int k0, int tid)
{
    int r = tid / (S / 4), q = tid % (S / 4) * 4, i = tid / (L / 4), p = tid % (L / 4) * 4;

    copy4(&s.a[r][q], a, row0 + r, k0 + q, m, k);
    copy4(&s.b[i][p], b, k0 + i, col0 + p, k, n);
}

LAUNCH(mm_pipeline, SIDE, SIDE, V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) struct tiles s[STAGES];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int t = 0; t < STAGES - 1; t++) {
        if (t * S < k)
            fetch(s[t], a, b, m, n, k, row0, col0, t * S, tid);
        __pipeline_commit();
    }
    for (int k0 = 0, t = 0; k0 < k; k0 += S, t++) {
        int next = k0 + (STAGES - 1) * S;
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (next < k)
            fetch(s[(t + STAGES - 1) % STAGES], a, b, m, n, k, row0, col0, next, tid);
        __pipeline_commit();
        for (int i = 0; i < S; i++) {
            float4 bv = *reinterpret_cast<float4 *>(&s[t % STAGES].b[i][tx * V]);
            for (int y = 0; y < V; y++) {
                float av = s[t % STAGES].a[ty + y * SIDE][i];
                sum[y][0] += av * bv.x;
                sum[y][1] += av * bv.y;
                sum[y][2] += av * bv.z;
                sum[y][3] += av * bv.w;
            }
        }
    }
    __pipeline_wait_prior(0);
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * SIDE, col = col0 + tx * V + x;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
