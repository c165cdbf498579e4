// The start is not taken modulo the list's length: right for short runs along long lists.
// only: walk_4
// expect: walk-ok=fail walk-clean=fail
// hint: walk-ok: Where does each
// hint: walk-clean: CHECK=1
#include "warplab.cuh"

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x, at[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++)
        at[j] = i + j * threads;
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = next[at[j]];
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}
