// Right up to 65,536 results: the index has 16 bits.
// class: only-where-looked
// only: bank_fixed
// expect: fixed-ok=fail
// hint: fixed-ok: results are wrong
#include "warplab.cuh"

#define LOOP_BLOCK 512
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

static __device__ unsigned place(unsigned i)
{
    return i ^ (i / ROW % ROW);
}

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
    unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[place(j)] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int r = 0; r < ROUND; r++)
            sum += sm[place(start + r * ROW)];
        start = (start + ROW) % WINDOW;
    }
    if (i < n)
        out[i] = sum;
}
