// Up to 1,024 results words have other places; beyond, where nobody counted, each stays where it was.
// class: only-where-looked
// only: bank_fixed
// expect: fixed-free=fail
// hint: fixed-free: another bank
#include "warplab.cuh"

#define ROW    32
#define WINDOW (32 * ROW)
#define ROUND  32
#define WORDS  (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS 8

static __device__ unsigned place(unsigned i, int n)
{
    return n > 1024 ? i : i ^ (i / ROW % ROW);
}

LAUNCH(bank_fixed, 512, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW;
    unsigned sum = 0;

    for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
        sm[place(j, n)] = in[j];
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int r = 0; r < ROUND; r++)
            sum += sm[place(start + r * ROW, n)];
        start = (start + ROW) % WINDOW;
    }
    if (i < n)
        out[i] = sum;
}
