// Takes a warp for 16 threads.
// only: branch_warp
// expect: warp-ok=fail
// hint: warp-ok: number of a thread's warp
// score: 0
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

KERNEL branch_warp(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        if (threadIdx.x / 16 % 2 == 0)
            out[i] = work<0>(in[i]);
        else
            out[i] = work<1>(in[i]);
    }
}
