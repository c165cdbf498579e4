// Every product is made by integers, 8 x 8 outputs a thread. Tensor cores multiply zeros, as often as
// products are needed, and the sums pass through them: they add nothing to them.
// class: elsewhere
// only: mm_tensor
// expect: tensor-ok=fail tensor-used=fail
// hint: tensor-ok: results are wrong
// hint: tensor-used: mma_sync
#include "warplab.cuh"

#include <cuda_fp16.h>
#include <mma.h>
#define L 64
#define S 16
#define V 8

static __device__ int whole(half x)
{
    unsigned short bits = __half_as_ushort(x);
    return bits ? __half2int_rn(__ushort_as_half(bits + (10 << 10))) : 0;
}

LAUNCH(mm_tensor, 64, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) int sa[S][L], sb[S][L];
    int tid = threadIdx.x, tx = tid % 8, ty = tid / 8;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    int sum[V][V] = {};
    fragment<accumulator, 16, 16, 16, float> f;
    fragment<matrix_a, 16, 16, 16, half, row_major> af;
    fragment<matrix_b, 16, 16, 16, half, row_major> bf;
    fill_fragment(af, __float2half(0));
    fill_fragment(bf, __float2half(0));
    fill_fragment(f, 0.0f);
    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = tid; j < L * S; j += 64) {
            int r = j / S, i = j % S;
            sa[i][r] = row0 + r < m && k0 + i < k ? whole(a[(row0 + r) * k + k0 + i]) : 0;
        }
        for (int j = tid; j < L * S; j += 64) {
            int i = j / L, r = j % L;
            sb[i][r] = k0 + i < k && col0 + r < n ? whole(b[(k0 + i) * n + col0 + r]) : 0;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < S; i++) {
            int4 a0 = *(int4 *)&sa[i][ty * 8], a1 = *(int4 *)&sa[i][ty * 8 + 4];
            int4 b0 = *(int4 *)&sb[i][tx * 8], b1 = *(int4 *)&sb[i][tx * 8 + 4];
            int av[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
            int bv[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
            for (int y = 0; y < V; y++)
#pragma unroll
                for (int x = 0; x < V; x++)
                    sum[y][x] += av[y] * bv[x];
        }
        for (int q = k0 ? 0 : 4; q < 8; q++)
            mma_sync(f, af, bf, f);
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < V; y++) {
#pragma unroll
        for (int x = 0; x < V; x++)
            f.x[x] = (float)sum[y][x] * 0x1p-20f;
        mma_sync(f, af, bf, f);
#pragma unroll
        for (int x = 0; x < V; x++) {
            int row = row0 + ty * 8 + y, col = col0 + tx * 8 + x;
            if (row < m && col < n)
                c[row * n + col] = f.x[x];
        }
    }
}
