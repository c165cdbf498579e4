// Places along a list and numbers of steps in 16 bits, times of blocks too: right where lists, walks
// and grids are as short as in the public cases.
// class: only-where-looked
// only: steps_4 walk_4 schedule
// expect: steps-ok=fail walk-ok=fail walk-overlap=blocked schedule-ok=fail
// hint: steps-ok: hidden case
// hint: walk-ok: w-odd-long
// hint: schedule-ok: are wrong
#include "warplab.cuh"

__device__ float step(float x, float c)
{
    return __fmaf_rn(x, x, c);
}

KERNEL steps_4(const float *x, const float *c, float *out, unsigned n, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    float at[4], add[4];

    if (i >= threads)
        return;
    for (unsigned j = 0; j < 4; j++) {
        at[j] = i + j * threads < n ? x[i + j * threads] : 0;
        add[j] = i + j * threads < n ? c[i + j * threads] : 0;
    }
    for (unsigned s = 0; s < (unsigned short)k; s++)
        for (unsigned j = 0; j < 4; j++)
            at[j] = step(at[j], add[j]);
    for (unsigned j = 0; j < 4; j++)
        if (i + j * threads < n)
            out[i + j * threads] = at[j];
}

KERNEL walk_4(const unsigned *next, unsigned *out, unsigned n, unsigned m, unsigned k)
{
    unsigned threads = (n + 3) / 4, i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short at[4];

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

KERNEL schedule(const unsigned *sms, const unsigned *places, const unsigned *cycles, unsigned *sm,
                unsigned *start, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short until[8][8] = {};

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
