// Right: the tiles lie in dynamic shared memory, whose size is the last number of the launch record.
// only: mm_shared mm_tiled
// expect: all=pass
#include "warplab.cuh"

#define L    16
#define SIDE 16
#define V    4
#define TL   (SIDE * V)
#define S    16

extern __shared__ float memory[];

LAUNCH(mm_shared, L, L, 1, 2 * L *L * sizeof(float));
KERNEL mm_shared(const float *a, const float *b, float *c, int m, int n, int k)
{
    float *sa = memory, *sb = memory + L * L;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    float sum = 0;

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[ty * L + tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        sb[ty * L + tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < L; i++)
            sum += sa[ty * L + i] * sb[i * L + tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

LAUNCH(mm_tiled, SIDE, SIDE, V, (TL * (S + 1) + S * TL) * sizeof(float));
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    float(*sa)[S + 1] = reinterpret_cast<float(*)[S + 1]>(memory);
    float(*sb)[TL] = reinterpret_cast<float(*)[TL]>(memory + TL * (S + 1));
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * TL, col0 = blockIdx.x * TL;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < TL * S; j += SIDE * SIDE) {
            int r = j / S, i = j % S, q = j / TL, x = j % TL;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
            sb[q][x] = k0 + q < k && col0 + x < n ? b[(k0 + q) * n + col0 + x] : 0;
        }
        __syncthreads();
        for (int i = 0; i < S; i++) {
            float av[V], bv[V];
            for (int v = 0; v < V; v++)
                av[v] = sa[ty + v * SIDE][i], bv[v] = sb[i][tx + v * SIDE];
            for (int y = 0; y < V; y++)
                for (int x = 0; x < V; x++)
                    sum[y][x] += av[y] * bv[x];
        }
        __syncthreads();
    }
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * SIDE, col = col0 + tx + x * SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
