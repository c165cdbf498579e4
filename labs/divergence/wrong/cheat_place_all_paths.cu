// Every lane walks all four paths and keeps one result: nobody waits, and nothing is saved.
// class: no-evidence
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
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float x = in[i], w[4] = {work<0>(x), work<1>(x), work<2>(x), work<3>(x)};
        int bits = 0;

        for (int k = 0; k < 4; k++)
            bits |= __float_as_int(w[k]) & -(i % 4 == k);
        out[i] = __int_as_float(bits);
    }
}
