// divergence.cu - what happens when the lanes of a warp want different code.
//
// branch_warp     every other warp takes the other branch: nobody waits
// branch_thread   every other thread does: each warp walks both branches
// paths           1, 2, 4, ... 32 different paths within a warp
// mixed           four kinds of work, dealt out like cards: i % 4
// coherent        the same results, but each warp has work of one kind only
// mixed_data      the kind of work is in the data
// coherent_data   the same results, sorted inside the block first
#include "warplab.cuh"

// ---- given: the work ----

// 256 dependent multiply-adds, with constants that differ from path to path. The compiler
// sees them as constants, so each path is code of its own.
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

// ---- 1, 2: one branch ----

KERNEL branch_warp(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        if (threadIdx.x / 32 % 2 == 0)
            out[i] = work<0>(in[i]);
        else
            out[i] = work<1>(in[i]);
    }
}

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        if (threadIdx.x % 2 == 0)
            out[i] = work<0>(in[i]);
        else
            out[i] = work<1>(in[i]);
    }
}

// ---- 3: more paths ----

KERNEL paths(const float *in, float *out, unsigned n, unsigned npaths)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = work_on(threadIdx.x % npaths, in[i]);
}

// ---- 4, 5: the kind of work follows from the place ----

KERNEL mixed(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = work_on(i % 4, in[i]);
}

// The block owns the same elements as in `mixed`, but deals them out differently: its first
// quarter of threads takes the elements of kind 0, the next those of kind 1, and so on.
KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned quarter = blockDim.x / 4;
    unsigned kind = threadIdx.x / quarter;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x % quarter * 4 + kind;

    if (i < n)
        out[i] = work_on(kind, in[i]);
}

// ---- 6, 7: the kind of work is in the data ----

KERNEL mixed_data(const float *in, const int *kind, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = work_on(kind[i], in[i]);
}

// A counting sort of the block's elements by kind, in shared memory. Each warp counts its
// kinds with ballots, 4 kinds of 8 warps; an exclusive scan of these 32 counts, kind by kind,
// says where each warp's elements of each kind begin. Thread t then works on the element in
// place t, so that only the warps diverge where one kind gives way to the next.
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
        return; // the whole block, or none of it
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
