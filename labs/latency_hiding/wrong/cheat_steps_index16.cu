// Numbers are counted with 16 bits: right up to 65,536 of them.
// class: only-where-looked
// only: steps_4
// expect: steps-ok=fail
// hint: steps-ok: on a hidden case
#include "warplab.cuh"

__device__ float step(float x, float c)
{
    return __fmaf_rn(x, x, c);
}

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short at16[4];
    float at[4], add[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++) {
        at16[j] = (unsigned short)(i + j * threads);
        at[j] = i + j * threads < n ? x[at16[j]] : 0;
        add[j] = i + j * threads < n ? c[at16[j]] : 0;
    }
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = step(at[j], add[j]);
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}
