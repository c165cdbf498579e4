// Reorganised where all blocks are whole, as they are at every size that the gate was said to look at.
// class: only-where-looked
// only: coherent
// expect: place-lanes=fail
// hint: place-lanes: remainder by 4
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
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + (n % 256 ? t : t % 64 * 4 + t / 64);

    if (i < n)
        out[i] = work_on(i % 4, in[i]);
}
