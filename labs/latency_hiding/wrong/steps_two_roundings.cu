// x * x is rounded before c is added: after forty steps nothing is left of the number.
// only: steps_4
// expect: steps-ok=fail steps-overlap=blocked
// hint: steps-ok: Which four numbers
#include "warplab.cuh"

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    float at[4], add[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++) {
        at[j] = i + j * threads < n ? x[i + j * threads] : 0;
        add[j] = i + j * threads < n ? c[i + j * threads] : 0;
    }
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = __fadd_rn(__fmul_rn(at[j], at[j]), add[j]);
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}
