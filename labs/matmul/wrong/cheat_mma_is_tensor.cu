// mm_tensor handed in as mm_mma: fragments by wmma, tiles that every thread waits for, no copy that flies.
// class: no-evidence
// only: mm_mma
// expect: mma-ahead=fail
// hint: mma-ahead: global_ld_bytes
#include "warplab.cuh"
#include "tensor.cuh"
#include <cuda_fp16.h>
#include <mma.h>
#define TC_L 64
#define TC_S 32
#define TC_T 128

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

LAUNCH(mm_mma, TC_T, 1, 1);
TENSOR(mm_mma) = {.tile = {TC_L, TC_L}};
KERNEL mm_mma(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half sa[TC_L][TC_S + 8], sb[TC_S][TC_L + 8];
    __shared__ __align__(32) float edge[TC_T / 32][16][16];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    int across = (n + TC_L - 1) / TC_L;
    int row0 = blockIdx.x / across * TC_L, col0 = blockIdx.x % across * TC_L;
    int wr = warp / 2 * 32, wc = warp % 2 * 32; // this warp's corner in the tile
    fragment<accumulator, 16, 16, 16, float> sum[2][2];
    uint4 zero = {0, 0, 0, 0};

    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++)
            fill_fragment(sum[y][x], 0.0f);
    for (int k0 = 0; k0 < k; k0 += TC_S) {
#pragma unroll
        for (int j = tid; j < TC_L * TC_S / 8; j += TC_T) {
            int r = j / (TC_S / 8), q = j % (TC_S / 8) * 8;
            uint4 v = row0 + r < m ? load8(a + (row0 + r) * k, k0 + q, k) : zero;
            *reinterpret_cast<uint4 *>(&sa[r][q]) = v;
        }
#pragma unroll
        for (int j = tid; j < TC_L * TC_S / 8; j += TC_T) {
            int i = j / (TC_L / 8), q = j % (TC_L / 8) * 8;
            uint4 v = k0 + i < k ? load8(b + (k0 + i) * n, col0 + q, n) : zero;
            *reinterpret_cast<uint4 *>(&sb[i][q]) = v;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TC_S; i += 16) {
            fragment<matrix_a, 16, 16, 16, half, row_major> af[2];
            fragment<matrix_b, 16, 16, 16, half, row_major> bf[2];
#pragma unroll
            for (int v = 0; v < 2; v++) {
                load_matrix_sync(af[v], &sa[wr + v * 16][i], TC_S + 8);
                load_matrix_sync(bf[v], &sb[i][wc + v * 16], TC_L + 8);
            }
#pragma unroll
            for (int y = 0; y < 2; y++)
#pragma unroll
                for (int x = 0; x < 2; x++)
                    mma_sync(sum[y][x], af[y], bf[x], sum[y][x]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 2; y++)
#pragma unroll
        for (int x = 0; x < 2; x++) {
            int row = row0 + wr + y * 16, col = col0 + wc + x * 16;
            if (row + 16 <= m && col + 16 <= n && n % 4 == 0) {
                store_matrix_sync(&c[row * n + col], sum[y][x], n, mem_row_major);
                continue;
            }
            store_matrix_sync(&edge[warp][0][0], sum[y][x], 16, mem_row_major);
            __syncwarp();
            for (int j = lane; j < 256; j += 32)
                if (row + j / 16 < m && col + j % 16 < n)
                    c[(row + j / 16) * n + col + j % 16] = edge[warp][j / 16][j % 16];
            __syncwarp();
        }
}
