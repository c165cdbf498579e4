// Each path is a function that stays one. Kinds are dealt out warp by warp; places in the order by
// atomics on the numbers where each kind begins, the kind beside the place.
// only: coherent coherent_data
#include "warplab.cuh"

template <unsigned path> __device__ __noinline__ float work(float x)
{
    constexpr float a = 0.9921875f + path * 0.0001220703125f; // exact in binary
    constexpr float b = 0.03125f + path * 0.0078125f;

#pragma unroll 8
    for (int i = 0; i < 256; i++)
        x = fmaf(x, a, b);
    return x;
}

// work<path>() for a path known only when the kernel runs.
__device__ float work_on(unsigned path, float x)
{
#define PATH(p) case p: return work<p>(x);
#define PATHS4(p) PATH(p) PATH(p + 1) PATH(p + 2) PATH(p + 3)
    switch (path) {
        PATHS4(0) PATHS4(4) PATHS4(8) PATHS4(12)
        PATHS4(16) PATHS4(20) PATHS4(24) PATHS4(28)
    }
    return x;
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned warp = threadIdx.x / 32, kind = warp % 4;
    unsigned i = blockIdx.x * 256 + (warp / 4 * 32 + threadIdx.x % 32) * 4 + kind;
    auto done = [=](float x) { return work_on(kind, x); };

    if (i < n)
        out[i] = done(in[i]);
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ unsigned begin[5], order[256];
    unsigned tid = threadIdx.x, first = blockIdx.x * 256;
    unsigned mine = first + tid < n ? kind[first + tid] : 4;

    if (tid < 5)
        begin[tid] = 0;
    __syncthreads();
    atomicAdd(&begin[mine], 1);
    __syncthreads();
    if (tid == 0) {
        unsigned sum = 0;

        for (unsigned k = 0; k < 5; k++) {
            unsigned count = begin[k];

            begin[k] = sum;
            sum += count;
        }
    }
    __syncthreads();
    order[atomicAdd(&begin[mine], 1)] = tid | mine << 16;
    __syncthreads();

    unsigned element = order[tid] & 0xffff, path = order[tid] >> 16;

    if (path < 4)
        out[first + element] = work_on(path, in[first + element]);
}
