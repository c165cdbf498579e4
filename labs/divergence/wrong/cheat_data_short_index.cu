// The order keeps elements' numbers in 16 bits: right up to 65,536 elements.
// class: only-where-looked
// only: coherent_data
// expect: data-ok=fail data-clean=fail
// hint: data-clean: global-race
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
    __shared__ unsigned size[4];
    __shared__ unsigned short list[4][256];
    unsigned tid = threadIdx.x, first = blockIdx.x * blockDim.x;

    if (tid < 4)
        size[tid] = 0;
    __syncthreads();
    if (first + tid < n) {
        unsigned k = kind[first + tid];

        list[k][atomicAdd(&size[k], 1)] = first + tid;
    }
    __syncthreads();
    for (unsigned k = 0, start = 0; k < 4; start += size[k++])
        if (tid - start < size[k]) {
            unsigned i = list[k][tid - start];

            out[i] = work_on(k, in[i]);
        }
}
