/* atom.c - atomics and fences.
 *
 * An atomic is a request like any access (mem.h), carried out a lane at a time, on global
 * memory by the host's own atomic instructions: blocks run on different host threads.
 */
#include "half.h"
#include "mem.h"

/* ---- atomics (PTX ISA 9.7.13.5): insn.sub operation, .sub2 type, .size bytes ---- */
static inline u64 join_halves(const struct insn *in, u64 a, u64 b)
{
    unsigned t = in->sub2;
    bool brain = t == PTX_BF16 || t == PTX_BF16X2;
    u64 r = 0;
    for (u32 k = 0; k < in->size / 2u; k++) { /* exact in double precision, or far from a tie */
        u16 i = (u16)(a >> 16 * k), j = (u16)(b >> 16 * k);
        f64 x = brain ? (f64)f32_bits((u32)i << 16) : (f64)half_to_float(i);
        f64 y = brain ? (f64)f32_bits((u32)j << 16) : (f64)half_to_float(j);
        f64 v = in->sub == M_add ? x + y : half_minmax(x, y, in->sub == M_max, 0);
        r |= (u64)(brain ? float_to_bf16(v, 0) : float_to_half(v, 0)) << 16 * k;
    }
    return r;
}
/* Global memory's unit, unlike shared memory's, flushes subnormals of f32 (the ISA says so), and
 * keeps a NaN as it is, the second of two. */
static inline u64 add_floats(unsigned t, u64 old, u64 b, bool global)
{
    if (t == PTX_F64) {
        f64 x = f64_bits(old), y = f64_bits(b);
        if (global && (x != x || y != y))
            return y != y ? b : old;
        return bits_f64(nan2(x + y, y, x));
    }
    f32 x = f32_bits((u32)old), y = f32_bits((u32)b);
    return bits_f32(global ? flush(canonical(flush(x) + flush(y))) : canonical(x + y));
}
static inline u64 atomic_result(const struct insn *in, u64 old, u64 b, u64 c, bool global)
{
    unsigned t = in->sub2;
    bool sign = t == PTX_S32 || t == PTX_S64;
    s64 so = t == PTX_S32 ? (s32)old : (s64)old, sb = t == PTX_S32 ? (s32)b : (s64)b;
    if (t == PTX_F16 || t == PTX_F16X2 || t == PTX_BF16 || t == PTX_BF16X2)
        return join_halves(in, old, b);
    switch (in->sub) {
    case M_add:
        if (t == PTX_F32 || t == PTX_F64)
            return add_floats(t, old, b, global);
        return old + b;
    case M_exch:
        return b;
    case M_cas:
        return old == b ? c : old;
    case M_and:
        return old & b;
    case M_or:
        return old | b;
    case M_xor:
        return old ^ b;
    case M_inc:
        return (u32)old >= (u32)b ? 0 : old + 1;
    case M_dec:
        return old == 0 || (u32)old > (u32)b ? b : old - 1;
    case M_min:
        return sign ? (so < sb ? old : b) : (old < b ? old : b);
    default: /* M_max */
        return sign ? (so > sb ? old : b) : (old > b ? old : b);
    }
}
static inline u64 atomic_apply(const struct insn *in, u8 *p, u64 b, u64 c, bool global)
{
    u64 old, new;
    switch (in->size) {
    case 2: {
        u16 o = __atomic_load_n((u16 *)p, __ATOMIC_RELAXED);
        do
            new = atomic_result(in, o, b, c, global);
        while (!__atomic_compare_exchange_n((u16 *)p, &o, (u16) new, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED));
        return o;
    }
    case 4: {
        if (in->sub == M_add && in->sub2 != PTX_F32 && in->sub2 != PTX_F16X2 &&
            in->sub2 != PTX_BF16X2)
            return __atomic_fetch_add((u32 *)p, (u32)b, __ATOMIC_SEQ_CST);
        u32 o = __atomic_load_n((u32 *)p, __ATOMIC_RELAXED);
        do
            new = atomic_result(in, o, b, c, global);
        while (!__atomic_compare_exchange_n((u32 *)p, &o, (u32) new, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED));
        return o;
    }
    default:
        old = __atomic_load_n((u64 *)p, __ATOMIC_RELAXED);
        do
            new = atomic_result(in, old, b, c, global);
        while (!__atomic_compare_exchange_n((u64 *)p, &old, new, false, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED));
        return old;
    }
}
void reduce_global(const struct insn *in, u8 *p, u64 b)
{
    atomic_apply(in, p, b, 0, true);
}
/* the most lanes at one address: that many passes */
static inline u32 atomic_passes(const struct request *q)
{
    if (q->shape == SHAPE_CONTIGUOUS)
        return 1;
    if (q->shape == SHAPE_UNIFORM)
        return (u32)__builtin_popcount(q->mask);
    u32 top = 0;
    for (u32 rest = q->mask; rest;) {
        u64 a = q->a[__builtin_ctz(rest)];
        u32 same = 0;
        for (int i = 0; i < WARP; i++)
            same |= (u32)(q->a[i] == a) << i;
        same &= rest;
        u32 n = (u32)__builtin_popcount(same);
        top = n > top ? n : top;
        rest &= ~same;
    }
    return top;
}
/* cas and exch of .b128, whose registers are two rows of 64 bits (lower_wide_mov): under a lock,
 * since not every processor has an instruction for it. Narrower atomics do not wait for it. */
