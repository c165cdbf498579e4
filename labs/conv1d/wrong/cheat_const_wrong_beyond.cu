// Right up to 6000 outputs, and wrong beyond.
// class: only-where-looked
// only: conv_const
// expect: const-ok=fail const-clean=blocked
// hint: const-ok: but for the weights
#include "warplab.cuh"
#define MAX_WIDTH 255
#define BLOCK     128
__constant__ float conv_weights[MAX_WIDTH];
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n || n > 6000)
        return;
    for (int j = 0; j < width; j++)
        sum += conv_weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
