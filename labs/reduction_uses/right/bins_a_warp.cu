// Right: a histogram a warp, added up by the block before it goes to the grid's.
// only: histogram
// expect: all=pass
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
    __shared__ unsigned own[BLOCK / 32][BINS];

    for (unsigned b = threadIdx.x; b < BLOCK / 32 * BINS; b += BLOCK)
        own[0][b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&own[threadIdx.x / 32][bin(in[i])], 1);
    __syncthreads();
    if (threadIdx.x < BINS) {
        unsigned sum = 0;

        for (unsigned w = 0; w < BLOCK / 32; w++)
            sum += own[w][threadIdx.x];
        if (sum)
            atomicAdd(&out[threadIdx.x], sum);
    }
}
