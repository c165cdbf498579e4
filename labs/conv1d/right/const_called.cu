// Right: blocks of 64, the sum made by a function that is called, in four parts.
// only: conv_const
// expect: all=pass
#include "warplab.cuh"
#define MAX_WIDTH 255
#define BLOCK     128
__constant__ float conv_weights[MAX_WIDTH];
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

static __device__ __noinline__ float dot(const float *t, int width)
{
    float s[4] = {};
    int j = 0;
    for (; j + 4 <= width; j += 4)
#pragma unroll
        for (int q = 0; q < 4; q++)
            s[q] = fmaf(conv_weights[j + q], t[j + q], s[q]);
    for (; j < width; j++)
        s[0] += conv_weights[j] * t[j];
    return s[0] + s[1] + (s[2] + s[3]);
}
LAUNCH(conv_const, 64, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[64 + 255];
    int first = blockIdx.x * 64, i = first + threadIdx.x;
    load_tile(tile, in, first, 64 + width - 1, n + width - 1);
    __syncthreads();
    if (i < n)
        out[i] = dot(tile + threadIdx.x, width);
}
