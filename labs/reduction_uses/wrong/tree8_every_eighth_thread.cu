// The threads that add are spread over all warps: one lane in eight works.
// only: tree_8
// expect: tree8-rounds=fail
// hint: tree8-rounds: the first ones
// score: 2
#include "warplab.cuh"

#define TREE 512

KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    for (unsigned step = 1; step < TREE; step *= 8) {
        if (tid % (8 * step) == 0) {
            unsigned sum = s[tid];

            for (unsigned c = 1; c < 8; c++)
                sum += s[tid + c * step];
            s[tid] = sum;
        }
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
