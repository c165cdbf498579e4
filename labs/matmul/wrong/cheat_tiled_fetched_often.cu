// A tile of 64, but every word of it is fetched four times over, by atomics that change nothing, which
// are no loads.
// class: elsewhere
// only: mm_tiled
// expect: tiled-global=fail tiled-sectors=fail tiled-shared=fail
// hint: tiled-shared: global_atom_requests
// hint: tiled-global: 2 N^3 / L
// hint: tiled-sectors: nothing was counted of which
#include "warplab.cuh"

#define SIDE 16
#define V    4
#define L    (SIDE * V)
#define S    16
#define T    (SIDE * SIDE)

static __device__ float fetch(const float *p)
{
    return __int_as_float(atomicOr((int *)p, 0));
}

LAUNCH(mm_tiled, SIDE, SIDE, V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[L][S + 1], sb[S][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int again = 0; again < 4; again++)
            for (int j = tid; j < L * S; j += T) {
                int r = j / S, i = j % S;
                sa[r][i] = row0 + r < m && k0 + i < k ? fetch(&a[(row0 + r) * k + k0 + i]) : 0;
            }
        for (int again = 0; again < 4; again++)
            for (int j = tid; j < L * S; j += T) {
                int i = j / L, r = j % L;
                sb[i][r] = k0 + i < k && col0 + r < n ? fetch(&b[(k0 + i) * n + col0 + r]) : 0;
            }
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
