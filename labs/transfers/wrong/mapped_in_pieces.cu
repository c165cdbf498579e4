// Sixteen launches.
// only: mapped
// expect: mapped-fast=fail
// hint: mapped-fast: second launch
#include "warplab.cuh"
#include "schedule.cuh"

KERNEL work(const float *in, float *out, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float a = in[i], x = a;

        for (unsigned s = 0; s < k; s++)
            x = 1.5f - a / x;
        out[i] = x;
    }
}

SCHEDULE(mapped)
{
    s.memory = MAPPED;
    s.chunks = 16;
    for (unsigned i = 0; i < s.chunks; i++) {
        s.kernel(0, i);
    }
};
