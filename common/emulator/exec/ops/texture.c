/* texture.c - tex and tld4, suld, sust and sured, txq, suq and istypep, lane by lane, but for plain
 * fetches (texture_quick.c). What a fetch is made of is exec/texture.c's.
 */
#include "mem.h"
#include "half.h"
#include "texture_quick.h"

/* An object, and where its memory is on the host. */
struct object {
    u64 handle;
    const struct texture *t;
    intptr_t delta;
    bool short_of_memory; /* there is less than it says */
};
static bool find_object(struct warp *w, const struct insn *in, int lane, u64 handle, bool write,
                        struct object *o)
{
    if (o->t && o->handle == handle)
        return true;
    const struct texture_op *op = in->data;
    const struct texture *t = texture_find(handle);
    bool surface = op->op == OP_suld || op->op == OP_sust || op->op == OP_sured;
    if (!t || t->surface != surface)
        return warp_fault(w, in, lane, cudaErrorIllegalAddress,
                          "0x%llx is %s: cudaCreate%sObject makes one", (unsigned long long)handle,
                          !t           ? "no texture or surface object"
                          : t->surface ? "a surface object"
                                       : "a texture object",
                          surface ? "Surface" : "Texture");
    struct mem_cache *c = &w->worker->caches[in->slot];
    u64 now = atomic_load_explicit(&mem_generation, memory_order_relaxed);
    u64 bytes = t->rows && t->dims == 1 ? texel_bytes(t->format) : t->bytes;
    if (c->generation != now || t->base < c->lo || t->base + bytes > c->hi) {
        struct mem_cache fresh = {0};
        if (!access_lookup(w, in, lane, t->base, (u32)(bytes < UINT32_MAX ? bytes : UINT32_MAX),
                           write, &fresh))
            return false;
        fresh.generation = now;
        *c = fresh;
    }
    *o = (struct object){handle, t, c->delta, t->base + t->bytes > c->hi};
    return true;
}
/* Plain memory may be less than its object says: then it is the texel that has to be there. */
static bool find_texel(struct warp *w, const struct insn *in, int lane, const struct object *o,
                       const struct texture_fetch *f, intptr_t *delta)
{
    int32_t i = f->whole_at[0];
    *delta = o->delta;
    if (!o->short_of_memory || !f->whole || i < 0 || (u32)i >= o->t->level[0].width)
        return true;
    struct mem_cache there = {0};
    u32 bytes = texel_bytes(o->t->format);
    bool found = access_lookup(w, in, lane, o->t->base + (u64)i * bytes, bytes, false, &there);
    *delta = there.delta;
    return found;
}

/* ---- what a warp's lanes touched ---- */
static void touch(struct touched *all, const struct texture *t, int lane,
                  const struct texture_taps *taps)
{
    all->n[lane] = taps->n;
    for (u32 k = 0; k < taps->n; k++) {
        for (; all->rounds <= k; all->rounds++)
            all->mask[all->rounds] = 0;
        all->address[k][lane] = taps->address[k];
        all->mask[k] |= 1u << lane;
        all->sector[lane][k] = texture_sector(t, taps->address[k]);
    }
}
/* Different sectors that `lanes` lanes from `first` on touch: few. */
static u32 sectors_of(const struct touched *all, u32 mask, u32 first, u32 lanes)
{
    u64 seen[WARP * MOST_TAPS];
    u32 n = 0;
    for (u32 i = first; i < first + lanes; i++)
        for (u32 k = 0; ON(mask, i) && k < all->n[i]; k++) {
            u32 j = 0;
            while (j < n && seen[j] != all->sector[i][k])
                j++;
            seen[j] = all->sector[i][k];
            n += j == n;
        }
    return n;
}
/* A request is of so many lanes; `wide`: of 16-byte texels that are filtered, two lanes at a time,
 * each twice. As ncu counts on an H200 (count/COUNTERS.md). */
