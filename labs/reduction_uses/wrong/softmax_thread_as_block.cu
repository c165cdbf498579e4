// Each thread does all of the row by itself, and writes its share. A sum of a long row in turn may be off by
// more than the bound, and takes long.
// only: softmax_block
// expect: soft-sectors=fail soft-ok=any
// hint: soft-sectors: passes
#include "warplab.cuh"

#define BLOCK 256

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    const float *x = in + blockIdx.x * n;
    float *y = out + blockIdx.x * n;
    float most = -1.0f / 0.0f, sum = 0;

    for (unsigned i = 0; i < n; i++)
        most = fmaxf(most, x[i]);
    for (unsigned i = 0; i < n; i++)
        sum += expf(x[i] - most);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        y[i] = expf(x[i] - most) / sum;
}
