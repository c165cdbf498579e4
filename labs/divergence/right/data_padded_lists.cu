// Four lists, each begun by a warp of its own, so that no warp ever has two kinds.
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
    __shared__ unsigned size[4], list[4][256];
    unsigned tid = threadIdx.x, lane = tid % 32, first = blockIdx.x * blockDim.x;

    if (first >= n)
        return; // the whole block, before any barrier
    if (tid < 4)
        size[tid] = 0;
    __syncthreads();
    if (first + tid < n) {
        unsigned k = kind[first + tid];

        list[k][atomicAdd(&size[k], 1)] = first + tid;
    }
    __syncthreads();
    for (unsigned chunk = tid / 32, k = 0; k < 4; k++) { // chunks of 32, dealt out to 8 warps
        unsigned chunks = (size[k] + 31) / 32;

        for (; chunk < chunks; chunk += 8)
            if (chunk * 32 + lane < size[k]) {
                unsigned i = list[k][chunk * 32 + lane];

                out[i] = work_on(k, in[i]);
            }
        chunk -= chunks;
    }
}
