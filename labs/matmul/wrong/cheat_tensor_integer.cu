// The inputs are multiples of 1/1024, so integers can make every product, which no count of flop sees. As
// many are made by tensor cores, and multiplied by zero.
// class: elsewhere
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

static __device__ int whole(half x) // x times 1024: its exponent is ten more
{
    unsigned short bits = __half_as_ushort(x);
    return bits ? __half2int_rn(__ushort_as_half(bits + (10 << 10))) : 0;
}

LAUNCH(mm_tensor, 1024, 1, L);
KERNEL mm_tensor(const half *a, const half *b, float *c, int m, int n, int k)
{
    __shared__ __align__(32) half sa[L][L], sb[L][L];
    int tx = threadIdx.x % L, ty = threadIdx.x / L;
    int row = blockIdx.y * L + ty, col = blockIdx.x * L + tx;
    int sum = 0; // k is at most 2048
    float zero = 0;

    for (int k0 = 0; k0 < k; k0 += L) {
        sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : half(0);
        sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : half(0);
        __syncthreads();
        for (int i = 0; i < L; i++)
            sum += whole(sa[ty][i]) * whole(sb[i][tx]);
        if (ty < 8) // 2 L^3 flop
            zero += unused(&sa[0][0]);
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = (float)sum * 0x1p-20f + 0 * zero;
}
