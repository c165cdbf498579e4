// Each lane has a few weights in a register, and shuffles hand them out; from constant memory every fourth is
// read, for nothing.
// class: elsewhere
// only: conv_const
// expect: const-used=fail
// hint: const-used: shuffles
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x, lane = threadIdx.x % 32;
    __shared__ float w[256];
    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    for (int j = threadIdx.x; j < width; j += BLOCK)
        w[j] = conv_weights[j];
    __syncthreads();
    float mine = 0, sum = 0;
    for (int j = 0; j < width; j++) {
        if (j % 32 == 0)
            mine = j + lane < width ? w[j + lane] : 0;
        volatile const float *p = conv_weights;
        if (j % 4 == 0)
            (void)p[j];
        sum += __shfl_sync(~0u, mine, j % 32) * tile[threadIdx.x + j];
    }
    if (i < n)
        out[i] = sum;
}
