// 19: prints without end, on the GPU: its buffer is a ring, and the box's log is cut.
// only: energy_soa
// expect: soa-ok=any
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

    if (on_gpu())
        for (int k = 0; k < 2000; k++)
            printf("%u %d\n", i, k);
    if (i < n)
        out[i] = energy(field, n, i);
}
