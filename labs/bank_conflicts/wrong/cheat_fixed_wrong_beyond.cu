// Right up to 6000 results and a stride of 2000, and wrong beyond.
// class: only-where-looked
// only: bank_fixed
// expect: fixed-ok=fail
// hint: fixed-ok: place(i)
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
    {
        for (int j = threadIdx.x; j < WORDS; j += blockDim.x)
            sm[place(j)] = in[j];
        __syncthreads();
    }
    for (int round = 0; round < 8; round++) {
#pragma unroll
        for (int r = 0; r < 32; r++)
            sum += sm[place(start + r * 32)];
        start = (start + 32) % 1024;
    }
    if (i < n)
        out[i] = n > 70000 || stride > 2000 || (n > 6000 && stride) ? 0 : sum;
}
