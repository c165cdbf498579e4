// Four particles a thread: fields come in loads of 16 bytes, where a field starts at a multiple of
// that, and energies go out as they came.
// only: energy_soa
// expect: all=pass
#include "warplab.cuh"

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *__restrict__ field, float *__restrict__ out, unsigned n)
{
    unsigned long long t = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;

    if (n % 4 == 0) {
        const float4 *f = reinterpret_cast<const float4 *>(field);
        unsigned quarter = n / 4;

        for (unsigned long long i = t; i < quarter; i += threads) {
            float4 x = __ldg(f + i), y = f[quarter + i], z = f[2 * quarter + i], m = f[3 * quarter + i];

            reinterpret_cast<float4 *>(out)[i] =
                make_float4(energy(x.x, y.x, z.x, m.x), energy(x.y, y.y, z.y, m.y),
                            energy(x.z, y.z, z.z, m.z), energy(x.w, y.w, z.w, m.w));
        }
        return;
    }
    for (unsigned long long i = t; i < n; i += threads)
        out[i] = energy(field[i], field[n + i], field[2ull * n + i], field[3ull * n + i]);
}
