// Each thread takes 8 particles in a row, 32 sectors a load. Between two particles all lanes load
// one word of one sector, over and over: on average that looks coalesced.
// class: dilution
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
    const volatile float *one = field;

    for (unsigned k = i * 8; k < i * 8 + 8 && k < n; k++) {
        out[k] = energy(field[k], field[n + k], field[2 * n + k], field[3 * n + k]);
#pragma unroll
        for (unsigned again = 0; again < 48; again++)
            (void)*one;
    }
}
