/* mem.c - loads and stores, by space, and the wavefronts of shared memory.
 *
 * Requests and their other costs are in mem.h, atomics in atom.c.
 *
 * Bank rules (Nsight Compute's, checked against hardware): 32 banks of 4 bytes; 8-byte
 * accesses go in half-warps, 16-byte ones in quarter-warps, fewer when lanes share; lanes that read
 * the same word share it; a conflict is a wavefront beyond one per group.
 */
#include "mem.h"
#include "bulk.h"
#include "mma.h"

/* ---- banks ---- */
/* The distinct words that a group of lanes (m) asks of its fullest bank. A lane's words lie side by
 * side from a multiple of their size on: they are one unit, and so many banks together are one. */
static u32 group_wavefronts_apart(const u64 *a, u32 m, u32 words)
{
    u32 top = 1;
    u64 all[WARP];
    u32 n = 0, per[32] = {0};
    for (; m; m &= m - 1) {
        u64 x = a[__builtin_ctz(m)] / (4 * words);
        u32 j = 0;
        while (j < n && all[j] != x)
            j++;
        if (j < n)
            continue;
        all[n++] = x;
        if (++per[x & (32 / words - 1)] > top)
            top = per[x & (32 / words - 1)];
    }
    return top;
}
/* No bank has two? */
static bool one_a_bank(const u64 *a, u32 m, u32 shift, u32 banks)
{
    u64 unit[32];
    for (u32 seen = 0; m; m &= m - 1) {
        u64 x = a[__builtin_ctz(m)] >> shift;
        u32 bank = (u32)x & (banks - 1);
        if (!(seen >> bank & 1))
            unit[bank] = x;
        else if (unit[bank] != x)
            return false;
        seen |= 1u << bank;
    }
    return true;
}
/* The same with a bit a unit: for units within 64 rows of all banks. */
static u32 group_wavefronts_near(const u64 *a, u32 m, u32 words)
{
    u32 shift = 2 + (u32)__builtin_ctz(words), banks = 32 / words, n[32] = {0}, top = 1;
    u64 rows[32] = {0}, low = a[__builtin_ctz(m)] >> 7;
    for (u32 rest = m; rest; rest &= rest - 1) {
        u64 row = a[__builtin_ctz(rest)] >> 7;
        low = row < low ? row : low;
    }
    for (u32 rest = m; rest; rest &= rest - 1) {
        u64 x = a[__builtin_ctz(rest)], row = (x >> 7) - low;
        u32 bank = (u32)(x >> shift) & (banks - 1);
        if (row >= 64)
            return group_wavefronts_apart(a, m, words);
        n[bank] += !(rows[bank] >> row & 1);
        rows[bank] |= 1ull << row;
        top = n[bank] > top ? n[bank] : top;
    }
    return top;
}
/* Of units far apart, or few */
static u32 group_wavefronts_far(const u64 *a, u32 m, u32 words)
{
    bool spread = one_a_bank(a, m, 2 + (u32)__builtin_ctz(words), 32 / words);
    return spread ? 1 : group_wavefronts_near(a, m, words);
}
/* Of n masks, at most 7: in how many is the bit that is in most? */
static inline u32 most_often(const u32 *masks, u32 n)
{
    u32 ones = 0, twos = 0, fours = 0;
    for (u32 k = 0; k < n; k++) {
        u32 both = ones & masks[k];
        ones ^= masks[k];
        fours |= twos & both;
        twos ^= both;
    }
    u32 top = fours ? 4 : 0, left = fours ? fours : ~0u;
    top += left & twos ? 2 : 0;
    left &= (left & twos) ? twos : ~0u;
    return top + (left & ones ? 1 : 0);
}
/* Bit k: some lane of m asks for unit first + k. */
static __attribute__((noinline)) u64 units_asked(const u64 *a, u32 m, u32 shift, u64 first)
{
    u64 units = 0, on = m;
    _Pragma("GCC ivdep") for (u64 i = 0; i < WARP; i++) /* all as wide as addresses are */
    {
        u64 k = (a[i] >> shift) - first;
        u64 unit = k < 64 ? on >> i & 1 : 0;
        units |= unit << (k & 63);
    }
    return units;
}
/* And 64 units at a time, all lanes at once: for units within a few rows, as nearly all are. */
static inline u32 group_wavefronts(const u64 *a, u32 m, u32 words, u64 lo, u64 hi)
{
    enum { FEW = 7, FEW_LANES = 4, MOST_AT_ONCE = 8 };
    u32 shift = 2 + (u32)__builtin_ctz(words), banks = 32 / words, hit[FEW + MOST_AT_ONCE];
    u64 first = lo >> 7 << (7 - shift), n = (hi >> 7) - (lo >> 7) + 1;
    if (n > FEW || __builtin_popcount(m) <= FEW_LANES)
        return group_wavefronts_far(a, m, words);
    for (u32 row = 0; row < n; first += 64) {
        u64 units = units_asked(a, m, shift, first);
        for (u32 k = 0; k < 2 * words; k++, units >>= banks)
            hit[row++] = (u32)units & (u32)((1ull << banks) - 1);
    }
    return most_often(hit, (u32)n);
}
/* Of lanes whose addresses are `step` bytes apart, so that no two ask for the same unit: every so
 * many of them are in one bank. All these numbers are powers of two. */
