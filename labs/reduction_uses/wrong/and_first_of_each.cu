// Only as many elements as the block has threads.
// only: and_rows
// expect: and-ok=fail
// hint: and-ok: wrong
// score: 0
#include "warplab.cuh"

#define BLOCK 256

KERNEL and_rows(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[BLOCK];
    unsigned tid = threadIdx.x, v = ~0u;

    unsigned i = tid;
    if (i < n)
        v = v & in[blockIdx.x * n + i];
    s[tid] = v;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] = s[tid] & s[tid + left];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
