// Takes the mass for a speed.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: results are wrong
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = energy(field[3 * n + i], field[i], field[n + i], field[2 * n + i]);
}
