// Copies on one stream, kernels on the other, and no order between them.
// only: two_streams
// expect: streams-ok=fail
// hint: streams-ok: next chunk on the other
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
    for (unsigned i = 0; i < s.chunks; i++) {
        s.copy_in(0, i);
        s.kernel(1, i);
        s.copy_out(0, i);
    }
};
