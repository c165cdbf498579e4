// Right: threads past the end do the work, too, of a zero, and neither load nor store.
// only: branch_warp branch_thread
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

KERNEL branch_warp(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;

    if (i < n)
        x = in[i];
    if (threadIdx.x / 32 & 1)
        x = work<1>(x);
    else
        x = work<0>(x);
    if (i < n)
        out[i] = x;
}

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;

    if (i < n)
        x = in[i];
    if (threadIdx.x & 1)
        x = work<1>(x);
    else
        x = work<0>(x);
    if (i < n)
        out[i] = x;
}
