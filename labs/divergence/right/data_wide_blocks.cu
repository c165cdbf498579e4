// One block in four works, on 1024 elements: longer runs of a kind, fewer warps with two.
// only: coherent_data
// expect: all=pass
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
    __shared__ unsigned size[4], order[1024];
    unsigned tid = threadIdx.x, first = blockIdx.x * 256;
    unsigned last = n - first < 1024 ? n : first + 1024;

    if (blockIdx.x % 4 || first >= n)
        return;
    if (tid < 4)
        size[tid] = 0;
    __syncthreads();
    for (unsigned i = first + tid; i < last; i += 256)
        atomicAdd(&size[kind[i]], 1);
    __syncthreads();
    if (tid == 0)
        for (unsigned k = 0, sum = 0; k < 4; k++) {
            unsigned own = size[k];

            size[k] = sum; // where the next of this kind goes
            sum += own;
        }
    __syncthreads();
    for (unsigned i = first + tid; i < last; i += 256)
        order[atomicAdd(&size[kind[i]], 1)] = i;
    __syncthreads();
    for (unsigned t = tid; t < last - first; t += 256)
        out[order[t]] = work_on(kind[order[t]], in[order[t]]);
}
