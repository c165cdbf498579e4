// Every other lane has nothing to do, the others have two threads' outputs.
// class: no-evidence
// only: conv_multi
// expect: multi-reuse=fail multi-fast=fail multi-banks=fail
// hint: multi-fast: Per multiply-add
// hint: multi-reuse: Neighbouring outputs
// hint: multi-banks: shared_ld_wavefronts
#include "warplab.cuh"

__constant__ float conv_weights[255];

LAUNCH(conv_multi, 64, 1, 5);
KERNEL conv_multi(const float *in, float *out, int n, int width)
{
    __shared__ float tile[64 * 5 + 254];
    int first = blockIdx.x * 320;

    for (int j = threadIdx.x; j < 320 + width - 1; j += 64)
        tile[j] = first + j < n + width - 1 ? in[first + j] : 0;
    __syncthreads();
    if (threadIdx.x % 2)
        return;
    for (int h = 0; h < 2; h++) {
        int t = threadIdx.x + h;
        float s[5] = {}, x[5];

        for (int o = 0; o < 4; o++)
            x[o] = tile[5 * t + o];
        for (int j = 0; j < width; j++) {
            x[4] = tile[5 * t + j + 4];
#pragma unroll
            for (int o = 0; o < 5; o++)
                s[o] += conv_weights[j] * x[o];
#pragma unroll
            for (int o = 0; o < 4; o++)
                x[o] = x[o + 1];
        }
        for (int o = 0; o < 5; o++)
            if (first + 5 * t + o < n)
                out[first + 5 * t + o] = s[o];
    }
}
