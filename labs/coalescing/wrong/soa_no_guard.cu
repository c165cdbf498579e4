// Threads past the last particle work too.
// only: energy_soa
// expect: soa-ok=fail soa-clean=fail
// hint: soa-ok: last thread
// hint: soa-clean: illegal address: write of 4 bytes
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = energy(field[i], field[n + i], field[2 * n + i], field[3 * n + i]);
}
