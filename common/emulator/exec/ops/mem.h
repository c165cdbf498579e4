/* mem.h - a warp's access as a request: addresses, shape, host memory, cost. Private to
 * mem.c and atom.c; static inlines, as this is on the path of every access.
 *
 * Every access of a warp is one request. Its addresses are sorted into three shapes:
 * contiguous (lane i at base + i*size), uniform (all lanes at one address) and general;
 * the first two, nearly all accesses of real kernels, are checked, counted and carried
 * out without a loop over lanes.
 *
 * Counted per instruction (struct slot): requests; units = 32-byte sectors (global, local)
 * or wavefronts (shared); bytes; extra = bank conflicts (shared) or passes (atomics).
 */
#ifndef EMULATOR_EXEC_MEM_H
#define EMULATOR_EXEC_MEM_H

#include "lanes.h"
#include "emulator/base/mem.h"

enum shape { SHAPE_CONTIGUOUS, SHAPE_UNIFORM, SHAPE_GENERAL };

struct request {
    u64 a[WARP];    /* address of each lane */
    intptr_t delta; /* host address = a + delta (global), shared base otherwise */
    enum shape shape;
    int first; /* lowest active lane */
    u32 mask;
    u64 lo, hi, bits; /* lowest and highest address of active lanes; OR of them */
};

/* ---- addresses ---- */
static inline void lane_addresses(struct warp *w, const struct insn *in, struct request *q)
{
    u64 off = (u64)in->imm;
    q->mask = w->mask;
    q->first = __builtin_ctz(w->mask);
    if (in->src[0] == NO_PLACE) {
        LANES q->a[i] = off;
    } else if (in->flags & F_SHARED32) {
        const u32 *p = SRC(u32, 0);
        LANES q->a[i] = (u32)(p[i] + (u32)off);
    } else {
        const u64 *p = SRC(u64, 0);
        LANES q->a[i] = p[i] + off;
    }
}
/* In shared memory: of an address in 64 bits the lower half counts (PTX ISA 6.4.1: truncated to the
 * width of the state space), by which compilers take off 2^32 elements. */
static inline void shared_addresses(struct warp *w, const struct insn *in, struct request *q)
{
    lane_addresses(w, in, q);
    if (!(in->flags & F_SHARED32))
        LANES q->a[i] = (u32)q->a[i];
}
/* Also finds the extent of general requests: lowest and highest address, all bits set. */
static inline void find_shape(struct request *q, u32 size)
{
    u64 first = q->a[q->first], base = first - (u64)q->first * size, differ = 0;
    u32 m = q->mask;
    q->shape = SHAPE_GENERAL;
    if (m == FULL && q->a[1] - first == size) {
        LANES differ |= q->a[i] ^ (base + (u64)i * size);
        if (differ == 0)
            q->shape = SHAPE_CONTIGUOUS;
    } else if (m == FULL && q->a[1] == first) {
        LANES differ |= q->a[i] ^ first;
        if (differ == 0)
            q->shape = SHAPE_UNIFORM;
    } else if (m != FULL) {
        u64 same = 0;
        LANES
        {
            u64 on = 0 - (u64)ON(m, i);
            differ |= (q->a[i] ^ (base + (u64)i * size)) & on;
            same |= (q->a[i] ^ first) & on;
        }
        q->shape = differ == 0 ? SHAPE_CONTIGUOUS : same == 0 ? SHAPE_UNIFORM : SHAPE_GENERAL;
    }
    if (q->shape == SHAPE_UNIFORM) {
        q->lo = q->hi = q->bits = first;
    } else if (q->shape == SHAPE_CONTIGUOUS) {
        q->lo = q->bits = first;
        q->hi = q->a[31 - __builtin_clz(m)];
    } else {
        s64 lo = INT64_MAX, hi = INT64_MIN, bits = 0; /* addresses are below 2^63 */
        const s64 *x = (const s64 *)q->a;
        if (m == FULL) {
            LANES
            {
                lo = x[i] < lo ? x[i] : lo;
                hi = x[i] > hi ? x[i] : hi;
                bits |= x[i];
            }
        } else {
            LANES
            {
                s64 v = ON(m, i) ? x[i] : (s64)first;
                lo = v < lo ? v : lo;
                hi = v > hi ? v : hi;
                bits |= v;
            }
        }
        q->lo = (u64)lo;
        q->hi = (u64)hi;
        q->bits = (u64)bits;
        if (lo < 0) /* no memory is there: the bounds checks will say so */
            q->lo = 0, q->hi = ~0ull;
    }
}
static inline int last_lane(u32 m)
{
    return 31 - __builtin_clz(m);
}
static inline bool solid(u32 m) /* active lanes are neighbours */
{
    m >>= __builtin_ctz(m);
    return (m & (m + 1)) == 0;
}