static inline u32 group_wavefronts_even(u64 step, u32 lanes, u32 words)
{
    u64 units = step / (4 * words), twos = units & -units;
    u32 banks = 32 / words, met = twos < banks ? banks / (u32)twos : 1;
    return lanes > met ? lanes / met : 1;
}
/* The bytes from each lane to the next, a multiple of a unit; 0: they differ, or not all are on. */
static inline u64 even_step(const struct request *q, u32 words)
{
    u64 step = q->a[1] - q->a[0], differ = 0;
    if (q->mask != FULL || step & (4 * words - 1))
        return 0;
    for (int i = 1; i < WARP; i++)
        differ |= (q->a[i] - q->a[i - 1]) ^ step;
    return differ ? 0 : step;
}
/* Do all lanes share their address with lane^1, or all with lane^2? Then an 8-byte access
 * goes as one group instead of two, a 16-byte one as two instead of four (seen on an H200
 * under ncu; l/2, l/4, l%2 and a broadcast merge, l%4, l%8 and l%16 do not). */
static inline bool pairs_share(const struct request *q)
{
    const u64 *a = q->a;
    u64 one = 0, two = 0;
    for (int i = 0; i < WARP && !(one && two); i += 4) {
        u32 m = q->mask >> i;
        u64 differ[4] = {a[i] ^ a[i + 1], a[i + 2] ^ a[i + 3], a[i] ^ a[i + 2],
                         a[i + 1] ^ a[i + 3]};
        one |= ((m & 3) == 3 ? differ[0] : 0) | ((m & 12) == 12 ? differ[1] : 0);
        two |= ((m & 5) == 5 ? differ[2] : 0) | ((m & 10) == 10 ? differ[3] : 0);
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
    u64 step = q->shape == SHAPE_GENERAL ? even_step(q, words) : 0;
    if (step) {
        u32 each = group_wavefronts_even(step, WARP / groups, words);
        *conflicts = groups * (each - 1);
        return groups * each;
    }
    if (groups > 1 && q->shape != SHAPE_CONTIGUOUS && pairs_share(q))
        groups /= 2;
    u32 total = 0, used = 0, lanes = WARP / groups;
    for (u32 g = 0; g < groups; g++) {
        u32 m = groups == 1 ? q->mask : q->mask & ((1u << lanes) - 1) << g * lanes;
        if (!m)
            continue;
        used++;
        if (q->shape != SHAPE_GENERAL) {
            total++;
            continue;
        }
        total += group_wavefronts(q->a, m, words, q->lo, q->hi);
    }
    *conflicts = total - used;
    return total;
}

enum { HALF_WARP = WARP / 2 };
/* Are the addresses of the lanes that are on evenly spaced, in each half of the warp alike? */
static inline bool evenly_spaced(const struct request *q)
{
    u32 others = q->mask & (q->mask - 1), upper = q->mask >> HALF_WARP;
    u64 differ = 0, at[2] = {0, 0};
    if (q->shape != SHAPE_GENERAL || !others)
        return true;
    u32 second = (u32)__builtin_ctz(others), apart = second - q->first;
    s64 step = (s64)(q->a[second] - q->a[q->first]);
    if (q->mask == FULL) {
        for (int i = 1; i < WARP; i++)
            differ |= i == HALF_WARP ? 0 : (q->a[i] - q->a[i - 1]) ^ (u64)step;
        return differ == 0;
    }
    step /= (s64)apart;
    at[0] = q->a[q->first] - (u64)q->first * (u64)step; /* where lane 0 would be */
    if (upper) {
        u32 lane = HALF_WARP + (u32)__builtin_ctz(upper);
        at[1] = q->a[lane] - (u64)lane * (u64)step;
    }
    LANES differ |= ON(q->mask, i) ? q->a[i] ^ (at[i / HALF_WARP] + (u64)i * (u64)step) : 0;
    return differ == 0;
}

/* From each lane that is on to the next, the bytes between their addresses over the lanes between:
 * lanes side by side, of which any are off, have their own size each time. */
static inline u64 lane_steps(const struct request *q, u32 size)
{
    u64 sum = 0;
    u32 before = q->first;
    if (q->shape == SHAPE_UNIFORM)
        return 0;
    if (q->shape == SHAPE_CONTIGUOUS)
        return (u64)size * ((u32)__builtin_popcount(q->mask) - 1);
    for (u32 m = q->mask & (q->mask - 1); m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctz(m);
        u64 a = q->a[before], b = q->a[lane], far = a < b ? b - a : a - b;
        sum += lane - before == 1 ? far : far / (lane - before);
        before = lane;
    }
    return sum;
}

/* ---- checks ---- */
const struct insn *misaligned(struct warp *w, const struct insn *in, const struct request *q,
                              u32 size, const char *access)
{
    for (int i = 0; i < WARP; i++)
        if (ON(q->mask, i) && q->a[i] & (size - 1)) {
            access_misaligned(w, in, i, q->a[i], size, access);
            return NULL;
        }
    panic("misaligned: no such lane");
}
/* Lanes in different allocations: each lane finds its own. delta[i] per lane. */
bool scattered(struct warp *w, const struct insn *in, struct request *q, u32 size, bool write,
               intptr_t *delta)
{
    struct mem_cache c = {0};
    for (int i = 0; i < WARP; i++) {
        delta[i] = 0;
        if (!ON(q->mask, i))
            continue;
        if (!(q->a[i] >= c.lo && q->a[i] < c.hi && c.hi - q->a[i] >= size))
            if (!access_lookup(w, in, i, q->a[i], size, write, &c))
                return false;
        delta[i] = c.delta;
    }
    return true;
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
/* Vectors of words: each lane's in one move, then turned, four lanes at a time. */
typedef u32 words4 __attribute__((vector_size(16), aligned(4), may_alias));
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
static inline bool is_words(const struct warp *w, const struct insn *in, u32 width)
{
    return w->mask == FULL && in->size == 4 && width == 4 && in->count == 4;
}
static inline void turn_words(words4 r[4])
{
    words4 ab = PICK(r[0], r[1], 0, 4, 1, 5), cd = PICK(r[2], r[3], 0, 4, 1, 5);
    words4 AB = PICK(r[0], r[1], 2, 6, 3, 7), CD = PICK(r[2], r[3], 2, 6, 3, 7);
    r[0] = PICK(ab, cd, 0, 1, 4, 5);
    r[1] = PICK(ab, cd, 2, 3, 6, 7);
    r[2] = PICK(AB, CD, 0, 1, 4, 5);
    r[3] = PICK(AB, CD, 2, 3, 6, 7);
}
#undef PICK
static inline void load_words(struct warp *w, const struct insn *in, const u8 *const *host)
{
    for (int i = 0; i < WARP; i += 4) {
        words4 r[4];
        for (int k = 0; k < 4; k++)
            r[k] = (words4) * (const volatile whole16 *)host[i + k];
        turn_words(r);
        for (int k = 0; k < 4; k++)
            if (in->places[k] != NO_PLACE)
                *(words4 *)((u32 *)place(w, in->places[k]) + i) = r[k];
    }
}
static inline void store_words(struct warp *w, const struct insn *in, u8 *const *host)
{
    for (int i = 0; i < WARP; i += 4) {
        words4 r[4];
        for (int k = 0; k < 4; k++)
            r[k] = *(const words4 *)((const u32 *)place(w, in->places[k]) + i);
        turn_words(r);
        for (int k = 0; k < 4; k++)
            *(volatile whole16 *)host[i + k] = (whole16)r[k];
    }
}
/* Pairs as wide as their registers, of a whole warp */
static inline bool is_pairs(const struct warp *w, const struct insn *in, u32 width)
{
    return w->mask == FULL && in->count == 2 && in->size == width && width >= 4;
}
#define PAIRS(T)                                                                                   \
    static inline void load_pairs_of_##T(struct warp *w, const struct insn *in,                    \
                                         const u8 *const *host)                                    \
    {                                                                                              \
        u8 t[WARP][2 * sizeof(T)];                                                                 \
        for (int i = 0; i < WARP; i++)                                                             \
            move_whole(t[i], host[i], sizeof(t[i]));                                               \
        for (int k = 0; k < 2; k++)                                                                \
            if (in->places[k] != NO_PLACE) {                                                       \
                T *d = place(w, in->places[k]);                                                    \
                LANES memcpy(&d[i], t[i] + k * sizeof(T), sizeof(T));                              \
            }                                                                                      \
    }                                                                                              \
    static inline void store_pairs_of_##T(struct warp *w, const struct insn *in, u8 *const *host)  \
    {                                                                                              \
        u8 t[WARP][2 * sizeof(T)];                                                                 \
        for (int k = 0; k < 2; k++) {                                                              \
            const T *a = place(w, in->places[k]);                                                  \
            LANES memcpy(t[i] + k * sizeof(T), &a[i], sizeof(T));                                  \
        }                                                                                          \
        for (int i = 0; i < WARP; i++)                                                             \
            move_whole(host[i], t[i], sizeof(t[i]));                                               \
    }
PAIRS(u32)
PAIRS(u64)
#undef PAIRS
static inline void load_lanes_from(struct warp *w, const struct insn *in, const u8 *const *host)
{
    u64 t[WARP];
    u8 whole[WARP][16];
    if (is_words(w, in, in->width)) {
        load_words(w, in, host);
        return;
    }
    if (is_pairs(w, in, in->width)) {
        if (in->width == 4)
            load_pairs_of_u32(w, in, host);
        else
            load_pairs_of_u64(w, in, host);
        return;
    }
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
    if (is_words(w, in, in->src_width)) {
        store_words(w, in, host);
        return;
    }
    if (is_pairs(w, in, in->src_width)) {
        if (in->src_width == 4)
            store_pairs_of_u32(w, in, host);
        else
            store_pairs_of_u64(w, in, host);
        return;
    }
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

/* ---- global ---- */
static inline int global_request(struct warp *w, const struct insn *in, struct request *q,
                                 bool write, intptr_t *per_lane)
{
    u32 total = (u32)in->size * in->count;
    find_shape(q, total);
    if (__builtin_expect(q->bits & (total - 1), 0)) {
        misaligned(w, in, q, total, write ? "global write" : "global read");
        return 0;
    }
    int r = resolve(w, in, q, total, write, per_lane);
    if (!r)
        return 0;
    u32 sectors = count_sectors(q, total);
    count_access(w, in, q, sectors, total, 0);
    charge_parts(w, q, sectors, SECTORS_A_STEP);
    w->worker->slots[in->slot].spacing += lane_steps(q, total);
    w->loaded += write ? 0 : (u64)__builtin_popcount(q->mask) * total;
    tell(w, in, write ? ACCESS_STORE : ACCESS_LOAD, ACCESS_GLOBAL, q, total);
    return r;
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
static inline bool shared_request(struct warp *w, const struct insn *in, struct request *q,
                                  bool write)
{
    u32 total = (u32)in->size * in->count, conflicts;
    find_shape(q, total);
    if (__builtin_expect(q->bits & (total - 1), 0)) {
        misaligned(w, in, q, total, write ? "shared write" : "shared read");
        return false;
    }
    if (!shared_bounds(w, in, q, total))
        return false;
    u32 wavefronts = count_wavefronts(q, total, &conflicts);
    count_access(w, in, q, wavefronts, total, conflicts);
    charge_parts(w, q, (u32)__builtin_popcount(q->mask), SHARED_LANES_A_STEP);
    if (!write) {
        w->worker->slots[in->slot].by_lanes[lane_group(q->mask)]++;
        w->worker->slots[in->slot].spacing += evenly_spaced(q);
        block_read(w->block, q->lo, q->hi + total);
    }
    tell(w, in, write ? ACCESS_STORE : ACCESS_LOAD, ACCESS_SHARED, q, total);
    return true;
}
static const struct insn *load_shared(struct warp *w, const struct insn *in, struct request *q)
{
    u8 *host[WARP];
    if (!shared_request(w, in, q, false))
        return NULL;
    LANES host[i] = shared_at(w, q->a[i]);
    load_lanes_from(w, in, (const u8 *const *)host);
    return in + 1;
}
static const struct insn *store_shared(struct warp *w, const struct insn *in, struct request *q)
{
    u8 *host[WARP];
    if (!shared_request(w, in, q, true))
        return NULL;
    LANES host[i] = shared_at(w, q->a[i]);
    store_lanes_to(w, in, host);
    return in + 1;
}
HANDLER(ld_shared)
{
    struct request q;
    shared_addresses(w, in, &q);
    return load_shared(w, in, &q);
}
HANDLER(st_shared)
{
    struct request q;
    shared_addresses(w, in, &q);
    return store_shared(w, in, &q);
}
HANDLER(ld_shared_4)
{
    struct request q;
    shared_addresses(w, in, &q);
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
    shared_addresses(w, in, &q);
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
        misaligned(w, in, q, total, "local access");
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
    w->worker->steps += LOCAL_WORD_STEPS * ((total + 3) / 4) + sectors / LOCAL_SECTORS_A_STEP;
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
    struct spot peer;
    if (!spot_find(w, in, q->first, q->a[q->first], &peer))
        return NULL;
    u8 *own = b->shared;
    bool tell = b->tell;
    LANES q->a[i] &= PEER_OFFSET;
    b->shared = peer.block->shared;
    b->tell = false;
    const struct insn *next = shared_part(w, in, q, op);
    b->shared = own;
    b->tell = tell;
    for (u32 m = next && op != GENERIC_LOAD ? q->mask : 0; m; m &= m - 1) {
        peer.at = q->a[__builtin_ctz(m)];
        spot_tell(w, in, __builtin_ctz(m), &peer, in->size * (in->count ? in->count : 1),
                  ACCESS_STORE);
    }
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
static inline u32 slot_of(u64 window)
{
    return window == MEM_SHARED_BASE ? IN_SHARED : window == MEM_LOCAL_BASE ? IN_LOCAL : IN_GLOBAL;
}
static const struct insn *generic(struct warp *w, const struct insn *in, u64 base,
                                  enum generic_op op)
{
    struct request q;
    struct insn one = *in;
    lane_addresses(w, in, &q);
    LANES q.a[i] |= base;
    u32 all = w->mask, rest = all;
    bool ok = true;
    while (rest && ok) {
        u64 key = part_of(q.a[__builtin_ctz(rest)]), window = key & MEM_WINDOW_MASK;
        u32 part = 0;
        for (int i = 0; i < WARP; i++)
            part |= (u32)(ON(rest, i) && part_of(q.a[i]) == key) << i;
        struct request p = q;
        p.mask = w->mask = part;
        p.first = __builtin_ctz(part);
        one.slot = in->slot + (base ? 0 : slot_of(window));
        ok = generic_part(w, &one, &p, window, op);
        rest &= ~part;
    }
    w->mask = all;
    return ok ? in + 1 : NULL;
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
HANDLER(atom_generic)
{
    return generic(w, in, 0, GENERIC_ATOM);
}
HANDLER(atom_cluster)
{
    return generic(w, in, MEM_SHARED_BASE, GENERIC_ATOM);
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
        one.slot += in->sub == SPACE_GENERIC ? IN_SHARED : 0;
        if (!shared_request(w, &one, &q, store))
            return false;
        LANES host[i] = shared_at(w, q.a[i]);
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
/* Bank rule as an H200's under ncu: a matrix is a request of 8 rows of 16 bytes, in one pass where
 * no two of them meet in a bank, whether it is turned or not (cases/counts_main.c). */
void count_rows(struct warp *w, const struct insn *in, const u64 *a, u32 matrices)
{
    struct slot *s = &w->worker->slots[in->slot + (in->sub == SPACE_GENERIC ? IN_SHARED : 0)];
    for (u32 m = 0; m < matrices; m++, a += 8) {
        u32 passes = group_wavefronts_far(a, 0xff, 4);
        s->units += passes;
        s->extra += passes - 1;
    }
    s->requests++;
    s->bytes += matrices * WARP * 4;
}
bool rows_in_reach(const struct warp *w, const struct insn *in, const u64 *a, u32 matrices)
{
    const struct launch *l = w->block->launch;
    u64 hi = 0, bits = 0;
    for (u32 i = 0; i < 8 * matrices; i++) {
        hi = a[i] > hi ? a[i] : hi;
        bits |= a[i];
    }
    return !w->block->tell && in->sub == SPACE_SHARED && !(bits & 15) && hi < l->shared_bytes &&
           l->shared_bytes - hi >= 16 && !l->shared_map;
}
