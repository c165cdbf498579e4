// Right: the four in one loop, with names of their own, and loads through the read-only cache.
// only: walk_4
// expect: all=pass
#include "warplab.cuh"

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= threads)
        return;

    uint4 at = make_uint4(i % m, (i + threads) % m, (i + 2 * threads) % m, (i + 3 * threads) % m);

    while (k--)
        at = make_uint4(__ldg(next + at.x), __ldg(next + at.y), __ldg(next + at.z), __ldg(next + at.w));
    out[i] = at.x;
    if (i + threads < n)
        out[i + threads] = at.y;
    if (i + 2 * threads < n)
        out[i + 2 * threads] = at.z;
    if (i + 3 * threads < n)
        out[i + 3 * threads] = at.w;
}