/* ---- sectors: distinct a >> 5 among the active lanes ---- */
static inline u32 count_distinct(const u64 *key, u32 m)
{
    if (m == FULL) { /* usual: keys do not descend */
        u32 n = 1, down = 0;
        for (int i = 1; i < WARP; i++) {
            n += key[i] != key[i - 1];
            down |= key[i] < key[i - 1];
        }
        if (!down)
            return n;
    }
    u64 seen[64];
    u8 used[64] = {0};
    u32 n = 0;
    for (; m; m &= m - 1) {
        u64 k = key[__builtin_ctz(m)];
        u32 h = (u32)((k * 0x9e3779b97f4a7c15ull) >> 58);
        while (used[h] && seen[h] != k)
            h = (h + 1) & 63;
        if (!used[h]) {
            used[h] = 1;
            seen[h] = k;
            n++;
        }
    }
    return n;
}
static inline u32 count_sectors(const struct request *q, u32 size)
{
    if (q->shape == SHAPE_UNIFORM)
        return (u32)(((q->a[q->first] + size - 1) >> 5) - (q->a[q->first] >> 5)) + 1;
    if (q->shape == SHAPE_CONTIGUOUS && solid(q->mask)) {
        u64 lo = q->a[q->first], hi = q->a[last_lane(q->mask)] + size - 1;
        return (u32)((hi >> 5) - (lo >> 5)) + 1;
    }
    u64 low = q->lo >> 5;
    if ((q->hi >> 5) - low < 64) { /* close together: a bit each */
        u64 seen = 0;
        u32 m = q->mask;
        if (m == FULL)
            LANES seen |= 1ull << ((((q->a[i] >> 5) - low) & 63));
        else
            LANES seen |= (u64)ON(m, i) << ((((q->a[i] >> 5) - low) & 63));
        return (u32)__builtin_popcountll(seen);
    }
    u64 key[WARP];
    LANES key[i] = q->a[i] >> 5;
    return count_distinct(key, q->mask);
}

/* ---- slow paths, in mem.c ---- */
/* The fault of the first lane that is not at a multiple of size. */
const struct insn *JOIN(misaligned, LEVEL)(struct warp *w, const struct insn *in,
                                           const struct request *q, u32 size, const char *access);
#define misaligned JOIN(misaligned, LEVEL)
/* Lanes in different allocations: each lane finds its own. delta[i] per lane. */
bool JOIN(scattered, LEVEL)(struct warp *w, const struct insn *in, struct request *q, u32 size,
                            bool write, intptr_t *delta);
#define scattered JOIN(scattered, LEVEL)

/* ---- host memory ---- */
/* Where a shared address is on the host; of a lane that is off, anywhere. */
static inline u8 *shared_at(const struct warp *w, u64 a)
{
    return (u8 *)((uintptr_t)w->block->shared + a);
}
/* Finds host memory for a global request. Returns 0: fault; 1: q->delta serves all lanes;
 * 2: per_lane holds each lane's. */
