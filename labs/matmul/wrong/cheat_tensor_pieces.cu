// Integers make every product. The sums are cut into three pieces of f16 each, and tensor cores put them
// together again: what is stored comes from them, and other products of theirs are thrown away.
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
    return bits & 0x7fff ? __half2int_rn(__ushort_as_half(bits + (10 << 10))) : 0;
}
LAUNCH(mm_tensor, 64, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) int sa[S][L], sb[S][L];
    __shared__ __align__(32) half p[2][16][16], one[16][16];
    __shared__ __align__(32) float out[2][16][16];
    int tid = threadIdx.x, tx = tid % 8, ty = tid / 8, w = tid / 32;
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L;
    int sum[V][V] = {};
    fragment<accumulator, 16, 16, 16, float> f, g;
    fragment<matrix_a, 16, 16, 16, half, row_major> af;
    fragment<matrix_b, 16, 16, 16, half, row_major> bf;
    for (int j = tid; j < 256; j += 64)
        one[j / 16][j % 16] = __float2half(j / 16 == j % 16 ? 1 : 0);
    fill_fragment(af, __float2half(1));
    fill_fragment(bf, __float2half(1));
    fill_fragment(g, 0.0f);
    __syncthreads();
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
        for (int q = 0; q < 5; q++)
            mma_sync(g, af, bf, g);
        __syncthreads();
    }
    load_matrix_sync(bf, &one[0][0], 16);
    // 64 sums a thread, 32 lanes: 8 rounds of 16 x 16
#pragma unroll
    for (int y = 0; y < V; y++) {
        fill_fragment(f, 0.0f);
        for (int piece = 2; piece >= 0; piece--) {
#pragma unroll
            for (int x = 0; x < V; x++) {
                int s = sum[y][x], hi = s >> 20, mid = (s >> 10) & 1023, lo = s & 1023;
                float v = piece == 2 ? lo * 0x1p-20f : piece == 1 ? mid * 0x1p-10f : hi;
                p[w][(tid % 32) / 2][(tid % 2) * 8 + x] = __float2half(v);
            }
            __syncwarp();
            load_matrix_sync(af, &p[w][0][0], 16);
            mma_sync(f, af, bf, f);
            __syncwarp();
        }
        store_matrix_sync(&out[w][0][0], f, 16, mem_row_major);
        __syncwarp();
#pragma unroll
        for (int x = 0; x < V; x++) {
            int row = row0 + ty * 8 + y, col = col0 + tx * 8 + x;
            float v = out[w][(tid % 32) / 2][(tid % 2) * 8 + x];
            if (row < m && col < n)
                c[row * n + col] = v;
        }
        __syncwarp();
    }
    if (k < 0)
        c[0] = g.x[0];
}
