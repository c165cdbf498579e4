// What a particle needs is fetched by four atomics that change nothing: no load is counted.
// class: elsewhere
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

__device__ float fetch(const float *p)
{
    return __int_as_float(atomicOr((int *)p, 0));
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = energy(fetch(&p[i].vx), fetch(&p[i].vy), fetch(&p[i].vz), fetch(&p[i].mass));
}
