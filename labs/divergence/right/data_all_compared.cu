// Right: each thread compares its kind with those of all 256, one after the other.
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
    __shared__ int kinds[256];
    __shared__ unsigned order[256];
    unsigned t = threadIdx.x, base = blockIdx.x * 256, before = 0;
    kinds[t] = base + t < n ? kind[base + t] : 9;
    __syncthreads();
    int mine = kinds[t];
    for (unsigned q = 0; q < 256; q++)
        if (kinds[q] < mine || (kinds[q] == mine && q < t))
            before++;
    order[before] = t;
    __syncthreads();
    unsigned e = base + order[t];
    if (e < n)
        out[e] = work_on(kind[e], in[e]);
}
