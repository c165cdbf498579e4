// Knows the public sizes and does nothing at others.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: hidden case
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && (n == 1 || n == 1001 || n == 4096))
        out[i] = energy(field, n, i);
}
