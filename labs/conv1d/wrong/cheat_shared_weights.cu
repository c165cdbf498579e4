// Shared memory holds the weights; the inputs are read from global memory, width times each.
// class: elsewhere
// only: conv_shared
// expect: shared-reuse=fail
// hint: shared-reuse: once a block
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float w[MAX_WIDTH];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;

    load_tile(w, weights, 0, width, width);
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += w[j] * in[i + j];
    out[i] = sum;
}
