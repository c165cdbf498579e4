// Nothing is moved before it is touched: page by page, both ways.
// only: managed
// rung: managed-fast
// expect: managed-fast=fail
// hint: managed-fast: one by one
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

SCHEDULE(managed)
{
    s.memory = MANAGED;
    s.chunks = 1;
    s.kernel(0, 0);
};
