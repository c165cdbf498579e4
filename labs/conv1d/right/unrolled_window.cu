// Right: fifteen outputs a thread, an odd number, so that no two lanes want one bank; the window turns.
// only: conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     32
#define V         15

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK * V + MAX_WIDTH - 1];
    long long first = (long long)blockIdx.x * BLOCK * V;
    float *mine = tile + threadIdx.x * V, sum[V] = {}, x[V];

    for (int j = threadIdx.x; j < BLOCK * V + width - 1; j += BLOCK)
        tile[j] = first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
#pragma unroll
    for (int o = 0; o < V; o++)
        x[o] = mine[o];
    for (int j = 0; j < width; j += V) {
#pragma unroll
        for (int w = 0; w < V; w++) { // x[w] holds the oldest input
            if (j + w >= width)
                break;
#pragma unroll
            for (int o = 0; o < V; o++)
                sum[o] += conv_weights[j + w] * x[(o + w) % V];
            if (j + w + 1 < width)
                x[w] = mine[j + w + V];
        }
    }
#pragma unroll
    for (int o = 0; o < V; o++)
        if (first + threadIdx.x * V + o < n)
            out[first + threadIdx.x * V + o] = sum[o];
}
