// Indices of 64 bits, the loop unrolled to the end, a lambda for the element; a grid-stride loop.
// only: coherent
// expect: all=pass
#include "warplab.cuh"

template <unsigned path> __device__ __forceinline__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f;
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll
    for (int i = 0; i < 256; i++)
        x = __fmaf_rn(a, x, b);
    return x;
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x, whole = ((size_t)n + 127) / 128 * 128;
    auto element = [](size_t t) { return t / 128 * 128 + t % 32 * 4 + t / 32 % 4; };

    for (size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x; t < whole; t += threads) {
        size_t i = element(t);

        if (i >= n)
            continue;
        if (i % 4 == 0)
            out[i] = work<0>(in[i]);
        else if (i % 4 == 1)
            out[i] = work<1>(in[i]);
        else if (i % 4 == 2)
            out[i] = work<2>(in[i]);
        else
            out[i] = work<3>(in[i]);
    }
}
