// The second stream has one chunk of sixty-four, so that there are two of them: the rest goes one after the other.
// class: no-evidence
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
    s.copy_in(1, 0);
    s.kernel(1, 0);
    s.copy_out(1, 0);
    s.copy_in(0, 1, 63);
    s.kernel(0, 1, 63);
    s.copy_out(0, 1, 63);
};
