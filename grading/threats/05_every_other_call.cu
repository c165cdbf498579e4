// Works on every other launch only.
// only: energy_soa
// expect: soa-ok=fail soa-clean=any soa-coalesced=any
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

__device__ unsigned arrived;

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    unsigned blocks_before = arrived / 1000000;

    if (i == 0)
        atomicAdd(&arrived, 1000000);
    if (i < n && blocks_before % 2 == 0)
        out[i] = energy(field, n, i);
}
