// a times 1 / x, rounded twice: other digits than a / x has.
// only: pageable
// expect: work-ok=fail
// hint: work-ok: by hand
#include "warplab.cuh"
#include "schedule.cuh"

KERNEL work(const float *in, float *out, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float a = in[i], x = a;

        for (unsigned s = 0; s < k; s++)
            x = 1.5f - a * __frcp_rn(x);
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
