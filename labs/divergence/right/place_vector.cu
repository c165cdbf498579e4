// Four elements a thread, one of each kind, loaded and stored as 16 bytes.
// only: coherent
// expect: all=pass
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

KERNEL coherent(const float *__restrict__ in, float *__restrict__ out, unsigned n)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;

    if (i + 4 <= n) {
        float4 v = __ldg((const float4 *)(in + i));

        *(float4 *)(out + i) = make_float4(work<0>(v.x), work<1>(v.y), work<2>(v.z), work<3>(v.w));
        return;
    }
    for (unsigned k = i; k < n; k++)
        out[k] = work_on(k % 4, in[k]);
}
