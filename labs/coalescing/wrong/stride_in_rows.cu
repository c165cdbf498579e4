// A plain copy: right, and the stride is gone.
// only: strided_copy
// expect: stride-apart=fail
// hint: stride-apart: stride apart
// score: 3
#include "warplab.cuh"

KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}
