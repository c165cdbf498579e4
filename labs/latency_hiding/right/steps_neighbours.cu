// Right: a thread has four neighbouring numbers, and those beyond the end are another one's.
// only: steps_4
// expect: all=pass
#include "warplab.cuh"

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;

    if (i >= n)
        return;

    unsigned i1 = min(i + 1, n - 1), i2 = min(i + 2, n - 1), i3 = min(i + 3, n - 1);
    float a = x[i], b = x[i1], d = x[i2], e = x[i3];
    float ca = c[i], cb = c[i1], cd = c[i2], ce = c[i3];

    while (k--) {
        a = fmaf(a, a, ca);
        b = fmaf(b, b, cb);
        d = fmaf(d, d, cd);
        e = fmaf(e, e, ce);
    }
    out[i] = a;
    if (i1 > i)
        out[i1] = b;
    if (i2 > i1)
        out[i2] = d;
    if (i3 > i2)
        out[i3] = e;
}
