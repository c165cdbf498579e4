// The first block counts everything: no grid has fewer atomics.
// class: no-evidence
// only: count_block count_warp
// expect: block-atomics=fail warp-atomics=fail
// hint: block-atomics: the busiest
// hint: warp-atomics: the busiest
// score: 3
#include "warplab.cuh"

KERNEL clear(unsigned *out, unsigned n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 0;
}

KERNEL count_block(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned count;

    if (blockIdx.x)
        return;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += 256)
        if (in[i] % 4 == 3)
            atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = count;
}

KERNEL count_warp(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned count = 0;

    if (blockIdx.x)
        return;
    for (unsigned i = threadIdx.x; i < n; i += 256)
        count += in[i] % 4 == 3;
    count = __reduce_add_sync(~0u, count);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, count);
}
