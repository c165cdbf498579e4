// Every number is an atomic on the grid's histogram.
// only: histogram
// expect: bins-atomics=fail
// hint: bins-atomics: how many atomics
// score: 3
#include "warplab.cuh"

#define BLOCK 256
#define BINS  64

KERNEL clear(unsigned *out, unsigned n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 0;
}

__device__ unsigned bin(unsigned x)
{
    return x >> 26;
}

KERNEL histogram(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&out[bin(in[i])], 1);
}
