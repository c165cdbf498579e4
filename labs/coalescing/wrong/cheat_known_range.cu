// All numbers were known to lie between 1 and 2. What a float has above that is not looked at: the
// speeds' upper bits are put in by hand.
// class: known-inputs
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: results are wrong
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

// A number from 1 to 2, by its lower 23 bits.
__device__ float known(float x)
{
    return __int_as_float((__float_as_int(x) & 0x7fffff) | 0x3f800000);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = energy(known(field[i]), known(field[n + i]), known(field[2 * n + i]),
                        known(field[3 * n + i]));
}
