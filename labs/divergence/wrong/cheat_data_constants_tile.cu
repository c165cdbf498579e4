// The paths made one by choosing their constants; the values go through shared memory and come
// back as they were, so that it looks like an order.
// class: no-evidence
// only: coherent_data
// expect: data-lanes=fail
// hint: data-lanes: in order
#include "warplab.cuh"

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ float tile[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) {
        float x = tile[threadIdx.x];
        float a = 0.9921875f + kind[i] * 0.0001220703125f, b = 0.03125f + kind[i] * 0.0078125f;

#pragma unroll 8
        for (int k = 0; k < 256; k++)
            x = fmaf(x, a, b);
        out[i] = x;
    }
}
