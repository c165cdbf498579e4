// Each of four outputs reads all its inputs again, by atomics on shared memory that change nothing, which
// are no loads.
// class: elsewhere
// only: conv_multi
// expect: multi-reuse=fail multi-banks=fail multi-fast=fail
// hint: multi-banks: loaded from shared memory
// hint: multi-reuse: all but one
// hint: multi-fast: global_atom_requests + shared_atom_requests
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
    int first = blockIdx.x * TILE, i = first + threadIdx.x * V, j;
    float *mine = tile + threadIdx.x * V;
    float sum[V] = {};

    load_tile(tile, in, first, TILE + width, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (j = 0; j < width; j++)
        for (int o = 0; o < V; o++)
            sum[o] += conv_weights[j] * __int_as_float(atomicOr((int *)&mine[o + j], 0));
    for (int o = 0; o < V && i + o < n; o++)
        out[i + o] = sum[o];
}
