// Goes on behind the end of the array.
// only: strided_copy
// expect: stride-ok=fail stride-clean=fail
// hint: stride-ok: behind the last element
// hint: stride-clean: illegal address
#include "warplab.cuh"

KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[stride * i] = in[stride * i];
}
