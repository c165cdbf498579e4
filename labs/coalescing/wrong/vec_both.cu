// Two vector loads, of which the second is never needed.
// only: energy_aos_vec
// expect: vec-one=fail
// hint: vec-one: for global_ld_requests, expected at most
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

struct particle {
    float vx, vy, vz, mass;
    float x, y, z, charge;
};

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float4 v = reinterpret_cast<const float4 *>(p)[2 * i];
        float4 x = reinterpret_cast<const float4 *>(p)[2 * i + 1];

        asm volatile("" ::"f"(x.x));
        out[i] = energy(v.x, v.y, v.z, v.w);
    }
}
