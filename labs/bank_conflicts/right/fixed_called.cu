// Right: places by a function that is called, loops that stay loops, one by goto.
// only: bank_fixed
// expect: all=pass
#include "warplab.cuh"

static __device__ __noinline__ unsigned place(unsigned i)
{
    return i + i / 32;
}

LAUNCH(bank_fixed, 512, 1, 1);
KERNEL bank_fixed(const unsigned *in, unsigned *out, int n, int stride)
{
    __shared__ unsigned sm[2016 + 2016 / 32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, j = threadIdx.x, sum = 0, round = 0;
    unsigned start = threadIdx.x * (unsigned)stride % 1024;

fill:
    if (j < 2016) {
        sm[place(j)] = in[j];
        j += blockDim.x;
        goto fill;
    }
    __syncthreads();
    do {
#pragma unroll 1
        for (unsigned r = 0; r < 32; r++)
            sum += sm[place(start + r * 32)];
        start = (start + 32) % 1024;
    } while (++round < 8);
    if (i < (unsigned)n)
        out[i] = sum;
}
