/* bulk.c - bulk copies (PTX ISA 9.7.9.25): cp.async.bulk and cp.reduce.async.bulk between global
 * memory and shared memory of a cluster's blocks; st.async and red.async, which bring an element.
 *
 * All take place at once, done by the lane that asks; groups of them have nothing to wait for.
 */
#include "bulk.h"
#include "mem.h"
#include "emulator/code/tensor_copy.h"
#include "emulator/exec/cluster.h"
#include "emulator/exec/disturb.h"
#include "emulator/exec/follow.h"

/* ---- places in a cluster ---- */
static bool is_there(struct warp *w, const struct insn *in, int lane, const struct block *b,
                     u64 rank)
{
    if (b && !b->done)
        return true;
    warp_fault(w, in, lane, cudaErrorIllegalAddress,
               b ? "shared memory of block %llu of the cluster, which has ended: a "
                   "barrier.cluster before its end lets others finish with it"
                 : "shared memory of block %llu of the cluster, which has fewer blocks",
               (unsigned long long)rank);
    return false;
}
bool spot_find(struct warp *w, const struct insn *in, int lane, u64 address, struct spot *s)
{
    u64 offset = address & ~MEM_WINDOW_MASK;
    s->at = offset & PEER_OFFSET;
    s->block = cluster_block(w->block, offset);
    return s->block == w->block || is_there(w, in, lane, s->block, (offset >> PEER_SHIFT) - 1);
}
bool spot_holds(struct warp *w, const struct insn *in, int lane, const struct spot *s, u32 n)
{
    u64 at[WARP];
    LANES at[i] = s->at;
    return access_shared(w, in, at, 1u << lane, s->at, s->at, n);
}
static void tell_chunks(struct warp *w, const struct insn *in, int lane, enum access_kind kind,
                        enum access_space space, u64 from, u32 n)
{
    struct insn one = *in;
    u64 at[WARP];
    one.flags |= F_ASYNC;
    for (u32 k = 0; k < n; k += CHUNK) {
        LANES at[i] = from + k;
        access_event(w, &one, kind, space, 1u << lane, n - k < CHUNK ? n - k : CHUNK, at, NULL);
    }
}
static void tell_peer(struct warp *w, const struct insn *in, int lane, enum access_kind kind,
                      const struct spot *s, u32 n)
{
    struct block *b = w->block;
    u64 at[WARP];
    struct access a = {.site = in->site,
                       .kind = kind,
                       .space = ACCESS_SHARED,
                       .warp = w->index,
                       .mask = 1u << lane,
                       .addr = at};
    for (u32 k = 0; k < n; k += CHUNK) {
        LANES at[i] = s->at + k;
        a.size = (u8)(n - k < CHUNK ? n - k : CHUNK);
        for (int j = 0; j < b->nlisteners; j++)
            if (b->listeners[j]->peer_write)
                b->listeners[j]->peer_write(b->listeners[j], &b->info, &s->block->info, &a);
    }
}
void spot_tell(struct warp *w, const struct insn *in, int lane, const struct spot *s, u32 n,
               enum access_kind kind)
{
    struct block *b = w->block;
    if (s->block == b && b->tell)
        tell_chunks(w, in, lane, kind, ACCESS_SHARED, s->at, n);
    if (s->block != b && kind != ACCESS_LOAD && b->nlisteners)
        tell_peer(w, in, lane, kind, s, n);
}
bool landing_find(struct warp *w, const struct insn *in, int lane, const struct landing_at *a,
                  struct landing *l)
{
    struct spot to, barrier;
    l->at = a->to & ~MEM_WINDOW_MASK & PEER_OFFSET;
    l->barrier = a->barrier & ~MEM_WINDOW_MASK & PEER_OFFSET;
    l->n = 0;
    for (u32 rest = a->multicast ? a->mask : 0; rest; rest &= rest - 1) {
        u64 rank = (u32)__builtin_ctz(rest);
        struct block *b = cluster_block(w->block, (rank + 1) << PEER_SHIFT);
        if (b != w->block && !is_there(w, in, lane, b, rank))
            return false;
        l->block[l->n++] = b;
    }
    if (a->multicast)
        return mbarrier_find(w, in, lane, l->barrier, &barrier);
    if (!spot_find(w, in, lane, a->to, &to) || !mbarrier_find(w, in, lane, a->barrier, &barrier))
        return false;
    l->block[l->n++] = to.block;
    if (to.block == barrier.block)
        return true;
    warp_fault(w, in, lane, cudaErrorIllegalAddress,
               "the mbarrier is in another block of the cluster than what the bytes go to");
    return false;
}
void landing_done(struct warp *w, const struct insn *in, int lane, const struct landing *l,
                  u32 bytes)
{
    for (u32 k = 0; k < l->n; k++)
        mbarrier_bytes(w, in, lane, &(struct spot){l->block[k], l->barrier}, bytes);
}

