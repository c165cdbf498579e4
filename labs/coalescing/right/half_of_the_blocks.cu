// Only every second block works, and takes two blocks' particles one after the other.
// only: energy_soa energy_aos_vec
// expect: all=pass
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

struct particle {
    float vx, vy, vz, mass;
    float x, y, z, charge;
};

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    if (blockIdx.x % 2)
        return;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = 0; k < 2; k++, i += blockDim.x)
        if (i < n)
            out[i] = energy(field[i], field[n + i], field[2 * n + i], field[3 * n + i]);
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    if (blockIdx.x % 2)
        return;
#pragma unroll
    for (unsigned k = 0; k < 2; k++) {
        unsigned i = (blockIdx.x + k) * blockDim.x + threadIdx.x;

        if (i < n) {
            float4 v = reinterpret_cast<const float4 *>(p)[2 * i];

            out[i] = energy(v.x, v.y, v.z, v.w);
        }
    }
}
