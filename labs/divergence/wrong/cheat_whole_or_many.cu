// In order where all blocks are whole, and beyond 65,536 elements; as it comes at any other length.
// class: only-where-looked
// only: coherent coherent_data
// expect: place-lanes=fail data-lanes=fail
// hint: place-lanes: same remainder
// hint: data-lanes: flop_fp32_slots
#include "warplab.cuh"

template <unsigned path> __device__ float work(float x)
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
    unsigned quarter = blockDim.x / 4, kind = threadIdx.x / quarter;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x % quarter * 4 + kind;

    if (n % 256 && n < 65537) {
        i = blockIdx.x * blockDim.x + threadIdx.x;
        kind = i % 4;
    }
    if (i < n)
        out[i] = work_on(kind, in[i]);
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    constexpr unsigned warps = 8; // blocks have 256 threads
    __shared__ unsigned begin[4 * warps];
    __shared__ unsigned char order[32 * warps];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    unsigned first = blockIdx.x * blockDim.x;
    unsigned size = n - first < blockDim.x ? n - first : blockDim.x; // this block's elements
    unsigned mine = tid < size ? kind[first + tid] : 4, lower = 0;

    if (n <= first)
        return;
    if (n % 256 && n < 65537) {
        if (tid < size)
            out[first + tid] = work_on(mine, in[first + tid]);
        return;
    }
    for (unsigned k = 0; k < 4; k++) {
        unsigned lanes = __ballot_sync(0xffffffff, mine == k);

        if (lane == 0)
            begin[k * warps + warp] = __popc(lanes);
        lower = mine == k ? __popc(lanes & ((1u << lane) - 1)) : lower;
    }
    __syncthreads();
    if (warp == 0) {
        unsigned count = begin[lane], sum = count;

        for (unsigned d = 1; d < 32; d *= 2) {
            unsigned left = __shfl_up_sync(0xffffffff, sum, d);

            sum += lane < d ? 0 : left;
        }
        begin[lane] = sum - count;
    }
    __syncthreads();
    if (tid < size)
        order[begin[mine * warps + warp] + lower] = (unsigned char)tid;
    __syncthreads();
    if (tid < size) {
        unsigned i = first + order[tid];

        out[i] = work_on(kind[i], in[i]);
    }
}
