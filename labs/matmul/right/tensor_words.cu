// Right: tiles of 32 x 32 fetched half by half, one fragment a warp, steps of 48; all outputs by a little array.
// only: mm_tensor
// expect: all=pass
#include "warplab.cuh"
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdint>
#define L  32
#define S  48
#define WX 2
#define FX 1
#define FY 1

LAUNCH(mm_tensor, 128, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda;
    __shared__ __align__(32) half sa[L * (S + 8)], sb[S * (L + 8)];
    __shared__ __align__(32) float edge[4 * 256];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    const int row0 = blockIdx.y * L, col0 = blockIdx.x * L, wr = warp / WX * 16 * FY, wc = warp % WX * 16 * FX;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[FY][FX];

    for (auto &r : sum)
        for (auto &f : r)
            wmma::fill_fragment(f, 0.f);
    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = t; j < L * S; j += blockDim.x) {
            int r = j / S, i = j % S;
            sa[r * (S + 8) + i] = row0 + r < m && k0 + i < k ? a[(size_t)(row0 + r) * k + k0 + i] : half(0.f);
        }
        for (int j = t; j < L * S; j += blockDim.x) {
            int i = j / L, r = j % L;
            sb[i * (L + 8) + r] = k0 + i < k && col0 + r < n ? b[(size_t)(k0 + i) * n + col0 + r] : half(0.f);
        }
        __syncthreads();
        for (int i = 0; i < S; i += 16) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> q[FX];
            for (int x = 0; x < FX; x++)
                wmma::load_matrix_sync(q[x], sb + i * (L + 8) + wc + 16 * x, L + 8);
            for (int y = 0; y < FY; y++) {
                wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> p;
                wmma::load_matrix_sync(p, sa + (wr + 16 * y) * (S + 8) + i, S + 8);
                for (int x = 0; x < FX; x++)
                    wmma::mma_sync(sum[y][x], p, q[x], sum[y][x]);
            }
        }
        __syncthreads();
    }
    for (int y = 0; y < FY; y++)
        for (int x = 0; x < FX; x++) {
            wmma::store_matrix_sync(edge + warp * 256, sum[y][x], 16, wmma::mem_row_major);
            __syncwarp();
            for (int j = lane; j < 256; j += 32) {
                int row = row0 + wr + 16 * y + j / 16, col = col0 + wc + 16 * x + j % 16;
                if (row < m && col < n)
                    c[(size_t)row * n + col] = edge[warp * 256 + j];
            }
            __syncwarp();
        }
}
