// Right, but each thread takes 8 particles in a row: lanes are far apart.
// only: energy_soa
// expect: soa-coalesced=fail
// hint: soa-coalesced: far apart
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned k = 8 * i; k < 8 * i + 8 && k < n; k++)
        out[k] = energy(field[k], field[n + k], field[2 * n + k], field[3 * n + k]);
}
