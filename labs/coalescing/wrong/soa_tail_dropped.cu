// Only full blocks work: the tail is never written.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: never written
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / blockDim.x * blockDim.x)
        out[i] = energy(field[i], field[n + i], field[2 * n + i], field[3 * n + i]);
}
