// divergence.cu - what happens when the lanes of a warp want different code. Yours to complete.
//
// Kernels 3, 4 and 6 are complete: run them, and compare. Write 1 and 2, the lecture's pair, and
// 5 and 7, whose results must be exactly those of 4 and 6; README.md of this folder says what each
// is about.
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

    // TODO 1: the threads of every other warp of a block, the first one among them, do work<0>,
    // those of the others work<1>; thread i has element i.
    if (i < n)
        out[i] = -1;
}

KERNEL branch_thread(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    // TODO 2: the same with every other thread: work<0> in threads 0, 2, 4, …, work<1> in the
    // others. Do not rearrange anything yet: this one is there to show what it costs.
    if (i < n)
        out[i] = -1;
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

// TODO 5: the same element must get the same work and the same place in out[], but nobody says
// that thread t must do element t. Deal the block's elements out so that the 32 threads of a
// warp all have the same kind. n need not be a multiple of anything; blockDim.x is 256.
KERNEL coherent(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = -1;
}

// ---- 6, 7: the kind of work is in the data ----

KERNEL mixed_data(const float *in, const int *kind, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = work_on(kind[i], in[i]);
}

// TODO 7: the kinds (0 to 3) are now in no order at all, so the block has to make one. Find
// out in shared memory which of its elements are of kind 0, which of kind 1, and so on; then
// let thread t take the element in place t of that order.
KERNEL coherent_data(const float *in, const int *kind, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = -1;
}
