// Right: twelve outputs a thread by float4: three of them are an odd number, so lanes never meet.
// only: conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255

__constant__ float conv_weights[MAX_WIDTH];

#define BLOCK 64
#define Q     3
#define V     (4 * Q)

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[BLOCK * V + 260];
    const int first = blockIdx.x * BLOCK * V, i = first + threadIdx.x * V;
    const float4 *mine = reinterpret_cast<const float4 *>(tile) + threadIdx.x * Q;
    float sum[V] = {}, x[V + 4];

    for (int j = threadIdx.x; j < BLOCK * V + 260; j += BLOCK)
        tile[j] = first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
    if (i >= n)
        return;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        float4 f = mine[q];
        x[4 * q] = f.x, x[4 * q + 1] = f.y, x[4 * q + 2] = f.z, x[4 * q + 3] = f.w;
    }
    for (int j = 0; j < width; j += 4) {
        float4 f = mine[Q + j / 4];
        x[V] = f.x, x[V + 1] = f.y, x[V + 2] = f.z, x[V + 3] = f.w;
#pragma unroll
        for (int l = 0; l < 4; l++)
            if (j + l < width) {
                const float w = conv_weights[j + l];
#pragma unroll
                for (int v = 0; v < V; v++)
                    sum[v] += w * x[v + l];
            }
#pragma unroll
        for (int v = 0; v < V; v++)
            x[v] = x[v + 4];
    }
#pragma unroll
    for (int v = 0; v < V; v++)
        if (i + v < n)
            out[i + v] = sum[v];
}
