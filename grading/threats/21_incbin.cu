// Lets the assembler read a file of the host into the module. There is no assembler, and PTX
// has no such directive: a person is asked to look.
// expect: compile=fail
#include "warplab.cuh"

__device__ float energy(const float *field, unsigned n, unsigned i)
{
    float vx = field[i], vy = field[n + i], vz = field[2 * n + i];

    return 0.5f * field[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    asm volatile(".incbin \"/etc/passwd\";");
    if (i < n)
        out[i] = energy(field, n, i);
}
