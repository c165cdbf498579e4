// The search for the largest begins at 0: rows far below it are lost.
// only: softmax_block
// expect: soft-ok=fail
// hint: soft-ok: largest argument
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

__device__ float sum_of(float v)
{
    __shared__ float s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = v;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left)
            s[tid] += s[tid + left];
        __syncthreads();
    }
    return s[0];
}

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    const float *x = in + blockIdx.x * n;
    float *y = out + blockIdx.x * n;
    float most = 0, sum = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        most = fmaxf(most, x[i]);
    most = most_of(most);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        sum += expf(x[i] - most);
    sum = sum_of(sum);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        y[i] = expf(x[i] - most) / sum;
}
