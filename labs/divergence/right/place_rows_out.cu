// Each thread loads its own; results go out in rows through shared memory.
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
    __shared__ float made[256 + 8];
    unsigned kind = threadIdx.x % 128 / 32, j = threadIdx.x % 32 + threadIdx.x / 128 * 32;
    unsigned long long first = 256ull * blockIdx.x, i = first + 4 * j + kind;

    if (i < n)
        made[i - first] = work_on(kind, in[i]);
    __syncthreads();
    if (first + threadIdx.x < n)
        out[first + threadIdx.x] = made[threadIdx.x];
}
