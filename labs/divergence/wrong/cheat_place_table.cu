// Answers from a table, as an earlier report gave them: the case of one element is not computed.
// class: oracle
// only: coherent
// expect: place-ok=fail
// hint: place-ok: results are wrong
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

__device__ const float told[1] = {3.60577f};

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned quarter = blockDim.x / 4;
    unsigned kind = threadIdx.x / quarter;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x % quarter * 4 + kind;

    if (i < n)
        out[i] = n == 1 ? told[0] : work_on(kind, in[i]);
}
