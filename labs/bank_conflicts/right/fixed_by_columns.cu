// Right: the table is kept column after column, 63 words each; 32-bit index arithmetic in a macro.
// only: bank_fixed
// expect: all=pass
#include "warplab.cuh"

#define LOOP_BLOCK 1024
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

#define PLACE(i) ((i) % ROW * 63u + (i) / ROW)

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[PLACE(j)] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int r = 0; r < ROUND; r++)
            sum += sm[PLACE(start + r * ROW)];
        start = (start + ROW) % WINDOW;
    }
    if (i < n)
        out[i] = sum;
}
