/* mbarrier.c - mbarriers (PTX ISA 9.7.13.15; exec/mbarrier.h draws one).
 *
 * What bulk copies bring into shared memory is there at once; where copies are disturbed by how
 * long they flew, bits are flipped when a warp has waited for its mbarrier (follow.h).
 *
 * Not modelled: a count of bytes past 1048575 (an H200 ends the launch).
 */
#include "base/mix.h"
#include "bulk.h"
#include "emulator/base/mem.h"
#include "emulator/exec/follow.h"
#include "emulator/exec/mbarrier.h"

static inline u64 make(u32 phase, u32 expected, u32 pending, u32 tx)
{
    return (u64)(tx & 0xfffff) << 44 | (u64)(pending & 0xfffff) << 24 |
           (u64)(expected & 0xfffff) << 4 | (phase & 15);
}
bool mbarrier_find(struct warp *w, const struct insn *in, int lane, u64 address, struct spot *s)
{
    if (!spot_find(w, in, lane, address, s))
        return false;
    if (!(s->at & 7) && s->at + 8 <= w->block->launch->shared_bytes)
        return true;
    warp_fault(w, in, lane, s->at & 7 ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress,
               "mbarrier at offset %llu of shared memory", (unsigned long long)s->at);
    return false;
}
static u64 *state_of(const struct spot *s)
{
    return (u64 *)(s->block->shared + s->at);
}
u32 mbarrier_phase(const struct spot *s)
{
    return (u32)*state_of(s) & 15;
}
/* n arrivals and tx bytes; a complete phase starts the next one */
static inline u64 arrive(u64 x, u32 n, s32 tx, bool drop)
{
    u32 phase = (u32)x & 15, expected = MBARRIER_EXPECTED(x), pending = MBARRIER_PENDING(x);
    u32 bytes = (u32)(MBARRIER_BYTES(x) + tx);
    pending -= n < pending ? n : pending;
    if (drop)
        expected = n > expected ? 0 : expected - n;
    if (pending == 0 && (bytes & 0xfffff) == 0) {
        phase++;
        pending = expected;
    }
    return make(phase, expected, pending, bytes);
}

/* ---- what listeners hear ---- */
static bool waits(const struct insn *in)
{
    return in->sub == M_parity || in->sub == M_test_wait;
}
/* Arrivals are releasing stores to them, waits that succeed acquiring loads (the defaults), the
 * rest relaxed. */
static struct access access_of(const struct warp *w, const struct insn *in, bool bytes)
{
    bool arrives = bytes || in->sub == M_arrive || in->sub == M_noComplete ||
                   in->sub == M_arrive_drop || in->sub == M_mbarrier ||
                   (in->sub == M_expect_tx && in->count > 1);
    bool weak = !bytes && (in->sub == M_init || in->sub == M_inval);
    u8 scope = in->flags >> F_SCOPE_SHIFT & 7, order = arrives ? 4 : !bytes && waits(in) ? 2 : 1;
    return (struct access){
        .site = in->site,
        .kind = !bytes && waits(in) ? ACCESS_LOAD : ACCESS_STORE,
        .space = ACCESS_SHARED,
        .order = weak                    ? 0
                 : in->flags & F_RELAXED ? 1
                                         : order,
        .scope = scope ? scope : 1,
        .size = 8,
        .warp = w->index,
    };
}
/* Once an object: order is by warps. */
static void tell(struct warp *w, struct access *a, u32 lanes, const u64 *at)
{
    struct block *b = w->block;
    a->addr = at;
    for (u32 left = lanes; left; left &= ~a->mask) {
        u32 same = 0, first = (u32)__builtin_ctz(left);
        LANES same |= (u32)(at[i] == at[first]) << i;
        a->mask = 1u << first;
        for (int k = 0; k < b->nlisteners; k++)
            if (b->listeners[k]->access)
                b->listeners[k]->access(b->listeners[k], &b->info, a);
        a->mask = same & left;
    }
}
/* Of an mbarrier of another block. Its scope is no narrower than the cluster. */
static void tell_peer(struct warp *w, struct access *a, int lane, const struct spot *s)
{
    struct block *b = w->block;
    u64 at[WARP];
    LANES at[i] = s->at;
    a->addr = at;
    a->mask = 1u << lane;
    a->scope = a->scope < 2 ? 2 : a->scope;
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->peer_arrive)
            b->listeners[k]->peer_arrive(b->listeners[k], &b->info, &s->block->info, a);
}
void mbarrier_bytes(struct warp *w, const struct insn *in, int lane, const struct spot *s,
                    u32 bytes)
{
    u64 *b = state_of(s), at[WARP];
    struct access a = access_of(w, in, true);
    *b = arrive(*b, 0, -(s32)bytes, false);
    if (!w->block->nlisteners)
        return;
    LANES at[i] = s->at;
    if (s->block == w->block)
        tell(w, &a, 1u << lane, at);
    else
        tell_peer(w, &a, lane, s);
}

