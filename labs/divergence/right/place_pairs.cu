// Two neighbours a thread by 8 bytes: half of the threads have kinds 0 and 1, half 2 and 3.
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

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned half = threadIdx.x / 64, i = blockIdx.x * 256 + threadIdx.x % 64 * 4 + half * 2;

    if (threadIdx.x >= 128 || i >= n)
        return;
    if (i + 1 < n) {
        union {
            float2 v;
            float f[2];
        } u = {*reinterpret_cast<const float2 *>(in + i)};

        u.f[0] = half ? work<2>(u.f[0]) : work<0>(u.f[0]);
        u.f[1] = half ? work<3>(u.f[1]) : work<1>(u.f[1]);
        *reinterpret_cast<float2 *>(out + i) = u.v;
    } else {
        out[i] = work_on(2 * half, in[i]);
    }
}
