// conv1d.cu - the reference: out[i] = sum over j < width of weights[j] * in[i + j].
//
// conv3_naive   1  the lecture's first version: the mean of three neighbours
// conv3_shared  2  the lecture's second: the block's 130 inputs through shared memory
// conv_naive    3  any width, everything from global memory
// conv_shared   4  inputs through shared memory: the tile and a halo of width - 1
// conv_const    5  as 4, with the weights in constant memory
// conv_multi    6  as 5, with four outputs a thread and a window of inputs in registers
//
// in has n + width - 1 elements, out has n; width is at most 255.
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// ---- the lecture's kernels, with a guard for the tail -------------------------------

LAUNCH(conv3_naive, BLOCK, 1, 1);
KERNEL conv3_naive(const float *in, const float *weights, float *out, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float result = 0;

    if (i >= n)
        return;
    for (int j = 0; j < 3; j++)
        result += in[i + j];
    out[i] = result / 3.f;
}

LAUNCH(conv3_shared, BLOCK, 1, 1);
KERNEL conv3_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float support[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float result = 0;

    if (i < n + 2)
        support[threadIdx.x] = in[i];
    if (threadIdx.x < 2 && i + BLOCK < n + 2)
        support[BLOCK + threadIdx.x] = in[i + BLOCK];
    __syncthreads();
    if (i >= n) // only now: every thread of the block must reach the barrier
        return;
    for (int j = 0; j < 3; j++)
        result += support[threadIdx.x + j];
    out[i] = result / 3.f;
}

// ---- any width ----------------------------------------------------------------------

LAUNCH(conv_naive, BLOCK, 1, 1);
KERNEL conv_naive(const float *in, const float *weights, float *out, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * in[i + j];
    out[i] = sum;
}

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

// ---- weights in constant memory -----------------------------------------------------
// The harness finds this array by its name and fills it before the kernel runs. All lanes
// of a warp want the same weight at the same time, which is what constant memory is for.

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += conv_weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

// ---- several outputs a thread -------------------------------------------------------
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
