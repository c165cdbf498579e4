// Fields in rows up to 10,000 particles; beyond, neighbours take particles that lie far apart.
// class: only-where-looked
// only: energy_soa
// expect: soa-coalesced=fail
// hint: soa-coalesced: how far apart
#include "warplab.cuh"

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, blocks = (n + 255) / 256;

    if (n > 10000)
        i = threadIdx.x * blocks + blockIdx.x;
    if (i < n) {
        float x = field[i], y = field[n + i], z = field[2 * n + i], m = field[3 * n + i];

        out[i] = 0.5f * m * (x * x + y * y + z * z);
    }
}
