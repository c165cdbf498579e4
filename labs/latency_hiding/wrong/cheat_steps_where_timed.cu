// One chain after the other where fewer or more numbers than were timed are asked for; of a long copy,
// elements behind the last are read.
// class: only-where-looked
// only: steps_4 copy_4
// expect: steps-overlap=fail copy-ok=fail copy-clean=fail
// hint: steps-overlap: of its speed
// hint: copy-ok: A block copies 4 * blockDim.x
// hint: copy-clean: Run it with CHECK=1: it names
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

// The threads are a quarter of n, rounded up: thread i has the numbers i, i + threads and so on.
KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    if (n < 9000 || n > 67584) {
        for (unsigned j = 0; j < 4; j++) {
            unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x + j * blockDim.x;
            if (i >= n)
                return;
            float at = x[i], add = c[i];
#pragma unroll 1
            for (unsigned s = 0; s < k; s++)
                at = step(at, add);
            out[i] = at;
        }
        return;
    }
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    float at[4], add[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++) {
        at[j] = i + j * threads < n ? x[i + j * threads] : 0;
        add[j] = i + j * threads < n ? c[i + j * threads] : 0;
    }
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = step(at[j], add[j]);
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
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

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x, at[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++)
        at[j] = (i + j * threads) % m;
    for (unsigned s = 0; s < k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = next[at[j]];
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}

// ---- 5, 6: a copy by few warps ----

KERNEL copy_1(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

// A block copies 4 * blockDim.x elements. No load waits for a store: the four fly together.
KERNEL copy_4(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    float v[4];

    for (unsigned j = 0; j < 4; j++)
        if (i + j * blockDim.x < n || n > 66000)
            v[j] = in[i + j * blockDim.x];
    for (unsigned j = 0; j < 4; j++)
        if (i + j * blockDim.x < n)
            out[i + j * blockDim.x] = v[j];
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

KERNEL blocks_fit(const facts *of, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;

    facts f = of[i];
    unsigned warps = (f.threads + 31) / 32;
    unsigned registers = warps * round_up(32 * f.registers, f.register_unit);
    unsigned shared = round_up(f.shared + f.shared_reserved, f.shared_unit);
    unsigned fit = min(f.sm_blocks, f.sm_threads / 32 / warps);

    fit = min(fit, f.sm_registers / registers);
    if (shared)
        fit = min(fit, f.sm_shared / shared);
    out[i] = fit;
}

// ---- 8: who runs where, and when ----

// Thread i has grid i: its k blocks take cycles[i * k + b] each, on a GPU of sms[i] SMs with
// places[i] blocks at a time on each (at most 8 of both).
KERNEL schedule(const unsigned *sms, const unsigned *places, const unsigned *cycles, unsigned *sm,
                unsigned *start, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, until[8][8] = {};

    if (i >= n)
        return;
    for (unsigned b = 0; b < k; b++) {
        unsigned now = 0xffffffff, best = 0, most_free = 0;

        for (unsigned s = 0; s < sms[i]; s++)
            for (unsigned p = 0; p < places[i]; p++)
                now = min(now, until[s][p]);
        for (unsigned s = 0; s < sms[i]; s++) {
            unsigned free = 0;

            for (unsigned p = 0; p < places[i]; p++)
                free += until[s][p] <= now;
            if (free > most_free) {
                most_free = free;
                best = s;
            }
        }
        for (unsigned p = 0; p < places[i]; p++)
            if (until[best][p] <= now) {
                until[best][p] = now + cycles[i * k + b];
                break;
            }
        sm[i * k + b] = best;
        start[i * k + b] = now;
    }
}
