// Right: a thread counts in a register, a tree adds up the block's.
// only: count_block
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
    __shared__ unsigned s[BLOCK];
    unsigned count = 0;

    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        count += wanted(in[i]);
    s[threadIdx.x] = count;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (threadIdx.x < left)
            s[threadIdx.x] += s[threadIdx.x + left];
        __syncthreads();
    }
    if (threadIdx.x == 0 && s[0])
        atomicAdd(out, s[0]);
}
