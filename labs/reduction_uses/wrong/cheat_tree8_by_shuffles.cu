// Warps add by shuffles, so that one barrier is enough.
// class: elsewhere
// only: tree_8
// expect: tree8-rounds=fail
// hint: tree8-rounds: all children
#include "warplab.cuh"

#define TREE 512

KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    unsigned v = s[tid];

    for (unsigned d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (tid % 32 == 0)
        s[tid] = v;
    __syncthreads();
    if (tid < 16) {
        v = s[32 * tid];
        for (unsigned d = 8; d > 0; d /= 2)
            v += __shfl_down_sync(0xffff, v, d);
        if (tid == 0)
            s[0] = v;
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
