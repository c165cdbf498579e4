// No tree: each thread reads what all 256 have, for a softmax; one thread does, for a dot product.
// class: no-evidence
// only: softmax_block dot_rows
// expect: soft-sectors=fail dot-once=fail
// hint: soft-sectors: two trees
// hint: dot-once: instructions of the busiest warp
// score: 6
#include "warplab.cuh"

#define BLOCK 256

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    __shared__ float s[BLOCK];
    const float *x = in + blockIdx.x * n;
    float most = -1.0f / 0.0f, sum = 0, all = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        most = fmaxf(most, x[i]);
    s[threadIdx.x] = most;
    __syncthreads();
    for (unsigned j = 0; j < BLOCK; j++)
        most = fmaxf(most, s[j]);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        sum += expf(x[i] - most);
    s[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned j = 0; j < BLOCK; j++)
        all += s[j];
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        out[blockIdx.x * n + i] = expf(x[i] - most) / all;
}

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    __shared__ float s[BLOCK];
    float v = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        v += x[blockIdx.x * n + i] * y[blockIdx.x * n + i];
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x)
        return;
    for (unsigned j = 1; j < BLOCK; j++)
        v += s[j];
    out[blockIdx.x] = v;
}
