// Right for short widths and for the longest; between them the last weights are left out.
// class: only-where-looked
// only: conv_shared
// expect: shared-ok=fail
// hint: shared-ok: width, any length
// hint: shared-clean: width, any length
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
    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    int lim = width > 60 && width < 200 && n >= 300 && n != 4096 ? width - 1 : width;
    for (int j = 0; j < lim; j++)
        sum += weights[j] * tile[threadIdx.x + j];
    out[i] = sum;
}