/* What only a launch with clusters executes, be they of one block: as on an H200. */
static bool has_cluster(struct warp *w, const struct insn *in)
{
    if (w->block->launch->clustered)
        return true;
    warp_fault(w, in, -1, cudaErrorIllegalInstruction,
               "%s needs a launch with clusters, which may be of one block: __cluster_dims__, or "
               "cudaLaunchAttributeClusterDimension",
               in->site->opcode);
    return false;
}

/* ---- bulk copies ---- */
struct job { /* of a lane */
    struct warp *w;
    const struct insn *in;
    const struct bulk_copy *copy;
    int lane;
    u32 n;            /* bytes */
    u64 to, from;     /* addresses, as the instruction has them */
    struct insn each; /* of a reduction: reduce_global() */
};
static bool aligned(const struct job *j)
{
    if (j->n % CHUNK == 0 && j->to % CHUNK == 0 && j->from % CHUNK == 0)
        return true;
    warp_fault(j->w, j->in, j->lane, cudaErrorMisalignedAddress,
               "bulk copy of %u bytes from 0x%llx to 0x%llx: all three must be multiples of 16",
               j->n, (unsigned long long)j->from, (unsigned long long)j->to);
    return false;
}
static u8 *global_side(struct job *j, u64 address, bool write)
{
    struct mem_cache c = {0};
    struct slot *s = &j->w->worker->slots[j->in->slot];
    if (!access_lookup(j->w, j->in, j->lane, address, j->n, write, &c))
        return NULL;
    s->requests++;
    s->units += (address + j->n + 31) / 32 - address / 32;
    s->bytes += j->n;
    if (j->w->block->tell)
        tell_chunks(j->w, j->in, j->lane, write ? ACCESS_STORE : ACCESS_LOAD, ACCESS_GLOBAL,
                    address, j->n);
    return (u8 *)((intptr_t)address + c.delta);
}
static u8 *own_side(struct job *j, u64 address)
{
    struct spot s;
    if (!spot_find(j->w, j->in, j->lane, address, &s) ||
        !spot_holds(j->w, j->in, j->lane, &s, j->n))
        return NULL;
    spot_tell(j->w, j->in, j->lane, &s, j->n, ACCESS_LOAD);
    return s.block->shared + s.at;
}
static void bring(const struct job *j, u8 *to, const u8 *from)
{
    u32 size = j->each.size;
    if (j->copy->reduction == M_none)
        memcpy(to, from, j->n);
    for (u32 k = 0; j->copy->reduction != M_none && k < j->n; k += size) {
        u64 v = 0;
        memcpy(&v, from + k, size);
        reduce_global(&j->each, to + k, v);
    }
}
/* Bytes that a launch wants disturbed. */
static void disturb(const struct job *j, u8 *at)
{
    struct insn load = *j->in;
    load.sub = SPACE_GLOBAL;
    for (u32 k = 0; k < j->n; k += 8) {
        u64 v;
        memcpy(&v, at + k, 8);
        v ^= disturb_bits(j->w, &load, j->lane, k, 8);
        memcpy(at + k, &v, 8);
    }
}
static bool load(struct job *j, const struct landing_at *a)
{
    struct warp *w = j->w;
    struct landing l;
    if (!landing_find(w, j->in, j->lane, a, &l) ||
        !spot_holds(w, j->in, j->lane, &(struct spot){w->block, l.at}, j->n))
        return false;
    struct slot *slot = &w->worker->slots[j->in->slot];
    u64 sectors = slot->units;
    const u8 *from = j->copy->from_shared ? own_side(j, j->from) : global_side(j, j->from, false);
    if (!from)
        return false;
    slot[0].extra += (slot->units - sectors) * l.n;
    for (u32 k = 0; k < l.n; k++) {
        struct spot s = {l.block[k], l.at};
        spot_tell(w, j->in, j->lane, &s, j->n, ACCESS_STORE);
        bring(j, s.block->shared + s.at, from);
        if (w->block->launch->disturb >> DISTURB_async & 1 || follow_again(w))
            disturb(j, s.block->shared + s.at);
        if (s.block->writers) /* who copies many words does it for others */
            writers_note(s.block, 0, s.at, j->n);
        if (s.block == w->block)
            flights_note(w, l.barrier, mbarrier_phase(&(struct spot){s.block, l.barrier}), s.at,
                         j->n, w->held ? follow_clock(w, j->in) : 0);
    }
    slot[0].requests += j->copy->from_shared;
    slot[1].extra += warp_floats(w, j->in) > 0;
    slot[1].bytes += (u64)j->n * l.n;
    landing_done(w, j->in, j->lane, &l, j->n);
    return true;
}
static bool store(struct job *j)
{
    struct warp *w = j->w;
    u8 *to = global_side(j, j->to, true);
    const u8 *from = to ? own_side(j, j->from) : NULL;
    if (!from)
        return false;
    bring(j, to, from);
    w->worker->slots[j->in->slot + 1].bytes += j->n;
    return true;
}
/* insn.places: to, from, bytes, mbarrier, mask of blocks */
HANDLER(cp_bulk)
{
    const struct bulk_copy *c = in->data;
    const u32 *p = in->places;
    struct job j = {.w = w, .in = in, .copy = c, .each = *in};
    if (c->to_shared && c->from_shared && !has_cluster(w, in))
        return NULL;
    j.each.sub = c->reduction;
    j.each.sub2 = c->type;
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        struct landing_at a = {.multicast = c->multicast};
        j.lane = __builtin_ctz(rest);
        j.to = lane_address(w, p[0], c->to.bytes, c->to.offset, j.lane);
        j.from = lane_address(w, p[1], c->from.bytes, c->from.offset, j.lane);
        j.n = ((const u32 *)place(w, p[2]))[j.lane];
        a.to = j.to;
        if (c->to_shared)
            a.barrier = lane_address(w, p[3], c->barrier.bytes, c->barrier.offset, j.lane);
        if (c->multicast)
            a.mask = ((const u16 *)place(w, p[4]))[j.lane];
        if (!aligned(&j) || !(c->to_shared ? load(&j, &a) : store(&j)))
            return NULL;
        w->worker->steps += j.n / 128;
    }
    return in + 1;
}

