// Right: the tiles lie in dynamic shared memory, whose size is the last number of the launch record.
// only: conv_shared conv_const conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128
#define V         4

extern __shared__ __align__(16) float tile[];

static __device__ void load_tile(const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
    __syncthreads();
}

LAUNCH(conv_shared, BLOCK, 1, 1, (BLOCK + MAX_WIDTH - 1) * sizeof(float));
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(in, first, BLOCK + width - 1, n + width - 1);
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1, (BLOCK + MAX_WIDTH - 1) * sizeof(float));
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(in, first, BLOCK + width - 1, n + width - 1);
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += conv_weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

LAUNCH(conv_multi, BLOCK, 1, V, (BLOCK * V + MAX_WIDTH + 1) * sizeof(float));
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    int first = blockIdx.x * BLOCK * V, i = first + threadIdx.x * V, j = 0;
    const float *mine = tile + threadIdx.x * V;
    float sum[V] = {};

    load_tile(in, first, BLOCK * V + width, n + width - 1);
    float4 here = *reinterpret_cast<const float4 *>(mine);
    for (; j + V <= width; j += V) {
        float4 next = *reinterpret_cast<const float4 *>(mine + j + V);
        float x[2 * V] = {here.x, here.y, here.z, here.w, next.x, next.y, next.z, next.w};
#pragma unroll
        for (int w = 0; w < V; w++)
#pragma unroll
            for (int o = 0; o < V; o++)
                sum[o] += conv_weights[j + w] * x[o + w];
        here = next;
    }
    for (; j < width; j++)
#pragma unroll
        for (int o = 0; o < V; o++)
            sum[o] += conv_weights[j] * mine[o + j];
#pragma unroll
    for (int o = 0; o < V; o++)
        if (i + o < n)
            out[i + o] = sum[o];
}
