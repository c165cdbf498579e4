// Right: fragments of 32 x 8 x 16, one a warp, with the tile of b kept by columns.
// only: mm_tensor
// expect: all=pass
#include "warplab.cuh"
#include <cuda_fp16.h>
#include <mma.h>

#define L 32
#define S 16

LAUNCH(mm_tensor, 128, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) half sa[L][S], sb[L][S]; // sb[j]: column j of b's tile
    __shared__ __align__(32) float sc[L][L];
    int row0 = blockIdx.y * L, col0 = blockIdx.x * L, warp = threadIdx.x / 32;
    fragment<accumulator, 32, 8, 16, float> sum;

    fill_fragment(sum, 0.0f);
    for (int k0 = 0; k0 < k; k0 += S) {
        for (int j = threadIdx.x; j < L * S; j += blockDim.x) {
            int r = j / S, i = j % S;
            sa[r][i] = row0 + r < m && k0 + i < k ? a[(row0 + r) * k + k0 + i] : half(0);
            r = j % L, i = j / L;
            sb[r][i] = col0 + r < n && k0 + i < k ? b[(k0 + i) * n + col0 + r] : half(0);
        }
        __syncthreads();
        fragment<matrix_a, 32, 8, 16, half, row_major> af;
        fragment<matrix_b, 32, 8, 16, half, col_major> bf;
        load_matrix_sync(af, &sa[0][0], S);
        load_matrix_sync(bf, &sb[warp * 8][0], S);
        mma_sync(sum, af, bf, sum);
        __syncthreads();
    }
    store_matrix_sync(&sc[0][warp * 8], sum, L, mem_row_major);
    __syncthreads();
    for (int j = threadIdx.x; j < L * L; j += blockDim.x)
        if (row0 + j / L < m && col0 + j % L < n)
            c[(row0 + j / L) * n + col0 + j % L] = sc[j / L][j % L];
}
