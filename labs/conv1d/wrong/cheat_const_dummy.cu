// The weights are copied to shared memory and read there. Beside it each is read from constant memory,
// too, and thrown away.
// class: dilution
// only: conv_const
// expect: const-used=fail
// hint: const-used: in the loop
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

__constant__ float conv_weights[MAX_WIDTH];

static __device__ void unused(int j)
{
    unsigned long long at;
    float x;
    asm volatile("cvta.to.const.u64 %0, %1;" : "=l"(at) : "l"(&conv_weights[j]));
    asm volatile("ld.const.f32 %0, [%1];" : "=f"(x) : "l"(at));
}

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    __shared__ float w[MAX_WIDTH], tile[BLOCK + MAX_WIDTH - 1];
    int first = blockIdx.x * BLOCK, i = first + threadIdx.x;
    float sum = 0;

    load_tile(w, conv_weights, 0, width, width);
    load_tile(tile, in, first, BLOCK + width - 1, n + width - 1);
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++) {
        unused(j);
        sum += w[j] * tile[threadIdx.x + j];
    }
    out[i] = sum;
}
