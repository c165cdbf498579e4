// Threads take particles from the last to the first; fields from the last to the first.
// only: energy_soa energy_aos_vec
// expect: all=pass
#include "warplab.cuh"

struct particle {
    float vx, vy, vz, mass, x, y, z, charge;
};

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    const float *p = field + 4 * (size_t)n - 1 - t;
    float mass = *p, z = *(p -= n), y = *(p -= n), x = *(p -= n);
    out[n - 1 - t] = mass * (x * x + y * y + z * z) * 0.5f;
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    union {
        uint4 w;
        float f[4];
    } u;
    if (t >= n)
        return;
    u.w = *(const uint4 *)(p + (n - 1 - t));
    out[n - 1 - t] = u.f[3] * (u.f[0] * u.f[0] + u.f[1] * u.f[1] + u.f[2] * u.f[2]) * 0.5f;
}
