// All lanes get one input after the other, straight from global memory; it is the weights that slide by in
// shared memory.
// class: elsewhere
// only: conv_shared
// expect: shared-reuse=fail
// hint: shared-reuse: leave global memory once
#include "warplab.cuh"
LAUNCH(conv_shared, 128, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float w[32 + 255 + 40];
    int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32, i0 = i - lane,
        total = n + width - 1;
    for (int j = threadIdx.x; j < width + 72; j += 128)
        w[j] = j >= 32 && j < 32 + width ? weights[j - 32] : 0;
    __syncthreads();
    if (i0 >= n)
        return;
    float sum = 0;
    for (int j = 0; j < width + 31; j += 4) {
        float4 v = {0, 0, 0, 0};
        if (i0 + j + 3 < total)
            v = *(const float4 *)(in + i0 + j);
        else {
            if (i0 + j < total)
                v.x = in[i0 + j];
            if (i0 + j + 1 < total)
                v.y = in[i0 + j + 1];
            if (i0 + j + 2 < total)
                v.z = in[i0 + j + 2];
        }
        const float *p = w + 32 + j - lane;
        sum += v.x * p[0];
        sum += v.y * p[1];
        sum += v.z * p[2];
        sum += v.w * p[3];
    }
    if (i < n)
        out[i] = sum;
}
