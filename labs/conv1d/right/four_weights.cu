// Right: four weights are read from constant memory at once.
// only: conv_const
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

__constant__ __align__(16) float conv_weights[MAX_WIDTH + 1];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x, j = 0;
    const float *mine = tile + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (; j + 4 <= width; j += 4) {
        float4 w = *reinterpret_cast<const float4 *>(&conv_weights[j]);
        sum += w.x * mine[j] + w.y * mine[j + 1] + w.z * mine[j + 2] + w.w * mine[j + 3];
    }
    for (; j < width; j++)
        sum += conv_weights[j] * mine[j];
    out[i] = sum;
}
