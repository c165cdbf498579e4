// Lane 0 adds its own count: the other lanes' are lost.
// only: count_warp
// expect: warp-ok=fail
// hint: warp-ok: lanes
// score: 0
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
    unsigned count = 0;

    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        count += wanted(in[i]);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, count);
}
