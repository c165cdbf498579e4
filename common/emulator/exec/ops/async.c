/* async.c - cp.async, mbarrier and clusters.
 *
 * A cp.async takes place when its thread waits for it (wait_group, wait_all, an mbarrier's
 * arrival), not when it is issued, so that a kernel that forgets to wait reads what was
 * there before, as it may on a GPU. Copies are kept per warp, in order, with their lanes.
 *
 * An mbarrier is 8 bytes of shared memory; opaque in the ISA (9.7.13.15), here
 *
 *   63      44 43        24 23      4 3     0
 *   | tx bytes | pending    | expected| phase |
 *
 * A bulk copy into shared memory takes place at once; where copies are disturbed by how long they
 * flew, bits are flipped when a warp has waited for its mbarrier (follow.h).
 *
 * Not modelled: mbarriers of other blocks of a cluster, other bulk copies.
 */
#include "emulator/exec/disturb.h"
#include "emulator/exec/follow.h"
#include "lanes.h"
#include "mma.h"
#include "emulator/base/mem.h"
#include <stdlib.h>

struct copy {
    u32 mask, size;
    u32 group; /* commit group it belongs to */
    const struct insn *in;
    u64 to[WARP], from[WARP];
    u32 bytes[WARP]; /* read from the source; the rest is zeros */
    bool committed;
    u64 since; /* warp_floats() at the commit; before it, where it matters, at the copy */
};
struct async { /* head of an allocation that holds the copies, too; freed by warp.c */
    u32 n, capacity;
    u32 group; /* being filled */
    struct copy copies[];
};

static struct async *async_of(struct warp *w, u32 room)
{
    struct async *x = w->async;
    u32 have = x ? x->capacity : 0, need = (x ? x->n : 0) + room;
    if (need > have || !x) {
        u32 capacity = need < 16 ? 16 : 2 * need;
        struct async *y = xrealloc(x, sizeof(*y) + capacity * sizeof(struct copy));
        if (!x)
            y->n = y->group = 0;
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
    return l->disturb >> DISTURB_async & 1 || (now && follow_disturbs(l, c->since, now));
}
/* now: what warp_floats() says, 0 where the copy does not take place at a wait. */
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
            if (ON(m, i)) /* who copies many words does it for others */
                writers_note(w->block, c->size > 16 ? 0 : w->index * WARP + (u32)i + 1, a[i], word);
    }
    w->mask = was;
    c->mask &= ~lanes;
    return ok;
}
/* What an mbarrier waits for; *b is its state before this lane's arrival. */
static void note_flight(struct warp *w, const struct copy *c, int lane, const u64 *b, u64 since)
{
    flights_note(w, (u64)((const u8 *)b - w->block->shared), (u32)*b & 15, c->to[lane],
                 c->bytes[lane], since);
}
/* Performs the copies of groups before `group` for these lanes, which wait for them at `in`; or an
 * mbarrier does, for that of the only one. */
static bool complete(struct warp *w, const struct insn *in, u32 group, u32 lanes, const u64 *b)
{
    struct async *x = w->async;
    if (!x)
        return true;
    u32 kept = 0;
    u64 now = warp_floats(w, in);
    bool ok = true;
    for (u32 k = 0; k < x->n; k++) {
        struct copy *c = &x->copies[k];
        if (ok && c->group < group) {
            count_flight(w, c, lanes, now);
            if (b && c->mask & lanes)
                note_flight(w, c, __builtin_ctz(lanes), b, now);
            ok = perform(w, c, lanes, b ? 0 : now);
        }
        if (c->mask) {
            if (kept != k)
                x->copies[kept] = *c;
            kept++;
        }
    }
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
    }
    x->group++;
    return in + 1;
}
HANDLER(cp_wait) /* insn.imm: groups that may stay pending; -1: everything, committed or not */
{
    struct async *x = async_of(w, 0);
    u32 group = in->imm < 0 ? UINT32_MAX : (u64)in->imm >= x->group ? 0 : x->group - (u32)in->imm;
    return complete(w, in, group, w->mask, NULL) ? in + 1 : NULL;
}

