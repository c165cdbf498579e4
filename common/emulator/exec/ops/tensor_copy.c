/* tensor_copy.c - copies of tiles, and of columns of an image's pixels (im2col), by a tensor map
 * (PTX ISA 9.7.9.27): cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, done at once by the
 * lane that asks.
 *
 * A tile's rows (of the innermost dimension) lie side by side in shared memory; swizzled ones as
 * far apart as the swizzle is wide, in chunks of 16 bytes, which go elsewhere by their address:
 * bits 7 and up change bits 4 and up. What lies outside of the tensor is read as zeros (or NaN),
 * and not written but for the rest of a chunk. A pixel's channels are a row; pixels follow each
 * other as tensor_map.h says, and are read as far away as the offsets say. All as an H200 does it
 * (cases/hopper_tensor.c, cases/hopper_maps.c).
 */
#include "bulk.h"
#include "mem.h"
#include "emulator/code/tensor_copy.h"
#include "emulator/exec/follow.h"
#include "emulator/exec/tensor_map.h"

_Static_assert(CHUNK == TENSOR_CHUNK, "swizzling moves what bulk copies move");
#define ROW_BYTES (TENSOR_BOX * 2 * TENSOR_CHUNK)
enum { TYPE_TF32 = 11, TYPE_TF32_FTZ }; /* CUtensorMapDataType */

struct tile {
    struct tensor_map map;
    const struct tensor_copy *copy;
    struct warp *w;
    const struct insn *in;
    struct insn each; /* of a reduction: reduce_global() */
    int lane;
    s64 at[TENSOR_RANK];
    u32 offset[TENSOR_SPACE];                  /* of an image */
    s64 next[TENSOR_RANK];                     /* the row that comes now, */
    s64 first[TENSOR_RANK], last[TENSOR_RANK]; /* between these, from which to which rows go */
    u64 shared;                                /* offset, in each block that a load goes to */
    struct landing landing;
    u32 element, unit, row, pitch; /* bytes; unit: of coordinate 0; pitch: in shared memory */
    struct mem_cache cache;
};

/* ---- the map ---- */
static bool read_map(struct tile *t, u64 at)
{
    struct warp *w = t->w;
    const struct launch *l = w->block->launch;
    const u8 *from;
    u64 offset = at & ~MEM_WINDOW_MASK;
    if ((at & MEM_WINDOW_MASK) == MEM_PARAM_BASE) {
        if (offset > l->param_bytes || l->param_bytes - offset < TENSOR_MAP_BYTES)
            return warp_fault(w, t->in, t->lane, cudaErrorIllegalAddress,
                              "the tensor map at offset %llu of the kernel's parameters ends "
                              "beyond them",
                              (unsigned long long)offset);
        from = l->params + offset;
    } else {
        struct mem_cache c = {0};
        if (!access_lookup(w, t->in, t->lane, at, TENSOR_MAP_BYTES, false, &c))
            return false;
        from = (const u8 *)((intptr_t)at + c.delta);
        tensor_map_event(w, t->in, at, false);
    }
    memcpy(&t->map, from, sizeof(t->map));
    /* a kernel may have written what it likes there */
    bool is_map = t->map.mark == TENSOR_MAP_MARK && tensor_map_known(&t->map) &&
                  tensor_map_fits(&t->map, l->profile->shared_per_block_optin);
    const char *why = !is_map ? "no tensor map is there: cuTensorMapEncodeTiled makes one"
                      : t->map.rank != t->copy->rank
                          ? "the tensor map has %u dimensions, the instruction another number"
                      : t->map.image != t->copy->image
                          ? "the tensor map is for copies of the other mode (.tile, .im2col)"
                          : NULL;
    if (why)
        warp_fault(w, t->in, t->lane, cudaErrorIllegalInstruction, why, t->map.rank);
    return !why;
}

