// Right: a stream for copies in, two for kernels, two for copies back.
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
    s.chunks = 4;
    for (unsigned i = 0; i < s.chunks; i++) {
        unsigned k = 1 + i % 2, o = 3 + i % 2;

        s.copy_in(0, i);
        s.record(0, i);
        s.wait(k, i);
        s.kernel(k, i);
        s.record(k, 10 + i);
        s.wait(o, 10 + i);
        s.copy_out(o, i);
    }
};
