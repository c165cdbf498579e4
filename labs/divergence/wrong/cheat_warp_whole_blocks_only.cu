// By warp where all blocks are whole; each warp walks both branches at any other length.
// class: only-where-looked
// only: branch_warp
// expect: warp-lanes=fail
// hint: warp-lanes: Ask once, and let each branch
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
// by thread up to whole blocks' sizes... by warp only where n is a multiple of 256
KERNEL branch_warp(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (n % 256 == 0) {
        if (threadIdx.x / 32 % 2 == 0) out[i] = work<0>(in[i]);
        else out[i] = work<1>(in[i]);
        return;
    }
    // each warp walks both
    float x = in[i], r = 0;
    unsigned w = threadIdx.x / 32 % 2;
    for (unsigned h = 0; h < 2; h++) {
        if (threadIdx.x % 2 != h) continue;
        if (w) r = work<1>(x); else r = work<0>(x);
    }
    out[i] = r;
}
