// Right for the first launches, wrong later.
// only: energy_soa
// expect: soa-ok=fail soa-clean=any soa-coalesced=any
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

__device__ unsigned launches;

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = energy(field, n, i) + (launches >= 3 ? 1 : 0);
    if (i == 0)
        launches++;
}
