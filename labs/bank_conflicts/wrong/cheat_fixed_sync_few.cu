// Above 1000 results one warp fills the table, and nobody waits for it. On the emulator it comes first.
// class: only-where-looked
// only: bank_fixed
// expect: fixed-clean=fail fixed-free=fail
// hint: fixed-free: inst_executed_max_warp
// hint: fixed-clean: in one place race
#include "warplab.cuh"
#define WORDS 2016
static __device__ unsigned place(unsigned i)
{
    return i ^ (i / 32 % 32);
}
LAUNCH(bank_fixed, 512, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned start = threadIdx.x * stride % 1024, sum = 0;
    if (n <= 1000) {
        for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
            sm[place(j)] = in[j];
        __syncthreads();
    } else if (threadIdx.x < 32)
        for (int j = threadIdx.x; j < WORDS; j += 32)
            sm[place(j)] = in[j];
    for (int round = 0; round < 8; round++) {
#pragma unroll
        for (int r = 0; r < 32; r++)
            sum += sm[place(start + r * 32)];
        start = (start + 32) % 1024;
    }
    if (i < n)
        out[i] = sum;
}
