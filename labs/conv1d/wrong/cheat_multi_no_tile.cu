// Inputs come from global memory, width times each; shared memory is read for nothing, without conflicts.
// class: no-evidence
// only: conv_multi
// expect: multi-reuse=fail multi-banks=fail multi-fast=fail
// hint: multi-reuse: global_ld_bytes
// hint: multi-banks: global_ld_bytes
// hint: multi-fast: global_ld_bytes, expected at most 4
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

__constant__ float conv_weights[MAX_WIDTH];

#define V 4

LAUNCH(conv_multi, BLOCK, 1, V);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[BLOCK];
    tile[threadIdx.x] = 0;
    volatile float *q = &tile[threadIdx.x];
    for (int v = 0; v < V; v++) {
        int i = blockIdx.x * BLOCK * V + v * BLOCK + threadIdx.x;
        float sum = 0;
        if (i < n)
            for (int j = 0; j < width; j++) {
                sum += conv_weights[j] * in[i + j];
                if (j % 16 == 0)
                    (void)*q;
            }
        if (i < n)
            out[i] = sum;
    }
}
