// Asks for more shared memory than there is; what the output holds then is anybody's guess.
// only: energy_soa
// expect: soa-ok=fail soa-clean=any
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

    __shared__ float much[100000];

    much[threadIdx.x] = field[i % n];
    __syncthreads();
    if (i < n)
        out[i] = energy(field, n, i) + 0 * much[(threadIdx.x + 1) % 32];
}