/* ---- a row ---- */
/* Where its chunk k lies. */
static u64 chunk_at(const struct tile *t, u32 row, u32 k)
{
    static const u8 masks[4] = {0, 1, 3, 7};
    u64 a = t->shared + (u64)row * t->pitch + k * CHUNK;
    return a ^ (a >> 7 & masks[t->map.swizzle]) << 4;
}
/* NaN, of any type: what an H200 writes */
static void fill_row(const struct tile *t, u8 *to)
{
    for (u32 i = 0; i < t->row; i += 2)
        memcpy(to + i, t->map.fill_nan ? "\xf7\x7f" : "\0\0", 2);
}
/* Loads round f32 to tf32 where the map says so. */
static void round_row(const struct tile *t, u8 *row)
{
    bool rounds = t->map.type == TYPE_TF32 || t->map.type == TYPE_TF32_FTZ;
    for (u32 i = 0; i < t->row && rounds; i += 4) {
        u32 x;
        memcpy(&x, row + i, 4);
        if ((x & 0x7f800000) != 0x7f800000) /* to nearest */
            x = (x + 0xfff + (x >> 13 & 1)) & 0xffffe000;
        memcpy(row + i, &x, 4);
    }
}
/* Bytes [from, to) of a row that lie in the tensor, and where they do; none: from == to. sectors:
 * so many an H200 counts for the row of a load: whole, past the tensor's edge too, and as if it
 * were aligned where it lies outside of a further dimension (cases/counts_main.c). */
struct span {
    u32 from, to, sectors;
    u64 address;
};
static struct span inside(const struct tile *t, const s64 *at)
{
    const struct tensor_map *m = &t->map;
    s64 extent = (s64)m->last[0] + 1, box = t->row / t->unit;
    s64 lo = at[0] < 0 ? -at[0] : 0, hi = at[0] + box > extent ? extent - at[0] : box;
    struct span s = {.address = m->address};
    bool in_others = true;
    for (u32 d = 1; d < m->rank; d++) {
        in_others &= at[d] >= 0 && at[d] <= (s64)m->last[d];
        s.address += (u64)at[d] * m->stride[d - 1];
    }
    u64 start = s.address + (u64)at[0] * t->unit; /* modulo 2^64 where it is before the tensor */
    s.sectors = ((in_others ? (u32)start % 32 : 0) + t->row + 31) / 32;
    s.address += (u64)(at[0] + lo) * t->unit;
    bool in = in_others && lo < hi;
    s.from = in ? (u32)lo * t->unit : 0;
    s.to = in ? (u32)hi * t->unit : 0;
    if (t->copy->store) { /* whole chunks, though the last one may end outside */
        s.to = (s.to + CHUNK - 1) / CHUNK * CHUNK;
        s.to = s.to < t->row ? s.to : t->row;
    }
    return s;
}
static u8 *global_row(struct tile *t, const struct span *s)
{
    u32 n = s->to - s->from;
    struct mem_cache *c = &t->cache;
    if ((s->address < c->lo || s->address >= c->hi || c->hi - s->address < n) &&
        !access_lookup(t->w, t->in, t->lane, s->address, n, t->copy->store, c))
        return NULL;
    struct slot *slot = &t->w->worker->slots[t->in->slot];
    slot->units += (s->address + n - 1) / 32 - s->address / 32 + 1;
    slot->bytes += n;
    return (u8 *)((intptr_t)s->address + c->delta);
}
/* Listeners hear of a row's chunks, each as an access of the lane that asks. */
static void tell_shared(struct tile *t, struct block *b, u32 row)
{
    for (u32 k = 0; k < t->row / CHUNK; k++)
        spot_tell(t->w, t->in, t->lane, &(struct spot){b, chunk_at(t, row, k)}, CHUNK,
                  t->copy->store ? ACCESS_LOAD : ACCESS_STORE);
}
static void tell_global(struct tile *t, const struct span *s)
{
    struct insn one = *t->in;
    u64 a[WARP];
    one.flags |= F_ASYNC;
    for (u32 at = s->from; at < s->to; at += CHUNK) {
        u32 n = s->to - at < CHUNK ? s->to - at : CHUNK;
        LANES a[i] = s->address + at - s->from;
        access_event(t->w, &one, t->copy->store ? ACCESS_STORE : ACCESS_LOAD, ACCESS_GLOBAL,
                     1u << t->lane, n, a, NULL);
    }
}
static void land_row(struct tile *t, struct block *b, u32 row, const u8 *from)
{
    if (b->tell)
        tell_shared(t, b, row);
    for (u32 k = 0; k < t->row / CHUNK; k++)
        memcpy(b->shared + chunk_at(t, row, k), from + k * CHUNK, CHUNK);
}
static bool move_row(struct tile *t, u32 row, const s64 *at)
{
    u8 buffer[ROW_BYTES], *global = NULL;
    struct span s = inside(t, at);
    if (s.to > s.from && !(global = global_row(t, &s)))
        return false;
    if (t->w->block->tell)
        tell_global(t, &s);
    if (!t->copy->store) {
        t->w->worker->slots[t->in->slot].extra += (u64)s.sectors * t->landing.n;
        fill_row(t, buffer);
        if (global)
            memcpy(buffer + s.from, global, s.to - s.from);
        round_row(t, buffer);
        for (u32 k = 0; k < t->landing.n; k++)
            land_row(t, t->landing.block[k], row, buffer);
        return true;
    }
    if (t->w->block->tell)
        tell_shared(t, t->w->block, row);
    for (u32 k = 0; k < t->row / CHUNK; k++)
        memcpy(buffer + k * CHUNK, t->w->block->shared + chunk_at(t, row, k), CHUNK);
    for (u32 i = s.from; i < s.to && t->copy->reduction != M_none; i += t->element) {
        u64 v = 0;
        memcpy(&v, buffer + i, t->element);
        reduce_global(&t->each, global + i - s.from, v);
    }
    if (global && t->copy->reduction == M_none)
        memcpy(global, buffer + s.from, s.to - s.from);
    return true;
}

