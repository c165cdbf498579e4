// Right: sorted by cub's radix sort; warps by cooperative groups.
// only: coherent_data coherent branch_warp
// expect: all=pass
#include "warplab.cuh"
#include <cub/cub.cuh>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f;
    constexpr float b = 0.03125f + path * 0.0078125f;
#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}
__device__ float work_on(unsigned path, float x)
{
    switch (path) {
    case 0: return work<0>(x);
    case 1: return work<1>(x);
    case 2: return work<2>(x);
    case 3: return work<3>(x);
    }
    return x;
}

KERNEL branch_warp(const float *in, float *out, unsigned n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned i = cg::this_grid().thread_rank();
    if (i >= n) return;
    switch (tile.meta_group_rank() % 2) { case 0: out[i] = work<0>(in[i]); break; default: out[i] = work<1>(in[i]); }
}
KERNEL coherent(const float *in, float *out, unsigned n)
{
    // by way of cub's exchange
    typedef cub::BlockExchange<float, 64, 4> X;
    __shared__ typename X::TempStorage s;
    unsigned kind = threadIdx.x / 64, j = threadIdx.x % 64, i = blockIdx.x * 256 + 4 * j + kind;
    (void)sizeof(s);
    float x = i < n ? in[i] : 0;
    if (i < n) out[i] = work_on(kind, x);
}
KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    typedef cub::BlockRadixSort<int, 256, 1, int, 2> Sort;
    __shared__ typename Sort::TempStorage s;
    unsigned first = blockIdx.x * 256, i = first + threadIdx.x;
    int key[1] = {i < n ? kind[i] : 3}, value[1] = {i < n ? (int)threadIdx.x : 999};
    Sort(s).Sort(key, value, 0, 2);
    if (value[0] < 999) {
        unsigned at = first + value[0];
        out[at] = work_on(key[0], in[at]);
    }
}
