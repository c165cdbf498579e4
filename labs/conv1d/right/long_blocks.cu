// Right with the largest and the smallest block, weights from the last to the first, two sums.
// only: conv_shared conv_const conv_multi
// expect: all=pass
#include "warplab.cuh"

#define MAX_WIDTH 255

template <int N>
static __device__ void load_tile(float (&tile)[N], const float *in, int first, int total)
{
    for (int j = threadIdx.x; j < N; j += blockDim.x)
        tile[j] = first + j < total ? __ldg(&in[first + j]) : 0;
    __syncthreads();
}

template <typename Weight>
static __device__ float dot(const float *x, int width, Weight weight)
{
    float even = 0, odd = 0;
    int j = width - 1;
    for (; j > 0; j -= 2) {
        even += weight(j) * x[j];
        odd += weight(j - 1) * x[j - 1];
    }
    return j == 0 ? even + odd + weight(0) * x[0] : even + odd;
}

LAUNCH(conv_shared, 1024, 1, 1);
KERNEL conv_shared(const float *__restrict__ in, const float *__restrict__ weights,
                   float *__restrict__ out, int n, int width)
{
    __shared__ float tile[1024 + MAX_WIDTH - 1];
    long long i = (long long)blockIdx.x * 1024 + threadIdx.x;

    load_tile(tile, in, blockIdx.x * 1024, n + width - 1);
    if (i < n)
        out[i] = dot(tile + threadIdx.x, width, [=](int j) { return __ldg(&weights[j]); });
}

__constant__ float conv_weights[MAX_WIDTH];

LAUNCH(conv_const, 32, 1, 1);
KERNEL conv_const(const float *__restrict__ in, float *__restrict__ out, int n, int width)
{
    __shared__ float tile[32 + MAX_WIDTH - 1];
    long long i = (long long)blockIdx.x * 32 + threadIdx.x;

    for (int j = threadIdx.x; j < 32 + width - 1; j += 32)
        tile[j] = blockIdx.x * 32 + j < n + width - 1 ? in[blockIdx.x * 32 + j] : 0;
    __syncwarp(); // the block is a warp
    if (i < n)
        out[i] = dot(tile + threadIdx.x, width, [=](int j) { return conv_weights[j]; });
}

#define V 4

LAUNCH(conv_multi, 64, 1, V);
KERNEL conv_multi(const float *__restrict__ in, float *__restrict__ out, int n, int width)
{
    __shared__ __align__(16) float tile[64 * V + 2 * V + 252];
    int first = blockIdx.x * 64 * V, mine = threadIdx.x * V;
    float sum[V] = {}, x[2 * V];

    load_tile(tile, in, first, n + width - 1);
#pragma unroll
    for (int o = 0; o < V; o += 4)
        *reinterpret_cast<float4 *>(&x[o]) = *reinterpret_cast<float4 *>(&tile[mine + o]);
    for (int j = 0; j < width; j += V) {
#pragma unroll
        for (int o = 0; o < V; o += 4)
            *reinterpret_cast<float4 *>(&x[V + o]) =
                *reinterpret_cast<float4 *>(&tile[mine + j + V + o]);
#pragma unroll
        for (int w = 0; w < V; w++)
            if (j + w < width)
#pragma unroll
                for (int o = 0; o < V; o++)
                    sum[o] += conv_weights[j + w] * x[o + w];
#pragma unroll
        for (int o = 0; o < V; o++)
            x[o] = x[o + V];
    }
#pragma unroll
    for (int o = 0; o < V; o++)
        if (first + mine + o < n)
            out[first + mine + o] = sum[o];
}
