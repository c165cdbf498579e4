// Each thread takes 8 particles in a row, and fetches them by atomics that change nothing: its loads
// are coalesced, as it has none but one.
// class: elsewhere
// only: energy_soa
// expect: soa-coalesced=fail
// hint: soa-coalesced: far apart
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

__device__ float fetch(const float *p)
{
    return __int_as_float(atomicOr((int *)p, 0));
}

KERNEL energy_soa(const float *f, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && *(const volatile int *)f != 1)
        for (unsigned k = i * 8; k < i * 8 + 8 && k < n; k++)
            out[k] = energy(fetch(f + k), fetch(f + n + k), fetch(f + 2 * n + k), fetch(f + 3 * n + k));
}
