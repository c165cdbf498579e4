// Four steps of shuffles add sixteen lanes.
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
    for (unsigned d = 8; d > 0; d /= 2)
        count += __shfl_down_sync(~0u, count, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, count);
}
