// Each thread does the work of both branches, and keeps one result.
// only: branch_warp
// expect: warp-lanes=fail
// hint: warp-lanes: whole of its work
// score: 1
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
        float a = work<0>(in[i]), b = work<1>(in[i]);

        out[i] = threadIdx.x / 32 % 2 == 0 ? a : b;
    }
}
