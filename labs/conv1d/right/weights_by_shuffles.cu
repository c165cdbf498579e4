// Right: a warp loads 32 weights at once, and one of its lanes after the other hands its own to all.
// only: conv_shared
// expect: all=pass
#include "warplab.cuh"
#define MAX_WIDTH 255
#define BLOCK     128
__constant__ float conv_weights[MAX_WIDTH];
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
    for (int j0 = 0; j0 < width; j0 += 32) {
        int lane = threadIdx.x % 32;
        float w = j0 + lane < width ? weights[j0 + lane] : 0;
        for (int j = 0; j < 32 && j0 + j < width; j++)
            sum += __shfl_sync(~0u, w, j) * tile[threadIdx.x + j0 + j];
    }
    if (i < n)
        out[i] = sum;
}
