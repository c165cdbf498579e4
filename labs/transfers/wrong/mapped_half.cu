// The second chunk is forgotten.
// only: mapped
// expect: mapped-ok=fail
// hint: mapped-ok: one sort of step
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
    s.chunks = 2;
    s.kernel(0, 0);
};