HANDLER(bulk_group)
{
    return group_copies(w, in);
}

/* st.async and red.async: an element, or a few, to a block's shared memory. insn.places: mbarrier,
 * values; .src[0]: to */
HANDLER(st_async)
{
    const struct bulk_copy *c = in->data;
    struct insn each = *in;
    u64 v[4][WARP];
    u32 n = (u32)in->size * in->count;
    if (!has_cluster(w, in))
        return NULL;
    w->worker->slots[in->slot].requests += w->mask != 0;
    each.sub = c->reduction;
    each.sub2 = c->type;
    for (u32 k = 0; k < in->count; k++)
        load_lanes(v[k], place(w, in->places[1 + k]), in->src_width, false);
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        struct landing_at a = {
            .to = lane_address(w, in->src[0], c->to.bytes, c->to.offset, i),
            .barrier = lane_address(w, in->places[0], c->barrier.bytes, c->barrier.offset, i)};
        struct landing l;
        if (!landing_find(w, in, i, &a, &l))
            return NULL;
        struct spot s = {l.block[0], l.at};
        if (s.at % n)
            return warp_fault(w, in, i, cudaErrorMisalignedAddress,
                              "%s: offset %llu of shared memory is no multiple of %u",
                              in->site->opcode, (unsigned long long)s.at, n);
        if (!spot_holds(w, in, i, &s, n))
            return NULL;
        spot_tell(w, in, i, &s, n, ACCESS_STORE);
        for (u32 k = 0; k < in->count; k++) {
            u8 *to = s.block->shared + s.at + (size_t)k * in->size;
            if (c->reduction == M_none)
                memcpy(to, &v[k][i], in->size);
            else
                reduce_global(&each, to, v[k][i]);
        }
        landing_done(w, in, i, &l, n);
    }
    return in + 1;
}
