// The tile is there for thousands of outputs and widths that are multiples of eight; elsewhere inputs come
// from global memory, width times each.
// class: only-where-looked
// only: conv_shared
// expect: shared-reuse=fail
// hint: shared-reuse: shared memory
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

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
    bool looked = width % 8 == 0 && width >= 48 && width <= 80 && n >= 3000 && n <= 5000;
    if (looked) {
        load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
        __syncthreads();
    }
    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += weights[j] * (looked ? tile[threadIdx.x + j] : in[i + j]);
    out[i] = sum;
}
