// Right: one template for both kernels, the weight a lambda; 64-bit indices, dynamic tiles, blocks of
// 192 and 320.
// only: conv_shared conv_const
// expect: all=pass
#include "warplab.cuh"
#include <cstdint>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__constant__ float conv_weights[255];
template <class Weight> static __device__ void convolve(const float *__restrict__ in, float *__restrict__ out, std::int64_t n, std::int64_t width, Weight weight)
{
    extern __shared__ float tile[];
    auto block = cg::this_thread_block();
    std::int64_t first = (std::int64_t)blockIdx.x * blockDim.x, i = first + threadIdx.x;
    for (std::int64_t j = threadIdx.x; j < blockDim.x + width - 1; j += blockDim.x)
        tile[j] = first + j < n + width - 1 ? __ldg(in + first + j) : 0.0f;
    block.sync();
    float sum = 0;
    for (std::int64_t j = 0; j < width; ++j) sum = __fmaf_rn(weight(j), tile[threadIdx.x + j], sum);
    if (i < n) out[i] = sum;
}
LAUNCH(conv_shared, 192, 1, 1, (192 + 254) * 4);
KERNEL conv_shared(const float *in, const float *weights, float *out, int n, int width)
{
    convolve(in, out, n, width, [=](std::int64_t j) { return weights[j]; });
}
LAUNCH(conv_const, 320, 1, 1, (320 + 254) * 4);
KERNEL conv_const(const float *in, float *out, int n, int width)
{
    convolve(in, out, n, width, [](std::int64_t j) { return conv_weights[j]; });
}
