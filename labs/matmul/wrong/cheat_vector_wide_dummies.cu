// mm_tiled, loading 4 bytes a lane; beside it 16-byte loads that nobody uses raise the average.
// class: dilution
// only: mm_vector
// expect: vector-wide=fail
// hint: vector-wide: 512 bytes
#include "warplab.cuh"

#define SIDE 16
#define V    4
#define L    (SIDE * V)
#define S    16
#define T    (SIDE * SIDE)

static __device__ void unused(const float *p)
{
    float x, y, z, w;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "l"(p));
}

static __device__ void unused_shared(const float *p)
{
    float x, y, z, w;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                 : "r"((unsigned)__cvta_generic_to_shared(p)));
}

LAUNCH(mm_vector, SIDE, SIDE, V);
KERNEL mm_vector(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) float sb[S][L], sa[L][S + 1];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * SIDE + tx;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    float sum[V][V] = {};

    for (int k0 = 0; k0 < k; k0 += S) {
        for (int dummy = 0; dummy < 24 && m * k >= 4; dummy++)
            unused(a);
        for (int j = tid; j < L * S; j += T) {
            int r = j / S, i = j % S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : 0;
        }
        for (int j = tid; j < L * S; j += T) {
            int i = j / L, r = j % L;
            sb[i][r] = k0 + i < k && col0 + r < n ? b[(k0 + i) * n + col0 + r] : 0;
        }
        __syncthreads();
        for (int i = 0; i < S; i++) {
            float bv[V];
            for (int x = 0; x < V; x++)
                bv[x] = sb[i][tx + x * SIDE];
            for (int y = 0; y < V; y++) {
                float av = sa[ty + y * SIDE][i];
                for (int x = 0; x < V; x++)
                    sum[y][x] += av * bv[x];
            }
            for (int dummy = 0; dummy < 24; dummy++)
                unused_shared(&sb[0][0]);
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
