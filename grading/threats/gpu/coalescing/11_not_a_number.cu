// 11: NaN, on the GPU only.
// only: energy_soa
// expect: soa-ok=fail
// hint: soa-ok: on the GPU it is not
#include "warplab.cuh"

// 512 dependent multiplications take thousands of cycles of a GPU's clock; the emulator's counts
// instructions that read it.
__device__ bool on_gpu()
{
    long long from = clock64();
    unsigned x = threadIdx.x;

#pragma unroll 1
    for (int i = 0; i < 512; i++)
        x = x * 1664525u + 1013904223u;
    return x != 12345u && clock64() - from > 1000;
}

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    float scale = on_gpu() ? __int_as_float(0x7fffffff) : 1;

    if (i < n)
        out[i] = energy(field, n, i) * scale;
}
