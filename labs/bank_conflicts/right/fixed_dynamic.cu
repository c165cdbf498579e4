// Right: shared memory by the launch record, blocks of a warp, loads of 16 bytes.
// only: bank_fixed
// expect: all=pass
#include "warplab.cuh"

#define LOOP_BLOCK 32
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define ROUNDS     8

static __device__ size_t place(size_t i)
{
    return i + i / ROW;
}

LAUNCH(bank_fixed, LOOP_BLOCK, 1, 1, sizeof(unsigned) * (WORDS + WORDS / ROW));
KERNEL bank_fixed(const unsigned *__restrict__ in, unsigned *__restrict__ out, int n, int stride)
{
    extern __shared__ unsigned sm[];
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % WINDOW, sum = 0;

    for (size_t j = threadIdx.x; j < WORDS / 4; j += blockDim.x) {
        union {
            uint4 all;
            unsigned one[4];
        } v = {__ldg((const uint4 *)in + j)};

        for (size_t k = 0; k < 4; k++)
            sm[place(4 * j + k)] = v.one[k];
    }
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++, start = (start + ROW) & (WINDOW - 1))
#pragma unroll
        for (int r = ROUND - 1; r >= 0; r--)
            sum = sm[place(start + r * ROW)] + sum;
    if (i < (size_t)n)
        out[i] = sum;
}
