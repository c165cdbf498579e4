// 512, 128, 32, 8, 2: two are left, and nobody adds them.
// only: tree_4
// expect: tree4-ok=fail
// hint: tree4-ok: who adds the last two
// score: 0
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
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
