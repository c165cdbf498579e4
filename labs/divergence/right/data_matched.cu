// Lanes of a kind find each other with a match, and their first lane takes places for all of them.
// only: coherent_data
// expect: all=pass
#include "warplab.cuh"

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f;
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

__device__ float work_on(unsigned kind, float x)
{
    switch (kind) {
    case 0: return work<0>(x);
    case 1: return work<1>(x);
    case 2: return work<2>(x);
    case 3: return work<3>(x);
    }
    return x;
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ unsigned next[4];
    __shared__ unsigned short order[256];
    unsigned tid = threadIdx.x, lane = tid % 32, i = blockIdx.x * blockDim.x + tid;
    unsigned mine = i < n ? kind[i] : 4;

    if (tid < 4)
        next[tid] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 4; k++) { // places begin where the smaller kinds end
        unsigned smaller = __popc(__ballot_sync(0xffffffff, mine < k));

        if (lane == 0)
            atomicAdd(&next[k], smaller);
    }
    __syncthreads();
    unsigned same = __match_any_sync(0xffffffff, mine), leader = __ffs(same) - 1, begin = 0;

    if (lane == leader && mine < 4)
        begin = atomicAdd(&next[mine], __popc(same));
    begin = __shfl_sync(0xffffffff, begin, leader);
    if (mine < 4)
        order[begin + __popc(same & ((1u << lane) - 1))] = (unsigned short)tid;
    __syncthreads();
    if (i < n) {
        unsigned e = blockIdx.x * blockDim.x + order[tid];

        out[e] = work_on(kind[e], in[e]);
    }
}
