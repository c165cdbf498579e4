// Right: both reductions by shuffles that leave the result in all lanes; __expf.
// only: softmax_block
// expect: all=pass
#include "warplab.cuh"

#define BLOCK 256

__device__ float of_block(float v, bool most)
{
    __shared__ float s[2][BLOCK / 32];

    for (unsigned d = 16; d > 0; d /= 2) {
        float other = __shfl_xor_sync(~0u, v, d);

        v = most ? fmaxf(v, other) : v + other;
    }
    if (threadIdx.x % 32 == 0)
        s[most][threadIdx.x / 32] = v;
    __syncthreads();
    v = s[most][threadIdx.x % 8];
    for (unsigned d = 4; d > 0; d /= 2) {
        float other = __shfl_xor_sync(~0u, v, d);

        v = most ? fmaxf(v, other) : v + other;
    }
    return v;
}

KERNEL softmax_block(const float *in, float *out, unsigned n)
{
    const float *x = in + blockIdx.x * n;
    float most = -1.0f / 0.0f, sum = 0;

    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        most = fmaxf(most, x[i]);
    most = of_block(most, true);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        sum += __expf(x[i] - most);
    sum = of_block(sum, false);
    for (unsigned i = threadIdx.x; i < n; i += BLOCK)
        out[blockIdx.x * n + i] = __expf(x[i] - most) / sum;
}
