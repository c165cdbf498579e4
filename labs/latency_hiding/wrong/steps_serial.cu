// Four chains, one after the other: none waits for another, and no two are under way at once.
// only: steps_4
// rung: steps-overlap
// expect: steps-overlap=fail
// hint: steps-overlap: could start before
#include "warplab.cuh"

__device__ float step(float x, float c)
{
    return __fmaf_rn(x, x, c);
}

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= threads)
        return;
#pragma unroll 1
    for (unsigned j = i; j < n; j += threads) {
        float at = x[j], add = c[j];

        for (unsigned s = 0; s < k; s++)
            at = step(at, add);
        out[j] = at;
    }
}
