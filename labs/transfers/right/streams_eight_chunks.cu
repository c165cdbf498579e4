// Right: more chunks than are best, which the handout says to try.
// only: two_streams
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

SCHEDULE(two_streams)
{
    s.memory = PINNED;
    s.chunks = 8;
    for (unsigned i = 0; i < s.chunks; i++) {
        unsigned stream = i % 2;

        s.copy_in(stream, i);
        s.kernel(stream, i);
        s.copy_out(stream, i);
    }
};