static inline int resolve(struct warp *w, const struct insn *in, struct request *q, u32 size,
                          bool write, intptr_t *per_lane)
{
    struct mem_cache *c = &w->worker->caches[in->slot];
    u64 lo = q->lo, hi = q->hi;
    u64 now = atomic_load_explicit(&mem_generation, memory_order_relaxed);
    if (__builtin_expect(c->generation != now || lo < c->lo || hi >= c->hi || c->hi - hi < size,
                         0)) {
        struct mem_cache fresh = {0};
        if (!access_lookup(w, in, q->first, q->a[q->first], size, write, &fresh))
            return 0;
        fresh.generation = now;
        *c = fresh;
        if (lo < c->lo || hi >= c->hi || c->hi - hi < size)
            return scattered(w, in, q, size, write, per_lane) ? 2 : 0;
    }
    q->delta = c->delta;
    return 1;
}
static inline void host_lanes(const struct request *q, int kind, const intptr_t *per_lane,
                              u8 **host)
{
    if (kind == 1)
        LANES host[i] = (u8 *)((intptr_t)q->a[i] + q->delta);
    else
        LANES host[i] = (u8 *)((intptr_t)q->a[i] + per_lane[i]);
}
static inline bool shared_bounds(struct warp *w, const struct insn *in, const struct request *q,
                                 u32 total)
{
    const struct launch *l = w->block->launch;
    u64 hi = q->hi, size = l->shared_bytes;
    if (hi < size && size - hi >= total && !l->shared_map)
        return true;
    return access_shared(w, in, q->a, q->mask, q->lo, hi, total);
}

/* ---- telling and counting ---- */
/* What a store of elements of one or two bytes puts into memory. */
static inline void narrow_value(struct warp *w, const struct insn *in, u32 each, u32 copy[4][WARP])
{
    memset(copy, 0, 4 * sizeof(*copy));
    for (u32 k = 0; k < in->count; k++) {
        const u8 *src = place(w, in->count > 1 ? in->places[k] : in->src[1]);
        u32 at = k * each;
        LANES
        {
            u32 x = 0;
            memcpy(&x, src + (u32)i * in->src_width, each);
            copy[at / 4][i] |= x << at % 4 * 8;
        }
    }
}
static inline void tell(struct warp *w, const struct insn *in, enum access_kind kind,
                        enum access_space space, const struct request *q, u32 size)
{
    if (__builtin_expect(w->block->tell, 0)) {
        const u32 *value[8];
        u32 copy[4][WARP];
        const u32 *const *v = NULL;
        if (kind == ACCESS_STORE && in->src_width > 1 && size < 4 * in->count) {
            narrow_value(w, in, size / in->count, copy);
            for (u32 k = 0; k < 4; k++)
                value[k] = copy[k];
            v = value;
        } else if (kind == ACCESS_STORE && size <= 16 && in->src_width >= 4) {
            u32 words = in->src_width / 4;
            for (u32 k = 0; k < size / 4 && k < 4; k++) {
                u32 p = in->count > 1 ? in->places[k / words] : in->src[1];
                const u32 *src = place(w, p);
                LANES copy[k][i] = src[(u32)i * words + k % words];
                value[k] = copy[k];
            }
            v = value;
        }
        access_event(w, in, kind, space, q->mask, size, q->a, v);
    }
}

static inline void count_access(struct warp *w, const struct insn *in, const struct request *q,
                                u32 units, u32 total, u32 extra)
{
    struct slot *s = &w->worker->slots[in->slot];
    s->requests++;
    s->units += units;
    s->bytes += (u64)__builtin_popcount(q->mask) * total;
    s->extra += extra;
}

/* A limit on steps is there to end what takes too long (code/lower_cost.c). Lanes side by side, or
 * all at one address, are moved at once; others one by one, so many in the time of a step. */
enum {
    SECTORS_A_STEP = 4,
    SHARED_LANES_A_STEP = 8,
    ATOMICS_A_STEP = 2,
    SHARED_ATOMICS_A_STEP = 4,
    LOCAL_WORD_STEPS = 2,
    LOCAL_SECTORS_A_STEP = 16
};
static inline void charge_parts(struct warp *w, const struct request *q, u32 parts, u32 a_step)
{
    if (q->shape == SHAPE_GENERAL)
        w->worker->steps += parts / a_step;
}

/* ---- atomics, in atom.c: also the generic ones' parts, whose addresses q has ---- */
const struct insn *JOIN(atomic_global, LEVEL)(struct warp *w, const struct insn *in,
                                              struct request *q);
const struct insn *JOIN(atomic_shared, LEVEL)(struct warp *w, const struct insn *in,
                                              struct request *q);
/* What becomes of memory at p when b is added to it, or whatever insn.sub does, in insn.sub2. */
void JOIN(reduce_global, LEVEL)(const struct insn *in, u8 *p, u64 b);
#define reduce_global JOIN(reduce_global, LEVEL)
#define atomic_global JOIN(atomic_global, LEVEL)
#define atomic_shared JOIN(atomic_shared, LEVEL)

#endif
