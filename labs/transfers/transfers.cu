// transfers.cu - what it costs to bring data to the GPU, and how to hide it. Yours to complete.
//
// One kernel, and six schedules: what the host would do, written down as data. The compiler runs
// the body of a SCHEDULE and keeps the list of steps; the harness checks the list and carries it
// out. README.md of this folder says what each is about, schedule.cuh what a step is.
//
//   s.memory = PAGEABLE, PINNED, MAPPED or MANAGED     what memory of the host is used
//   s.chunks = 4                                       pieces, of as many elements each
//   s.copy_in(stream, chunk)                           the input, to the device
//   s.kernel(stream, chunk)                            work() on it
//   s.copy_out(stream, chunk)                          the results, back
//   s.record(stream, event), s.wait(stream, event)     order between streams
#include "warplab.cuh"
#include "schedule.cuh"

// TODO: out[i] is what comes of in[i] = a after k steps x = 1.5f - a / x, which begin at x = a.
// in, out and n are of one chunk. A thread has one element; the last block may have fewer.
KERNEL work(const float *in, float *out, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = -3;
}

// ---- 1: given. All of it in one piece, one step after the other, from ordinary memory ----
SCHEDULE(pageable)
{
    s.memory = PAGEABLE;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};

// ---- 2: the same from pinned memory ----
SCHEDULE(pinned)
{
    // TODO 2
};

// ---- 3: nothing is copied ----
SCHEDULE(mapped)
{
    // TODO 3
};

// ---- 4: managed memory, moved before it is touched ----
SCHEDULE(managed)
{
    // TODO 4
};

// ---- 5: in chunks over two streams ----
SCHEDULE(two_streams)
{
    // TODO 5
};

// ---- 6: a stream for copies in, one for kernels, one for copies out; events hand chunks on ----
SCHEDULE(pipeline)
{
    // TODO 6
};