static void account(struct warp *w, const struct insn *in, const struct touched *all, u32 bytes,
                    enum access_kind kind, u32 lanes, bool wide)
{
    struct slot *s = &w->worker->slots[in->slot];
    u32 each = wide ? 2 : lanes;
    for (u32 i = 0; i < WARP; i += lanes)
        s->requests += (w->mask >> i & ((1u << lanes) - 1)) != 0;
    for (u32 i = 0; i < WARP; i += each)
        s->units += sectors_of(all, w->mask, i, each) * (wide ? 2 : 1);
    for (u32 k = 0; k < all->rounds; k++)
        s->bytes += (u64)__builtin_popcount(all->mask[k]) * bytes;
    for (u32 k = 0; w->block->tell && k < all->rounds; k++)
        if (all->mask[k])
            access_event(w, in, kind, ACCESS_GLOBAL, all->mask[k], bytes, all->address[k], NULL);
}

/* ---- tex, tld4 ---- */
static u16 half_bits(f32 x)
{
    return float_to_half((f64)x, 0);
}
static void load_words(struct warp *w, u32 p, u32 *to)
{
    if (p == NO_PLACE)
        memset(to, 0, WARP * 4);
    else
        memcpy(to, place(w, p), WARP * 4);
}
static void load_operands(struct warp *w, const struct texture_op *op, struct lanes *l)
{
    for (u32 d = 0; d < op->dims; d++) {
        load_words(w, op->at[d], l->at[d]);
        if (op->lod == LOD_GRADIENT) {
            load_words(w, op->dx[d], l->dx[d]);
            load_words(w, op->dy[d], l->dy[d]);
        }
    }
    load_words(w, op->layer, l->layer);
    load_words(w, op->lod_at, l->lod);
}
static void fetch_of(const struct texture_op *op, const struct lanes *l, int lane,
                     struct texture_fetch *f)
{
    *f = (struct texture_fetch){.whole = op->whole,
                                .cube = op->cube,
                                .layered = op->layered,
                                .gather = op->op == OP_tld4,
                                .dims = op->dims,
                                .detail = op->lod,
                                .component = op->component,
                                .layer = l->layer[lane],
                                .whole_lod = (s32)l->lod[lane]};
    memcpy(&f->lod, &l->lod[lane], 4);
    for (u32 d = 0; d < op->dims; d++) {
        f->whole_at[d] = (s32)l->at[d][lane];
        memcpy(&f->at[d], &l->at[d][lane], 4);
        if (op->lod == LOD_GRADIENT) {
            memcpy(&f->dx[d], &l->dx[d][lane], 4);
            memcpy(&f->dy[d], &l->dy[d][lane], 4);
        }
    }
}
static bool one_object(const u64 *handle, u32 mask)
{
    u64 first = handle[__builtin_ctz(mask)], differ = 0;
    LANES differ |= ON(mask, i) ? handle[i] ^ first : 0;
    return !differ;
}
/* Results become halves, those of f16x2 two to a word. */
static void to_halves(const struct texture_op *op, u32 mask, u64 result[4][WARP])
{
    for (u32 rest = mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        for (int k = 0; k < 4; k++)
            result[k][lane] = half_bits(f32_bits((u32)result[k][lane]));
        for (int k = 0; op->type == PTX_F16X2 && k < 2; k++)
            result[k][lane] = result[2 * k][lane] | result[2 * k + 1][lane] << 16;
    }
}
HANDLER(tex)
{
    const struct texture_op *op = in->data;
    const u64 *handle = SRC(u64, 0);
    u64 result[4][WARP];
    struct lanes l;
    struct object o = {0};
    struct touched all;
    u32 rest = w->mask;
    int first = __builtin_ctz(rest);
    all.rounds = 0;
    memset(all.n, 0, sizeof(all.n));
    load_operands(w, op, &l);
    if (!find_object(w, in, first, handle[first], false, &o))
        return NULL;
    if (!o.short_of_memory && texture_quick(o.t, op) && one_object(handle, rest))
        rest = texture_quick_fetch(o.t, op, o.delta, &l, rest, result, &all);
    for (; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        struct texture_fetch f;
        struct texture_taps taps;
        u32 v[4];
        if (!find_object(w, in, lane, handle[lane], false, &o))
            return NULL;
        fetch_of(op, &l, lane, &f);
        intptr_t delta;
        if (!find_texel(w, in, lane, &o, &f, &delta))
            return NULL;
        texture_fetch(o.t, &f, delta, v, &taps);
        touch(&all, o.t, lane, &taps);
        for (int k = 0; k < 4; k++)
            result[k][lane] = v[k];
    }
    if (op->type == PTX_F16 || op->type == PTX_F16X2)
        to_halves(op, w->mask, result);
    for (u32 k = 0; k < op->n; k++)
        if (op->value[k] != NO_PLACE)
            store_lanes(place(w, op->value[k]), result[k], op->width[k], w->mask);
    if (op->there != NO_PLACE)
        set_pred(w, op->there, w->mask); /* no array is sparse */
    u32 bytes = texel_bytes(o.t->format);
    account(w, in, &all, bytes, ACCESS_LOAD, o.t->rows && o.t->dims == 1 && bytes < 16 ? 8 : 4,
            bytes == 16 && o.t->linear && op->op == OP_tex && !op->whole);
    return in + 1;
}

