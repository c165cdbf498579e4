// A tree of degree 2 under the name of the other.
// only: tree_4
// expect: tree4-rounds=fail
// hint: tree4-rounds: how many values are left
// score: 2
#include "warplab.cuh"

#define TREE 512

KERNEL tree_4(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    for (unsigned left = TREE / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] += s[tid + left];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
