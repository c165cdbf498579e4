// Nearly all of it in one piece: nothing is there to overlap with.
// only: two_streams
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
    s.chunks = 64;
    s.copy_in(0, 0, 63);
    s.kernel(0, 0, 63);
    s.copy_out(0, 0, 63);
    s.copy_in(1, 63);
    s.kernel(1, 63);
    s.copy_out(1, 63);
};
