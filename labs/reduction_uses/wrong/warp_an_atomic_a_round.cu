// The lanes' votes are added in every round, not once.
// only: count_warp
// expect: warp-atomics=fail
// hint: warp-atomics: register
// score: 1
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

KERNEL count_warp(const unsigned *in, unsigned *out, unsigned n)
{
    for (unsigned first = blockIdx.x * BLOCK; first < n; first += gridDim.x * BLOCK) {
        unsigned i = first + threadIdx.x;
        unsigned votes = __ballot_sync(~0u, i < n && wanted(in[i]));

        if (threadIdx.x % 32 == 0 && votes)
            atomicAdd(out, __popc(votes));
    }
}
