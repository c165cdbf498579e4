// Right: the four as the parts of a vector, two steps a round, and the rest of an odd number.
// only: walk_4
// expect: all=pass
#include "warplab.cuh"

__device__ uint4 follow(const unsigned *next, uint4 at)
{
    return {next[at.x], next[at.y], next[at.z], next[at.w]};
}

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 at = {i % m, (i + threads) % m, (i + 2 * threads) % m, (i + 3 * threads) % m};

    if (i >= threads)
        return;
    for (unsigned s = 0; s < k / 2; s++)
        at = follow(next, follow(next, at));
    if (k % 2)
        at = follow(next, at);
    out[i] = at.x;
    if (i + threads < n)
        out[i + threads] = at.y;
    if (i + 2 * threads < n)
        out[i + 2 * threads] = at.z;
    if (i + 3 * threads < n)
        out[i + 3 * threads] = at.w;
}
