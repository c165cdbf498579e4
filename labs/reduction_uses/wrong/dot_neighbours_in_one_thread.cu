// Each thread has a run of neighbours: lanes are far apart.
// only: dot_rows
// expect: dot-once=fail
// hint: dot-once: neighbours
// score: 3
#include "warplab.cuh"

#define BLOCK 256

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    __shared__ float s[BLOCK];
    unsigned tid = threadIdx.x;
    float v = 0;

    x += blockIdx.x * n, y += blockIdx.x * n;
    unsigned each = (n + BLOCK - 1) / BLOCK;

    for (unsigned i = tid * each; i < (tid + 1) * each && i < n; i++)
        v += x[i] * y[i];
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