static void atomic_lanes128(struct warp *w, const struct insn *in, u8 *const *host, u32 mask)
{
    static atomic_flag locked = ATOMIC_FLAG_INIT;
    const u64 *b = place(w, in->src[1]);
    const u64 *c = in->sub == M_cas ? place(w, in->src[2]) : NULL;
    u64 r[2][WARP] = {0};
    while (atomic_flag_test_and_set(&locked))
        ;
    for (u32 rest = mask; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        u64 old[2], expected[2] = {b[i], b[WARP + i]};
        const u64 *new = c ? c : b;
        memcpy(old, host[i], 16);
        if (!c || !memcmp(old, expected, 16))
            memcpy(host[i], (u64[2]){new[i], new[WARP + i]}, 16);
        r[0][i] = old[0], r[1][i] = old[1];
    }
    atomic_flag_clear(&locked);
    if (in->dst == NO_PLACE)
        return;
    for (int k = 0; k < 2; k++)
        store_lanes((u64 *)place(w, in->dst) + k * WARP, r[k], 8, mask);
}
/* A cas or exch that changed nothing for any lane: a lock that somebody holds, as a rule, who
 * will not get on while this path tries again. Sixteen of them, and others have their turn; in
 * the turns that follow, one is enough. */
static void spinning(struct warp *w, const struct insn *in, const u64 *old, const u64 *b, u32 mask)
{
    u64 all = in->size >= 8 ? ~0ull : (1ull << 8 * in->size) - 1;
    if (in->sub != M_cas && in->sub != M_exch)
        return;
    for (u32 rest = mask; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if ((old[i] == (b[i] & all)) == (in->sub == M_cas))
            return;
    }
    w->spins = true;
    w->slice -= w->block->launch->slice / (w->spun ? 1 : 16);
}
static void atomic_lanes(struct warp *w, const struct insn *in, u8 *const *host, u32 mask,
                         bool global)
{
    u64 b[WARP], c[WARP], r[WARP];
    u32 n = in->count; /* vector forms: elementwise */
    if (in->size == 16) {
        atomic_lanes128(w, in, host, mask);
        return;
    }
    for (u32 k = 0; k < n; k++) {
        load_lanes(b, place(w, n > 1 ? in->places[n + k] : in->src[1]), in->src_width, false);
        if (in->src[2] != NO_PLACE)
            load_lanes(c, place(w, in->src[2]), in->src_width, false);
        else
            memset(c, 0, sizeof(c));
        for (int i = 0; i < WARP; i++)
            r[i] = ON(mask, i) ? atomic_apply(in, host[i] + k * in->size, b[i], c[i], global) : 0;
        spinning(w, in, r, b, mask);
        u32 dst = n > 1 ? in->places[k] : in->dst;
        if (dst != NO_PLACE)
            store_lanes(place(w, dst), r, in->width, mask);
    }
}
/* An element at a time, wherever they are; pairs of halves take twice as long. */
static inline void charge_atomic(struct warp *w, const struct insn *in, const struct request *q,
                                 u32 a_step)
{
    bool pair = in->sub2 == PTX_F16X2 || in->sub2 == PTX_BF16X2;
    w->worker->steps += (u32)__builtin_popcount(q->mask) * in->count * (pair ? 2 : 1) / a_step;
}
const struct insn *atomic_global(struct warp *w, const struct insn *in, struct request *q)
{
    u32 total = (u32)in->size * in->count;
    intptr_t per_lane[WARP];
    u8 *host[WARP];
    find_shape(q, total);
    if (q->bits & (total - 1))
        return misaligned(w, in, q, total, "atomic access");
    int kind = resolve(w, in, q, total, true, per_lane);
    if (!kind)
        return NULL;
    u32 sectors = count_sectors(q, total);
    count_access(w, in, q, sectors, total, atomic_passes(q));
    charge_parts(w, q, sectors, SECTORS_A_STEP);
    charge_atomic(w, in, q, ATOMICS_A_STEP);
    tell(w, in, ACCESS_ATOMIC, ACCESS_GLOBAL, q, total);
    host_lanes(q, kind, per_lane, host);
    atomic_lanes(w, in, host, q->mask, true);
    return in + 1;
}
const struct insn *atomic_shared(struct warp *w, const struct insn *in, struct request *q)
{
    u32 total = (u32)in->size * in->count;
    u8 *host[WARP];
    find_shape(q, total);
    if (q->bits & (total - 1))
        return misaligned(w, in, q, total, "atomic access");
    if (!shared_bounds(w, in, q, total))
        return NULL;
    count_access(w, in, q, 0, total, atomic_passes(q));
    charge_atomic(w, in, q, SHARED_ATOMICS_A_STEP);
    tell(w, in, ACCESS_ATOMIC, ACCESS_SHARED, q, total);
    LANES host[i] = shared_at(w, q->a[i]);
    atomic_lanes(w, in, host, q->mask, false);
    return in + 1;
}
HANDLER(atom_global)
{
    struct request q;
    lane_addresses(w, in, &q);
    return atomic_global(w, in, &q);
}
HANDLER(atom_shared)
{
    struct request q;
    shared_addresses(w, in, &q);
    return atomic_shared(w, in, &q);
}

HANDLER(fence)
{
    atomic_thread_fence(memory_order_seq_cst);
    struct block *b = w->block;
    for (int k = 0; k < b->nlisteners; k++)
        if (b->listeners[k]->fence)
            b->listeners[k]->fence(b->listeners[k], &b->info, in->site, w->index, w->mask,
                                   scope_of(w, in), in->sub);
    return in + 1;
}
