// The kind from the number of the warp, through shared memory so that loads are coalesced too.
// only: coherent
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

KERNEL coherent(const float *in, float *out, unsigned n)
{
    __shared__ float tile[256];
    unsigned first = blockIdx.x * blockDim.x, tid = threadIdx.x;
    unsigned kind = tid / 32 % 4, mine = (tid / 128 * 32 + tid % 32) * 4 + kind;

    if (first + tid < n)
        tile[tid] = in[first + tid];
    __syncthreads();
    if (first + mine < n)
        tile[mine] = work_on(kind, tile[mine]);
    __syncthreads();
    if (first + tid < n)
        out[first + tid] = tile[tid];
}
