// Right: the condition by bits, the guard as an early return, the results in a variable.
// only: branch_warp branch_thread
// expect: all=pass
#include "warplab.cuh"

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f; // exact in binary
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

template <unsigned bit> __device__ void branch(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    float x = in[i];

    if (threadIdx.x & bit)
        x = work<1>(x);
    else
        x = work<0>(x);
    out[i] = x;
}

KERNEL branch_warp(const float *in, float *out, unsigned n)
{
    branch<32>(in, out, n);
}

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    branch<1>(in, out, n);
}
