// conv_const handed in as conv_multi; the launch record promises one output a thread, and half of the
// inputs come by shuffles that bring what the lane has read before.
// class: no-evidence
// only: conv_multi
// rung: multi-fast
// expect: multi-reuse=fail multi-fast=fail multi-banks=fail
// hint: multi-reuse: all but one
// hint: multi-fast: expected at most (0.6 + 1 / param) * elem
// hint: multi-banks: shared_ld_wavefronts
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_multi, BLOCK, 1, 1);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x, lane = threadIdx.x % 32;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width, n + width - 1);
    __syncthreads();
    for (int j = 0; j < width; j += 2) {
        float here = tile[threadIdx.x + j];
        float next = __shfl_sync(~0u, here, lane + 1 < 32 ? lane + 1 : 31);
        if (lane == 31)
            next = tile[threadIdx.x + j + 1];
        sum += conv_weights[j] * here + (j + 1 < width ? conv_weights[j + 1] * next : 0);
    }
    if (i < n)
        out[i] = sum;
}
