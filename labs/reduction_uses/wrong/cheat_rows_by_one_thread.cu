// Thread 0 of each block does its whole row, the other 255 nothing.
// class: no-evidence
// only: product_rows and_rows or_rows
// expect: product-tree=fail and-tree=fail or-tree=fail
// hint: product-tree: while one thread adds up a row
// hint: and-tree: instructions of the busiest warp
// hint: or-tree: instructions of the busiest warp
// score: 3
#include "warplab.cuh"

KERNEL product_rows(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned v = 1;

    for (unsigned i = 0; threadIdx.x == 0 && i < n; i++)
        v *= in[blockIdx.x * n + i];
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned v = ~0u;

    for (unsigned i = 0; threadIdx.x == 0 && i < n; i++)
        v &= in[blockIdx.x * n + i];
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

KERNEL or_rows(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned v = 0;

    for (unsigned i = 0; threadIdx.x == 0 && i < n; i++)
        v |= in[blockIdx.x * n + i];
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}
