// Grid-stride loops and a pointer a field.
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
    const float *vx = field, *vy = vx + n, *vz = vy + n, *mass = vz + n;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float speed2 = fmaf(vz[i], vz[i], fmaf(vy[i], vy[i], vx[i] * vx[i]));

        out[i] = mass[i] * speed2 / 2;
    }
}

// Through 64-bit words: two of them are one 16-byte load.
KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    const ulonglong2 *words = reinterpret_cast<const ulonglong2 *>(p);

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        ulonglong2 w = words[2 * i];

        out[i] = energy(__uint_as_float(unsigned(w.x)), __uint_as_float(unsigned(w.x >> 32)),
                        __uint_as_float(unsigned(w.y)), __uint_as_float(unsigned(w.y >> 32)));
    }
}
