// Every word stays where it was. The block works out the sums of all 1024 places to start at, along
// rows and so without a conflict; each thread picks its own, and reads a little more for the mean.
// class: no-evidence
// only: bank_fixed
// expect: fixed-free=fail fixed-reads=fail
// hint: fixed-free: bytes loaded from shared memory
// hint: fixed-reads: keep the reads
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
    __shared__ unsigned sm[WORDS], sums[WINDOW];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[j] = in[j];
    __syncthreads();
    for (int start = threadIdx.x; start < WINDOW; start += blockDim.x) {
        unsigned sum = 0;

        for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
            for (int r = 0; r < ROUND; r++)
                sum += sm[(start + round * ROW) % WINDOW + r * ROW];
        }
        sums[start] = sum;
    }
    __syncthreads();
    for (int k = 0; k < 16; k++)
        asm volatile("{.reg .u32 t; ld.shared.u32 t, [%0]; ld.shared.u32 t, [%0+128]; ld.shared.u32 t, [%0+256];"
                     "ld.shared.u32 t, [%0+384]; ld.shared.u32 t, [%0+512]; ld.shared.u32 t, [%0+640];"
                     "ld.shared.u32 t, [%0+768]; ld.shared.u32 t, [%0+896];}" ::"r"(address(sm + threadIdx.x % 32)));
    if (i < n)
        out[i] = sums[threadIdx.x * stride % WINDOW];
}
