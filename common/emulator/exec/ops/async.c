/* async.c - cp.async, and addresses in a cluster.
 *
 * A cp.async takes place when its thread waits for it (wait_group, wait_all, an mbarrier's
 * arrival), not when it is issued, so that a kernel that forgets to wait reads what was
 * there before, as it may on a GPU. Copies are kept per warp, in order, with their lanes.
 */
#include "bulk.h"
#include "copies.h"
#include "emulator/exec/disturb.h"
#include "emulator/exec/follow.h"
#include "mma.h"
#include "emulator/base/mem.h"
#include <stdlib.h>

static struct async *async_of(struct warp *w, u32 room)
{
    struct async *x = w->async;
    u32 have = x ? x->capacity : 0, need = (x ? x->n : 0) + room;
    if (need > have || !x) {
        u32 capacity = need < 16 ? 16 : 2 * need;
        struct async *y = xrealloc(x, sizeof(*y) + capacity * sizeof(struct copy));
        if (!x)
            *y = (struct async){0};
        y->capacity = capacity;
        w->async = x = y;
    }
    return x;
}

/* cp.async.{ca,cg}.shared.global [dst], [src], size{, src-size} */
HANDLER(cp_async)
{
    struct async *x = async_of(w, 1);
    struct copy *c = &x->copies[x->n++];
    c->mask = w->mask;
    c->size = in->size;
    c->group = x->group;
    c->committed = false;
    c->since = w->block->launch->disturb ? warp_floats(w, in) : 0;
    c->clock = w->held ? follow_clock(w, in) : 0;
    c->again = follow_again(w);
    c->in = in;
    load_lanes(c->to, place(w, in->src[0]), in->flags & F_SHARED32 ? 4 : 8, false);
    load_lanes(c->from, place(w, in->src[1]), 8, false);
    u64 n[WARP];
    LANES n[i] = in->size;
    if (in->src[2] != NO_PLACE)
        load_lanes(n, place(w, in->src[2]), 4, false);
    const s64 *offsets = in->data;
    LANES
    {
        c->to[i] = (c->to[i] + (u64)offsets[0]) & ~MEM_WINDOW_MASK;
        c->from[i] += (u64)offsets[1];
        c->bytes[i] = n[i] < in->size ? (u32)n[i] : in->size;
    }
    return in + 1;
}

