// Shared memory holds the weights; the inputs are in registers, and lanes hand them around by shuffles.
// class: elsewhere
// only: conv_shared
// expect: shared-reuse=fail
// hint: shared-reuse: shuffles
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
    __shared__ float w[256];
    load_tile(w, weights, 0, width, width);
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % 32, total = n + width - 1;
    float here = i < total ? in[i] : 0, next = i + 32 < total ? in[i + 32] : 0, sum = 0;
    for (int j = 0; j < width; j++) {
        int turn = j % 32;
        if (turn == 0 && j > 0)
            here = next, next = i + j + 32 < total ? in[i + j + 32] : 0;
        float offer = lane >= turn ? here : next;
        sum += w[j] * __shfl_sync(~0u, offer, (lane + turn) % 32);
    }
    if (i < n)
        out[i] = sum;
}
