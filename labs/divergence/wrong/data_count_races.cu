// Counts with ++ where threads meet: a lost update.
// only: coherent_data
// expect: data-ok=fail data-clean=fail data-lanes=blocked
// hint: data-ok: never written
// hint: data-clean: race in shared memory
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
    __shared__ unsigned next[4], order[1024];
    unsigned tid = threadIdx.x, first = blockIdx.x * blockDim.x;

    if (tid < 4)
        next[tid] = tid * 256;
    __syncthreads();
    if (first + tid < n)
        order[next[kind[first + tid]]++] = tid;
    __syncthreads();
    for (unsigned k = 0; k < 4; k++)
        if (k * 256 + tid < next[k])
            out[first + order[k * 256 + tid]] = work_on(k, in[first + order[k * 256 + tid]]);
}
