// Right: five outputs a thread, an odd number, blocks of 96, everything in a template.
// only: conv_multi
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

template <int V> static __device__ void go(const float *in, float *out, int n, int width)
{
    __shared__ float tile[96 * V + 255];
    int first = blockIdx.x * 96 * V, t = threadIdx.x, i = first + t * V;
    load_tile(tile, in, first, 96 * V + width - 1, n + width - 1);
    __syncthreads();
    const float *p = tile + t * V;
    float x[V], s[V] = {};
#pragma unroll
    for (int v = 0; v < V; v++)
        x[v] = p[v];
    for (int j = 0; j < width; j++) {
        float w = conv_weights[j];
#pragma unroll
        for (int v = 0; v < V; v++)
            s[v] += w * x[v];
#pragma unroll
        for (int v = 0; v + 1 < V; v++)
            x[v] = x[v + 1];
        if (j + 1 < width)
            x[V - 1] = p[V + j];
    }
#pragma unroll
    for (int v = 0; v < V; v++)
        if (i + v < n)
            out[i + v] = s[v];
}
LAUNCH(conv_multi, 96, 1, 5);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    go<5>(in, out, n, width);
}
