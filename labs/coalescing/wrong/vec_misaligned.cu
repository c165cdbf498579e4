// A 16-byte load from an address that is no multiple of 16.
// only: energy_aos_vec
// expect: vec-ok=fail vec-clean=fail
// hint: vec-ok: misaligned address: 16-byte global read
// hint: vec-clean: misaligned address: 16-byte global read
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
        float4 v = *reinterpret_cast<const float4 *>(&p[i].vy);

        out[i] = energy(v.x, v.y, v.z, v.w);
    }
}
