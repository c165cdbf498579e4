// Right: tiles of 96, nine warps, all of which multiply, also where they hang over.
// only: mm_tensor
// expect: all=pass
#include "warplab.cuh"
#include <cuda_fp16.h>
#include <mma.h>

#define TC_L 96
#define TC_S 16
#define TC_T 288

// Given: eight neighbours of a row from column col (a multiple of 8) on, zero from ncols on.
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

// Nine warps, three by three, 32 x 32 each.
LAUNCH(mm_tensor, TC_T, 1, TC_L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half sa[TC_L][TC_S + 8], sb[TC_S][TC_L + 8];
    __shared__ __align__(32) float corner[TC_T / 32][256];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, down = warp / 3 * 32, right = warp % 3 * 32;
    const int row0 = blockIdx.y * TC_L, col0 = blockIdx.x * TC_L;
    fragment<accumulator, 16, 16, 16, float> sum[2][2];

#pragma unroll
    for (int f = 0; f < 4; f++)
        fill_fragment(sum[f / 2][f % 2], 0.0f);
    for (int k0 = 0; k0 < k; k0 += TC_S) {
        for (int j = t; j < TC_L * TC_S / 8; j += TC_T) {
            const int r = j / (TC_S / 8), q = j % (TC_S / 8) * 8;

            *reinterpret_cast<uint4 *>(&sa[r][q]) = row0 + r < m ? load8(a + (row0 + r) * k, k0 + q, k) : uint4{0, 0, 0, 0};
        }
        for (int j = t; j < TC_L * TC_S / 8; j += TC_T) {
            const int i = j / (TC_L / 8), q = j % (TC_L / 8) * 8;

            *reinterpret_cast<uint4 *>(&sb[i][q]) = k0 + i < k ? load8(b + (k0 + i) * n, col0 + q, n) : uint4{0, 0, 0, 0};
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TC_S; i += 16) {
            fragment<matrix_a, 16, 16, 16, half, row_major> x[2];
            fragment<matrix_b, 16, 16, 16, half, row_major> y[2];

#pragma unroll
            for (int f = 0; f < 2; f++) {
                load_matrix_sync(x[f], &sa[down + 16 * f][i], TC_S + 8);
                load_matrix_sync(y[f], &sb[i][right + 16 * f], TC_L + 8);
            }
#pragma unroll
            for (int f = 0; f < 4; f++)
                mma_sync(sum[f / 2][f % 2], x[f / 2], y[f % 2], sum[f / 2][f % 2]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int f = 0; f < 4; f++) {
        const int row = row0 + down + f / 2 * 16, col = col0 + right + f % 2 * 16;

        if (row >= m || col >= n)
            continue;
        if (n % 4 == 0 && row + 16 <= m && col + 16 <= n)
            store_matrix_sync(c + row * n + col, sum[f / 2][f % 2], n, mem_row_major);
        else {
            store_matrix_sync(corner[warp], sum[f / 2][f % 2], 16, mem_row_major);
            __syncwarp();
            for (int e = lane; e < 256; e += 32)
                if (row + e / 16 < m && col + e % 16 < n)
                    c[(row + e / 16) * n + col + e % 16] = corner[warp][e];
            __syncwarp();
        }
    }
}
