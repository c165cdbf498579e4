// Even elements in the first warps, odd ones in the others: no warp diverges, and the experiment is gone.
// only: branch_thread
// expect: thread-both=fail
// hint: thread-both: To rearrange comes later
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

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    unsigned t = threadIdx.x;

    i = blockIdx.x * blockDim.x + (t < 128 ? 2 * t : 2 * (t - 128) + 1);
    if (i < n)
        out[i] = t < 128 ? work<0>(in[i]) : work<1>(in[i]);
}
