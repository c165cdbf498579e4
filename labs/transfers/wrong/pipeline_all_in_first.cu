// No kernel before all chunks are there, no copy back before all are done.
// only: pipeline
// rung: pipeline-overlap
// expect: pipeline-overlap=fail
// hint: pipeline-overlap: more than it needs
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
    for (unsigned i = 0; i < s.chunks; i++)
        s.copy_in(0, i);
    s.record(0, 0);
    s.wait(1, 0);
    for (unsigned i = 0; i < s.chunks; i++)
        s.kernel(1, i);
    s.record(1, 1);
    s.wait(2, 1);
    for (unsigned i = 0; i < s.chunks; i++)
        s.copy_out(2, i);
};
