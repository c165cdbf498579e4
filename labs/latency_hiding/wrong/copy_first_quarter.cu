// One element a thread, as in copy_1: three quarters are never written.
// only: copy_4
// expect: copy-ok=fail copy-whole=blocked copy-overlap=blocked
// hint: copy-ok: 4 * blockDim.x elements
#include "warplab.cuh"

KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}
