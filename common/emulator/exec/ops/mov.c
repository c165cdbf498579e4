/* mov.c - special registers that change while a warp runs, and vectors of registers to and from
 * one. Plain moves are rows (code/rows.h). */
#include "lanes.h"
#include <time.h>

/* ---- special registers that change ---- */
#define CLOCKS_A_READ 4            /* by any warp of the worker */
#define LAUNCH_SHIFT  32           /* 2^32 ns a launch, where time is counted */
#define MOST_ROUNDS   (1ull << 28) /* about that many are passed over at once */

static void write_clock(struct warp *w, const struct insn *in, u64 v)
{
    u64 t[WARP];
    if (in->sub == SREG_CLOCK_HI || in->sub == SREG_GLOBALTIMER_HI)
        v >>= 32;
    LANES t[i] = v;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
}
/* Does the loop that `in` begins go on, for all lanes, after its round number `round` from here?
 * It is one that lower_spin.c found: trying leaves nothing behind that the next round uses. */
static bool goes_on(struct warp *w, const struct insn *in, u64 round)
{
    const struct insn *bra = in + in->sub2;
    write_clock(w, in, w->worker->clock + CLOCKS_A_READ * round);
    for (const struct insn *k = in + 1; k < bra; k++)
        k->fn(w, k);
    u32 p = *(const u32 *)place(w, bra->guard);
    return !(w->mask & (bra->guard_neg ? p : ~p));
}
/* How many rounds it goes on for, of those that are looked at. */
static u64 rounds_left(struct warp *w, const struct insn *in)
{
    u64 last = 0, step = 1;
    while (goes_on(w, in, last + step)) {
        last += step;
        step *= 2;
        if (step > MOST_ROUNDS)
            return last;
    }
    while (step /= 2)
        if (goes_on(w, in, last + step))
            last += step;
    return last;
}
/* Rounds that would change nothing but the clock are counted, not run, and no path is told of them.
 */
static void pass_rounds(struct warp *w, const struct insn *in)
{
    u64 left = rounds_left(w, in), rounds = left ? left - 1 : 0;
    if (!rounds)
        return;
    const struct insn *bra = in + in->sub2;
    const struct bblock *b = &w->cur->frame->func->blocks[bra->taken];
    struct block_count *c = &w->worker->counts[b->count];
    c->by_lanes[lane_group(w->mask)] += rounds;
    c->lanes += rounds * (u64)__builtin_popcount(w->mask);
    w->executed += rounds * b->ninsns;
    w->floats += rounds * b->nfloats;
    w->worker->slots[bra->slot].requests += rounds;
    w->worker->slots[bra->slot].extra += rounds;
    w->worker->clock += CLOCKS_A_READ * rounds;
}

static u64 wall_clock(void) /* ns */
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (u64)now.tv_sec * 1000000000ull + (u64)now.tv_nsec;
}
/* As deterministic as the clock, and later from launch to launch; ns */
static u64 counted_time(struct warp *w)
{
    return (w->block->launch->number << LAUNCH_SHIFT) + (w->worker->clock += CLOCKS_A_READ);
}
HANDLER(clock)
{
    if (in->sub == SREG_GLOBALTIMER || in->sub == SREG_GLOBALTIMER_LO ||
        in->sub == SREG_GLOBALTIMER_HI) {
        write_clock(w, in, w->block->launch->timeless ? counted_time(w) : wall_clock());
        return in + 1;
    }
    if (in->sub == SREG_CURRENT_GRAPH_EXEC) {
        write_clock(w, in, w->block->launch->graph);
        return in + 1;
    }
    if (in->sub2 && !w->block->launch->disturb)
        pass_rounds(w, in);
    write_clock(w, in, w->worker->clock += CLOCKS_A_READ); /* monotonic, and repeats itself */
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
