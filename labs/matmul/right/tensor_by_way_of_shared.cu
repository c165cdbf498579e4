// Right: every result goes to shared memory first, from where threads copy it with a 64-bit index.
// only: mm_tensor
// expect: all=pass
#include "warplab.cuh"
#include <cuda_fp16.h>
#include <mma.h>

// Eight neighbours of a row from column col (a multiple of 8) on, zero from ncols on.
static __device__ uint4 load8(const half *row, int col, int ncols)
{
    union {
        uint4 all;
        unsigned short h[8];
    } v = {{0, 0, 0, 0}};

    if (ncols % 8 == 0) {
        if (col < ncols)
            v.all = *reinterpret_cast<const uint4 *>(row + col);
        return v.all;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (col + i < ncols)
            v.h[i] = __half_as_ushort(row[col + i]);
    return v.all;
}

LAUNCH(mm_tensor, 256, 1, 64);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half sa[64][48], sb[32][80];
    __shared__ __align__(32) float room[64][64 + 8];
    const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    const int wr = warp / 2 * 16, wc = warp % 2 * 32;
    fragment<accumulator, 8, 32, 16, float> sum[2];
    fill_fragment(sum[0], 0.f), fill_fragment(sum[1], 0.f);
    const uint4 none = {0, 0, 0, 0};
    for (int k0 = 0; k0 < k; k0 += 32) {
        const int r = t / 4, q = t % 4 * 8, i = t / 8, p = t % 8 * 8;
        const uint4 va = row0 + r < m ? load8(a + (size_t)(row0 + r) * k, k0 + q, k) : none;
        const uint4 vb = k0 + i < k ? load8(b + (size_t)(k0 + i) * n, col0 + p, n) : none;
        *reinterpret_cast<uint4 *>(&sa[r][q]) = va;
        *reinterpret_cast<uint4 *>(&sb[i][p]) = vb;
        __syncthreads();
#pragma unroll
        for (int i16 = 0; i16 < 32; i16 += 16) {
            fragment<matrix_a, 8, 32, 16, half, row_major> x;
            fragment<matrix_b, 8, 32, 16, half, row_major> y;
            load_matrix_sync(y, &sb[i16][wc], 80);
#pragma unroll
            for (int h = 0; h < 2; h++) {
                load_matrix_sync(x, &sa[wr + 8 * h][i16], 48);
                mma_sync(sum[h], x, y, sum[h]);
            }
        }
        __syncthreads();
    }
    store_matrix_sync(&room[wr][wc], sum[0], 72, mem_row_major);
    store_matrix_sync(&room[wr + 8][wc], sum[1], 72, mem_row_major);
    __syncthreads();
    for (int j = t; j < 64 * 64; j += 256)
        if (row0 + j / 64 < m && col0 + j % 64 < n)
            c[(size_t)(row0 + j / 64) * n + col0 + j % 64] = room[j / 64][j % 64];
}
