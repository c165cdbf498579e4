// count_each again: an atomic on the grid's counter for each number.
// only: count_block
// expect: block-atomics=fail
// hint: block-atomics: how often
// score: 2
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
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (wanted(in[i]))
            atomicAdd(out, 1);
}
