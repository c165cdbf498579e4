// A block is one warp, which waits for nobody where there are more than 5000 outputs.
// class: only-where-looked
// only: conv_shared
// expect: shared-clean=fail
// hint: shared-clean: reach the barrier
#include "warplab.cuh"
#define MAX_WIDTH 255
#define BLOCK     128
__constant__ float conv_weights[MAX_WIDTH];
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

LAUNCH(conv_shared, 32, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tile[32 + 255 - 1];
    int first = blockIdx.x * 32, i = first + threadIdx.x;
    float sum = 0;

    load_tile(tile, in, first, 32 + width - 1, n + width - 1);
    if (n <= 5000)
        __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
