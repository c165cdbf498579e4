// A thread makes four outputs straight from global memory, a window of inputs in its registers; three of
// four threads leave. Shared memory holds the weights, and each is read for each output.
// class: elsewhere
// only: conv_shared
// expect: shared-reuse=fail
// hint: shared-reuse: once a block
#include "warplab.cuh"

#define MAX_WIDTH 255
#define BLOCK     128

// Copies `count` inputs from `first` on into shared memory; past the end there are zeros.
static __device__ void load_tile(float *tile, const float *in, int first, int count, int total)
{
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        tile[j] = first + j < total ? in[first + j] : 0;
}

// Four inputs from i on, a multiple of four; zero past the end.
static __device__ void load4(float x[4], const float *in, int i, int total)
{
    float4 v = {0, 0, 0, 0};

    if (i + 4 <= total)
        v = *reinterpret_cast<const float4 *>(&in[i]);
    x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
    for (int o = 0; o < 4 && i + 4 > total; o++)
        x[o] = i + o < total ? in[i + o] : 0;
}

LAUNCH(conv_shared, BLOCK, 1, 1);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    __shared__ float w[MAX_WIDTH];
    int i = blockIdx.x * BLOCK + threadIdx.x * 4, total = n + width - 1;
    float sum[4] = {}, x[8];

    load_tile(w, weights, 0, width, width);
    __syncthreads();
    if (threadIdx.x >= BLOCK / 4 || i >= n)
        return;
    load4(x, in, i, total);
    for (int j = 0; j < width; j += 4) {
        load4(x + 4, in, i + j + 4, total);
        for (int q = 0; q < 4 && j + q < width; q++)
            for (int o = 0; o < 4; o++)
                sum[o] += *(volatile float *)&w[j + q] * x[o + q];
        for (int o = 0; o < 4; o++)
            x[o] = x[o + 4];
    }
    for (int o = 0; o < 4 && i + o < n; o++)
        out[i + o] = sum[o];
}
