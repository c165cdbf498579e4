/* exec_mem.c - loads, stores and atomics, and what they cost.
 *
 * Every access of a warp is one request. Its addresses are sorted into three shapes:
 * contiguous (lane i at base + i*size), uniform (all lanes at one address) and general;
 * the first two, nearly all accesses of real kernels, are checked, counted and carried
 * out without a loop over lanes.
 *
 * Counted per instruction (struct slot): requests; units = 32-byte sectors (global, local)
 * or wavefronts (shared); bytes; extra = bank conflicts (shared) or passes (atomics).
 * Bank rules (Nsight Compute's, checked against hardware): 32 banks of 4 bytes; 8-byte
 * accesses go in half-warps, 16-byte ones in quarter-warps, fewer when lanes share; lanes that read
 * the same word share it; a conflict is a wavefront beyond one per group.
 */
#include "cluster.h"
#include "exec_half.h"
#include "exec_lanes.h"
#include "exec_mma.h"
#include "mem.h"

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

/* ---- banks ---- */
static u32 group_wavefronts(const u64 *a, u32 m, u32 words)
{
    /* list of distinct words per bank, for the lanes of one group */
    u32 n[32] = {0}, top = 1;
    u64 word[32][8];
    for (; m; m &= m - 1) {
        u64 first = a[__builtin_ctz(m)] >> 2;
        for (u32 k = 0; k < words; k++) {
            u64 x = first + k;
            u32 b = x & 31, j = 0, stored = n[b] < 8 ? n[b] : 8;
            while (j < stored && word[b][j] != x)
                j++;
            if (j < stored)
                continue;
            if (n[b] < 8)
                word[b][n[b]] = x;
            n[b]++;
            if (n[b] > top)
                top = n[b];
        }
    }
    return top;
}
static u32 group_wavefronts_exact(const u64 *a, u32 m, u32 words)
{
    u32 top = 1;
    u64 all[WARP * 4];
    u32 n = 0, per[32] = {0};
    for (; m; m &= m - 1)
        for (u32 k = 0; k < words; k++) {
            u64 x = (a[__builtin_ctz(m)] >> 2) + k;
            u32 j = 0;
            while (j < n && all[j] != x)
                j++;
            if (j < n)
                continue;
            all[n++] = x;
            if (++per[x & 31] > top)
                top = per[x & 31];
        }
    return top;
}
/* Do all lanes share their address with lane^1, or all with lane^2? Then an 8-byte access
 * goes as one group instead of two, a 16-byte one as two instead of four (seen on an H200
 * under ncu; l/2, l/4, l%2 and a broadcast merge, l%4, l%8 and l%16 do not). */
static inline bool pairs_share(const struct request *q)
{
    u64 one = 0, two = 0;
    for (int i = 0; i < WARP; i++) {
        one |= ON(q->mask & q->mask >> 1, i & ~1) ? q->a[i] ^ q->a[i ^ 1] : 0;
        two |= ON(q->mask & q->mask >> 2, i & ~2) ? q->a[i] ^ q->a[i ^ 2] : 0;
    }
    return one == 0 || two == 0;
}
/* wavefronts of a shared request; *conflicts gets those beyond one per group */
static inline u32 count_wavefronts(const struct request *q, u32 size, u32 *conflicts)
{
    *conflicts = 0;
    u32 groups = size <= 4 ? 1 : size == 8 ? 2 : 4;
    u32 words = size <= 4 ? 1 : size / 4;
    if (groups == 1 && q->shape != SHAPE_GENERAL)
        return 1;
    if (groups > 1 && q->shape != SHAPE_CONTIGUOUS && pairs_share(q))
        groups /= 2;
    u32 total = 0, used = 0, lanes = WARP / groups;
    for (u32 g = 0; g < groups; g++) {
        u32 m = groups == 1 ? q->mask : q->mask >> g * lanes & ((1u << lanes) - 1);
        if (!m)
            continue;
        used++;
        if (q->shape != SHAPE_GENERAL) {
            total++;
            continue;
        }
        u32 t = group_wavefronts(q->a + g * lanes, m, words);
        if (t > 8)
            t = group_wavefronts_exact(q->a + g * lanes, m, words);
        total += t;
    }
    *conflicts = total - used;
    return total;
}

