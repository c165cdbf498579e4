// Right: seven outputs a thread, read word by word. An odd distance between lanes is free of conflicts.
// only: conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     64
#define V         7

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK * V + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK * V, mine = threadIdx.x * V;
    float sum[V] = {}, window[V];

    for (int j = threadIdx.x; j < BLOCK * V + width - 1; j += BLOCK)
        tile[j] = first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
    for (int o = 0; o < V - 1; o++)
        window[o] = tile[mine + o];
    for (int j = 0; j < width; j++) {
        window[V - 1] = tile[mine + V - 1 + j];
        for (int o = 0; o < V; o++)
            sum[o] += conv_weights[j] * window[o];
        for (int o = 0; o < V - 1; o++)
            window[o] = window[o + 1];
    }
    for (int o = 0; o < V; o++)
        if (first + mine + o < n)
            out[first + mine + o] = sum[o];
}
