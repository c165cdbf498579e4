// Some elements of the block are taken twice and others by nobody.
// only: coherent
// expect: place-ok=fail place-clean=blocked
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
    unsigned quarter = blockDim.x / 4;
    unsigned kind = threadIdx.x / quarter;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x % 32 * 4 + kind;

    if (i < n)
        out[i] = work_on(kind, in[i]);
}
