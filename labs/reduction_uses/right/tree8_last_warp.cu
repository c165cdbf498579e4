// Right: the last two rounds are one warp's own, and wait with __syncwarp().
// only: tree_8
// expect: all=pass
#include "warplab.cuh"

#define TREE 512

KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    if (tid < 64) {
        for (unsigned c = 1; c < 8; c++)
            s[tid] += s[tid + 64 * c];
    }
    __syncthreads();
    if (tid < 32) {
        unsigned sum = 0;

        if (tid < 8)
            for (unsigned c = 0; c < 8; c++)
                sum += s[tid + 8 * c];
        __syncwarp();
        if (tid < 8)
            s[tid] = sum;
        __syncwarp();
        if (tid == 0)
            for (unsigned c = 1; c < 8; c++)
                s[0] += s[c];
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
