// No barrier between writing the order and following it.
// only: coherent_data
// expect: data-ok=fail data-clean=fail data-lanes=blocked
// hint: data-ok: launch failed
// hint: data-clean: barrier
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
    __shared__ unsigned count[4][32]; // of each kind, in each warp
    __shared__ unsigned short order[1024];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32, warps = blockDim.x / 32;
    unsigned first = blockIdx.x * blockDim.x;
    unsigned size = n - first < blockDim.x ? n - first : blockDim.x; // this block's elements
    unsigned mine = tid < size ? kind[first + tid] : 4;
    unsigned lower = 0, place = 0;

    for (unsigned k = 0; k < 4; k++) {
        unsigned lanes = __ballot_sync(0xffffffff, mine == k);

        if (lane == 0)
            count[k][warp] = __popc(lanes);
        if (mine == k)
            lower = __popc(lanes & ((1u << lane) - 1));
    }
    __syncthreads();
    if (tid < size) {
        for (unsigned k = 0; k <= mine; k++)
            for (unsigned w = 0; w < (k < mine ? warps : warp); w++)
                place += count[k][w];
        order[place + lower] = (unsigned short)tid;
    }
    if (tid < size) {
        unsigned i = first + order[tid];

        out[i] = work_on(kind[i], in[i]);
    }
}
