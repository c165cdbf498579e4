// Two lanes want each bank, beside reads of one word that nobody uses: of all wavefronts few are
// conflicts.
// class: dilution
// only: conv_multi
// expect: multi-banks=fail
// hint: multi-banks: stride
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128
#define V         6
#define TILE      (BLOCK * V)

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

static __device__ void unused(const float *p)
{
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"((unsigned)__cvta_generic_to_shared(p)));
}

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[TILE + MAX_WIDTH + 1];
    int first = blockIdx.x * TILE, i = first + threadIdx.x * V, j = 0;
    float *mine = tile + threadIdx.x * V;
    float sum[V] = {};

    load_tile(tile, in, first, TILE + width, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    float window[V];
    for (int o = 0; o < V - 1; o++)
        window[o] = mine[o];
    for (; j < width; j++) {
#pragma unroll
        for (int dummy = 0; dummy < 9; dummy++)
            if (threadIdx.x % 32 == 0)
                unused(tile);
        window[V - 1] = mine[V - 1 + j];
        for (int o = 0; o < V; o++)
            sum[o] += conv_weights[j] * window[o];
        for (int o = 0; o < V - 1; o++)
            window[o] = window[o + 1];
    }
    for (int o = 0; o < V && i + o < n; o++)
        out[i + o] = sum[o];
}
