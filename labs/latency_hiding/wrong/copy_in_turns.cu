// Each element is stored before the next is loaded: as far as the compiler knows, it has to be.
// only: copy_4
// rung: copy-overlap
// expect: copy-overlap=fail
// hint: copy-overlap: wait for the first store
#include "warplab.cuh"

KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    for (unsigned j = 0; j < 4; j++)
        if (i + j * blockDim.x < n)
            out[i + j * blockDim.x] = in[i + j * blockDim.x];
}
