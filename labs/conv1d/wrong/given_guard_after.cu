// The lecture's second kernel, its guard one input too late: the last block reads past the end.
// only: conv3_shared
// expect: given-conv3_shared=fail given-conv3_shared-clean=fail
// hint: given-conv3_shared-clean: leave it as it was
// hint: given-conv3_shared: illegal address: read of 4 bytes
// score: 0
#include "warplab.cuh"

#define BLOCK 128

LAUNCH(conv3_shared, BLOCK, 1, 1);
KERNEL conv3_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float support[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float result = 0;

    if (i <= n + 2)
        support[threadIdx.x] = in[i];
    if (threadIdx.x < 2 && i + BLOCK < n + 2)
        support[BLOCK + threadIdx.x] = in[i + BLOCK];
    __syncthreads();
    if (i >= n)
        return;
    for (int j = 0; j < 3; j++)
        result += support[threadIdx.x + j];
    out[i] = result / 3.f;
}
