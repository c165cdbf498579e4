// Writes one element past its output.
// only: energy_soa
// expect: soa-ok=fail soa-clean=fail
// hint: soa-clean: out[1001], of 1001 elements
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        out[i] = i < n ? energy(field, n, i) : 0;
}
