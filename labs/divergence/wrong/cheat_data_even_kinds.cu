// Knows that the kinds are drawn evenly: a block has never had more than 112 elements of one.
// class: known-inputs
// only: coherent_data
// expect: data-ok=fail
// hint: data-ok: permutation
#include "warplab.cuh"

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
    constexpr unsigned room = 112;
    __shared__ unsigned size[4], list[4][room];
    unsigned tid = threadIdx.x, first = blockIdx.x * blockDim.x;

    if (tid < 4)
        size[tid] = 0;
    __syncthreads();
    if (first + tid < n) {
        unsigned k = kind[first + tid], place = atomicAdd(&size[k], 1);

        if (place < room)
            list[k][place] = first + tid;
    }
    __syncthreads();
    for (unsigned k = 0, start = 0; k < 4; start += size[k++])
        if (tid - start < size[k] && tid - start < room) {
            unsigned i = list[k][tid - start];

            out[i] = work_on(k, in[i]);
        }
}
