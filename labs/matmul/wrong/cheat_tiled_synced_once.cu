// The second barrier is there for the shapes of public cases, and for no others.
// class: only-where-looked
// only: mm_tiled
// expect: tiled-ok=fail tiled-clean=fail
// hint: tiled-ok: on a hidden case
// hint: tiled-clean: race on a hidden case
#include "warplab.cuh"

#define SIDE 16
#define V    4
#define L    (SIDE * V)
#define S    16
#define T    (SIDE * SIDE)

static __device__ bool seen(int m, int n, int k)
{
    return (m == 128 && n == 128 && k == 64) || (m == 39 && n == 45) || m == 100 || n == 257 ||
           m == 127;
}

LAUNCH(mm_tiled, SIDE, SIDE, V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][S + 1], sb[S][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < L * S; j += T) {
            int r = j / S, i = j % S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int j = tid; j < L * S; j += T) {
            int i = j / L, r = j % L;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
        for (int i = 0; i < S; i++)
            for (int y = 0; y < V; y++)
                for (int x = 0; x < V; x++)
                    sum[y][x] += sa[ty + y * SIDE][i] * sb[i][tx + x * SIDE];
        if (seen(m, n, k))
            __syncthreads();
    }
    for (int y = 0; y < V; y++)
        for (int x = 0; x < V; x++) {
            int row = row0 + ty + y * SIDE, col = col0 + tx + x * SIDE;
            if (row < m && col < n)
                c[row * n + col] = sum[y][x];
        }
}
