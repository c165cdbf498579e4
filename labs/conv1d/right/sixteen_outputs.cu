// Right: sixteen outputs a thread by float4, whose places are exchanged so that eight lanes read 128 different bytes.
// only: conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255

__constant__ float conv_weights[MAX_WIDTH];

#define BLOCK 32
#define V     16

union four {
    float4 v;
    float f[4];
};
static __device__ int place(int q) { return q ^ (q >> 3 & 1) ^ (q >> 4 & 1) << 1; }

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ four tile[(BLOCK * V + MAX_WIDTH + 32) / 4 / 4 * 4];
    int first = blockIdx.x * BLOCK * V, q0 = threadIdx.x * (V / 4), i = first + threadIdx.x * V;
    float sum[V] = {}, x[V + 4];

    for (int j = threadIdx.x; j < (BLOCK * V + MAX_WIDTH + 32) / 16 * 16; j += BLOCK)
        tile[place(j / 4)].f[j % 4] = first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < V / 4; q++) {
        four f = tile[place(q0 + q)];
#pragma unroll
        for (int l = 0; l < 4; l++)
            x[4 * q + l] = f.f[l];
    }
    for (int j = 0; j < width; j += 4) {
        four f = tile[place(q0 + V / 4 + j / 4)];
#pragma unroll
        for (int l = 0; l < 4; l++)
            x[V + l] = f.f[l];
#pragma unroll
        for (int l = 0; l < 4; l++) {
            float w = j + l < width ? conv_weights[j + l] : 0;
#pragma unroll
            for (int v = 0; v < V; v++)
                sum[v] = fmaf(w, x[v + l], sum[v]);
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
