// Reads at the stride, writes in a row: another permutation.
// only: strided_copy
// expect: stride-ok=fail
// hint: stride-ok: thread 1 element stride
#include "warplab.cuh"

KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[stride * i % n];
}