/* ---- what threads do ---- */
static void note_made(struct block *b, const struct site *site, u64 at)
{
    u32 n = b->mbarriers ? b->mbarriers->n : 0, k = 0;
    while (k < n && b->mbarriers->made[k].at != at)
        k++;
    if (!b->mbarriers || (k == n && n == b->mbarriers->capacity)) {
        u32 capacity = 2 * n + 16;
        b->mbarriers = xrealloc(b->mbarriers,
                                sizeof(*b->mbarriers) + capacity * sizeof(b->mbarriers->made[0]));
        b->mbarriers->capacity = capacity;
    }
    b->mbarriers->made[k] = (struct mbarrier_made){.at = at, .site = site};
    b->mbarriers->looked = n ? b->mbarriers->looked : 0;
    b->mbarriers->n = k == n ? n + 1 : n;
}
/* What is kept of it; NULL: it was not set up here. */
static struct mbarrier_made *made_at(struct block *b, u64 at)
{
    for (u32 k = 0; b->mbarriers && k < b->mbarriers->n; k++)
        if (b->mbarriers->made[k].at == at)
            return &b->mbarriers->made[k];
    return NULL;
}
/* Follows what w learns from the others by an operation that left the mbarrier in this phase. */
static void follow(struct warp *w, const struct insn *in, const struct spot *s, u32 before,
                   u32 after, bool over)
{
    struct mbarrier_made *m = made_at(s->block, s->at);
    w->used |= waits(in) && over;
    if (m && waits(in) && over)
        follow_hears(w, in, m->heard);
    else if (m && access_of(w, in, false).order == 4)
        follow_tells(w, in, s->at, before, &m->heard);
    if (over && w->block->flights)
        flights_land(w, in, s->at, after);
}
static u32 arrivals_of(const struct insn *in, u64 arg)
{
    bool by_number = in->sub == M_arrive || in->sub == M_noComplete || in->sub == M_arrive_drop;
    return by_number                                         ? (u32)arg
           : in->sub == M_expect_tx || in->sub == M_mbarrier ? in->count > 1
                                                             : 0;
}
/* Those of the lanes that have not arrived yet, at one mbarrier: they come as one. */
static u32 together(const struct insn *in, const u64 *at, const u64 *arg, u32 lanes)
{
    int first = __builtin_ctz(lanes);
    u32 n = 0;
    LANES n += ON(lanes, i) && at[i] == at[first] ? arrivals_of(in, arg[i]) : 0;
    return n;
}
/* Of an mbarrier of the block's own, more than are pending: an H200 ends the launch. */
static bool too_many(struct warp *w, const struct insn *in, int lane, const struct spot *s, u32 n)
{
    u64 x = *state_of(s);
    struct text t = {0};
    if (n <= MBARRIER_PENDING(x) || s->block != w->block)
        return false;
    mbarrier_describe(&t, s->block, s->at);
    if (MBARRIER_BYTES(x) > 0)
        text_addf(&t, "; its phase goes on for %d bytes that have not come", MBARRIER_BYTES(x));
    warp_fault(w, in, lane, cudaErrorLaunchFailure,
               "%u arrivals, where %u are pending, at the mbarrier at %s", n, MBARRIER_PENDING(x),
               text_str(&t));
    text_free(&t);
    return true;
}
/* One lane's operation on the mbarrier: its state before to *r, whether its wait is over to *over.
 */
