// Every word stays where it was. Each thread's column is summed up as a window that moves on, and
// reads that nobody needs bring the mean of wavefronts down.
// class: dilution
// only: bank_fixed
// expect: fixed-free=fail fixed-reads=fail
// hint: fixed-free: At stride 32
// hint: fixed-reads: bytes loaded from shared memory
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
    unsigned window = 0;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[j] = in[j];
    __syncthreads();
    for (int r = 0; r < ROUND; r++)
        window += sm[start + r * ROW];
    for (int round = 0; round < ROUNDS; round++) {
        sum += window;
        if (start + ROW < WINDOW) {
            window += sm[start + ROUND * ROW] - sm[start];
        } else {
            window = 0;
            for (int r = 0; r < ROUND; r++)
                window += sm[start + ROW - WINDOW + r * ROW];
        }
        start = (start + ROW) % WINDOW;
    }
    for (int k = 0; n < 3000 && stride > 1 && k < 9000; k++)
        asm volatile("{.reg .u32 t; ld.shared.u32 t, [%0]; ld.shared.u32 t, [%0+128]; ld.shared.u32 t, [%0+256];"
                     "ld.shared.u32 t, [%0+384]; ld.shared.u32 t, [%0+512]; ld.shared.u32 t, [%0+640];"
                     "ld.shared.u32 t, [%0+768]; ld.shared.u32 t, [%0+896];}" ::"r"(address(sm + threadIdx.x % 32)));
    if (i < n)
        out[i] = sum;
}
