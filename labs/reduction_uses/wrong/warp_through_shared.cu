// Counts in shared memory, as count_block does.
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
    __shared__ unsigned count[BLOCK / 32];

    if (threadIdx.x % 32 == 0)
        count[threadIdx.x / 32] = 0;
    __syncwarp();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (wanted(in[i]))
            atomicAdd(&count[threadIdx.x / 32], 1);
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, count[threadIdx.x / 32]);
}
