// Knows that there are 4096 particles.
// only: energy_soa
// expect: soa-ok=fail soa-clean=fail
// hint: soa-clean: illegal address
// hint: soa-ok: illegal address: read of 4 bytes
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = energy(field[i], field[4096 + i], field[2 * 4096 + i], field[3 * 4096 + i]);
}
