// Right: each round written out, children side by side, and no barrier after the last.
// only: tree_4
// expect: all=pass
#include "warplab.cuh"

#define TREE 512

KERNEL tree_4(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    if (tid < 128)
        s[tid] += s[tid + 128] + s[tid + 256] + s[tid + 384];
    __syncthreads();
    if (tid < 32)
        s[tid] += s[tid + 32] + s[tid + 64] + s[tid + 96];
    __syncthreads();
    if (tid < 8)
        s[tid] += s[tid + 8] + s[tid + 16] + s[tid + 24];
    __syncthreads();
    if (tid < 2)
        s[tid] += s[tid + 2] + s[tid + 4] + s[tid + 6];
    __syncthreads();
    if (tid == 0)
        s[0] += s[1];
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
