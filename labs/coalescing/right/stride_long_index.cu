// Right: the product in 64 bits, the rest by a division.
// only: strided_copy
// expect: all=pass
#include "warplab.cuh"

KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    unsigned long long at = (unsigned long long)stride * i;

    if (i >= n)
        return;
    at -= at / n * n;
    out[at] = in[at];
}
