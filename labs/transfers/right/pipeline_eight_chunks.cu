// Right: more chunks than are best, which the handout says to try.
// only: pipeline
// expect: all=pass
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

SCHEDULE(pipeline)
{
    s.memory = PINNED;
    s.chunks = 8;
    for (unsigned i = 0; i < s.chunks; i++) {
        s.copy_in(0, i);
        s.record(0, 2 * i);
        s.wait(1, 2 * i);
        s.kernel(1, i);
        s.record(1, 2 * i + 1);
        s.wait(2, 2 * i + 1);
        s.copy_out(2, i);
    }
};
