// Right: places in numbers of 64 bits, rows of 35 words, the largest block, nothing unrolled.
// only: bank_fixed
// expect: all=pass
#include "warplab.cuh"

#define LOOP_BLOCK 1024
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

static __device__ unsigned long long place(unsigned long long i)
{
    return i / ROW * 35 + i % ROW;
}

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS / ROW * 35];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;

    for (unsigned long long j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[place(j)] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll 1
        for (int r = 0; r < ROUND; r++)
            sum += sm[place(start + r * ROW)];
        start = (start + ROW) % WINDOW;
    }
    if (i < n)
        out[i] = sum;
}
