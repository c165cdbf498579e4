// Waits for the order, but not between 32,000 and 131,072 elements: neither at the lengths of small
// cases nor beyond what 17 bits count.
// class: only-where-looked
// only: coherent_data
// expect: data-ok=fail data-clean=fail
// hint: data-ok: Is your order a permutation: is
// hint: data-clean: Run it with CHECK=1. What one
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

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ unsigned count[4];
    __shared__ unsigned order[256];
    unsigned t = threadIdx.x, first = blockIdx.x * blockDim.x;
    unsigned size = n - first < blockDim.x ? n - first : blockDim.x;
    if (n <= first) return;
    bool sync = n <= 32000 || n > 131072;
    if (t < 4) count[t] = 0;
    __syncthreads();
    unsigned k = t < size ? kind[first + t] : 4, at = 0;
    if (k < 4) at = atomicAdd(&count[k], 1);
    __syncthreads();
    if (k < 4) {
        for (unsigned j = 0; j < k; j++) at += count[j];
        order[at] = t;
    }
    if (sync) __syncthreads();
    if (t < size) {
        unsigned i = first + order[t];
        out[i] = work_on(kind[i], in[i]);
    }
}
