// Right: a warp's bits in one instruction, __reduce_and_sync and __reduce_or_sync.
// only: and_rows or_rows
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[BLOCK / 32];
    unsigned v = ~0u;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        v &= in[blockIdx.x * n + i];
    v = __reduce_and_sync(~0u, v);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < BLOCK / 32) {
        v = __reduce_and_sync(0xff, s[threadIdx.x]);
        if (threadIdx.x == 0)
            out[blockIdx.x] = v;
    }
}

KERNEL or_rows(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[BLOCK / 32];
    unsigned v = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        v |= in[blockIdx.x * n + i];
    v = __reduce_or_sync(~0u, v);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < BLOCK / 32) {
        v = __reduce_or_sync(0xff, s[threadIdx.x]);
        if (threadIdx.x == 0)
            out[blockIdx.x] = v;
    }
}