/* ---- mbarrier ---- */
#define FIELD(x, at) ((u32)((x) >> (at)&0xfffff))
static inline u64 make(u32 phase, u32 expected, u32 pending, u32 tx)
{
    return (u64)(tx & 0xfffff) << 44 | (u64)(pending & 0xfffff) << 24 |
           (u64)(expected & 0xfffff) << 4 | (phase & 15);
}
static u64 *mbarrier_at(struct warp *w, const struct insn *in, int lane)
{
    u64 a[WARP];
    if (in->src[0] == NO_PLACE)
        LANES a[i] = 0;
    else
        load_lanes(a, place(w, in->src[0]), in->flags & F_SHARED32 ? 4 : 8, false);
    u64 at = (a[lane] + (u64)in->imm) & ~MEM_WINDOW_MASK;
    if (at & 7 || at + 8 > w->block->launch->shared_bytes) {
        warp_fault(w, in, lane, at & 7 ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress,
                   "mbarrier at offset %llu of shared memory", (unsigned long long)at);
        return NULL;
    }
    return (u64 *)(w->block->shared + at);
}
/* n arrivals and tx bytes; a complete phase starts the next one */
static inline u64 arrive(u64 x, u32 n, s32 tx, bool drop)
{
    u32 phase = (u32)x & 15, expected = FIELD(x, 4), pending = FIELD(x, 24);
    u32 bytes = FIELD(x, 44) + (u32)tx;
    pending = n > pending ? 0 : pending - n;
    if (drop)
        expected = n > expected ? 0 : expected - n;
    if (pending == 0 && (bytes & 0xfffff) == 0) {
        phase++;
        pending = expected;
    }
    return make(phase, expected, pending, bytes);
}
/* Listeners see an mbarrier's arrivals as releasing stores, waits that succeed as acquiring
 * loads (the defaults, PTX ISA 9.7.13.15), the rest as relaxed. Once an object: order is by
 * warps. */
static void tell(struct warp *w, const struct insn *in, u32 lanes, const u64 *at)
{
    bool waits = in->sub == M_parity || in->sub == M_test_wait;
    bool arrives = in->sub == M_arrive || in->sub == M_noComplete || in->sub == M_arrive_drop ||
                   in->sub == M_mbarrier || (in->sub == M_expect_tx && in->count == 2);
    bool weak = in->sub == M_init || in->sub == M_inval;
    u8 scope = in->flags >> F_SCOPE_SHIFT & 7, order = waits ? 2 : arrives ? 4 : 1;
    struct block *b = w->block;
    struct access a = {
        .site = in->site,
        .kind = waits ? ACCESS_LOAD : ACCESS_STORE,
        .space = ACCESS_SHARED,
        .order = weak                    ? 0
                 : in->flags & F_RELAXED ? 1
                                         : order,
        .scope = scope ? scope : 1,
        .size = 8,
        .warp = w->index,
        .addr = at,
    };
    for (u32 left = lanes; left; left &= ~a.mask) {
        u32 same = 0, first = (u32)__builtin_ctz(left);
        LANES same |= (u32)(at[i] == at[first]) << i;
        a.mask = 1u << first;
        for (int k = 0; k < b->nlisteners; k++)
            if (b->listeners[k]->access)
                b->listeners[k]->access(b->listeners[k], &b->info, &a);
        a.mask = same & left;
    }
}
/* One lane's operation on the mbarrier *b: its state before to *r, whether its wait is over to
 * *over. False after a fault. */
static bool mbarrier_lane(struct warp *w, const struct insn *in, int lane, u64 *b, u64 arg, u64 *r,
                          bool *over)
{
    *r = *b;
    switch (in->sub) {
    case M_init:
        *b = make(0, (u32)arg, (u32)arg, 0);
        break;
    case M_inval:
        *b = 0;
        break;
    case M_arrive:
    case M_noComplete:
    case M_arrive_drop:
        *b = arrive(*b, (u32)arg, 0, in->sub == M_arrive_drop);
        break;
    case M_mbarrier: /* cp.async.mbarrier.arrive: after this thread's copies */
        if (!complete(w, in, UINT32_MAX, 1u << lane, b))
            return false;
        *b = in->count == 2 ? arrive(*b, 1, 0, false) : *b;
        break;
    case M_expect_tx: /* .count 2: arrive.expect_tx */
        *b = arrive(make((u32)*b & 15, FIELD(*b, 4), FIELD(*b, 24), FIELD(*b, 44) + (u32)arg),
                    in->count == 2 ? 1 : 0, 0, false);
        break;
    case M_complete_tx:
        *b = arrive(*b, 0, -(s32)arg, false);
        break;
    case M_parity:
        *over = (*b & 1) != (arg & 1);
        break;
    default: /* M_test_wait */
        *over = (*b & 15) != (arg & 15);
    }
    if (*over && w->block->flights)
        flights_land(w, in, (u64)((u8 *)b - w->block->shared), (u32)*b & 15);
    return true;
}
static const struct insn *pending_count(struct warp *w, const struct insn *in)
{
    u64 state[WARP];
    load_lanes(state, place(w, in->src[0]), 8, false);
    LANES state[i] = FIELD(state[i], 24);
    if (in->dst != NO_PLACE)
        store_lanes(place(w, in->dst), state, in->width, w->mask);
    return in + 1;
}
/* insn.sub: which operation; .src[1]: count, bytes, state or parity */
HANDLER(mbarrier)
{
    u64 arg[WARP], r[WARP] = {0}, at[WARP] = {0};
    u32 yes = 0;
    if (in->sub == M_pending_count)
        return pending_count(w, in);
    LANES arg[i] = 1;
    if (in->src[1] != NO_PLACE)
        load_lanes(arg, place(w, in->src[1]), in->src_width, false);
    for (int i = 0; i < WARP; i++) {
        if (!ON(w->mask, i))
            continue;
        u64 *b = mbarrier_at(w, in, i);
        bool over = false;
        if (!b || !mbarrier_lane(w, in, i, b, arg[i], &r[i], &over))
            return NULL;
        at[i] = (u64)((u8 *)b - w->block->shared);
        yes |= (u32)over << i;
    }
    bool waits = in->sub == M_parity || in->sub == M_test_wait;
    if (w->block->nlisteners)
        tell(w, in, waits ? yes & w->mask : w->mask, at);
    if (waits) {
        u32 *d = DST(u32);
        *d = (*d & ~w->mask) | (yes & w->mask);
        if (yes != w->mask)
            w->slice = 0; /* others may go on */
    } else if (in->dst != NO_PLACE) {
        store_lanes(place(w, in->dst), r, in->width, w->mask);
    }
    return in + 1;
}