/* The lanes' bytes of the copy were in flight from its commit to now. */
static void count_flight(struct warp *w, const struct copy *c, u32 lanes, u64 now)
{
    u64 bytes = 0;
    for (int i = 0; i < WARP; i++)
        bytes += ON(lanes & c->mask, i) ? c->bytes[i] : 0;
    if (c->committed && now > c->since)
        w->worker->slots[c->in->slot].extra += bytes * (now - c->since);
}
/* Is what it brings disturbed, when it is waited for now? */
static bool is_disturbed(const struct warp *w, const struct copy *c, u64 now)
{
    const struct launch *l = w->block->launch;
    return l->disturb >> DISTURB_async & 1 || c->again ||
           (now && !follow_fetches(w) && follow_disturbs(l, c->clock, now));
}
/* now: what follow_clock() says, 0 where the copy does not take place at a wait. */
static bool perform(struct warp *w, struct copy *c, u32 lanes, u64 now)
{
    u32 was = w->mask, m = c->mask & lanes;
    bool ok = true, flips = is_disturbed(w, c, now);
    struct insn load = *c->in, store = *c->in;
    load.sub = SPACE_GLOBAL;
    store.sub = SPACE_SHARED;
    load.flags |= F_ASYNC;
    store.flags |= F_ASYNC;
    store.slot = c->in->slot + 1;
    u32 word = c->size < 8 ? c->size : 8;
    for (u32 k = 0; k < c->size && ok && m; k += word) {
        u64 v[WARP] = {0}, a[WARP];
        u32 reads = 0;
        for (int i = 0; i < WARP; i++)
            reads |= (u32)(ON(m, i) && c->bytes[i] > k) << i;
        LANES a[i] = c->from[i] + k;
        w->mask = reads;
        if (reads)
            ok = access_lanes(w, &load, a, word, false, v);
        for (int i = 0; i < WARP && ok; i++)
            if (ON(reads, i) && c->bytes[i] - k < word) /* the rest of the word is zeros */
                v[i] &= (1ull << 8 * (c->bytes[i] - k)) - 1;
        for (u32 on = flips ? reads : 0; on; on &= on - 1) {
            int i = __builtin_ctz(on);
            v[i] ^= disturb_bits(w, &load, i, k, word);
        }
        LANES a[i] = c->to[i] + k;
        w->mask = m;
        if (ok)
            ok = access_lanes(w, &store, a, word, true, v);
        for (int i = 0; i < WARP && ok && w->block->writers; i++)
            if (ON(m, i))
                writers_note(w->block, w->index * WARP + (u32)i + 1, a[i], word);
    }
    for (int i = 0; i < WARP && ok && now && follow_fetches(w); i++)
        if (ON(m, i)) /* who waits for it is told by w */
            flights_note(w, FLIGHT_HELD, 0, c->to[i], c->bytes[i], c->clock);
    w->mask = was;
    c->mask &= ~lanes;
    return ok;
}
void async_expect(struct warp *w, const struct insn *in, int lane, const struct spot *s)
{
    const struct async *x = w->async;
    u64 clock = w->held ? follow_clock(w, in) : 0;
    for (u32 k = 0; x && k < x->n; k++) {
        const struct copy *c = &x->copies[k];
        if (ON(c->mask, lane))
            flights_note(w, s->at, mbarrier_phase(s), c->to[lane], c->bytes[lane], clock);
    }
}
bool async_complete(struct warp *w, const struct insn *in, u32 group, u32 lanes, bool expected)
{
    struct async *x = w->async;
    if (!x)
        return true;
    u32 kept = 0;
    u64 now = warp_floats(w, in), clock = w->held ? follow_clock(w, in) : 0;
    bool ok = true;
    for (u32 k = 0; k < x->n; k++) {
        struct copy *c = &x->copies[k];
        if (ok && c->group < group) {
            count_flight(w, c, lanes, now);
            ok = perform(w, c, lanes, expected ? 0 : clock);
        }
        if (c->mask) {
            if (kept != k)
                x->copies[kept] = *c;
            kept++;
        }
    }
    w->used |= x->n > kept;
    x->n = kept;
    return ok;
}
HANDLER(cp_commit)
{
    struct async *x = async_of(w, 0);
    u64 now = warp_floats(w, in);
    for (u32 k = x->n; k-- > 0 && x->copies[k].group == x->group;) {
        x->copies[k].committed = true;
        x->copies[k].since = now;
        x->copies[k].clock = w->held ? follow_clock(w, in) : 0;
    }
    x->group++;
    return in + 1;
}
HANDLER(cp_wait) /* insn.imm: groups that may stay pending; -1: everything, committed or not */
{
    struct async *x = async_of(w, 0);
    x->wait.idle = x->wait.in && x->wait.group == x->group;
    x->wait.in = in;
    x->wait.mask = w->mask;
    x->wait.group = x->group;
    u32 group = in->imm < 0 ? UINT32_MAX : (u64)in->imm >= x->group ? 0 : x->group - (u32)in->imm;
    return async_complete(w, in, group, w->mask, false) ? in + 1 : NULL;
}

/* ---- clusters: cluster.c has the addresses and the barrier ---- */
HANDLER(mapa)
{
    u64 a[WARP], rank[WARP];
    const struct block *b = w->block;
    load_lanes(a, place(w, in->src[0]), in->src_width, false);
    load_lanes(rank, place(w, in->src[1]), 4, false);
    for (int i = 0; i < WARP; i++) { /* a rank that is not there: no address that is */
        u64 peer = rank[i] == b->rank ? 0 : rank[i] < 254 ? rank[i] + 1 : 255;
        a[i] = (a[i] & (MEM_WINDOW_MASK | PEER_OFFSET)) | peer << PEER_SHIFT;
    }
    store_lanes(place(w, in->dst), a, in->width, w->mask);
    return in + 1;
}
HANDLER(getctarank)
{
    u64 a[WARP];
    load_lanes(a, place(w, in->src[0]), in->src_width, false);
    for (int i = 0; i < WARP; i++) {
        u64 peer = (a[i] & ~MEM_WINDOW_MASK) >> PEER_SHIFT;
        a[i] = peer ? peer - 1 : w->block->rank;
    }
    store_lanes(place(w, in->dst), a, in->width, w->mask);
    return in + 1;
}
HANDLER(cluster_arrive)
{
    return warp_cluster_arrive(w, in);
}
HANDLER(cluster_wait)
{
    return warp_cluster_wait(w, in);
}
