// latency_hiding.cu - something else to do while one waits. Yours to complete.
//
// Kernels 1, 3 and 5 are complete: run them, and look how their times grow with the number of
// warps. Write 2, 4, 6, 7 and 8; README.md of this folder says what each is about.
//
// steps_1     k steps x = x * x + c for each of n numbers, a number a thread
// steps_4     the same, four numbers a thread, a step of each in turn
// walk_1      k steps along a list, a walk a thread
// walk_4      the same, four walks a thread
// copy_1      a copy, an element a thread
// copy_4      the same, four elements a thread, all loaded before one is stored
// blocks_fit  how many blocks of a kernel an SM can hold
// schedule    which of a grid's blocks runs on which SM, and from when on
#include "warplab.cuh"

// ---- 1, 2: a multiply-add waits for the one before ----

// One step. Rounded once, as the CPU does it: results must be the same to the last bit.
__device__ float step(float x, float c)
{
    return __fmaf_rn(x, x, c);
}

KERNEL steps_1(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float at = x[i], add = c[i];

        for (unsigned s = 0; s < k; s++)
            at = step(at, add);
        out[i] = at;
    }
}

// TODO 2: the same by a quarter of the threads. Thread i has the numbers i, i + threads,
// i + 2 * threads and i + 3 * threads, as far as there are so many. While one chain waits for
// its multiply-add, the other three have something to do.
KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned j = 0; j < 4; j++)
        if (i < threads && i + j * threads < n)
            out[i + j * threads] = -3;
}

// ---- 3, 4: a load waits for the one before ----

// Walk i starts at element i mod m; where it is after k steps is its result.
KERNEL walk_1(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        unsigned at = i % m;

        for (unsigned s = 0; s < k; s++)
            at = next[at];
        out[i] = at;
    }
}

// TODO 4: the same by a quarter of the threads, each with the walks i, i + threads, … as in 2.
// While one walk waits for its load, the others' are under way.
KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned j = 0; j < 4; j++)
        if (i < threads && i + j * threads < n)
            out[i + j * threads] = m;
}

// ---- 5, 6: a copy by few warps ----

KERNEL copy_1(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

// TODO 6: a block copies 4 * blockDim.x elements, four a thread. Neighbouring threads should
// load neighbouring elements, and no load should have to wait for a store.
KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x;

    for (unsigned j = 0; j < 4; j++)
        if (i + j * blockDim.x < n)
            out[i + j * blockDim.x] = -3;
}

// ---- 7: what fits ----

// What a kernel needs, and what an SM has.
struct facts {
    unsigned threads, registers, shared;    // a block's threads, a thread's registers, a block's bytes
    unsigned sm_threads, sm_blocks;         // at most so many at a time
    unsigned sm_registers, register_unit;   // a warp gets a multiple of so many
    unsigned sm_shared, shared_unit;        // bytes; a block gets a multiple of so many,
    unsigned shared_reserved;               // these for the system among them
};

__device__ unsigned round_up(unsigned x, unsigned unit)
{
    return (x + unit - 1) / unit * unit;
}

// TODO 7: how many blocks of kernel i can its SM hold at a time? 0 where there is no room for one.
KERNEL blocks_fit(const facts *of, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = 999;
}

// ---- 8: who runs where, and when ----

// Thread i has grid i: its k blocks take cycles[i * k + b] each, on a GPU of sms[i] SMs with
// places[i] blocks at a time on each (at most 8 of both).
//
// TODO 8: blocks are given out in their order, each to the place that becomes free first. Where
// several are free it goes to the SM with the most free places, and of those to the first.
KERNEL schedule(const unsigned *sms, const unsigned *places, const unsigned *cycles, unsigned *sm,
                unsigned *start, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    for (unsigned b = 0; b < k; b++) {
        sm[i * k + b] = 999;
        start[i * k + b] = 999;
    }
}
