// The barrier stands where only the adding threads come.
// only: tree_8
// expect: tree8-clean=fail tree8-ok=fail tree8-rounds=blocked
// hint: tree8-ok: did not finish
// hint: tree8-clean: barrier
#include "warplab.cuh"

#define TREE 512

KERNEL tree_8(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned s[TREE];
    unsigned tid = threadIdx.x;

    s[tid] = tid < n ? in[blockIdx.x * n + tid] : 0;
    __syncthreads();
    for (unsigned left = TREE / 8; left > 0; left /= 8) {
        if (tid < left) {
            unsigned sum = s[tid];

            for (unsigned c = 1; c < 8; c++)
                sum += s[tid + c * left];
            s[tid] = sum;
            __syncthreads();
        }
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
