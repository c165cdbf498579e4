// Right: 6 x 6 outputs a thread, and so tiles of 96: at 128 rows half of the second one hangs over.
// only: mm_tiled mm_pipeline
#include "warplab.cuh"

#define V    6
#define SIDE 16                        // threads a side
#define L    (SIDE * V)                // 96
#define S    8
#define EACH (L * S / (SIDE * SIDE))   // words that a thread fetches of each tile

struct tiles {
    float a[S][L + 5], b[S][L];
};
struct part {
    const float *a, *b;
    int m, n, k, row, col, tid;
    float of_a[EACH], of_b[EACH];

    __device__ void fetch(int step)
    {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            int j = tid + e * SIDE * SIDE, r = row + j / S, i = step + j % S;
            of_a[e] = r < m && i < k ? a[r * k + i] : 0;
            r = step + j / L, i = col + j % L;
            of_b[e] = r < k && i < n ? b[r * n + i] : 0;
        }
    }
    __device__ void put(tiles &s) const
    {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            int j = tid + e * SIDE * SIDE;
            s.a[j % S][j / S] = of_a[e];
            s.b[j / L][j % L] = of_b[e];
        }
    }
};

static __device__ part part_of(const float *a, const float *b, int m, int n, int k)
{
    return {a, b, m, n, k, (int)blockIdx.y * L, (int)blockIdx.x * L, (int)(threadIdx.y * SIDE + threadIdx.x)};
}

static __device__ void multiply(float sum[V][V], const tiles &s)
{
#pragma unroll
    for (int i = 0; i < S; i++) {
        float av[V], bv[V];
#pragma unroll
        for (int v = 0; v < V; v++) {
            av[v] = s.a[i][threadIdx.y + SIDE * v];
            bv[v] = s.b[i][threadIdx.x + SIDE * v];
        }
#pragma unroll
        for (int y = 0; y < V; y++)
#pragma unroll
            for (int x = 0; x < V; x++)
                sum[y][x] += av[y] * bv[x];
    }
}

static __device__ void store(float *c, const float sum[V][V], const part &p)
{
#pragma unroll
    for (int y = 0; y < V; y++)
#pragma unroll
        for (int x = 0; x < V; x++) {
            int row = p.row + threadIdx.y + SIDE * y, col = p.col + threadIdx.x + SIDE * x;
            if (row < p.m && col < p.n)
                c[row * p.n + col] = sum[y][x];
        }
}

LAUNCH(mm_tiled, SIDE, SIDE, V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ tiles s;
    part p = part_of(a, b, m, n, k);
    float sum[V][V] = {};

    for (int step = 0; step < k; step += S) {
        p.fetch(step);
        p.put(s);
        __syncthreads();
        multiply(sum, s);
        __syncthreads();
    }
    store(c, sum, p);
}

LAUNCH(mm_pipeline, SIDE, SIDE, V);
KERNEL mm_pipeline(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ tiles s[2];
    part p = part_of(a, b, m, n, k);
    float sum[V][V] = {};
    int now = 0;

    p.fetch(0);
    p.put(s[0]);
    __syncthreads();
    for (int step = S; step < k; step += S) {
        p.fetch(step);
        multiply(sum, s[now]);
        now ^= 1;
        p.put(s[now]);
        __syncthreads();
    }
    multiply(sum, s[now]);
    store(c, sum, p);
}
