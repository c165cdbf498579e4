// Right: and, or by atomics on a word of shared memory; the product by a loop of compare and swap.
// only: product_rows and_rows or_rows
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

KERNEL product_rows(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned product;
    unsigned v = 1;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        v *= in[blockIdx.x * n + i];
    if (threadIdx.x == 0)
        product = 1;
    __syncthreads();
    for (unsigned seen = atomicAdd(&product, 0), was; (was = atomicCAS(&product, seen, seen * v)) != seen;)
        seen = was;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = product;
}

KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned all;

    if (threadIdx.x == 0)
        all = ~0u;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        atomicAnd(&all, in[blockIdx.x * n + i]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = all;
}

KERNEL or_rows(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned any;

    if (threadIdx.x == 0)
        any = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        atomicOr(&any, in[blockIdx.x * n + i]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = any;
}