/* The mbarrier that a bulk copy at `in` arrives at, its address in src[k], as an instruction of its
 * own; where the lanes' lie in at[]. */
static struct insn mbarrier_of(struct warp *w, const struct insn *in, u32 k, s64 offset, u64 *at)
{
    struct insn barrier = *in;
    barrier.sub = M_arrive;
    barrier.src[0] = in->src[k];
    barrier.imm = offset;
    barrier.flags = in->width == 4 ? F_SHARED32 : 0;
    load_lanes(at, place(w, in->src[k]), in->width, false);
    LANES at[i] = (at[i] + (u64)offset) & ~MEM_WINDOW_MASK;
    return barrier;
}
/* cp.async.bulk.shared.global.mbarrier [to], [from], bytes, [mbarrier]: done at once by the
 * lane that asks; its bytes leave the mbarrier's count as an arrival that others acquire. */
static bool bulk_lane(struct warp *w, const struct insn *in, const struct insn *barrier,
                      struct copy *c, int lane)
{
    u32 n = c->bytes[lane];
    if (n % 16 || c->to[lane] % 16 || c->from[lane] % 16) {
        warp_fault(w, in, lane, cudaErrorMisalignedAddress,
                   "bulk copy of %u bytes from 0x%llx to offset %llu of shared memory: all three "
                   "must be multiples of 16",
                   n, (unsigned long long)c->from[lane], (unsigned long long)c->to[lane]);
        return false;
    }
    c->mask = 1u << lane;
    c->size = n;
    u64 *b = mbarrier_at(w, barrier, lane);
    if (!b || !perform(w, c, 1u << lane, 0))
        return false;
    note_flight(w, c, lane, b, warp_floats(w, in));
    *b = arrive(*b, 0, -(s32)n, false);
    return true;
}
HANDLER(cp_bulk)
{
    const s64 *offsets = in->data;
    struct copy c = {.in = in};
    u64 n[WARP], at[WARP];
    struct insn barrier = mbarrier_of(w, in, 3, offsets[2], at);
    load_lanes(c.to, place(w, in->src[0]), in->flags & F_SHARED32 ? 4 : 8, false);
    load_lanes(c.from, place(w, in->src[1]), 8, false);
    load_lanes(n, place(w, in->src[2]), 4, false);
    LANES
    {
        c.to[i] = (c.to[i] + (u64)offsets[0]) & ~MEM_WINDOW_MASK;
        c.from[i] += (u64)offsets[1];
        c.bytes[i] = (u32)n[i];
    }
    for (u32 rest = w->mask; rest; rest &= rest - 1)
        if (!bulk_lane(w, in, &barrier, &c, __builtin_ctz(rest)))
            return NULL;
    if (w->block->nlisteners)
        tell(w, &barrier, w->mask, at);
    return in + 1;
}
/* The active lanes' mbarriers (their place in src[2]) hear of what tensor copies brought. */
const struct insn *bulk_done(struct warp *w, const struct insn *in, s64 offset, const u32 *bytes)
{
    u64 at[WARP];
    struct insn barrier = mbarrier_of(w, in, 2, offset, at);
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        u64 *b = mbarrier_at(w, &barrier, __builtin_ctz(rest));
        if (!b)
            return NULL;
        *b = arrive(*b, 0, -(s32)bytes[__builtin_ctz(rest)], false);
    }
    if (w->block->nlisteners)
        tell(w, &barrier, w->mask, at);
    return in + 1;
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
