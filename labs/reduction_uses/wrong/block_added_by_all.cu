// Every thread adds the block's count.
// only: count_block
// expect: block-ok=fail
// hint: block-ok: wrong
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

KERNEL count_block(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned count;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (wanted(in[i]))
            atomicAdd(&count, 1);
    __syncthreads();
    atomicAdd(out, count);
}
