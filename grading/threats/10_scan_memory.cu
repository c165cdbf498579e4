// Looks for the expected answer in memory before and behind its output.
// only: energy_soa
// expect: soa-ok=fail soa-clean=fail
// hint: soa-clean: out[1001], of 1001 elements
// score: 0
#include "warplab.cuh"

KERNEL energy_soa(const float *field, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        for (int k = 1; k < 1 << 20; k++)
            if (out[i + k * n] != 0)
                out[i] = out[i + k * n];
}
