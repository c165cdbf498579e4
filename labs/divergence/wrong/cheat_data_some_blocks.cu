// Three blocks of four are put in order; operations that nobody needs raise the mean number of lanes.
// class: dilution
// only: coherent_data
// expect: data-lanes=fail
// hint: data-lanes: in order
#include "warplab.cuh"

template <unsigned path> __device__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f;
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll
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

// The element that this thread takes, when the block's are in the order of their keys.
template <class Key> __device__ unsigned in_order(Key key, unsigned n)
{
    __shared__ unsigned count[4], begin[4], order[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, place = 0;

    if (t < 4)
        count[t] = 0;
    __syncthreads();
    if (i < n)
        place = atomicAdd(&count[key(i)], 1);
    __syncthreads();
    if (t == 0)
        for (unsigned k = 0, sum = 0; k < 4; sum += count[k++])
            begin[k] = sum;
    __syncthreads();
    if (i < n)
        order[begin[key(i)] + place] = i;
    __syncthreads();
    return i < n ? order[t] : i;
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, idle = i;
    float x = 0;

    if (blockIdx.x % 4)
        i = in_order([=](unsigned j) { return kind[j]; }, n);
    if (i < n)
        x = work_on(kind[i], in[i]);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 100; k++)
        asm volatile("xor.b32 %0, %0, 5;" : "+r"(idle));
    if (i < n)
        out[i] = x;
}
