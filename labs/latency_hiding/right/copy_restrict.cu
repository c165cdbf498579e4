// Right: in and out are promised to be different memory, so the compiler may load ahead itself.
// only: copy_4
// expect: all=pass
#include "warplab.cuh"

KERNEL copy_4(const float *__restrict__ in, float *__restrict__ out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x, last = n - 1;
    float a = in[min(i, last)], b = in[min(i + blockDim.x, last)];
    float c = in[min(i + 2 * blockDim.x, last)], d = in[min(i + 3 * blockDim.x, last)];

    if (i < n)
        out[i] = a;
    if (i + blockDim.x < n)
        out[i + blockDim.x] = b;
    if (i + 2 * blockDim.x < n)
        out[i + 2 * blockDim.x] = c;
    if (i + 3 * blockDim.x < n)
        out[i + 3 * blockDim.x] = d;
}
