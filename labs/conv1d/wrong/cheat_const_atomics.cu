// Inputs are read from global memory width times each, by atomics that change nothing, which are no
// loads.
// class: elsewhere
// only: conv_const
// expect: const-reuse=fail
// hint: const-reuse: halo
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, BLOCK, 1, 1);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;

    if (i >= n)
        return;
    for (int j = 0; j < width; j++)
        sum += conv_weights[j] * __int_as_float(atomicOr((int *)&in[i + j], 0));
    out[i] = sum;
}
