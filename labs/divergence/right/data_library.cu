// The order by CUB's radix sort of a block, kinds as keys and threads as values.
// only: coherent_data
// expect: all=pass
#include "warplab.cuh"
#include <cub/block/block_radix_sort.cuh>

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f;
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

__device__ float work_on(unsigned kind, float x)
{
    switch (kind) {
    case 0: return work<0>(x);
    case 1: return work<1>(x);
    case 2: return work<2>(x);
    case 3: return work<3>(x);
    }
    return x;
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    typedef cub::BlockRadixSort<unsigned, 256, 1, unsigned> Sort;
    __shared__ typename Sort::TempStorage temp;
    unsigned first = blockIdx.x * blockDim.x, i = first + threadIdx.x;
    unsigned kinds[1] = {i < n ? kind[i] : 4u}, order[1] = {threadIdx.x};

    Sort(temp).Sort(kinds, order, 0, 3);
    if (kinds[0] < 4)
        out[first + order[0]] = work_on(kinds[0], in[first + order[0]]);
}
