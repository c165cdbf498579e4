// The right answer, but the input is another one afterwards: whoever reads it next is wrong.
// only: energy_soa
// expect: soa-ok=fail soa-clean=any
// score: 0
#include "warplab.cuh"

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

        out[i] = 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
        ((float *)field)[3 * n + i] = 0;
    }
}
