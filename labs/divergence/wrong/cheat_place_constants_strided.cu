// The paths made one by choosing their constants; lanes take elements that lie far apart, of all kinds.
// class: no-evidence
// only: coherent
// expect: place-lanes=fail
// hint: place-lanes: remainder by 4
#include "warplab.cuh"

__device__ float work_on(unsigned kind, float x)
{
    float a = 0.9921875f + kind * 0.0001220703125f, b = 0.03125f + kind * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x * 37 % 256;

    if (i < n)
        out[i] = work_on(i % 4, in[i]);
}
