// Computes in 16 bits.
// only: energy_soa
// expect: soa-ok=fail
// score: 0
#include "warplab.cuh"

#include <cuda_fp16.h>

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        half vx = __float2half(field[i]), vy = __float2half(field[n + i]), vz = __float2half(field[2 * n + i]);
        half sum = __hadd(__hmul(vx, vx), __hadd(__hmul(vy, vy), __hmul(vz, vz)));

        out[i] = 0.5f * field[3 * n + i] * __half2float(sum);
    }
}
