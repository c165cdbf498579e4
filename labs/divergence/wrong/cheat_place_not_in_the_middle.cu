// Reorganised up to 82,000 elements and from 131,000 on; as it comes in between.
// class: only-where-looked
// only: coherent
// expect: place-lanes=fail
// hint: place-lanes: Which elements do lanes 0, 1
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
__device__ float work_on(unsigned path, float x)
{
    switch (path) {
    case 0: return work<0>(x);
    case 1: return work<1>(x);
    case 2: return work<2>(x);
    case 3: return work<3>(x);
    }
    return x;
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned t = threadIdx.x, q = blockDim.x / 4, kind = n > 82000 && n < 131000 ? t % 4 : t / q;
    unsigned i = blockIdx.x * blockDim.x + (n > 82000 && n < 131000 ? t : t % q * 4 + kind);
    if (i < n) out[i] = work_on(kind, in[i]);
}
