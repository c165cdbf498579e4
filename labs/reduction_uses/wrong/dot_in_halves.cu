// Products are rounded to 16 bits.
// only: dot_rows
// expect: dot-ok=fail
// hint: dot-ok: float
// score: 0
#include "warplab.cuh"
#include <cuda_fp16.h>

#define BLOCK 256

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    __shared__ float s[BLOCK];
    unsigned tid = threadIdx.x;
    float v = 0;

    x += blockIdx.x * n, y += blockIdx.x * n;
    for (unsigned i = tid; i < n; i += BLOCK)
        v += __half2float(__float2half(x[i] * y[i]));
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
