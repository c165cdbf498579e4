// The last threads have fewer than four numbers, and are not asked.
// only: steps_4
// expect: steps-ok=fail steps-clean=fail steps-overlap=blocked
// hint: steps-ok: Which four numbers
// hint: steps-clean: CHECK=1
#include "warplab.cuh"

__device__ float step(float x, float c)
{
    return __fmaf_rn(x, x, c);
}

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    float at[4], add[4];

    for (unsigned j = 0; j < 4; j++) {
        at[j] = x[i + j * threads];
        add[j] = c[i + j * threads];
    }
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = step(at[j], add[j]);
    for (unsigned j = 0; j < 4; j++)
        out[i + j * threads] = at[j];
}
