// The four paths made one by choosing their constants: thread t still takes element t.
// class: no-evidence
// only: coherent
// expect: place-lanes=fail
// hint: place-lanes: remainder by 4
#include "warplab.cuh"

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.9921875f + i % 4 * 0.0001220703125f, b = 0.03125f + i % 4 * 0.0078125f;

    if (i < n) {
        float x = in[i];

#pragma unroll 8
        for (int k = 0; k < 256; k++)
            x = fmaf(x, a, b);
        out[i] = x;
    }
}
