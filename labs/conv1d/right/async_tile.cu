// Right: the tile is brought by asynchronous copies and awaited by a cooperative group.
// only: conv_shared conv_const
// expect: all=pass
#include "warplab.cuh"
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#define MAX_WIDTH 255
#define BLOCK     160

namespace cg = cooperative_groups;

static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    cg::thread_block block = cg::this_thread_block();

    for (int j = block.thread_rank(); j < count; j += block.size())
        if (first + j < total)
            __pipeline_memcpy_async(&tile[j], &in[first + j], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    block.sync();
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    if (i >= n)
        return;
#pragma unroll 8
    for (int j = 0; j < width; j++)
        sum += conv_weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