/* ---- a tile ---- */
/* Which reductions an H200 has, by the map's type: others are an illegal instruction there, or were
 * not tried. */
static bool reduces(struct tile *t)
{
    static const u8 types[TENSOR_TYPES] = {0,       0, PTX_U32,  PTX_S32, PTX_U64, PTX_S64, PTX_F16,
                                           PTX_F32, 0, PTX_BF16, PTX_F32, 0,       0};
    u8 type = types[t->map.type], op = t->copy->reduction;
    bool order = op == M_min || op == M_max, bits = op == M_and || op == M_or || op == M_xor;
    bool has = type == PTX_U32   ? true
               : type == PTX_S32 ? order || bits || op == M_add
               : type == PTX_U64 ? order || bits || op == M_add
               : type == PTX_S64 ? order
               : type == PTX_F32 ? op == M_add
                                 : type && (order || op == M_add);
    t->each = *t->in;
    t->each.sub = op;
    t->each.sub2 = type;
    t->each.size = (u8)t->element;
    return op == M_none || has;
}
static bool sound(struct tile *t, u32 rows)
{
    const char *why = NULL;
    for (u32 d = 0; d < t->map.rank; d++) {
        if (t->copy->store && (t->at[d] < 0 || t->first[d] < 0))
            why = "a store's coordinate is below 0";
        else if (t->map.last[d] == UINT32_MAX)
            why = "a dimension of 2^32 elements, or of none";
        else if (t->at[d] < t->first[d] || t->at[d] > t->last[d])
            why = "the first pixel is outside of what the map's corners leave of the image";
    }
    for (u32 k = 0; t->map.image && k + 2 < t->map.rank; k++)
        if (t->copy->store && t->map.high[k] > 0)
            why = "a store to an image goes over its edge";
    if (t->at[0] * t->unit % CHUNK)
        why = "the first coordinate is at no multiple of 16 bytes";
    if (!reduces(t))
        why = "there is no such reduction of the map's type";
    if (t->copy->reduction != M_none && ((u64)t->map.last[0] + 1) * t->unit % CHUNK)
        why = "a reduction of a tensor whose rows are no multiple of 16 bytes: not supported";
    if (why) {
        warp_fault(t->w, t->in, t->lane, cudaErrorIllegalInstruction, "tensor copy: %s", why);
        return false;
    }
    if (t->shared % 128) {
        warp_fault(t->w, t->in, t->lane, cudaErrorMisalignedAddress,
                   "tensor copy: offset %llu of shared memory is no multiple of 128",
                   (unsigned long long)t->shared);
        return false;
    }
    return spot_holds(t->w, t->in, t->lane, &(struct spot){t->w->block, t->shared},
                      rows * t->pitch);
}
/* Where in shared memory it is, or goes to. */
static bool find_shared(struct tile *t)
{
    const struct tensor_copy *c = t->copy;
    struct landing_at a = {.multicast = c->multicast};
    struct spot own;
    a.to = lane_address(t->w, t->in->src[0], c->shared.bytes, c->shared.offset, t->lane);
    t->shared = a.to & ~MEM_WINDOW_MASK & PEER_OFFSET;
    if (c->store)
        return spot_find(t->w, t->in, t->lane, a.to, &own);
    a.barrier = lane_address(t->w, t->in->src[2], c->barrier.bytes, c->barrier.offset, t->lane);
    if (c->multicast)
        a.mask = ((const u16 *)place(t->w, t->in->src[3]))[t->lane];
    return landing_find(t->w, t->in, t->lane, &a, &t->landing);
}
/* From which coordinates to which rows go: a tile's, or the part of an image that the map's corners
 * leave, and then that of the next one. */
