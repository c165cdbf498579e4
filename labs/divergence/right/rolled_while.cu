// Right: a path's loop stays one, in while form; a branch by goto, conditions by bits; the order from ballots
// that each thread adds up for itself.
// only: branch_warp branch_thread coherent coherent_data
// expect: all=pass
#include "warplab.cuh"

template <unsigned path> __device__ float work(float x)
{
    const float a = 0.9921875f + path * 0.0001220703125f, b = 0.03125f + path * 0.0078125f;
    int left = 256;

#pragma unroll 1
    while (left--)
        x = __fmaf_rn(x, a, b);
    return x;
}

__device__ float of_kind(unsigned kind, float x)
{
    if (kind & 2)
        return kind & 1 ? work<3>(x) : work<2>(x);
    return kind & 1 ? work<1>(x) : work<0>(x);
}

KERNEL branch_warp(const float *in, float *out, unsigned n)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;

    while (i < n) {
        out[i] = of_kind(threadIdx.x >> 5 & 1, in[i]);
        i += (unsigned long long)gridDim.x * blockDim.x;
    }
}

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x;

    if (i >= n)
        goto end;
    x = in[i];
    if (threadIdx.x & 1)
        goto odd;
    out[i] = work<0>(x);
    goto end;
odd:
    out[i] = work<1>(x);
end:;
}

KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, kind = warp & 3;
    unsigned i = blockIdx.x * blockDim.x + (warp >> 2) * 128 + lane * 4 + kind;

    if (i < n)
        out[i] = of_kind(kind, in[i]);
}

KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    __shared__ unsigned count[4][8], place[256];
    unsigned tid = threadIdx.x, first = blockIdx.x * 256, i = first + tid;
    unsigned mine = i < n ? (unsigned)kind[i] : 4, k = 4, mask = 0, at = 0;

    while (k--) {
        unsigned lanes = __ballot_sync(~0u, mine == k);

        count[k][tid / 32] = __popc(lanes);
        if (mine == k)
            mask = lanes;
    }
    __syncthreads();
    if (mine < 4) {
        at = __popc(mask << (31 - tid % 32) << 1);
#pragma unroll 1
        for (unsigned j = 0; j < mine * 8 + tid / 32; j++)
            at += count[j / 8][j % 8];
        place[at] = i | mine << 30;
    }
    __syncthreads();
    if (i < n) {
        unsigned j = place[tid] & ~(3u << 30);

        out[j] = of_kind(place[tid] >> 30, in[j]);
    }
}
