// Reads the fields as if they were still stored particle by particle.
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
        out[i] = energy(field[8 * i], field[8 * i + 1], field[8 * i + 2], field[8 * i + 3]);
}
