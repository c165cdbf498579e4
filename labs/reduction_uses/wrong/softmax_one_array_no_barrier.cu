// Both reductions use one array, and nobody waits until the first result is read.
// only: softmax_block
// expect: soft-clean=fail soft-ok=fail soft-sectors=blocked
// hint: soft-ok: are wrong
// hint: soft-clean: second begin
#include "warplab.cuh"

#define BLOCK 256

__device__ float most_of(float *s, float v)
{
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

__device__ float sum_of(float *s, float v)
{
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
    __shared__ float s[BLOCK];
    const float *x = in + blockIdx.x * n;
    float *y = out + blockIdx.x * n;
    float most = -1.0f / 0.0f, sum = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        most = fmaxf(most, x[i]);
    most = most_of(s, most);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        sum += expf(x[i] - most);
    sum = sum_of(s, sum);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        y[i] = expf(x[i] - most) / sum;
}