/* ---- txq, suq, istypep ---- */
static u32 query(const struct texture_op *op, const struct texture *t)
{
    switch (op->what) {
    case M_texref:
        return t && !t->surface;
    case M_width:
        return t->level[0].width;
    case M_height:
        return t->dims > 1 ? t->level[0].height : t->layered ? t->layers : !t->surface && !t->rows;
    case M_depth:
        return t->dims > 2                 ? t->level[0].depth
               : t->surface && t->cube     ? t->layers
               : t->layered && t->dims > 1 ? t->layers / (t->cube ? 6 : 1)
                                           : 0;
    default:
        return 0;
    }
}
HANDLER(txq)
{
    const struct texture_op *op = in->data;
    const u64 *handle = SRC(u64, 0);
    u64 result[WARP];
    u32 bits = 0;
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        const struct texture *t = texture_find(handle[lane]);
        if (!t && op->op != OP_istypep)
            return warp_fault(w, in, lane, cudaErrorIllegalAddress,
                              "0x%llx is no texture or surface object",
                              (unsigned long long)handle[lane]);
        result[lane] = query(op, t);
        bits |= (u32)(result[lane] != 0) << lane;
    }
    if (op->value[0] != NO_PLACE && op->op == OP_istypep)
        set_pred(w, op->value[0], bits);
    else if (op->value[0] != NO_PLACE)
        store_lanes(place(w, op->value[0]), result, op->width[0], w->mask);
    return in + 1;
}

