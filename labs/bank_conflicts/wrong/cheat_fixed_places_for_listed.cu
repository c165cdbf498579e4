// Other places for stride 32 alone: strides 2, 4, 8 and 16 keep their conflicts, and reads that
// nobody needs hide them.
// class: dilution
// only: bank_fixed
// expect: fixed-free=fail fixed-reads=fail
// hint: fixed-reads: bytes loaded from shared memory
// hint: fixed-free: At stride 32
#include "warplab.cuh"

#define LOOP_BLOCK 512
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

static __device__ unsigned address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;
    unsigned turn = stride == 32 ? 31 : 0;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[j ^ (j / ROW & turn)] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int r = 0; r < ROUND; r++)
            sum += sm[(start + r * ROW) ^ ((start / ROW + r) & turn)];
        start = (start + ROW) % WINDOW;
    }
    for (int k = 0; n < 3000 && stride <= 16 && k < 640 * (stride - 1); k++)
        asm volatile("{.reg .u32 t; ld.shared.u32 t, [%0]; ld.shared.u32 t, [%0+128]; ld.shared.u32 t, [%0+256];"
                     "ld.shared.u32 t, [%0+384]; ld.shared.u32 t, [%0+512]; ld.shared.u32 t, [%0+640];"
                     "ld.shared.u32 t, [%0+768]; ld.shared.u32 t, [%0+896];}" ::"r"(address(sm + threadIdx.x % 32)));
    if (i < n)
        out[i] = sum;
}
