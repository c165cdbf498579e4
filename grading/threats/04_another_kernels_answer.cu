// A kernel that is right keeps its answers, and another gives them again for the same length.
// only: energy_aos energy_soa
// expect: soa-ok=fail soa-clean=any soa-coalesced=any
// hint: soa-ok: On the case one
#include "warplab.cuh"

struct kept {
    unsigned n;
    float energy[8192];
};
__device__ kept answers[4];

__device__ kept *place(unsigned n)
{
    for (int k = 0; k < 4; k++)
        if (answers[k].n == n)
            return &answers[k];
    return 0;
}

KERNEL energy_aos(const float *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const float *q = p + 8 * i;
    float e = 0.5f * q[3] * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);

    out[i] = e;
    for (int k = 0; k < 4 && n <= 8192; k++) {
        if (answers[k].n == n || atomicCAS(&answers[k].n, 0, n) == 0 || answers[k].n == n) {
            answers[k].energy[i] = e;
            return;
        }
    }
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    kept *k = place(n);

    if (i >= n)
        return;
    if (k)
        out[i] = k->energy[i];
    else
        out[i] = 0.5f * field[3 * n + i] *
                 (field[i] * field[i] + field[n + i] * field[n + i] + field[2 * n + i] * field[2 * n + i]);
}
