// A thread makes its outputs one after the other, and reads all inputs again for each: every second one by a
// shuffle.
// class: elsewhere
// only: conv_multi
// expect: multi-reuse=fail multi-fast=fail multi-banks=fail
// hint: multi-reuse: shuffles
// hint: multi-fast: expected at most (0.6 + 1 / param) * elem
// hint: multi-banks: shared_ld_wavefronts
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

__constant__ float conv_weights[MAX_WIDTH];

#define V 4

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK * V + MAX_WIDTH + 1];
    int first = blockIdx.x * BLOCK * V;
    load_tile(tile, in, first, BLOCK * V + MAX_WIDTH + 1, n + width - 1);
    __syncthreads();
    int lane = threadIdx.x % 32, base = threadIdx.x;
    for (int v = 0; v < V; v++) {
        float sum = 0;
        const float *mine = tile + v * BLOCK + base;
        for (int j = 0; j < width; j += 2) {
            float x = mine[j], y = __shfl_down_sync(~0u, x, 1);
            if (lane == 31)
                y = mine[j + 1];
            sum += conv_weights[j] * x;
            if (j + 1 < width)
                sum += conv_weights[j + 1] * y;
        }
        int i = first + v * BLOCK + base;
        if (i < n)
            out[i] = sum;
    }
}
