// Right: two sums a thread, fused multiply-adds, and shuffles for the rest.
// only: dot_rows
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

KERNEL dot_rows(const float *x, const float *y, float *out, unsigned n)
{
    __shared__ float s[BLOCK / 32];
    float v = 0, w = 0;
    unsigned i = threadIdx.x;

    x += blockIdx.x * n, y += blockIdx.x * n;
    for (; i + BLOCK < n; i += 2 * BLOCK) {
        v = fmaf(x[i], y[i], v);
        w = fmaf(x[i + BLOCK], y[i + BLOCK], w);
    }
    if (i < n)
        v = fmaf(x[i], y[i], v);
    v += w;
    for (unsigned d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 8) {
        v = s[threadIdx.x];
        for (unsigned d = 4; d > 0; d /= 2)
            v += __shfl_down_sync(0xff, v, d);
        if (threadIdx.x == 0)
            out[blockIdx.x] = v;
    }
}
