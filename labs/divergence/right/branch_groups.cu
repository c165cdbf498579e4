// Right: the two halves of a warp are groups, which a vote makes and which meet again.
// only: branch_thread
// expect: all=pass
#include "warplab.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f; // exact in binary
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        const bool odd = threadIdx.x & 1;
        const auto half = cg::binary_partition(cg::coalesced_threads(), odd);
        float x = in[i];

        if (odd)
            x = work<1>(x);
        else
            x = work<0>(x);
        half.sync();
        out[i] = x;
    }
}
