// Sixteen bytes as two doubles, taken apart again by hand.
// only: energy_aos_vec
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

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        double2 v = reinterpret_cast<const double2 *>(p)[2 * i];
        float vx = __int_as_float(__double2loint(v.x)), vy = __int_as_float(__double2hiint(v.x));
        float vz = __int_as_float(__double2loint(v.y)), m = __int_as_float(__double2hiint(v.y));

        out[i] = energy(vx, vy, vz, m);
    }
}
