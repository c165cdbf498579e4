// A block's bins have 8 bits each: right as long as few numbers fall into one.
// class: only-where-looked
// only: histogram
// expect: bins-ok=fail
// hint: bins-ok: wrong
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
    __shared__ unsigned own[BINS / 4];

    if (threadIdx.x < BINS / 4)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&own[bin(in[i]) / 4], 1u << bin(in[i]) % 4 * 8);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&out[threadIdx.x], own[threadIdx.x / 4] >> threadIdx.x % 4 * 8 & 255);
}