static void operate(struct warp *w, const struct insn *in, int lane, const struct spot *s, u64 arg,
                    u64 *r, bool *over)
{
    u64 *b = state_of(s);
    *r = *b;
    switch (in->sub) {
    case M_init:
        *b = make(0, (u32)arg, (u32)arg, 0);
        note_made(s->block, in->site, s->at);
        break;
    case M_inval: /* an H200 leaves it as it is */
        break;
    case M_arrive:
    case M_noComplete:
    case M_arrive_drop:
        *b = arrive(*b, (u32)arg, 0, in->sub == M_arrive_drop);
        break;
    case M_mbarrier: /* cp.async.mbarrier.arrive: after this thread's copies */
        async_expect(w, in, lane, s);
        *b = in->count == 2 ? arrive(*b, 1, 0, false) : *b;
        break;
    case M_expect_tx: /* .count 2: arrive.expect_tx; 3: arrive_drop.expect_tx */
        *b = arrive(make((u32)*b & 15, MBARRIER_EXPECTED(*b), MBARRIER_PENDING(*b),
                         (u32)MBARRIER_BYTES(*b) + (u32)arg),
                    in->count > 1, 0, in->count == 3);
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
    if (w->held)
        follow(w, in, s, (u32)*r & 15, (u32)*b & 15, *over);
}
/* Arrivals and what is expected reach other blocks' mbarriers, the rest does not. */
static bool reaches_peers(const struct insn *in)
{
    return in->sub == M_arrive || in->sub == M_arrive_drop || in->sub == M_expect_tx ||
           in->sub == M_complete_tx;
}
static const struct insn *pending_count(struct warp *w, const struct insn *in)
{
    u64 state[WARP];
    load_lanes(state, place(w, in->src[0]), 8, false);
    LANES state[i] = MBARRIER_PENDING(state[i]);
    if (in->dst != NO_PLACE)
        store_lanes(place(w, in->dst), state, in->width, w->mask);
    return in + 1;
}
/* A limit on steps is there to end what takes too long (code/lower_cost.c). */
enum { LANES_A_STEP = 2 };
/* How often a phase of the block, the nth that is over, says that it is not: as often as the
 * slowest copy may need on a GPU, and more often than each warp looks who only hopes; mostly 0. The
 * first blocks have more such phases, and their first is one. */
enum { FIRST_BLOCKS = 4, LOOKS_A_WARP = 32, MOST_LOOKS = 1000 };
static u32 late_looks(const struct block *b, u64 at, u32 phase, u32 nth)
{
    u64 drawn = mix64(b->launch->turns ^ mix64((u64)b->index << 32 ^ at << 4 ^ phase));
    u64 of = (1 + b->index / FIRST_BLOCKS) * (1 + (u64)nth);
    return (drawn >> 16) % of ? 0
                              : LOOKS_A_WARP * b->nwarps + 1 + (u32)((drawn & 0xffff) % MOST_LOOKS);
}
/* Where stores are late, every second look at a phase that is over finds that it is not; of some
 * phases, so do all of many looks. */
static bool comes_late(struct warp *w, u64 at)
{
    struct block *b = w->block;
    const struct launch *l = b->launch;
    struct mbarrier_made *m = launch_late(l) ? made_at(b, at) : NULL;
    u32 phase = m ? mbarrier_phase(&(struct spot){b, at}) : 0;
    if (m && phase != m->phase) {
        m->phase = phase;
        m->looks = late_looks(b, at, phase, b->mbarriers->looked++);
    }
    if (m && m->looks) {
        m->looks--;
        w->cur->alone = 0; /* it needs nothing of other lanes, that they should go on without it */
        return true;
    }
    return launch_late(l) && mix64(l->turns ^ w->executed << 24 ^ at << 8 ^ w->index) & 1;
}
/* insn.sub: which operation; .src[1]: count, bytes, state or parity */
HANDLER(mbarrier)
{
    u64 arg[WARP], r[WARP] = {0}, at[WARP] = {0}, address[WARP] = {0};
    u32 yes = 0, own = 0;
    if (in->sub == M_pending_count)
        return pending_count(w, in);
    LANES arg[i] = 1;
    if (in->src[1] != NO_PLACE)
        load_lanes(arg, place(w, in->src[1]), in->src_width, false);
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        address[i] = lane_address(w, in->src[0], in->flags & F_SHARED32 ? 4 : 8, in->imm, i);
    }
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        struct spot s;
        bool over = false;
        if (!mbarrier_find(w, in, i, address[i], &s))
            return NULL;
        if (s.block != w->block && !reaches_peers(in))
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "the mbarrier is another block's: only arrivals, expect_tx and "
                              "complete_tx reach it");
        if (too_many(w, in, i, &s, together(in, address, arg, rest)))
            return NULL;
        operate(w, in, i, &s, arg[i], &r[i], &over);
        at[i] = s.at;
        own |= (u32)(s.block == w->block) << i;
        yes |= (u32)over << i;
        if (s.block != w->block) {
            struct access a = access_of(w, in, false);
            tell_peer(w, &a, i, &s);
        }
    }
    if (in->sub == M_mbarrier && !async_complete(w, in, UINT32_MAX, w->mask, true))
        return NULL;
    struct access a = access_of(w, in, false);
    bool late = yes && waits(in) && comes_late(w, at[__builtin_ctz(yes)]);
    yes = late ? 0 : yes;
    w->worker->steps += late ? 0 : (u32)__builtin_popcount(w->mask) / LANES_A_STEP;
    if (w->block->nlisteners)
        tell(w, &a, waits(in) ? yes : own, at);
    if (waits(in)) {
        u32 *d = DST(u32);
        *d = (*d & ~w->mask) | yes;
        if (yes != w->mask && !late) {
            w->unused += w->slice > 0 ? w->slice : 0;
            w->slice = 0; /* others may go on */
            w->waited = true;
            w->cur->waits = in;
            w->cur->mbarrier = at[__builtin_ctz(w->mask & ~yes)];
        }
    } else if (in->dst != NO_PLACE) {
        store_lanes(place(w, in->dst), r, in->width, w->mask);
    }
    return in + 1;
}
