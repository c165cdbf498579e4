// Right: words of the next tile wait in unions, two in one register of 64 bits.
// only: mm_pipeline
// expect: all=pass
#include "warplab.cuh"

#define X  16
#define Y  16
#define V  8
#define S  16
#define T  (X * Y)
#define W  (X * V)
#define H  (Y * V)
#define PA 4
#define NA (H * S / 4 / T)
#define NB (W * S / 4 / T)

struct tiles {
    float a[S][H + PA], b[S][W];
};
typedef union {
    float4 v;
    float f[4];
} quad;

static __device__ __forceinline__ quad get(const float *p, long long row, int at, int end)
{
    quad q = {{0, 0, 0, 0}};
    if (end % 4 == 0) {
        if (at < end)
            q.v = __ldg(reinterpret_cast<const float4 *>(p + row * end + at));
    } else {
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (at + j < end)
                q.f[j] = p[row * end + at + j];
    }
    return q;
}
static __device__ void load(quad *fa, quad *fb, const float *a, const float *b, int m, int n, int k, int k0, int t)
{
    const int row0 = blockIdx.y * H, col0 = blockIdx.x * W;
#pragma unroll
    for (int j = 0; j < NA; j++) {
        int r = (t + j * T) / (S / 4), q = (t + j * T) % (S / 4) * 4;
        fa[j] = row0 + r < m ? get(a, row0 + r, k0 + q, k) : quad{{0, 0, 0, 0}};
    }
#pragma unroll
    for (int j = 0; j < NB; j++) {
        int i = (t + j * T) / (W / 4), q = (t + j * T) % (W / 4) * 4;
        fb[j] = k0 + i < k ? get(b, k0 + i, col0 + q, n) : quad{{0, 0, 0, 0}};
    }
}
static __device__ void put(tiles &s, const quad *fa, const quad *fb, int t)
{
#pragma unroll
    for (int j = 0; j < NA; j++)
#pragma unroll
        for (int l = 0; l < 4; l++)
            s.a[(t + j * T) % (S / 4) * 4 + l][(t + j * T) / (S / 4)] = fa[j].f[l];
#pragma unroll
    for (int j = 0; j < NB; j++)
        reinterpret_cast<float4 *>(s.b)[t + j * T] = fb[j].v;
}
static __device__ void multiply(float (&sum)[V][V], const tiles &s, int x, int y)
{
#pragma unroll
    for (int i = 0; i < S; i++) {
        quad p[V / 4], q[V / 4];
#pragma unroll
        for (int v = 0; v < V / 4; v++) {
            p[v].v = *reinterpret_cast<const float4 *>(&s.a[i][y * 4 + v * 4 * Y]);
            q[v].v = *reinterpret_cast<const float4 *>(&s.b[i][x * 4 + v * 4 * X]);
        }
#pragma unroll
        for (int v = 0; v < V; v++)
#pragma unroll
            for (int u = 0; u < V; u++)
                sum[v][u] = fmaf(p[v / 4].f[v % 4], q[u / 4].f[u % 4], sum[v][u]);
    }
}
static __device__ void store(float *c, const float (&sum)[V][V], int m, int n, int x, int y)
{
#pragma unroll
    for (int v = 0; v < V; v++)
#pragma unroll
        for (int u = 0; u < V; u++) {
            int row = blockIdx.y * H + y * 4 + v % 4 + v / 4 * 4 * Y, col = blockIdx.x * W + x * 4 + u % 4 + u / 4 * 4 * X;
            if (row < m && col < n)
                c[row * n + col] = sum[v][u];
        }
}

LAUNCH(mm_pipeline, X, Y, V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) tiles s[2];
    int x = threadIdx.x, y = threadIdx.y, t = y * X + x;
    float sum[V][V] = {};
    quad fa[NA], fb[NB];
    unsigned now = 0;

    load(fa, fb, a, b, m, n, k, 0, t);
    for (int k0 = 0; k0 < k; k0 += S, now++) {
        put(s[now & 1], fa, fb, t);
        __syncthreads();
        if (k0 + S < k)
            load(fa, fb, a, b, m, n, k, k0 + S, t);
        multiply(sum, s[now & 1], x, y);
    }
    store(c, sum, m, n, x, y);
}
