// Right: one row of places, SM by SM in turns, so that the first of the earliest is the answer
// wherever all SMs are equally free; the count of free ones decides the rest.
// only: schedule
// expect: all=pass
#include "warplab.cuh"

KERNEL schedule(const unsigned *sms, const unsigned *places, const unsigned *cycles, unsigned *sm,
                unsigned *start, unsigned n, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, until[64];

    if (i >= n)
        return;

    const unsigned m = sms[i], all = m * places[i];

    for (unsigned p = 0; p < all; p++)
        until[p] = 0;
    for (unsigned b = 0; b < k; b++) {
        unsigned now = until[0], busy[8], best = 0, slot = 0;

        for (unsigned p = 1; p < all; p++)
            now = min(now, until[p]);
        for (unsigned s = 0; s < m; s++)
            busy[s] = 0;
        for (unsigned p = 0; p < all; p++)
            busy[p % m] += until[p] > now;
        for (unsigned s = 1; s < m; s++)
            if (busy[s] < busy[best])
                best = s;
        for (slot = best; until[slot] > now; slot += m)
            ;
        until[slot] = now + cycles[i * k + b];
        sm[i * k + b] = best;
        start[i * k + b] = now;
    }
}
