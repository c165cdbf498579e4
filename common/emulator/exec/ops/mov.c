/* mov.c - special registers that change while a warp runs, and vectors of registers to and from
 * one. Plain moves are rows (code/rows.h). */
#include "lanes.h"
#include <time.h>

/* ---- special registers that change ---- */
HANDLER(clock)
{
    u64 t[WARP], v;
    struct timespec now;
    switch (in->sub) {
    case SREG_GLOBALTIMER:
    case SREG_GLOBALTIMER_LO:
    case SREG_GLOBALTIMER_HI:
        clock_gettime(CLOCK_REALTIME, &now);
        v = (u64)now.tv_sec * 1000000000ull + (u64)now.tv_nsec;
        if (in->sub == SREG_GLOBALTIMER_HI)
            v >>= 32;
        break;
    case SREG_CURRENT_GRAPH_EXEC:
        v = w->block->launch->graph;
        break;
    default: /* instructions issued by this worker, a cycle each: monotonic, repeatable */
        v = w->worker->clock += 4;
        if (in->sub == SREG_CLOCK_HI)
            v >>= 32;
    }
    LANES t[i] = v;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}

HANDLER(envreg) /* %envreg1/2: address of the cooperative grid's workspace */
{
    u32 *d = DST(u32);
    u64 v = w->block->launch->workspace;
    u32 x = in->sub == 2 ? (u32)v : in->sub == 1 ? (u32)(v >> 32) : 0;
    WRITE(u32, d, x);
    return in + 1;
}

/* mov {a,b,…}, c and mov c, {a,b,…}: insn.size is the width of one element */
HANDLER(pack)
{
    u64 r[WARP] = {0}, t[WARP];
    for (unsigned k = 0; k < in->count; k++) {
        if (in->places[k] == NO_PLACE)
            continue;
        load_lanes(t, place(w, in->places[k]), in->size < 2 ? 2 : in->size, false);
        u64 ones = in->size == 8 ? ~0ull : (1ull << 8 * in->size) - 1;
        LANES r[i] |= (t[i] & ones) << (8 * in->size * k & 63);
    }
    store_lanes(place(w, in->dst), r, in->width, w->mask);
    return in + 1;
}
HANDLER(unpack)
{
    u64 s[WARP], t[WARP];
    load_lanes(s, place(w, in->src[0]), in->src_width, false);
    u64 ones = in->size == 8 ? ~0ull : (1ull << 8 * in->size) - 1;
    for (unsigned k = 0; k < in->count; k++) {
        if (in->places[k] == NO_PLACE)
            continue;
        LANES t[i] = s[i] >> (8 * in->size * k & 63) & ones;
        store_lanes(place(w, in->places[k]), t, in->size < 2 ? 2 : in->size, w->mask);
    }
    return in + 1;
}
