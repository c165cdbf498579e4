// Right: largest and sum in one pass; a larger one scales what was added so far.
// only: softmax_block
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    __shared__ float most_of[BLOCK], sum_of[BLOCK];
    const float *x = in + blockIdx.x * n;
    unsigned tid = threadIdx.x;
    float most = -3e38f, sum = 0;

    for (unsigned i = tid; i < n; i += BLOCK) {
        float larger = fmaxf(most, x[i]);

        sum = sum * expf(most - larger) + expf(x[i] - larger);
        most = larger;
    }
    most_of[tid] = most;
    sum_of[tid] = sum;
    __syncthreads();
    for (unsigned left = BLOCK / 2; left > 0; left /= 2) {
        if (tid < left) {
            float larger = fmaxf(most_of[tid], most_of[tid + left]);

            sum_of[tid] = sum_of[tid] * expf(most_of[tid] - larger) +
                          sum_of[tid + left] * expf(most_of[tid + left] - larger);
            most_of[tid] = larger;
        }
        __syncthreads();
    }
    for (unsigned i = tid; i < n; i += BLOCK)
        out[blockIdx.x * n + i] = expf(x[i] - most_of[0]) / sum_of[0];
}
