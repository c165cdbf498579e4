// Four at a time where there are as many numbers and walks as in the public cases that are timed, one
// after the other elsewhere.
// class: only-where-looked
// only: steps_4 walk_4
// expect: steps-overlap=fail walk-overlap=fail
// hint: steps-overlap: of its speed
// hint: walk-overlap: of its speed
#include "warplab.cuh"

__device__ float step(float x, float c)
{
    return __fmaf_rn(x, x, c);
}

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
    if (n != 132 * 4 * 32) {
#pragma unroll 1
        for (unsigned j = 0; j < 4; j++)
            for (unsigned s = 0; s < k; s++)
                at[j] = step(at[j], add[j]);
        k = 0;
    }
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = step(at[j], add[j]);
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x, at[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++)
        at[j] = (i + j * threads) % m;
    if (n != 132 * 4 * 32) {
#pragma unroll 1
        for (unsigned j = 0; j < 4; j++)
            for (unsigned s = 0; s < k; s++)
                at[j] = next[at[j]];
        k = 0;
    }
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = next[at[j]];
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}
