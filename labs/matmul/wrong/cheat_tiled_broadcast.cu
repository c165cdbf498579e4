// Neighbouring threads fetch words of different rows, two of each, beside loads of one word that nobody
// uses: on average there are few sectors a byte.
// class: dilution
// only: mm_tiled
// expect: tiled-sectors=fail tiled-global=fail tiled-shared=fail
// hint: tiled-global: global_ld_bytes
// hint: tiled-shared: global_ld_bytes
// hint: tiled-sectors: neighbouring words
#include "warplab.cuh"

#define SIDE 16
#define V    8
#define L    (SIDE * V)
#define S    8
#define T    (SIDE * SIDE)

static __device__ void unused(const float *p)
{
    float x;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p));
}

LAUNCH(mm_tiled, SIDE, SIDE, V);
KERNEL mm_tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float sa[S][L + 2], sb[S][L];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < L * S; j += T) {
            int r = j / 2 % L, i = j / 2 / L * 2 + j % 2;
            for (int dummy = 0; dummy < 3; dummy++)
                unused(a);
            sa[i][r] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int j = tid; j < L * S; j += T) {
            int i = j / L, r = j % L;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
        for (int i = 0; i < S; i++) {
            float av[V];
            for (int y = 0; y < V; y++)
                av[y] = sa[i][ty + y * SIDE];
            for (int x = 0; x < V; x++) {
                float bv = sb[i][tx + x * SIDE];
                for (int y = 0; y < V; y++)
                    sum[y][x] += av[y] * bv;
            }
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
