// Indices of 16 bits: right up to 65,536 elements.
// class: only-where-looked
// only: coherent
// expect: place-ok=fail
// hint: place-ok: exactly one thread
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
    unsigned short quarter = blockDim.x / 4, kind = threadIdx.x / quarter;
    unsigned short i = blockIdx.x * blockDim.x + threadIdx.x % quarter * 4 + kind;

    if (i < n)
        out[i] = work_on(kind, in[i]);
}
