// Energy from four loads of 4 bytes, as in 3: right, but not what was asked for.
// only: energy_aos_vec
// expect: vec-one=fail
// hint: vec-one: how many load
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

    if (i < n)
        out[i] = energy(p[i].vx, p[i].vy, p[i].vz, p[i].mass);
}
