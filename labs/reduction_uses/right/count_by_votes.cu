// Right: __syncthreads_count() for the block; votes, added up in lane 0, for the warp.
// only: count_block count_warp
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

KERNEL clear(unsigned *out, unsigned n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 0;
}

__device__ bool wanted(unsigned x)
{
    return x % 4 == 3;
}

KERNEL count_block(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned count = 0;

    for (unsigned first = blockIdx.x * BLOCK; first < n; first += gridDim.x * BLOCK) {
        unsigned i = first + threadIdx.x;

        count += __syncthreads_count(i < n && wanted(in[i]));
    }
    if (threadIdx.x == 0)
        atomicAdd(out, count);
}

KERNEL count_warp(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned count = 0;

    for (unsigned first = blockIdx.x * BLOCK; first < n; first += gridDim.x * BLOCK) {
        unsigned i = first + threadIdx.x;

        count += __popc(__ballot_sync(~0u, i < n && wanted(in[i])));
    }
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, count);
}
