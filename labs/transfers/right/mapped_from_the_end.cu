// Right: threads take elements from the end: a warp's words lie in five sectors, unless n is a multiple of 8.
// only: mapped
// expect: all=pass
#include "warplab.cuh"
#include "schedule.cuh"

KERNEL work(const float *in, float *out, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        unsigned mine = n - 1 - i;
        float a = in[mine], x = a;

        for (unsigned s = 0; s < k; s++)
            x = 1.5f - a / x;
        out[mine] = x;
    }
}

SCHEDULE(mapped)
{
    s.memory = MAPPED;
    s.chunks = 1;
    s.kernel(0, 0);
};
