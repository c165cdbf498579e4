// NaN compares false with everything.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: NaN
// score: 0
#include "warplab.cuh"

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = nanf("");
}
