// A tile is filled and read, and what is read is thrown away; inputs come from global memory by atomics
// that change nothing, which are no loads.
// class: no-evidence
// only: conv_shared
// expect: shared-reuse=fail
// hint: shared-reuse: once a block
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

static __device__ void unused(const float *p)
{
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"((unsigned)__cvta_generic_to_shared(p)));
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float tile[BLOCK + MAX_WIDTH - 1];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;

    for (int j = threadIdx.x; j < BLOCK + width - 1; j += BLOCK)
        tile[j] = (float)j;
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < width; j++) {
        unused(&tile[threadIdx.x + j]);
        sum += weights[j] * __int_as_float(atomicOr((int *)&in[i + j], 0));
    }
    out[i] = sum;
}
