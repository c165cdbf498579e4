// A thread's four elements are neighbours, loaded one by one: each load touches four times the
// sectors.
// only: copy_4
// expect: copy-whole=fail
// hint: copy-whole: neighbours
#include "warplab.cuh"

KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    float v[4];

    for (unsigned j = 0; j < 4; j++)
        if (i + j < n)
            v[j] = in[i + j];
    for (unsigned j = 0; j < 4; j++)
        if (i + j < n)
            out[i + j] = v[j];
}
