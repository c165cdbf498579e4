// Right: every second block works, and copies two blocks of elements, from the last to the first,
// both loads before the stores.
// only: strided_copy
// expect: all=pass
#include "warplab.cuh"

KERNEL strided_copy(const float *in, float *out, unsigned n, unsigned stride)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, k = i + blockDim.x;
    float a = 0, b = 0;

    if (blockIdx.x % 2 || i >= n)
        return;
    size_t j = (n - 1 - i) * stride % n, l = k < n ? (n - 1 - k) * stride % n : 0;
    a = __ldg(&in[j]);
    if (k < n)
        b = __ldcs(&in[l]);
    out[j] = a;
    if (k < n)
        __stcs(&out[l], b);
}
