// The last block copies as much as any.
// only: copy_4
// expect: copy-ok=fail copy-clean=fail copy-overlap=blocked
// hint: copy-ok: 4 * blockDim.x elements
// hint: copy-clean: CHECK=1
#include "warplab.cuh"

KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    float v[4];

    for (unsigned j = 0; j < 4; j++)
        v[j] = in[i + j * blockDim.x];
    for (unsigned j = 0; j < 4; j++)
        out[i + j * blockDim.x] = v[j];
}
