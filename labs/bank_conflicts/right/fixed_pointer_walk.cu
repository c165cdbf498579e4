// Right: a pointer walks down a column of a table with rows of 33 words: no place is computed twice.
// only: bank_fixed
// expect: all=pass
#include "warplab.cuh"

#define LOOP_BLOCK 160
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS / ROW * 33];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;

    for (unsigned j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[j + j / ROW] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned *p = &sm[start + start / ROW];
#pragma unroll
        for (int r = 0; r < ROUND; r++, p += ROW + 1)
            sum += *p;
        start = (start + ROW) & (WINDOW - 1);
    }
    if (i < n)
        out[i] = sum;
}
