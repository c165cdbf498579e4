// Steps are counted in 8 bits: right up to 255 of them.
// class: only-where-looked
// only: walk_4
// expect: walk-ok=fail
// hint: walk-ok: hidden case
#include "warplab.cuh"

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x, at[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++)
        at[j] = (i + j * threads) % m;
    for (unsigned char s = 0; s < (unsigned char)k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = next[at[j]];
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}
