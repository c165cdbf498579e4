// Right: tiles of 32 steps, twice as many as ours has; where k is as short there is nothing to be ahead of.
// only: mm_pipeline
// after: overlapped_early
// expect: all=pass
#include "warplab.cuh"

#define VC_SIDE 8
#define VC_V    8
#define VC_L    64
#define VC_S    32
#define VC_T    (VC_SIDE * VC_SIDE)
#define VC_N    (VC_L * VC_S / 4 / VC_T) // float4 each thread fetches of each tile: 4
#define VC_PAD  4                        // keeps float4 aligned, spreads the stores to sa

struct tiles {
    float a[VC_S][VC_L + VC_PAD], b[VC_S][VC_L];
};
struct fetched {
    float4 a[VC_N], b[VC_N];
};

// Four neighbours of a row from column col (a multiple of 4) on, zero from ncols on.
static __device__ float4 load4(const float *row, int col, int ncols)
{
    float4 v = {0, 0, 0, 0};

    if (ncols % 4 == 0) { // then every row starts on 16 bytes, and col < ncols means all four
        if (col < ncols)
            v = *reinterpret_cast<const float4 *>(row + col);
        return v;
    }
    v.x = col + 0 < ncols ? row[col + 0] : 0;
    v.y = col + 1 < ncols ? row[col + 1] : 0;
    v.z = col + 2 < ncols ? row[col + 2] : 0;
    v.w = col + 3 < ncols ? row[col + 3] : 0;
    return v;
}

static __device__ void fetch(struct fetched &f, const float *a, const float *b, int m, int n, int k,
                             int row0, int col0, int k0, int tid)
{
    float4 zero = {0, 0, 0, 0};

#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int r = (j * VC_T + tid) / (VC_S / 4), q = (j * VC_T + tid) % (VC_S / 4) * 4;
        f.a[j] = row0 + r < m ? load4(a + (row0 + r) * k, k0 + q, k) : zero;
    }
#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int i = (j * VC_T + tid) / (VC_L / 4), q = (j * VC_T + tid) % (VC_L / 4) * 4;
        f.b[j] = k0 + i < k ? load4(b + (k0 + i) * n, col0 + q, n) : zero;
    }
}

static __device__ void put(struct tiles &s, const struct fetched &f, int tid)
{
#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int r = (j * VC_T + tid) / (VC_S / 4), q = (j * VC_T + tid) % (VC_S / 4) * 4;
        s.a[q + 0][r] = f.a[j].x;
        s.a[q + 1][r] = f.a[j].y;
        s.a[q + 2][r] = f.a[j].z;
        s.a[q + 3][r] = f.a[j].w;
    }
#pragma unroll
    for (int j = 0; j < VC_N; j++) {
        int i = (j * VC_T + tid) / (VC_L / 4), q = (j * VC_T + tid) % (VC_L / 4) * 4;
        *reinterpret_cast<float4 *>(&s.b[i][q]) = f.b[j];
    }
}

static __device__ void multiply(float sum[VC_V][VC_V], const struct tiles &s, int tx, int ty)
{
#pragma unroll
    for (int i = 0; i < VC_S; i++) {
        float4 a0 = *reinterpret_cast<const float4 *>(&s.a[i][ty * 4]);
        float4 a1 = *reinterpret_cast<const float4 *>(&s.a[i][ty * 4 + VC_L / 2]);
        float4 b0 = *reinterpret_cast<const float4 *>(&s.b[i][tx * 4]);
        float4 b1 = *reinterpret_cast<const float4 *>(&s.b[i][tx * 4 + VC_L / 2]);
        float av[VC_V] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
        float bv[VC_V] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
        for (int y = 0; y < VC_V; y++)
#pragma unroll
            for (int x = 0; x < VC_V; x++)
                sum[y][x] += av[y] * bv[x];
    }
}

static __device__ void store(float *c, const float sum[VC_V][VC_V], int m, int n, int row0,
                             int col0, int tx, int ty)
{
#pragma unroll
    for (int y = 0; y < VC_V; y++) {
        int row = row0 + ty * 4 + y % 4 + y / 4 * (VC_L / 2);
        if (row >= m)
            continue;
#pragma unroll
        for (int x = 0; x < VC_V; x += 4) {
            int col = col0 + tx * 4 + x / 4 * (VC_L / 2);
            if (n % 4 == 0 && col < n) {
                float4 v = {sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]};
                *reinterpret_cast<float4 *>(&c[row * n + col]) = v;
                continue;
            }
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (col + j < n)
                    c[row * n + col + j] = sum[y][x + j];
        }
    }
}

// Two sets of tiles. While one is multiplied, the next is on its way into registers; it is
// put down in the other set, which nobody has read since the last barrier. So one barrier
// a step is enough.
LAUNCH(mm_pipeline, VC_SIDE, VC_SIDE, VC_V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) struct tiles s[2];
    struct fetched f;
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * VC_SIDE + tx;
    int row0 = blockIdx.y * VC_L, col0 = blockIdx.x * VC_L;
    float sum[VC_V][VC_V] = {};
    int now = 0;

    fetch(f, a, b, m, n, k, row0, col0, 0, tid); // all zeros when k is 0
    put(s[0], f, tid);
    __syncthreads();
    for (int k0 = VC_S; k0 < k; k0 += VC_S) {
        fetch(f, a, b, m, n, k, row0, col0, k0, tid);
        multiply(sum, s[now], tx, ty);
        now ^= 1;
        put(s[now], f, tid);
        __syncthreads();
    }
    multiply(sum, s[now], tx, ty);
    store(c, sum, m, n, row0, col0, tx, ty);
}
