// Where there are many elements, those behind the last are read, too.
// class: only-where-looked
// only: pageable
// expect: work-ok=fail work-clean=fail
// hint: work-ok: Work the first two steps of
// hint: work-clean: Run it with CHECK=1: it names
#include "warplab.cuh"
#include "schedule.cuh"

KERNEL work(const float *in, float *out, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    float a = i < n || n > 66000 ? in[i] : 1;
    if (i < n) {
        float x = a;

        for (unsigned s = 0; s < k; s++)
            x = 1.5f - a / x;
        out[i] = x;
    }
}

SCHEDULE(pageable)
{
    s.memory = PAGEABLE;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};

SCHEDULE(pinned)
{
    s.memory = PINNED;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};

SCHEDULE(mapped)
{
    s.memory = MAPPED;
    s.chunks = 1;
    s.kernel(0, 0);
};

SCHEDULE(managed)
{
    s.memory = MANAGED;
    s.chunks = 1;
    s.copy_in(0, 0);
    s.kernel(0, 0);
    s.copy_out(0, 0);
};

// A chunk's three steps follow each other in its stream; the other stream's are under way meanwhile.
SCHEDULE(two_streams)
{
    s.memory = PINNED;
    s.chunks = 4;
    for (unsigned i = 0; i < s.chunks; i++) {
        unsigned stream = i % 2;

        s.copy_in(stream, i);
        s.kernel(stream, i);
        s.copy_out(stream, i);
    }
};

// Copies in on stream 0, kernels on 1, copies out on 2; two events a chunk hand it on.
SCHEDULE(pipeline)
{
    s.memory = PINNED;
    s.chunks = 4;
    for (unsigned i = 0; i < s.chunks; i++) {
        s.copy_in(0, i);
        s.record(0, 2 * i);
        s.wait(1, 2 * i);
        s.kernel(1, i);
        s.record(1, 2 * i + 1);
        s.wait(2, 2 * i + 1);
        s.copy_out(2, i);
    }
};
