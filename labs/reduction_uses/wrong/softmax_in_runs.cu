// Each thread has a run of neighbours: lanes are far apart.
// only: softmax_block
// expect: soft-sectors=fail
// hint: soft-sectors: neighbouring
// score: 3
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
    float most = -1.0f / 0.0f, sum = 0;

    unsigned each = (n + BLOCK - 1) / BLOCK, first = threadIdx.x * each;
    unsigned end = first + each < n ? first + each : n;

    for (unsigned i = first; i < end; i++)
        most = fmaxf(most, x[i]);
    most = most_of(most);
    for (unsigned i = first; i < end; i++)
        sum += expf(x[i] - most);
    sum = sum_of(sum);
    for (unsigned i = first; i < end; i++)
        y[i] = expf(x[i] - most) / sum;
}
