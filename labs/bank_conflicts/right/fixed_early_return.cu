// Right: who has no result leaves after the barrier, and the loop is not unrolled; a place by lambda.
// only: bank_fixed
// expect: all=pass
#include "warplab.cuh"

#define LOOP_BLOCK 96
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;
    auto place = [](unsigned i) { return (i & ~31u) | ((i ^ (i >> 5)) & 31u); };

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[place(j)] = in[j];
    __syncthreads();
    if (i >= n)
        return;
#pragma unroll 1
    for (int k = 0; k < ROUND * ROUNDS; k++)
        sum += sm[place((start + k / ROUND * ROW) % WINDOW + k % ROUND * ROW)];
    out[i] = sum;
}
