// Hands in what practice, whose inputs are everybody's, said was expected at the public sizes.
// only: energy_soa
// expect: soa-ok=fail soa-clean=any soa-coalesced=any
// hint: soa-ok: On the case one
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = n == 1 ? 3.8296423f : i == 0 && n == 1001 ? 5.445889f : energy(field, n, i);
}
