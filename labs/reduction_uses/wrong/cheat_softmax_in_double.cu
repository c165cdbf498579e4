// One reduction: exp() of a double has room for rows around 256, and no largest element is looked for.
// class: known-inputs
// only: softmax_block
// expect: soft-ok=fail
// hint: soft-ok: NaN
// score: 0
#include "warplab.cuh"

#define BLOCK 256

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    __shared__ double s[BLOCK];
    const float *x = in + blockIdx.x * n;
    double sum = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        sum += exp((double)x[i]);
    s[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left; left /= 2) {
        if (threadIdx.x < left)
            s[threadIdx.x] += s[threadIdx.x + left];
        __syncthreads();
    }
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        out[blockIdx.x * n + i] = (float)(exp((double)x[i]) / s[0]);
}
