// Elements are dealt out by halves, two kinds to a warp; of these, one is made of the other by choosing constants.
// class: no-evidence
// only: coherent
// expect: place-lanes=fail
// hint: place-lanes: remainder by 4
#include "warplab.cuh"

template <unsigned half> __device__ float work(unsigned upper, float x)
{
    float a = 0.9921875f + (half + 2 * upper) * 0.0001220703125f;
    float b = 0.03125f + (half + 2 * upper) * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    __shared__ volatile float tile[256];
    unsigned t = threadIdx.x, half = t / 128, i = blockIdx.x * blockDim.x + t % 128 * 2 + half;

    if (i < n) {
        tile[t] = in[i];
        tile[t] = half ? work<1>(i / 2 % 2, tile[t]) : work<0>(i / 2 % 2, tile[t]);
        out[i] = tile[t];
    }
}
