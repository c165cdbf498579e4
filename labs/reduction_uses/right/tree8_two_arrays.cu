// Right: eight neighbours each, from one array into the other by turns.
// only: tree_8
// expect: all=pass
#include "warplab.cuh"

#define TREE 512

KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE], t[TREE / 8];
    unsigned tid = threadIdx.x, *from = s, *to = t;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    for (unsigned left = TREE / 8; left > 0; left /= 8) {
        if (tid < left) {
            unsigned sum = 0;

            for (unsigned c = 0; c < 8; c++)
                sum += from[8 * tid + c];
            to[tid] = sum;
        }
        __syncthreads();
        unsigned *was = from;
        from = to;
        to = was;
    }
    if (tid == 0)
        out[blockIdx.x] = from[0];
}