/* ---- surfaces ---- */
struct reach {
    u64 address;
    bool inside;
};
/* Where lane's element is; *fault: it is outside and that traps. */
static struct reach reach_of(const struct texture_op *op, const struct texture *t,
                             const struct lanes *l, int lane, u32 bytes)
{
    const struct texture_level *v = &t->level[0];
    u32 texel = texel_bytes(t->format);
    s64 x = (s32)l->at[0][lane],
        at[3] = {x, op->dims > 1 ? (s32)l->at[1][lane] : 0, op->dims > 2 ? (s32)l->at[2][lane] : 0};
    s64 size[3] = {(s64)(v->pitch / bytes), v->height, t->dims > 2 ? v->depth : 1};
    struct reach r = {.inside = true};
    if (op->layered)
        at[2] = (s32)l->layer[lane], size[2] = v->depth;
    if (op->formatted)
        size[0] = v->width, bytes = texel;
    else
        at[0] = x >= 0 ? x / bytes : -((-x + bytes - 1) / bytes);
    if (op->layered && at[2] < 0) /* a layer has no sign */
        at[2] = UINT32_MAX;
    for (int d = 0; d < 3; d++) {
        bool in = at[d] >= 0 && at[d] < size[d];
        r.inside &= in || op->outside == M_clamp;
        at[d] = at[d] < 0 ? 0 : at[d] >= size[d] ? size[d] - 1 : at[d];
    }
    r.address = v->address + (u64)at[0] * bytes + (u64)at[1] * v->pitch + (u64)at[2] * v->slice;
    return r;
}
static void reduce(const struct insn *in, const struct texture_op *op, const struct texture *t,
                   u8 *p, u64 value)
{
    struct insn each = *in;
    each.sub = op->what;
    each.size = op->bits / 8;
    each.sub2 = op->type;
    if (op->formatted) /* as the texels are */
        each.sub2 = t->format.kind == TEXEL_SIGNED ? (op->bits == 64 ? PTX_S64 : PTX_S32)
                                                   : (op->bits == 64 ? PTX_U64 : PTX_U32);
    reduce_global(&each, p, value);
}
/* sust.p: 32-bit values become the texel's channels, the nearest that there are: floats are cut. */
static u32 narrowed(const struct texture *t, u32 x)
{
    u32 bits = t->format.bits;
    if (bits == 32)
        return x;
    if (t->format.kind == TEXEL_FLOAT && (x & 0x7fffffff) > 0x7f800000)
        return (x >> 16 & 0x8000) | 0x7c00 | (x >> 13 & 0x3ff);
    if (t->format.kind == TEXEL_FLOAT)
        return float_to_half((f64)f32_bits(x), 1u << F_ROUND_SHIFT);
    s32 most = (s32)(1u << (bits - 1)) - 1;
    if (t->format.kind == TEXEL_SIGNED)
        return (u32)((s32)x > most ? most : (s32)x < -most - 1 ? -most - 1 : (s32)x);
    return x >> bits ? (1u << bits) - 1 : x;
}
static void put_formatted(const struct texture *t, u8 *p, const u64 *v, u32 n)
{
    u32 each = t->format.bits / 8;
    for (u32 k = 0; k < t->format.channels && k < n; k++) {
        u32 x = narrowed(t, (u32)v[k]);
        memcpy(p + k * each, &x, each);
    }
}
HANDLER(surface)
{
    const struct texture_op *op = in->data;
    const u64 *handle = SRC(u64, 0);
    u64 value[4][WARP];
    u32 element = op->bits / 8, bytes = element * op->n;
    bool load = op->op == OP_suld;
    struct lanes l;
    struct object o = {0};
    struct touched all;
    all.rounds = 0;
    memset(all.n, 0, sizeof(all.n));
    load_operands(w, op, &l);
    for (u32 k = 0; k < op->n; k++)
        if (load || op->value[k] == NO_PLACE)
            memset(value[k], 0, sizeof(value[k]));
        else
            load_lanes(value[k], place(w, op->value[k]), op->width[k], false);
    for (u32 rest = w->mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (!find_object(w, in, lane, handle[lane], !load, &o))
            return NULL;
        struct reach r = reach_of(op, o.t, &l, lane, bytes);
        if (!r.inside && op->outside == M_trap)
            return warp_fault(
                w, in, lane, cudaErrorIllegalAddress,
                "%s outside of the surface, at %s %d, row %d, of %u x %u texels of %u "
                "bytes (boundary mode trap)",
                load ? "read" : "write", op->formatted ? "texel" : "byte", (s32)l.at[0][lane],
                op->dims > 1 ? (s32)l.at[1][lane] : 0, o.t->level[0].width, o.t->level[0].height,
                texel_bytes(o.t->format));
        if (!op->formatted && (s32)l.at[0][lane] % (s32)bytes)
            return warp_fault(w, in, lane, cudaErrorMisalignedAddress,
                              "misaligned address: byte %d of a surface's row is no multiple of %u",
                              (s32)l.at[0][lane], bytes);
        if (!r.inside)
            continue;
        u8 *p = (u8 *)((intptr_t)r.address + o.delta);
        struct texture_taps taps = {1, {r.address}};
        touch(&all, o.t, lane, &taps);
        u64 v[4] = {value[0][lane], op->n > 1 ? value[1][lane] : 0, op->n > 2 ? value[2][lane] : 0,
                    op->n > 3 ? value[3][lane] : 0};
        if (op->op == OP_sured)
            reduce(in, op, o.t, p, v[0]);
        else if (op->formatted)
            put_formatted(o.t, p, v, op->n);
        else
            for (u32 k = 0; k < op->n; k++)
                if (load)
                    memcpy(&value[k][lane], p + k * element, element);
                else
                    memcpy(p + k * element, &v[k], element);
    }
    for (u32 k = 0; load && k < op->n; k++)
        if (op->value[k] != NO_PLACE)
            store_lanes(place(w, op->value[k]), value[k], op->width[k], w->mask);
    account(w, in, &all, op->formatted ? texel_bytes(o.t->format) : bytes,
            load                 ? ACCESS_LOAD
            : op->op == OP_sured ? ACCESS_ATOMIC
                                 : ACCESS_STORE,
            8, false);
    return in + 1;
}
