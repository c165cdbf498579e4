// Right: the weights are brought to shared memory, too; inputs come 16 bytes at a time where they can.
// only: conv_shared
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

LAUNCH(conv_shared, 256, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ __align__(16) float tile[256 + 256];
    __shared__ float w[MAX_WIDTH];
    int first = blockIdx.x * 256, i = first + threadIdx.x, count = 256 + width - 1;
    int there = n + width - 1 - first < count ? n + width - 1 - first : count;
    float sum = 0;

    for (int j = threadIdx.x * 4; j + 3 < there; j += 256 * 4)
        *reinterpret_cast<float4 *>(&tile[j]) = *reinterpret_cast<const float4 *>(&in[first + j]);
    for (int j = there / 4 * 4 + threadIdx.x; j < there; j += 256)
        tile[j] = in[first + j];
    for (int j = threadIdx.x; j < width; j += 256)
        w[j] = weights[j];
    __syncthreads();
    for (int j = 0; j < width && i < n; j++)
        sum += tile[threadIdx.x + j] * w[j];
    if (i < n)
        out[i] = sum;
}