/* ---- checks ---- */
static const struct insn *misaligned(struct warp *w, const struct insn *in, const struct request *q,
                                     u32 size, const char *space)
{
    for (int i = 0; i < WARP; i++)
        if (ON(q->mask, i) && q->a[i] & (size - 1))
            return warp_fault(w, in, i, cudaErrorMisalignedAddress,
                              "misaligned address: %u-byte %s access at 0x%llx, which is no "
                              "multiple of %u",
                              size, space, (unsigned long long)q->a[i], size);
    panic("misaligned: no such lane");
}
/* Lanes in different allocations: each lane finds its own. delta[i] per lane. */
static bool scattered(struct warp *w, const struct insn *in, struct request *q, u32 size,
                      bool write, intptr_t *delta)
{
    struct mem_cache c = {0};
    for (int i = 0; i < WARP; i++) {
        delta[i] = 0;
        if (!ON(q->mask, i))
            continue;
        if (!(q->a[i] >= c.lo && q->a[i] < c.hi && c.hi - q->a[i] >= size &&
              !(write && c.read_only)))
            if (!access_lookup(w, in, i, q->a[i], size, write, &c))
                return false;
        delta[i] = c.delta;
    }
    return true;
}

/* Finds host memory for a global request. Returns 0: fault; 1: q->delta serves all lanes;
 * 2: per_lane holds each lane's. */
