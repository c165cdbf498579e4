// The shares do not add up to 1.
// only: softmax_block
// expect: soft-ok=fail
// hint: soft-ok: and the sum
// score: 0
#include "warplab.cuh"

#define BLOCK 256

__device__ float most_of(float v)
{
    __shared__ float s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] = fmaxf(s[tid], s[tid + left]);
        __syncthreads();
    }
    return s[0];
}

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    const float *x = in + blockIdx.x * n;
    float *y = out + blockIdx.x * n;
    float most = -1.0f / 0.0f;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        most = fmaxf(most, x[i]);
    most = most_of(most);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        y[i] = expf(x[i] - most);
}
