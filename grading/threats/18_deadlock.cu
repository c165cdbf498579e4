// Half of the threads wait at a barrier that the others never reach.
// only: energy_soa
// expect: soa-ok=any soa-clean=fail
// score: 0
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x % 32 < 16) {
        __syncthreads();
        while (threadIdx.x == 0)
            __nanosleep(1000);
    }
    if (i < n)
        out[i] = energy(field, n, i);
}
