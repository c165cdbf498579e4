// Step 4 again: additions that nobody needs, done by all lanes, raise the mean number of lanes.
// class: dilution
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

    if (i < n)
        out[i] = work_on(i % 4, in[i]);
    __syncwarp();
    for (int k = 0; n < 5000 && k < 2400; k++)
        asm volatile("{.reg .u32 t; add.u32 t, %0, 1; add.u32 t, t, 2; add.u32 t, t, 3; add.u32 t, t, 4;"
                     "add.u32 t, t, 5; add.u32 t, t, 6; add.u32 t, t, 7; add.u32 t, t, 8;}" ::"r"(i));
}
