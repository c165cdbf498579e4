// No barrier between the rounds of the tree.
// only: product_rows
// expect: product-clean=fail product-ok=fail
// hint: product-ok: are wrong
// hint: product-clean: race
#include "warplab.cuh"

#define BLOCK 256

KERNEL product_rows(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[BLOCK];
    unsigned tid = threadIdx.x, v = 1;

    for (unsigned i = tid; i < n; i += BLOCK)
        v = v * in[blockIdx.x * n + i];
    s[tid] = v;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] = s[tid] * s[tid + left];
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
