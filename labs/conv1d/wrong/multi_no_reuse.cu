// Right, but each of the four outputs reads all its inputs again.
// only: conv_multi
// expect: multi-reuse=fail multi-banks=fail multi-fast=fail
// hint: multi-reuse: all but one
// hint: multi-banks: bank conflicts of loads from shared memory, expected at most
// hint: multi-fast: expected at most (0.6 + 1 / param) * elem
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

// Thread t makes outputs 4 t … 4 t + 3 of its block's 512. For weights j … j + 3 they need
// inputs 4 t + j … 4 t + j + 6: seven, of which four were there in the round before. So a
// round reads one float4 and does 16 multiply-adds, where conv_const reads 16 floats.
// Lanes read neighbouring float4: no bank conflict.

#define OUTPUTS 4
#define TILE    (BLOCK * OUTPUTS)

LAUNCH(conv_multi, BLOCK, 1, OUTPUTS);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[TILE + MAX_WIDTH + 1]; // whole float4 to the end
    int first = blockIdx.x * TILE, i = first + threadIdx.x * OUTPUTS;
    const float *mine = tile + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {};
    int j = 0;

    load_tile(tile, in, first, TILE + width, n + width - 1); // one more: float4 is read whole
    __syncthreads();
    if (i >= n)
        return;
    for (int o = 0; o < OUTPUTS; o++)
        for (j = 0; j < width; j++)
            sum[o] += conv_weights[j] * *(const volatile float *)&mine[o + j];

    if (i + OUTPUTS <= n) { // out starts on 16 bytes and i is a multiple of 4
        float4 v = {sum[0], sum[1], sum[2], sum[3]};
        *reinterpret_cast<float4 *>(&out[i]) = v;
        return;
    }
#pragma unroll
    for (int o = 0; o < OUTPUTS; o++)
        if (i + o < n)
            out[i + o] = sum[o];
}
