// Two elements are loaded and stored, then two more: half as many bytes under way, at 0.84 of the
// time.
// class: no-evidence
// only: copy_4
// expect: copy-overlap=fail
// hint: copy-overlap: Must the second load wait for
#include "warplab.cuh"
KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x, d = blockDim.x;
    for (unsigned j = 0; j < 4; j += 2) {
        float a = 0, b = 0;
        if (i + j * d < n) a = in[i + j * d];
        if (i + j * d + d < n) b = in[i + j * d + d];
        if (i + j * d < n) out[i + j * d] = a;
        if (i + j * d + d < n) out[i + j * d + d] = b;
    }
}