static void set_bounds(struct tile *t)
{
    const struct tensor_map *m = &t->map;
    for (u32 d = 0; d < m->rank; d++) {
        bool one = m->image && d + 1u < m->rank; /* channels, or a slice */
        t->first[d] = t->next[d] = t->at[d];
        t->last[d] = one        ? t->at[d]
                     : m->image ? INT64_MAX
                                : t->at[d] + (s64)(tensor_box(m, d) - 1) * m->step[d];
    }
    for (u32 k = 0; m->image && k + 2 < m->rank; k++) {
        u32 d = tensor_space(m, k);
        t->first[d] = m->low[k];
        t->last[d] = (s64)m->last[d] + m->high[k];
    }
}
static void go_on(struct tile *t)
{
    for (u32 d = tensor_by_slices(&t->map) ? 0 : 1; d < t->map.rank; d++) {
        t->next[d] += t->map.step[d];
        if (t->next[d] <= t->last[d])
            return;
        t->next[d] = t->first[d];
    }
}
/* The block's own part of it is on its way, until somebody waits for it. */
static void flies(const struct tile *t, u32 bytes)
{
    const struct landing *l = &t->landing;
    for (u32 k = 0; k < l->n; k++)
        if (l->block[k] == t->w->block)
            flights_note(t->w, l->barrier, mbarrier_phase(&(struct spot){l->block[k], l->barrier}),
                         l->at, bytes, t->w->held ? follow_clock(t->w, t->in) : 0);
}
/* True when all of it is moved. */
static bool move_tile(struct tile *t, u64 map)
{
    const struct tensor_copy *c = t->copy;
    if (!read_map(t, map) || !find_shared(t))
        return false;
    t->element = tensor_type_bytes(t->map.type);
    t->unit = tensor_unit(&t->map);
    t->row = tensor_row(&t->map);
    t->pitch = tensor_pitch(&t->map);
    u32 rows = tensor_rows(&t->map), bytes = rows * t->row;
    set_bounds(t);
    if (!sound(t, rows))
        return false;
    for (u32 row = 0; row < rows; row++, go_on(t)) {
        s64 at[TENSOR_RANK];
        memcpy(at, t->next, sizeof(at));
        for (u32 k = 0; k + 2 < c->rank; k++)
            at[tensor_space(&t->map, k)] += t->offset[k];
        if (!move_row(t, row, at))
            return false;
    }
    t->w->worker->slots[t->in->slot].requests++;
    t->w->worker->slots[t->in->slot + 1].bytes += (u64)bytes * (c->store ? 1 : t->landing.n);
    t->w->worker->steps += bytes / 128;
    if (!c->store) {
        flies(t, rows * t->pitch);
        t->w->worker->slots[t->in->slot + 1].extra += warp_floats(t->w, t->in) > 0;
        landing_done(t->w, t->in, t->lane, &t->landing, bytes);
    }
    return true;
}
/* Those of an image's dimensions have 16, 8 or 5 bits. */
static u32 offset_of(const struct tensor_copy *c, u16 x)
{
    static const u16 masks[TENSOR_RANK + 1] = {[3] = 0xffff, [4] = 0xff, [5] = 0x1f};
    return x & masks[c->rank];
}
HANDLER(cp_tensor)
{
    const struct tensor_copy *c = in->data;
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        struct tile t = {.copy = c, .w = w, .in = in, .lane = lane};
        for (u32 d = 0; d < c->rank; d++)
            t.at[d] = ((const s32 *)place(w, in->places[d]))[lane];
        for (u32 k = 0; k + 2 < c->rank && c->image && !c->store; k++)
            t.offset[k] = offset_of(c, ((const u16 *)place(w, in->places[c->rank + k]))[lane]);
        if (!move_tile(&t, lane_address(w, in->src[1], c->at.bytes, c->at.offset, lane)))
            return NULL;
    }
    return in + 1;
}
