// Neighbours copy neighbouring elements, all loaded first, at the lengths where sectors are counted
// and where it is timed. At others each thread copies four in a row, one after the other.
// class: only-where-looked
// only: copy_4
// expect: copy-whole=fail copy-overlap=fail
// hint: copy-overlap: of the results change
// hint: copy-whole: sectors loaded
#include "warplab.cuh"

KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    float v[4];

    if (n < 65600 && n != 4096) {
        i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
        for (unsigned j = 0; j < 4 && i + j < n; j++)
            out[i + j] = in[i + j];
        return;
    }
    for (unsigned j = 0; j < 4; j++)
        if (i + j * blockDim.x < n)
            v[j] = in[i + j * blockDim.x];
    for (unsigned j = 0; j < 4; j++)
        if (i + j * blockDim.x < n)
            out[i + j * blockDim.x] = v[j];
}
