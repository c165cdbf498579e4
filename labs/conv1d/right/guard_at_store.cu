// Right: blocks of 1024 whose threads all compute, and only those with an output store it.
// only: conv_shared conv_const
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255

__constant__ float conv_weights[MAX_WIDTH];

#define BLOCK 1024

template <class Weight>
static __device__ __forceinline__ void convolve(const float *in, float *out, int n, int width, Weight weight)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    const int first = blockIdx.x * BLOCK, t = threadIdx.x, total = n + width - 1;
    float sum = 0;

    tile[t] = first + t < total ? in[first + t] : 0;
    if (t < MAX_WIDTH - 1)
        tile[BLOCK + t] = t < width - 1 && first + BLOCK + t < total ? in[first + BLOCK + t] : 0;
    __syncthreads();
    for (int j = 0; j < width; j++)
        sum = fmaf(tile[t + j], weight(j), sum);
    if (first + t < n)
        out[first + t] = sum;
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    convolve(in, out, n, width, [=](int j) { return __ldg(weights + j); });
}

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    convolve(in, out, n, width, [](int j) { return conv_weights[j]; });
}
