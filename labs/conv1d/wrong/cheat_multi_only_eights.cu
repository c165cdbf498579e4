// Inputs are used several times at widths that are multiples of eight; at others each product reads its own.
// class: only-where-looked
// only: conv_multi
// expect: multi-reuse=fail multi-banks=fail multi-fast=fail
// hint: multi-banks: bank conflicts
// hint: multi-fast: how many words do you read
// hint: multi-reuse: stay in registers
#include "warplab.cuh"
#define MAX_WIDTH 255
#define BLOCK     128
__constant__ float conv_weights[MAX_WIDTH];
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

#define OUTPUTS 4
#define TILE    (BLOCK * OUTPUTS)

LAUNCH(conv_multi, BLOCK, 1, OUTPUTS);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[TILE + MAX_WIDTH + 1]; // whole float4 to the end
    int first = blockIdx.x * TILE, i = first + threadIdx.x * OUTPUTS;
    const float *mine = tile + threadIdx.x * OUTPUTS;
    float sum[OUTPUTS] = {}, window[2 * OUTPUTS];
    int j = 0;

    load_tile(tile, in, first, TILE + width, n + width - 1); // one more: float4 is read whole
    __syncthreads();
    if (i >= n)
        return;
    if (width % 8) {
        float q[OUTPUTS] = {};
        for (int j = 0; j < width; j++)
            for (int o = 0; o < OUTPUTS; o++)
                q[o] += conv_weights[j] * ((volatile float *)mine)[o + j];
        for (int o = 0; o < OUTPUTS; o++)
            if (i + o < n)
                out[i + o] = q[o];
        return;
    }
    *reinterpret_cast<float4 *>(window) = *reinterpret_cast<const float4 *>(mine);
    for (; j + OUTPUTS <= width; j += OUTPUTS) {
        float4 next = *reinterpret_cast<const float4 *>(mine + j + OUTPUTS);
        *reinterpret_cast<float4 *>(window + OUTPUTS) = next;
#pragma unroll
        for (int w = 0; w < OUTPUTS; w++)
#pragma unroll
            for (int o = 0; o < OUTPUTS; o++)
                sum[o] += conv_weights[j + w] * window[o + w];
        *reinterpret_cast<float4 *>(window) = next;
    }
    for (; j < width; j++) // at most three weights are left
#pragma unroll
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += conv_weights[j] * mine[o + j];

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
