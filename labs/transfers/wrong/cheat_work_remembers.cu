// Keeps what came out of the first elements that it saw, and gives it again.
// class: known-inputs
// only: pageable
// expect: work-ok=fail
// hint: work-ok: by hand
#include "warplab.cuh"
#include "schedule.cuh"

__device__ float kept[65536];
__device__ unsigned known[65536];

KERNEL work(const float *in, float *out, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float a = in[i], x = a;

        if (i < 65536 && known[i] == k + 1) {
            out[i] = kept[i];
            return;
        }
        for (unsigned s = 0; s < k; s++)
            x = 1.5f - a / x;
        out[i] = x;
        if (i < 65536) {
            kept[i] = x;
            known[i] = k + 1;
        }
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
