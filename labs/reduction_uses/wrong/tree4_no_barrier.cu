// The rounds do not wait for each other.
// only: tree_4
// expect: tree4-clean=fail tree4-ok=fail tree4-rounds=blocked
// hint: tree4-ok: are wrong
// hint: tree4-clean: race
#include "warplab.cuh"

#define TREE 512

KERNEL tree_4(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    for (unsigned left = TREE / 4; left > 0; left /= 4) {
        if (tid < left)
            s[tid] += s[tid + left] + s[tid + 2 * left] + s[tid + 3 * left];
    }
    if (tid == 0)
        s[0] += s[1];
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
