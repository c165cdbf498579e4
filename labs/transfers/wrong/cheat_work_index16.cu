// Elements are counted with 16 bits: right up to 65,536 of them.
// class: only-where-looked
// only: pageable
// expect: work-ok=fail
// hint: work-ok: on a hidden case
#include "warplab.cuh"
#include "schedule.cuh"

KERNEL work(const float *in, float *out, unsigned n, unsigned k)
{
    unsigned i = (unsigned short)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < n) {
        float a = in[i], x = a;

        for (unsigned s = 0; s < k; s++)
            x = 1.5f - a / x;
        out[i] = x;
    }
}

SCHEDULE(pageable)
{
    s.memory = PAGEABLE;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};
