// 16 pieces on one stream: 16 times the latency of a copy, and nothing overlaps.
// only: pinned
// rung: pinned-fast
// expect: pinned-fast=fail
// hint: pinned-fast: microseconds
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

SCHEDULE(pinned)
{
    s.memory = PINNED;
    s.chunks = 16;
    for (unsigned i = 0; i < s.chunks; i++) {
        s.copy_in(0, i);
        s.kernel(0, i);
        s.copy_out(0, i);
    }
};
