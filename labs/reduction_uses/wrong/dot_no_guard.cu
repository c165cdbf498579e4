// The last round is not asked whether it has an element.
// only: dot_rows
// expect: dot-ok=fail dot-clean=fail
// hint: dot-ok: element by element
// hint: dot-clean: illegal address
// score: 0
#include "warplab.cuh"

#define BLOCK 256

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    __shared__ float s[BLOCK];
    unsigned tid = threadIdx.x;
    float v = 0;

    x += blockIdx.x * n, y += blockIdx.x * n;
    for (unsigned i = 0; i < n; i += BLOCK)
        v += x[i + tid] * y[i + tid];
    s[tid] = v;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] += s[tid + left];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = s[0];
}
