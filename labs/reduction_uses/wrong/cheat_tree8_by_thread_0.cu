// Thread 0 adds up all that lies in shared memory: one barrier.
// class: no-evidence
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
    if (tid == 0)
        for (unsigned c = 1; c < TREE; c++)
            s[0] += s[c];
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
