// Threads past the end copy once more what others have copied.
// only: strided_copy
// expect: stride-apart=fail
// hint: stride-apart: neighbouring threads
#include "warplab.cuh"

KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    unsigned j = stride * i % n;

    out[j] = in[j];
}
