// All four numbers are taken through with the first one's c.
// only: steps_4
// expect: steps-ok=fail steps-overlap=blocked
// hint: steps-ok: Which four numbers
#include "warplab.cuh"

__device__ float step(float x, float c)
{
    return __fmaf_rn(x, x, c);
}

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    float at[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++)
        at[j] = i + j * threads < n ? x[i + j * threads] : 0;
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = step(at[j], c[i]);
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}
