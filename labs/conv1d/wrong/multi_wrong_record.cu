// Makes four outputs a thread, but its launch record promises eight: half of them are missing.
// only: conv_multi
// expect: multi-ok=fail multi-reuse=blocked multi-banks=blocked multi-fast=blocked
// hint: multi-ok: only the last 488 of 1000 elements are wrong
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

LAUNCH(conv_multi, BLOCK, 1, 8);
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
