// Adds before all bins are set to zero.
// only: histogram
// expect: bins-clean=fail bins-ok=fail bins-atomics=blocked
// hint: bins-ok: are wrong
// hint: bins-clean: set to zero
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
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&own[bin(in[i])], 1);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&out[threadIdx.x], own[threadIdx.x]);
}
