// Right: two halves over two streams.
// only: managed
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

SCHEDULE(managed)
{
    s.memory = MANAGED;
    s.chunks = 2;
    for (unsigned i = 0; i < s.chunks; i++) {
        s.copy_in(i, i);
        s.kernel(i, i);
        s.copy_out(i, i);
    }
};
