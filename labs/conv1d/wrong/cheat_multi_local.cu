// A thread copies its inputs into an array that is indexed by variables, which is local memory, and reads
// them there five times each.
// class: elsewhere
// only: conv_multi
// expect: multi-reuse=fail multi-fast=fail
// hint: multi-fast: local_ld_requests
// hint: multi-reuse: could stay in registers
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128
#define V         5
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
    int first = blockIdx.x * TILE, i = first + threadIdx.x * V, j;
    float sum[V] = {};

    load_tile(tile, in, first, TILE + width, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    volatile float own[V + 64];
    for (int from = 0; from < width; from += 64) {
        int count = width - from < 64 ? width - from : 64;
        for (j = 0; j < count + V - 1; j++)
            own[j] = tile[threadIdx.x * V + from + j];
#pragma unroll 1
        for (j = 0; j < count; j++)
            for (int o = 0; o < V; o++)
                sum[o] += conv_weights[from + j] * own[o + j];
    }
    for (int o = 0; o < V && i + o < n; o++)
        out[i + o] = sum[o];
}
