// The weights are made by the formula that the harness has for them, from the width alone; those handed
// over are not looked at.
// class: known-inputs
// only: conv_shared
// expect: shared-ok=fail shared-clean=blocked shared-reuse=blocked
// hint: shared-ok: results are wrong
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

static __device__ float weight(unsigned long long stream, unsigned long long i)
{
    unsigned long long z = stream * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (float)((long long)((z ^ (z >> 31)) >> 39) - (1 << 24)) * 0x1p-24f;
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
    for (int j = 0; j < width; j++)
        sum += weight(width, j) * tile[threadIdx.x + j];
    out[i] = sum;
}
