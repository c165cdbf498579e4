// Four walks, one after the other.
// only: walk_4
// rung: walk-overlap
// expect: walk-overlap=fail
// hint: walk-overlap: first step
#include "warplab.cuh"

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= threads)
        return;
#pragma unroll 1
    for (unsigned j = i; j < n; j += threads) {
        unsigned at = j % m;

        for (unsigned s = 0; s < k; s++)
            at = next[at];
        out[j] = at;
    }
}
