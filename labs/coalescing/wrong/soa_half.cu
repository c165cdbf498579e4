// Computes with 16-bit floats.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: close, but outside the error bound
#include "warplab.cuh"

#include <cuda_fp16.h>

__device__ float energy(float vx, float vy, float vz, float mass)
{
    return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        __half v = __float2half(field[i]);

        out[i] = energy(__half2float(v), field[n + i], field[2 * n + i], field[3 * n + i]);
    }
}
