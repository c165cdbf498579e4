// A quarter of the threads makes four outputs each, a window of inputs in registers. That leaves room for
// reading the weights from shared memory; from constant memory they are read for nothing.
// class: elsewhere
// only: conv_const
// expect: const-used=fail const-reuse=fail
// hint: const-reuse: global_ld_bytes
// hint: const-used: in the loop
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

static __device__ void unused(const float *p)
{
    asm volatile("{ .reg .f32 t; ld.const.f32 t, [%0]; }" ::"l"(__cvta_generic_to_constant(p)));
}

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[BLOCK + 256 + 8], w[256];
    int first = blockIdx.x * BLOCK;
    load_tile(tile, in, first, BLOCK + 256 + 8, n + width - 1);
    for (int j = threadIdx.x; j < 256; j += BLOCK)
        w[j] = j < width ? conv_weights[j] : 0;
    __syncthreads();
    if (threadIdx.x >= BLOCK / V)
        return;
    for (int j = 0; j < width; j++)
        unused(&conv_weights[j]);
    int i = first + threadIdx.x * V;
    const float *mine = tile + threadIdx.x * V;
    float sum[V] = {}, x[2 * V];
    for (int o = 0; o < V; o++)
        x[o] = mine[o];
    for (int j = 0; j < width; j += V) {
        for (int o = 0; o < V; o++)
            x[V + o] = mine[j + V + o];
#pragma unroll
        for (int q = 0; q < V; q++)
#pragma unroll
            for (int o = 0; o < V; o++)
                sum[o] += w[j + q] * x[o + q];
#pragma unroll
        for (int o = 0; o < V; o++)
            x[o] = x[V + o];
    }
    for (int o = 0; o < V; o++)
        if (i + o < n)
            out[i + o] = sum[o];
}
