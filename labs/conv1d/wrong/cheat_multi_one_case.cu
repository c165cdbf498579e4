// Written for the public case of the gate; everywhere else each of the four outputs reads all its inputs
// again, four words apart.
// class: only-where-looked
// only: conv_multi
// expect: multi-reuse=fail multi-banks=fail multi-fast=fail
// hint: multi-reuse: all but one
// hint: multi-banks: stride
// hint: multi-fast: expected at most (0.6 + 1 / param) * elem
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128
#define V         4
#define TILE      (BLOCK * V)

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[TILE + MAX_WIDTH + 1];
    int first = blockIdx.x * TILE, i = first + threadIdx.x * V, j = 0;
    float *mine = tile + threadIdx.x * V;
    float sum[V] = {};

    load_tile(tile, in, first, TILE + width, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    if (n == 4096 && width == 64) {
        float window[V + 3];
        for (int o = 0; o < V; o++)
            window[o] = mine[o];
        for (; j < width; j += V) {
            float4 next = *reinterpret_cast<const float4 *>(mine + j + V);
            float all[2 * V] = {window[0], window[1], window[2], window[3],
                                next.x,    next.y,    next.z,    next.w};
            for (int w = 0; w < V; w++)
                for (int o = 0; o < V; o++)
                    sum[o] += conv_weights[j + w] * all[o + w];
            for (int o = 0; o < V; o++)
                window[o] = all[V + o];
        }
    }
    for (; j < width; j++)
        for (int o = 0; o < V; o++)
            sum[o] += conv_weights[j] * *(const volatile float *)&mine[o + j];
    for (int o = 0; o < V && i + o < n; o++)
        out[i + o] = sum[o];
}
