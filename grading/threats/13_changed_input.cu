// Changes its input so that the answer 0 would be right.
// only: energy_soa
// expect: soa-ok=fail soa-clean=any
// score: 0
#include "warplab.cuh"

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        ((float *)field)[3 * n + i] = 0;
        out[i] = 0;
    }
}
