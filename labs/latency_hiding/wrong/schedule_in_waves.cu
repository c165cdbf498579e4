// All places are given out, then all wait for the slowest: no block takes the place of another.
// only: schedule
// expect: schedule-ok=fail
// hint: schedule-ok: by hand
#include "warplab.cuh"

KERNEL schedule(const unsigned *sms, const unsigned *places, const unsigned *cycles, unsigned *sm,
                unsigned *start, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, now = 0, until = 0;

    if (i >= n)
        return;

    unsigned wave = sms[i] * places[i];

    for (unsigned b = 0; b < k; b++) {
        if (b % wave == 0)
            now = until;
        sm[i * k + b] = b % wave % sms[i];
        start[i * k + b] = now;
        until = max(until, now + cycles[i * k + b]);
    }
}
