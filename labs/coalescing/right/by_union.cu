// A particle through a union, its fields in another order, and a lambda for the energy.
// only: energy_aos_vec energy_soa
// expect: all=pass
#include "warplab.cuh"

struct particle {
    float vx, vy, vz, mass;
    float x, y, z, charge;
};

union sixteen {
    int4 bits;
    float field[4];
};

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    auto half_m_v2 = [](const float *f) {
        return f[3] / 2 * (f[2] * f[2] + (f[1] * f[1] + f[0] * f[0]));
    };
    const int last = (int)n - 1, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > last)
        return;
    sixteen v = {.bits = __ldg(reinterpret_cast<const int4 *>(p) + 2 * (size_t)i)};
    out[i] = half_m_v2(v.field);
}

#define FIELD(k) (*(field + (size_t)(k) * n + i))
KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    const size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x;

    if (!(i >= n)) {
        float m = FIELD(3), z = FIELD(2), y = FIELD(1), x = FIELD(0);

        out[i] = (x * x + y * y + z * z) * (m * 0.5f);
    }
}
