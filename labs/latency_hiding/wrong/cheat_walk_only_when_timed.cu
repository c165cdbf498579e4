// In parallel for the size of the public case that is timed, one after the other elsewhere.
// class: only-where-looked
// only: walk_4
// expect: walk-overlap=fail
// hint: walk-overlap: first step
#include "warplab.cuh"

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x, at[4];

    if (i >= threads)
        return;
    if (m != 1 << 16) {
#pragma unroll 1
        for (unsigned j = i; j < n; j += threads) {
            unsigned here = j % m;

            for (unsigned s = 0; s < k; s++)
                here = next[here];
            out[j] = here;
        }
        return;
    }
    for (unsigned j = 0; j < 4; j++)
        at[j] = (i + j * threads) % m;
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = next[at[j]];
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}
