// Only the first 32 bins reach the grid's histogram.
// only: histogram
// expect: bins-ok=fail
// hint: bins-ok: wrong
// score: 0
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
    __shared__ unsigned own[BINS];

    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&own[bin(in[i])], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&out[threadIdx.x], own[threadIdx.x]);
}
