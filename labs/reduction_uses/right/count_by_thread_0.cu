// Right: a word a thread; at the end one thread adds up 32 of them, one after the other.
// only: count_block
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

KERNEL clear(unsigned *out, unsigned n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 0;
}

// Is x counted? One number in four is.
__device__ bool wanted(unsigned x)
{
    return x % 4 == 3;
}

// Each thread counts in a word of its own in shared memory; the first warp adds the words up.
KERNEL count_block(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned counted[BLOCK];
    unsigned &mine = counted[threadIdx.x];

    mine = 0;
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        if (wanted(in[i]))
            mine++;
    __syncthreads();
    if (threadIdx.x < 32) {
        for (unsigned k = 32; k < BLOCK; k += 32)
            mine += counted[threadIdx.x + k];
        __syncwarp();
        if (threadIdx.x == 0) {
            unsigned sum = 0;

            for (unsigned k = 0; k < 32; k++)
                sum += counted[k];
            atomicAdd(out, sum);
        }
    }
}
