// Each stream waits until the other is done: two streams, no overlap.
// only: two_streams
// rung: streams-overlap
// expect: streams-overlap=fail
// hint: streams-overlap: Draw who works
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
    s.chunks = 4;
    s.record(0, 31);
    for (unsigned i = 0; i < s.chunks; i++) {
        s.wait(i % 2, 31 + i);
        s.copy_in(i % 2, i);
        s.kernel(i % 2, i);
        s.copy_out(i % 2, i);
        s.record(i % 2, 32 + i);
    }
};
