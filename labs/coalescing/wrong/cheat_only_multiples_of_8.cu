// Neighbours take neighbours, and one load is enough, where the particles are a multiple of eight, as
// they were wherever sectors and loads are counted. Elsewhere neighbours take particles far apart,
// and each field comes by a load of its own.
// class: only-where-looked
// only: energy_soa energy_aos_vec
// expect: soa-coalesced=fail vec-one=fail
// hint: soa-coalesced: sectors stored
// hint: vec-one: global_ld_requests
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
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (n % 8)
        i = threadIdx.x * gridDim.x + blockIdx.x;
    if (i < n)
        out[i] = energy(field[i], field[n + i], field[2 * n + i], field[3 * n + i]);
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && n % 8 == 0) {
        float4 v = *reinterpret_cast<const float4 *>(&p[i]);

        out[i] = energy(v.x, v.y, v.z, v.w);
    } else if (i < n) {
        out[i] = energy(p[i].vx, p[i].vy, p[i].vz, p[i].mass);
    }
}
