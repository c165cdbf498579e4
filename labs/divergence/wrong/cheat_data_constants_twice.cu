// The paths made one by choosing their constants; values go through shared memory and are read there twice, so that bytes are as many as for an order.
// class: no-evidence
// only: coherent_data
// expect: data-lanes=fail
// hint: data-lanes: in order
#include "warplab.cuh"

__device__ float work_on(unsigned kind, float x)
{
    float a = 0.9921875f + kind * 0.0001220703125f, b = 0.03125f + kind * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ volatile float tile[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    if (i < n) {
        tile[t] = in[i];
        tile[t] = work_on(kind[i], tile[t]);
        out[i] = fmaxf(tile[t], tile[t]);
    }
}
