// Loads written in PTX: one of four words, and four that are not kept in L1.
// only: energy_soa energy_aos_vec
// expect: all=pass
#include "warplab.cuh"

struct particle {
    float vx, vy, vz, mass, x, y, z, charge;
};

static __device__ float once(const float *p)
{
    float v;
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;

    if (i < n) {
        float speed2 = 0;
        for (int f = 0; f < 3; f++) {
            float v = once(field + f * n + i);
            speed2 += v * v;
        }
        out[i] = once(field + 3 * n + i) / 2 * speed2;
    }
}

KERNEL energy_aos_vec(const particle *p, float *out, unsigned n)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    float x, y, z, m;

    if (i >= n)
        return;
    asm("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(m) : "l"(p + i));
    asm volatile("st.global.f32 [%0], %1;" ::"l"(out + i), "f"(m * .5f * (z * z + y * y + x * x)) : "memory");
}
