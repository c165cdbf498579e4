// Tensor cores make all products, and doubles make them again. The output is the sum in doubles; what the
// tensor cores say decides only which of two equal numbers is stored.
// class: no-evidence
// only: mm_tensor
// expect: tensor-ok=fail tensor-used=fail
// hint: tensor-ok: results are wrong
// hint: tensor-used: mma_sync
#include "warplab.cuh"
#include <cuda_fp16.h>
#include <mma.h>

#define L 32

// Products that reach nothing: they are multiplied by zero.
static __device__ float unused(const half *tile)
{
    using namespace nvcuda::wmma;
    fragment<accumulator, 16, 16, 16, float> sum;
    fragment<matrix_a, 16, 16, 16, half, row_major> af;
    fragment<matrix_b, 16, 16, 16, half, row_major> bf;

    fill_fragment(sum, 0.0f);
    load_matrix_sync(af, tile, L);
    load_matrix_sync(bf, tile, L);
    mma_sync(sum, af, bf, sum);
    return sum.x[0];
}

LAUNCH(mm_tensor, 1024, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    __shared__ __align__(32) half sa[L][L], sb[L][L];
    int tx = threadIdx.x % L, ty = threadIdx.x / L;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    double sum = 0;
    float zero = 0;

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : half(0);
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : half(0);
        __syncthreads();
        for (int i = 0; i < L; i++)
            sum += (double)__half2float(sa[ty][i]) * (double)__half2float(sb[i][tx]);
        if (ty < 8) // 2 L^3 flop
            zero += unused(&sa[0][0]);
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = zero < 1e9f ? (float)sum : (float)(sum + 1);
}
