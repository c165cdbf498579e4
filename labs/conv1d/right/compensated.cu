// Right: each product and sum carries its rounding error along (Dot2); nothing is unrolled.
// only: conv_shared conv_const
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255

__constant__ float conv_weights[MAX_WIDTH];

#define BLOCK 128

template <class W> static __device__ float dot2(const float *x, const W &w, int width)
{
    float s = 0, c = 0;

#pragma unroll 1
    for (int j = 0; j < width; j++) {
        float p = __fmul_rn(w[j], x[j]), e = __fmaf_rn(w[j], x[j], -p);
        float t = __fadd_rn(s, p), z = __fsub_rn(t, s);

        c = __fadd_rn(c, __fadd_rn(e, __fadd_rn(__fsub_rn(s, __fsub_rn(t, z)), __fsub_rn(p, z))));
        s = t;
    }
    return s + c;
}

static __device__ const float *fetched(const float *in, int total, int count)
{
    __shared__ float tile[BLOCK + MAX_WIDTH];
    int first = blockIdx.x * BLOCK;

    for (int j = threadIdx.x; j < count; j += BLOCK)
        tile[j] = first + j < total ? in[first + j] : 0;
    __syncthreads();
    return tile + threadIdx.x;
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    const float *x = fetched(in, n + width - 1, BLOCK + width - 1);
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = dot2(x, weights, width);
}
LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    const float *x = fetched(in, n + width - 1, BLOCK + width - 1);
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = dot2(x, conv_weights, width);
}
