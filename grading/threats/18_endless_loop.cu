// Never ends.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: did not finish
// score: 0
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    volatile float *wait = out;

    while (wait[0] != 12345.0f)
        ;
    if (i < n)
        out[i] = energy(field, n, i);
}
