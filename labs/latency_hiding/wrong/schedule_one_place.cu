// An SM takes a block only when it has none.
// only: schedule
// expect: schedule-ok=fail
// hint: schedule-ok: by hand
#include "warplab.cuh"

KERNEL schedule(const unsigned *sms, const unsigned *places, const unsigned *cycles, unsigned *sm,
                unsigned *start, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, until[8][8] = {};

    if (i >= n)
        return;
    for (unsigned b = 0; b < k; b++) {
        unsigned now = 0xffffffff, best = 0;

        for (unsigned s = 0; s < sms[i]; s++)
            if (until[s][0] < now) {
                now = until[s][0];
                best = s;
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