static inline int resolve(struct warp *w, const struct insn *in, struct request *q, u32 size,
                          bool write, intptr_t *per_lane)
{
    struct mem_cache *c = &w->worker->caches[in->slot];
    u64 lo = q->lo, hi = q->hi;
    u64 now = atomic_load_explicit(&mem_generation, memory_order_relaxed);
    if (__builtin_expect(c->generation != now || lo < c->lo || hi >= c->hi || c->hi - hi < size ||
                             (write && c->read_only),
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

static inline void tell(struct warp *w, const struct insn *in, enum access_kind kind,
                        enum access_space space, const struct request *q, u32 size)
{
    if (__builtin_expect(w->block->tell, 0)) {
        const u32 *value[8];
        u32 copy[4][WARP];
        const u32 *const *v = NULL;
        if (kind == ACCESS_STORE && size <= 16 && in->src_width >= 4) {
            u32 words = in->src_width / 4;
            for (u32 k = 0; k < size / 4 && k < 4; k++) {
                u32 p = in->count > 1 ? in->places[k / words] : in->src[1];
                const u32 *src = place(w, p);
                LANES copy[k][i] = src[(u32)i * words + k % words];
                value[k] = copy[k];
            }
            if (size >= 4)
                v = value;
        } else if (kind == ACCESS_STORE && in->src_width == 4 && in->count == 1) {
            value[0] = SRC(u32, 1);
            v = value;
        }
        access_event(w, in, kind, space, q->mask, size, q->a, v);
    }
}

/* ---- moving the data: lane i's `total` bytes are at host[i] ---- */
static inline void load_element(struct warp *w, const struct insn *in, u32 dst, const u64 *t)
{
    if (dst != NO_PLACE)
        store_lanes(place(w, dst), t, in->width, w->mask);
}
static inline u64 read_bytes(const u8 *p, u32 size, bool sign)
{
    u64 v = 0;
    switch (size) {
    case 1:
        v = *p;
        return sign ? (u64)(s64)(s8)v : v;
    case 2:
        v = *(const u16 *)p;
        return sign ? (u64)(s64)(s16)v : v;
    case 4:
        v = *(const u32 *)p;
        return sign ? (u64)(s64)(s32)v : v;
    default:
        return *(const u64 *)p;
    }
}
static inline void write_bytes(u8 *p, u32 size, u64 v)
{
    switch (size) {
    case 1:
        *p = (u8)v;
        break;
    case 2:
        *(u16 *)p = (u16)v;
        break;
    case 4:
        *(u32 *)p = (u32)v;
        break;
    default:
        *(u64 *)p = v;
    }
}
/* A lane's vector in one move, as a GPU does it: other threads see all of it or nothing. */
typedef u64 whole16 __attribute__((vector_size(16), aligned(1), may_alias));
static inline void move_whole(u8 *to, const u8 *from, u32 bytes)
{
    if (bytes == 16)
        *(volatile whole16 *)to = *(const volatile whole16 *)from;
    else
        write_bytes(to, bytes, read_bytes(from, bytes, false));
}
static inline void load_lanes_from(struct warp *w, const struct insn *in, const u8 *const *host)
{
    u64 t[WARP];
    u8 whole[WARP][16];
    bool sign = in->flags & F_SIGNED;
    for (int i = 0; in->count > 1 && i < WARP; i++)
        if (ON(w->mask, i))
            move_whole(whole[i], host[i], in->size * in->count);
    for (u32 k = 0; k < in->count; k++) {
        u32 dst = in->count > 1 ? in->places[k] : in->dst;
        if (dst == NO_PLACE)
            continue;
        for (int i = 0; i < WARP; i++) {
            const u8 *from = in->count > 1 ? whole[i] + k * in->size : host[i];
            t[i] = ON(w->mask, i) ? read_bytes(from, in->size, sign) : 0;
        }
        load_element(w, in, dst, t);
    }
}
static inline void store_lanes_to(struct warp *w, const struct insn *in, u8 *const *host)
{
    u64 t[WARP];
    u8 whole[WARP][16];
    for (u32 k = 0; k < in->count; k++) {
        load_lanes(t, place(w, in->count > 1 ? in->places[k] : in->src[1]), in->src_width, false);
        for (int i = 0; i < WARP; i++)
            if (ON(w->mask, i))
                write_bytes(in->count > 1 ? whole[i] + k * in->size : host[i], in->size, t[i]);
    }
    for (int i = 0; in->count > 1 && i < WARP; i++)
        if (ON(w->mask, i))
            move_whole(host[i], whole[i], in->size * in->count);
}
static inline void order_before(const struct insn *in)
{
    if (in->flags & F_RELEASE)
        atomic_thread_fence(memory_order_seq_cst);
}
static inline void order_after(const struct insn *in)
{
    if (in->flags & F_ACQUIRE)
        atomic_thread_fence(memory_order_seq_cst);
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

/* ---- global ---- */
static inline int global_request(struct warp *w, const struct insn *in, struct request *q,
                                 bool write, intptr_t *per_lane)
{
    u32 total = (u32)in->size * in->count;
    find_shape(q, total);
    if (__builtin_expect(q->bits & (total - 1), 0)) {
        misaligned(w, in, q, total, "global");
        return 0;
    }
    int r = resolve(w, in, q, total, write, per_lane);
    if (!r)
        return 0;
    count_access(w, in, q, count_sectors(q, total), total, 0);
    tell(w, in, write ? ACCESS_STORE : ACCESS_LOAD, ACCESS_GLOBAL, q, total);
    return r;
}
static inline void host_lanes(const struct request *q, int kind, const intptr_t *per_lane,
                              u8 **host)
{
    if (kind == 1)
        LANES host[i] = (u8 *)((intptr_t)q->a[i] + q->delta);
    else
        LANES host[i] = (u8 *)((intptr_t)q->a[i] + per_lane[i]);
}
static const struct insn *load_global(struct warp *w, const struct insn *in, struct request *q)
{
    intptr_t per_lane[WARP];
    u8 *host[WARP];
    int kind = global_request(w, in, q, false, per_lane);
    if (!kind)
        return NULL;
    host_lanes(q, kind, per_lane, host);
    load_lanes_from(w, in, (const u8 *const *)host);
    order_after(in);
    return in + 1;
}
static const struct insn *store_global(struct warp *w, const struct insn *in, struct request *q)
{
    intptr_t per_lane[WARP];
    u8 *host[WARP];
    int kind = global_request(w, in, q, true, per_lane);
    if (!kind)
        return NULL;
    host_lanes(q, kind, per_lane, host);
    order_before(in);
    store_lanes_to(w, in, host);
    return in + 1;
}
HANDLER(ld_global)
{
    struct request q;
    lane_addresses(w, in, &q);
    return load_global(w, in, &q);
}
HANDLER(st_global)
{
    struct request q;
    lane_addresses(w, in, &q);
    return store_global(w, in, &q);
}
/* one element of the register's own width, the usual case */
#define GLOBAL_FAST(name, T)                                                                       \
    HANDLER(ld_global_##name)                                                                      \
    {                                                                                              \
        struct request q;                                                                          \
        intptr_t per_lane[WARP];                                                                   \
        lane_addresses(w, in, &q);                                                                 \
        int kind = global_request(w, in, &q, false, per_lane);                                     \
        if (!kind)                                                                                 \
            return NULL;                                                                           \
        T *d = DST(T);                                                                             \
        if (kind == 1 && q.shape == SHAPE_CONTIGUOUS && q.mask == FULL) {                          \
            memcpy(d, (const void *)((intptr_t)q.a[0] + q.delta), WARP * sizeof(T));               \
        } else if (kind == 1 && q.shape == SHAPE_UNIFORM) {                                        \
            T v = *(const T *)((intptr_t)q.a[q.first] + q.delta);                                  \
            WRITE(T, d, v);                                                                        \
        } else if (kind == 1 && q.mask == FULL) {                                                  \
            for (int i = 0; i < WARP; i++)                                                         \
                d[i] = *(const T *)((intptr_t)q.a[i] + q.delta);                                   \
        } else if (kind == 1) {                                                                    \
            for (u32 m = q.mask; m; m &= m - 1) {                                                  \
                int i = __builtin_ctz(m);                                                          \
                d[i] = *(const T *)((intptr_t)q.a[i] + q.delta);                                   \
            }                                                                                      \
        } else {                                                                                   \
            for (u32 m = q.mask; m; m &= m - 1) {                                                  \
                int i = __builtin_ctz(m);                                                          \
                d[i] = *(const T *)((intptr_t)q.a[i] + per_lane[i]);                               \
            }                                                                                      \
        }                                                                                          \
        order_after(in);                                                                           \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(st_global_##name)                                                                      \
    {                                                                                              \
        struct request q;                                                                          \
        intptr_t per_lane[WARP];                                                                   \
        lane_addresses(w, in, &q);                                                                 \
        int kind = global_request(w, in, &q, true, per_lane);                                      \
        if (!kind)                                                                                 \
            return NULL;                                                                           \
        const T *s = SRC(T, 1);                                                                    \
        order_before(in);                                                                          \
        if (kind == 1 && q.shape == SHAPE_CONTIGUOUS && q.mask == FULL) {                          \
            memcpy((void *)((intptr_t)q.a[0] + q.delta), s, WARP * sizeof(T));                     \
        } else {                                                                                   \
            for (u32 m = q.mask; m; m &= m - 1) {                                                  \
                int i = __builtin_ctz(m);                                                          \
                *(T *)((intptr_t)q.a[i] + (kind == 1 ? q.delta : per_lane[i])) = s[i];             \
            }                                                                                      \
        }                                                                                          \
        return in + 1;                                                                             \
    }
GLOBAL_FAST(4, u32)
GLOBAL_FAST(8, u64)

/* ---- shared ---- */
static bool shared_bounds(struct warp *w, const struct insn *in, const struct request *q, u32 total)
{
    const struct launch *l = w->block->launch;
    u64 hi = q->hi, size = l->shared_bytes;
    if (hi < size && size - hi >= total && !l->shared_map)
        return true;
    return access_shared(w, in, q->a, q->mask, q->lo, hi, total);
}
static inline bool shared_request(struct warp *w, const struct insn *in, struct request *q,
                                  bool write)
{
    u32 total = (u32)in->size * in->count, conflicts;
    find_shape(q, total);
    if (__builtin_expect(q->bits & (total - 1), 0)) {
        misaligned(w, in, q, total, "shared");
        return false;
    }
    if (!shared_bounds(w, in, q, total))
        return false;
    u32 wavefronts = count_wavefronts(q, total, &conflicts);
    count_access(w, in, q, wavefronts, total, conflicts);
    tell(w, in, write ? ACCESS_STORE : ACCESS_LOAD, ACCESS_SHARED, q, total);
    return true;
}
static const struct insn *load_shared(struct warp *w, const struct insn *in, struct request *q)
{
    u8 *host[WARP];
    if (!shared_request(w, in, q, false))
        return NULL;
    LANES host[i] = w->block->shared + q->a[i];
    load_lanes_from(w, in, (const u8 *const *)host);
    return in + 1;
}
static const struct insn *store_shared(struct warp *w, const struct insn *in, struct request *q)
{
    u8 *host[WARP];
    if (!shared_request(w, in, q, true))
        return NULL;
    LANES host[i] = w->block->shared + q->a[i];
    store_lanes_to(w, in, host);
    return in + 1;
}
HANDLER(ld_shared)
{
    struct request q;
    lane_addresses(w, in, &q);
    return load_shared(w, in, &q);
}
HANDLER(st_shared)
{
    struct request q;
    lane_addresses(w, in, &q);
    return store_shared(w, in, &q);
}
HANDLER(ld_shared_4)
{
    struct request q;
    lane_addresses(w, in, &q);
    if (!shared_request(w, in, &q, false))
        return NULL;
    const u8 *s = w->block->shared;
    u32 *d = DST(u32);
    if (q.shape == SHAPE_CONTIGUOUS && q.mask == FULL) {
        memcpy(d, s + q.a[0], 128);
    } else if (q.shape == SHAPE_UNIFORM) {
        u32 v = *(const u32 *)(s + q.a[q.first]);
        WRITE(u32, d, v);
    } else {
        for (u32 m = q.mask; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            d[i] = *(const u32 *)(s + q.a[i]);
        }
    }
    return in + 1;
}
HANDLER(st_shared_4)
{
    struct request q;
    lane_addresses(w, in, &q);
    if (!shared_request(w, in, &q, true))
        return NULL;
    u8 *s = w->block->shared;
    const u32 *v = SRC(u32, 1);
    if (q.shape == SHAPE_CONTIGUOUS && q.mask == FULL) {
        memcpy(s + q.a[0], v, 128);
    } else {
        for (u32 m = q.mask; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            *(u32 *)(s + q.a[i]) = v[i];
        }
    }
    return in + 1;
}

/* ---- local: word k of lane l is at local + k*128 + l*4 ---- */
static inline bool local_request(struct warp *w, const struct insn *in, struct request *q,
                                 bool write)
{
    u32 total = (u32)in->size * in->count;
    find_shape(q, total);
    u64 hi = q->hi;
    if (q->bits & (total - 1)) {
        misaligned(w, in, q, total, "local");
        return false;
    }
    if (hi >= w->local_size || w->local_size - hi < total) {
        warp_fault(w, in, -1, cudaErrorIllegalAddress,
                   "local-memory address out of bounds: %u bytes at offset %lld of %u", total,
                   (long long)(s64)hi, w->local_size);
        return false;
    }
    u64 key[WARP]; /* lanes at one offset lie side by side: 8 words a sector */
    u32 sectors = 0;
    for (u32 k = 0; k < (total + 3) / 4; k++) {
        LANES key[i] = ((q->a[i] >> 2) + k) * 4 + (u64)i / 8;
        sectors += count_distinct(key, q->mask);
    }
    count_access(w, in, q, sectors, total, 0);
    tell(w, in, write ? ACCESS_STORE : ACCESS_LOAD, ACCESS_LOCAL, q, total);
    return true;
}
static inline u8 *local_byte(struct warp *w, u64 off, int lane)
{
    return w->local + (off >> 2) * 128 + (u64)lane * 4 + (off & 3);
}
static inline u64 local_read(struct warp *w, u64 off, int lane, u32 size, bool sign)
{
    if (size == 8)
        return *(u32 *)local_byte(w, off, lane) | (u64) * (u32 *)local_byte(w, off + 4, lane) << 32;
    return read_bytes(local_byte(w, off, lane), size, sign);
}
static inline void local_write(struct warp *w, u64 off, int lane, u32 size, u64 v)
{
    if (size == 8) {
        *(u32 *)local_byte(w, off, lane) = (u32)v;
        *(u32 *)local_byte(w, off + 4, lane) = (u32)(v >> 32);
    } else {
        write_bytes(local_byte(w, off, lane), size, v);
    }
}
static const struct insn *load_local(struct warp *w, const struct insn *in, struct request *q)
{
    if (!local_request(w, in, q, false))
        return NULL;
    u64 t[WARP];
    for (u32 k = 0; k < in->count; k++) {
        for (int i = 0; i < WARP; i++)
            t[i] = ON(q->mask, i)
                       ? local_read(w, q->a[i] + k * in->size, i, in->size, in->flags & F_SIGNED)
                       : 0;
        load_element(w, in, in->count > 1 ? in->places[k] : in->dst, t);
    }
    return in + 1;
}
static const struct insn *store_local(struct warp *w, const struct insn *in, struct request *q)
{
    if (!local_request(w, in, q, true))
        return NULL;
    u64 t[WARP];
    for (u32 k = 0; k < in->count; k++) {
        load_lanes(t, place(w, in->count > 1 ? in->places[k] : in->src[1]), in->src_width, false);
        for (int i = 0; i < WARP; i++)
            if (ON(q->mask, i))
                local_write(w, q->a[i] + k * in->size, i, in->size, t[i]);
    }
    return in + 1;
}
HANDLER(ld_local)
{
    struct request q;
    lane_addresses(w, in, &q);
    return load_local(w, in, &q);
}
HANDLER(st_local)
{
    struct request q;
    lane_addresses(w, in, &q);
    return store_local(w, in, &q);
}

/* ---- kernel parameters: one buffer for the launch ---- */
static const struct insn *load_param(struct warp *w, const struct insn *in, struct request *q)
{
    u32 total = (u32)in->size * in->count;
    struct launch *l = w->block->launch;
    u8 *host[WARP];
    for (int i = 0; i < WARP; i++) {
        u64 a = q->a[i] & ~MEM_WINDOW_MASK;
        if (!ON(q->mask, i))
            a = 0;
        else if (a >= l->param_bytes || l->param_bytes - a < total)
            return warp_fault(w, in, i, cudaErrorIllegalAddress,
                              "kernel-parameter address out of bounds: offset %llu of %u",
                              (unsigned long long)a, l->param_bytes);
        host[i] = (u8 *)(uintptr_t)l->params + a;
    }
    load_lanes_from(w, in, (const u8 *const *)host);
    return in + 1;
}
HANDLER(ld_param)
{
    struct request q;
    lane_addresses(w, in, &q);
    return load_param(w, in, &q);
}

/* ---- generic: the top 16 bits name the window ---- */
enum generic_op { GENERIC_LOAD, GENERIC_STORE, GENERIC_ATOM };
static const struct insn *atomic_global(struct warp *w, const struct insn *in, struct request *q);
static const struct insn *atomic_shared(struct warp *w, const struct insn *in, struct request *q);

static const struct insn *shared_part(struct warp *w, const struct insn *in, struct request *q,
                                      enum generic_op op)
{
    return op == GENERIC_LOAD    ? load_shared(w, in, q)
           : op == GENERIC_STORE ? store_shared(w, in, q)
                                 : atomic_shared(w, in, q);
}
/* Shared memory of another block of the cluster. Counted as any; listeners are not told, as
 * they know shared memory by its block. */
static const struct insn *peer_part(struct warp *w, const struct insn *in, struct request *q,
                                    enum generic_op op)
{
    struct block *b = w->block;
    u64 rank = (q->a[q->first] >> PEER_SHIFT) - 1;
    if (!b->cluster || rank >= b->cluster->nblocks) /* out of bounds */
        return shared_part(w, in, q, op);
    u8 *own = b->shared;
    bool tell = b->tell;
    LANES q->a[i] &= PEER_OFFSET;
    b->shared = b->cluster->blocks[rank]->shared;
    b->tell = false;
    const struct insn *next = shared_part(w, in, q, op);
    b->shared = own;
    b->tell = tell;
    const struct launch *l = b->launch;
    for (int k = 0; next && op != GENERIC_LOAD && k < l->nlisteners; k++)
        for (u32 m = q->mask; m && l->listeners[k]->peer_write; m &= m - 1)
            l->listeners[k]->peer_write(l->listeners[k], &b->cluster->blocks[rank]->info,
                                        (u32)q->a[__builtin_ctz(m)],
                                        in->size * (in->count ? in->count : 1));
    return next;
}
static const struct insn *generic_part(struct warp *w, const struct insn *in, struct request *q,
                                       u64 window, enum generic_op op)
{
    if (window)
        LANES q->a[i] &= ~MEM_WINDOW_MASK;
    switch (window) {
    case 0:
        return op == GENERIC_LOAD    ? load_global(w, in, q)
               : op == GENERIC_STORE ? store_global(w, in, q)
                                     : atomic_global(w, in, q);
    case MEM_SHARED_BASE:
        return q->a[q->first] >> PEER_SHIFT ? peer_part(w, in, q, op) : shared_part(w, in, q, op);
    case MEM_LOCAL_BASE:
        if (op == GENERIC_ATOM)
            return warp_fault(w, in, q->first, cudaErrorInvalidAddressSpace,
                              "atomic operation on local memory");
        return op == GENERIC_LOAD ? load_local(w, in, q) : store_local(w, in, q);
    case MEM_PARAM_BASE:
        if (op == GENERIC_LOAD)
            return load_param(w, in, q);
        return warp_fault(w, in, q->first, cudaErrorInvalidAddressSpace,
                          "kernel parameters are read-only");
    default:
        return warp_fault(w, in, q->first, cudaErrorIllegalAddress, "address 0x%llx is no memory",
                          (unsigned long long)(q->a[q->first] | window));
    }
}
/* What can be done in one go: a window, of shared memory one block's. */
static inline u64 part_of(u64 a)
{
    u64 window = a & MEM_WINDOW_MASK;
    return window == MEM_SHARED_BASE ? a & ~PEER_OFFSET : window;
}
static const struct insn *generic(struct warp *w, const struct insn *in, u64 base,
                                  enum generic_op op)
{
    struct request q;
    lane_addresses(w, in, &q);
    LANES q.a[i] |= base;
    u32 all = w->mask, rest = all;
    const struct insn *next = in + 1;
    while (rest) {
        u64 key = part_of(q.a[__builtin_ctz(rest)]);
        u32 part = 0;
        for (int i = 0; i < WARP; i++)
            part |= (u32)(ON(rest, i) && part_of(q.a[i]) == key) << i;
        struct request p = q;
        p.mask = w->mask = part;
        p.first = __builtin_ctz(part);
        next = generic_part(w, in, &p, key & MEM_WINDOW_MASK, op);
        if (!next)
            break;
        rest &= ~part;
    }
    w->mask = all;
    return next;
}
HANDLER(ld_generic)
{
    return generic(w, in, 0, GENERIC_LOAD);
}
HANDLER(ld_cluster)
{
    return generic(w, in, MEM_SHARED_BASE, GENERIC_LOAD);
}
HANDLER(st_cluster)
{
    return generic(w, in, MEM_SHARED_BASE, GENERIC_STORE);
}
HANDLER(st_generic)
{
    return generic(w, in, 0, GENERIC_STORE);
}

/* ---- .param variables of a call: rows of 32 words in the frame, offset in insn.imm ---- */
static inline u8 *frame_byte(struct warp *w, u64 off, u64 base, int lane)
{
    return w->base[SEL_REG] + base + (off >> 2) * 128 + (u64)lane * 4 + (off & 3);
}
static inline u32 frame_base(const struct insn *in) /* first row: insn.taken */
{
    return in->taken;
}
HANDLER(ld_frame)
{
    u64 t[WARP];
    for (u32 k = 0; k < in->count; k++) {
        u64 off = (u64)in->imm + k * in->size;
        for (int i = 0; i < WARP; i++) {
            u8 *p = frame_byte(w, off, frame_base(in), i);
            t[i] = in->size == 8
                       ? *(u32 *)p | (u64) * (u32 *)frame_byte(w, off + 4, frame_base(in), i) << 32
                       : read_bytes(p, in->size, in->flags & F_SIGNED);
        }
        load_element(w, in, in->count > 1 ? in->places[k] : in->dst, t);
    }
    return in + 1;
}
HANDLER(st_frame)
{
    u64 t[WARP];
    for (u32 k = 0; k < in->count; k++) {
        u64 off = (u64)in->imm + k * in->size;
        load_lanes(t, place(w, in->count > 1 ? in->places[k] : in->src[1]), in->src_width, false);
        for (int i = 0; i < WARP; i++) {
            if (!ON(w->mask, i))
                continue;
            u8 *p = frame_byte(w, off, frame_base(in), i);
            if (in->size == 8) {
                *(u32 *)p = (u32)t[i];
                *(u32 *)frame_byte(w, off + 4, frame_base(in), i) = (u32)(t[i] >> 32);
            } else {
                write_bytes(p, in->size, t[i]);
            }
        }
    }
    return in + 1;
}

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
        u32 o;
        if (in->sub == M_add && in->sub2 != PTX_F32 && in->sub2 != PTX_F16X2 &&
            in->sub2 != PTX_BF16X2)
            return __atomic_fetch_add((u32 *)p, (u32)b, __ATOMIC_SEQ_CST);
        o = __atomic_load_n((u32 *)p, __ATOMIC_RELAXED);
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
 * will not get on while this path tries again. Sixteen of them, and others have their turn. */
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
    w->slice -= w->block->launch->slice / 16;
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
static const struct insn *atomic_global(struct warp *w, const struct insn *in, struct request *q)
{
    u32 total = (u32)in->size * in->count;
    intptr_t per_lane[WARP];
    u8 *host[WARP];
    find_shape(q, total);
    if (q->bits & (total - 1))
        return misaligned(w, in, q, total, "atomic");
    int kind = resolve(w, in, q, total, true, per_lane);
    if (!kind)
        return NULL;
    count_access(w, in, q, count_sectors(q, total), total, atomic_passes(q));
    tell(w, in, ACCESS_ATOMIC, ACCESS_GLOBAL, q, total);
    host_lanes(q, kind, per_lane, host);
    atomic_lanes(w, in, host, q->mask, true);
    return in + 1;
}
static const struct insn *atomic_shared(struct warp *w, const struct insn *in, struct request *q)
{
    u32 total = (u32)in->size * in->count;
    u8 *host[WARP];
    find_shape(q, total);
    if (q->bits & (total - 1))
        return misaligned(w, in, q, total, "atomic");
    if (!shared_bounds(w, in, q, total))
        return NULL;
    count_access(w, in, q, 0, total, atomic_passes(q));
    tell(w, in, ACCESS_ATOMIC, ACCESS_SHARED, q, total);
    LANES host[i] = w->block->shared + q->a[i];
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
    lane_addresses(w, in, &q);
    return atomic_shared(w, in, &q);
}
HANDLER(atom_generic)
{
    return generic(w, in, 0, GENERIC_ATOM);
}
HANDLER(atom_cluster)
{
    return generic(w, in, MEM_SHARED_BASE, GENERIC_ATOM);
}

HANDLER(fence)
{
    atomic_thread_fence(memory_order_seq_cst);
    struct launch *l = w->block->launch;
    for (int k = 0; k < l->nlisteners; k++)
        if (l->listeners[k]->fence)
            l->listeners[k]->fence(l->listeners[k], &w->block->info, in->site, w->index, w->mask,
                                   (uint8_t)(in->flags >> F_SCOPE_SHIFT & 7), in->sub);
    return in + 1;
}
HANDLER(prefetch)
{
    (void)w;
    return in + 1;
}
/* the lanes of `mask` whose address is a .const variable's */
static u32 constants(const u64 *a, u32 mask)
{
    u32 r = 0;
    for (int i = 0; i < WARP; i++) {
        const struct mem_alloc *m = ON(mask, i) ? mem_find(a[i]) : NULL;
        r |= (u32)(m && m->read_only) << i;
    }
    return r;
}
HANDLER(isspacep) /* insn.imm: the window asked about; .const has none, it lies in global's */
{
    const u64 *a = SRC(u64, 0);
    u32 r = 0;
    for (int i = 0; i < WARP; i++)
        r |= (u32)((a[i] & (in->sub2 ? ~PEER_OFFSET : MEM_WINDOW_MASK)) == (u64)in->imm) << i;
    if (in->imm == 0)
        r = in->sub ? constants(a, r & w->mask) : r & ~constants(a, r & w->mask);
    u32 *d = DST(u32);
    *d = (*d & ~w->mask) | (r & w->mask);
    return in + 1;
}

/* ---- the thread's stack ---- */
HANDLER(local_address) /* a .local variable: the frame's base plus insn.imm */
{
    u64 t[WARP], v = w->cur->frame->local_base + (u64)in->imm;
    LANES t[i] = v;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}
HANDLER(alloca) /* all lanes get the largest request: offsets stay uniform */
{
    u64 n[WARP], most = 0, t[WARP];
    load_lanes(n, place(w, in->src[0]), in->src_width, false);
    for (int i = 0; i < WARP; i++)
        if (ON(w->mask, i) && n[i] > most)
            most = n[i];
    u64 align = in->imm > 0 ? (u64)in->imm : 8;
    u64 base = ROUND_UP((u64)w->local_top, align);
    if (most > w->local_size || base + most > w->local_size)
        return warp_fault(w, in, -1, cudaErrorIllegalAddress,
                          "stack overflow: alloca of %llu bytes", (unsigned long long)most);
    w->local_top = (u32)(base + most);
    LANES t[i] = base;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}
HANDLER(stacksave)
{
    u64 t[WARP];
    LANES t[i] = w->local_top;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}
HANDLER(stackrestore)
{
    u64 t[WARP];
    load_lanes(t, place(w, in->src[0]), in->src_width, false);
    u64 v = t[__builtin_ctz(w->mask)];
    if (v <= w->local_top)
        w->local_top = (u32)v;
    return in + 1;
}

/* ---- accesses of other families: one element a lane ---- */
bool access_lanes(struct warp *w, const struct insn *in, const u64 *a, u32 size, bool store, u64 *v)
{
    struct insn one = *in;
    struct request q;
    intptr_t per_lane[WARP];
    u8 *host[WARP];
    one.size = (u8)size;
    one.count = 1;
    one.src_width = 1; /* no values for listeners */
    q.mask = w->mask;
    q.first = __builtin_ctz(w->mask);
    u64 window = in->sub == SPACE_GENERIC  ? a[q.first] & MEM_WINDOW_MASK
                 : in->sub == SPACE_SHARED ? MEM_SHARED_BASE
                                           : 0;
    LANES q.a[i] = a[i] & ~MEM_WINDOW_MASK;
    if (window == MEM_SHARED_BASE) {
        if (!shared_request(w, &one, &q, store))
            return false;
        LANES host[i] = w->block->shared + q.a[i];
    } else {
        int kind = global_request(w, &one, &q, store, per_lane);
        if (!kind)
            return false;
        host_lanes(&q, kind, per_lane, host);
    }
    for (int i = 0; i < WARP; i++) {
        if (!ON(q.mask, i))
            continue;
        if (store)
            write_bytes(host[i], size, v[i]);
        else
            v[i] = read_bytes(host[i], size, false);
    }
    return true;
}
