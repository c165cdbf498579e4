// The paths made one by choosing their constants; each thread puts its own value into shared memory and takes it out again, so that elements seem to change lanes.
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
    __shared__ volatile float tile[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    if (i < n) {
        tile[t] = in[i];
        tile[t] = work_on(i % 4, tile[t]);
        out[i] = tile[t];
    }
}
