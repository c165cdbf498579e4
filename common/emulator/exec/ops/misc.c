/* misc.c - bit fields, permutations, small dot products, shuffles, votes, special
 * registers that change while a warp runs. */
#include "lanes.h"
#include <time.h>

#define EACH(expr)                                                                                 \
    u64 a_[WARP], b_[WARP], c_[WARP], e_[WARP];                                                    \
    u64 *const src_[4] = {a_, b_, c_, e_};                                                         \
    for (int k = 0; k < 4; k++)                                                                    \
        if (in->src[k] != NO_PLACE)                                                                \
            load_lanes(src_[k], place(w, in->src[k]),                                              \
                       k == 0               ? in->src_width                                        \
                       : in->count >> k & 1 ? 8                                                    \
                                            : 4,                                                   \
                       false);                                                                     \
    u64 r_[WARP];                                                                                  \
    for (int i = 0; i < WARP; i++) {                                                               \
        if (!ON(w->mask, i))                                                                       \
            continue;                                                                              \
        u64 a = a_[i], b = b_[i], c = c_[i], e = e_[i];                                            \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        (void)e;                                                                                   \
        r_[i] = (expr);                                                                            \
    }                                                                                              \
    store_lanes(place(w, in->dst), r_, in->width, w->mask);                                        \
    return in + 1
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

/* insn.size: bits of the operation (32 or 64); insn.count bit k: source k is 64 bits wide */
HANDLER(popc)
{
    EACH((u64)__builtin_popcountll(a));
}
HANDLER(clz)
{
    EACH(a ? (u64)__builtin_clzll(a) - (64 - in->size) : in->size);
}
static inline u64 reverse_bits(u64 a)
{
    a = (a >> 1 & 0x5555555555555555ull) | (a & 0x5555555555555555ull) << 1;
    a = (a >> 2 & 0x3333333333333333ull) | (a & 0x3333333333333333ull) << 2;
    a = (a >> 4 & 0x0f0f0f0f0f0f0f0full) | (a & 0x0f0f0f0f0f0f0f0full) << 4;
    return __builtin_bswap64(a);
}
HANDLER(brev)
{
    EACH(reverse_bits(a) >> (64 - in->size));
}
static inline u64 find_leading(u64 a, const struct insn *in)
{
    unsigned bits = in->size;
    if (in->flags & F_SIGNED) {
        s64 s = bits == 32 ? (s64)(s32)a : (s64)a;
        a = (u64)(s < 0 ? ~s : s);
        if (bits == 32)
            a &= 0xffffffffu;
    }
    if (a == 0)
        return 0xffffffffu;
    u64 msb = 63 - (u64)__builtin_clzll(a);
    return in->sub == M_shiftamt ? bits - 1 - msb : msb;
}
HANDLER(bfind)
{
    EACH(find_leading(a, in));
}
static inline u64 extract(u64 a, u64 b, u64 c, const struct insn *in)
{
    /* 32-bit forms look at the low byte, 64-bit ones at the whole word */
    u64 field = in->size == 32 ? 0xff : 0xffffffff;
    unsigned bits = in->size;
    u64 pos = b & field, len = c & field;
    bool sign = false;
    if (in->flags & F_SIGNED && len) {
        u64 top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
        sign = a >> top & 1;
    }
    u64 r = 0;
    for (unsigned i = 0; i < bits; i++) {
        bool bit = i < len && pos + i < bits ? a >> (pos + i) & 1 : sign;
        r |= (u64)bit << i;
    }
    return r;
}
HANDLER(bfe)
{
    EACH(extract(a, b, c, in));
}
static inline u64 insert(u64 a, u64 b, u64 c, u64 e, unsigned bits)
{
    u64 field = bits == 32 ? 0xff : 0xffffffff;
    u64 pos = c & field, len = e & field;
    if (pos >= bits || len == 0)
        return b;
    u64 ones = len >= 64 ? ~0ull : (1ull << len) - 1;
    return (b & ~(ones << pos)) | (a & ones) << pos;
}
HANDLER(bfi)
{
    EACH(insert(a, b, c, e, in->size));
}
static inline u64 permute(u32 a, u32 b, u32 c, unsigned mode)
{
    u64 bytes = (u64)b << 32 | a;
    unsigned n = c & 3, sel[4];
    switch (mode) {
    case M_f4e:
        for (unsigned i = 0; i < 4; i++)
            sel[i] = n + i;
        break;
    case M_b4e:
        for (unsigned i = 0; i < 4; i++)
            sel[i] = (n - i) & 7;
        break;
    case M_rc8:
        for (unsigned i = 0; i < 4; i++)
            sel[i] = n;
        break;
    case M_ecl:
        for (unsigned i = 0; i < 4; i++)
            sel[i] = i > n ? i : n;
        break;
    case M_ecr:
        for (unsigned i = 0; i < 4; i++)
            sel[i] = i < n ? i : n;
        break;
    case M_rc16:
        for (unsigned i = 0; i < 4; i++)
            sel[i] = (n & 1) * 2 + (i & 1);
        break;
    default:
        for (unsigned i = 0; i < 4; i++)
            sel[i] = c >> 4 * i & 15;
    }
    u32 r = 0;
    for (unsigned i = 0; i < 4; i++) {
        u8 byte = (u8)(bytes >> (sel[i] & 7) * 8);
        if (sel[i] & 8) /* replicate the sign */
            byte = byte & 0x80 ? 0xff : 0;
        r |= (u32)byte << 8 * i;
    }
    return r;
}
HANDLER(prmt)
{
    EACH(permute((u32)a, (u32)b, (u32)c, in->sub));
}
static inline u32 logic3(u32 a, u32 b, u32 c, unsigned table)
{
    u32 r = 0;
    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1)
            r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}
HANDLER(lop3) /* insn.imm: the truth table */
{
    const u32 *a = SRC(u32, 0), *b = SRC(u32, 1), *c = SRC(u32, 2);
    u32 *d = DST(u32);
    u32 r[WARP];
    LANES r[i] = logic3(a[i], b[i], c[i], (unsigned)in->imm);
    WRITE(u32, d, r[i]);
    return in + 1;
}
static inline u64 bit_mask(u32 pos, u32 len, bool wrap)
{
    if (wrap) {
        pos &= 31;
        len &= 31;
    }
    if (pos > 31)
        return 0;
    u64 ones = len > 31 ? 0xffffffffull : (1ull << len) - 1;
    return (u32)(ones << pos);
}
HANDLER(bmsk)
{
    EACH(bit_mask((u32)a, (u32)b, in->sub == M_wrap));
}
static inline u64 size_extend(u64 a, u64 n, const struct insn *in)
{
    if (in->sub == M_wrap)
        n &= 31;
    if (n > 31)
        return a;
    if (n == 0)
        return 0;
    u32 v = (u32)a & ((1u << n) - 1);
    if (in->flags & F_SIGNED && v >> (n - 1) & 1)
        v |= ~((1u << n) - 1);
    return v;
}
HANDLER(szext)
{
    EACH(size_extend(a, (u32)b, in));
}
static inline u64 find_nth_set(u32 mask, u32 base, s32 offset)
{
    if (offset == 0)
        return mask >> (base & 31) & 1 ? base : 0xffffffffu;
    s32 pos = (s32)base, inc = offset > 0 ? 1 : -1;
    u32 count = offset > 0 ? (u32)offset : -(u32)offset, found = 0;
    for (; pos >= 0 && pos < 32; pos += inc)
        if (mask >> pos & 1 && ++found == count)
            return (u64)pos;
    return 0xffffffffu;
}
HANDLER(fns)
{
    EACH(find_nth_set((u32)a, (u32)b, (s32)c));
}
/* dp4a, dp2a: F_SIGNED = a is signed, F_NEG_SRC = b is signed */
static inline u64 dot4(u32 a, u32 b, u32 c, u32 flags)
{
    for (int k = 0; k < 4; k++) {
        s32 x = flags & F_SIGNED ? (s8)(a >> 8 * k) : (u8)(a >> 8 * k);
        s32 y = flags & F_NEG_SRC ? (s8)(b >> 8 * k) : (u8)(b >> 8 * k);
        c += (u32)(x * y);
    }
    return c;
}
static inline u64 dot2(u32 a, u32 b, u32 c, u32 flags, bool high)
{
    for (int k = 0; k < 2; k++) {
        s32 x = flags & F_SIGNED ? (s16)(a >> 16 * k) : (u16)(a >> 16 * k);
        u32 byte = b >> (8 * k + (high ? 16 : 0));
        s32 y = flags & F_NEG_SRC ? (s8)byte : (u8)byte;
        c += (u32)(x * y);
    }
    return c;
}
HANDLER(dp4a)
{
    EACH(dot4((u32)a, (u32)b, (u32)c, in->flags));
}
HANDLER(dp2a)
{
    EACH(dot2((u32)a, (u32)b, (u32)c, in->flags, in->sub == M_hi));
}

/* vabsdiff2, vabsdiff4: absolute differences of halves or bytes (insn.size bits), a signed with
 * F_SIGNED, b with F_NEG_SRC; M_add: their sum, and c */
static inline u32 part(u32 v, unsigned bits, bool sign)
{
    return sign ? (u32)((s32)(v << (32 - bits)) >> (32 - bits)) : v & ((1u << bits) - 1);
}
static inline u64 absolute_differences(u32 a, u32 b, u32 c, const struct insn *in)
{
    unsigned bits = in->size;
    u32 packed = 0, sum = c;
    for (unsigned k = 0; k < 32; k += bits) {
        s32 x = (s32)part(a >> k, bits, in->flags & F_SIGNED);
        s32 y = (s32)part(b >> k, bits, in->flags & F_NEG_SRC);
        u32 d = part((u32)(x < y ? y - x : x - y), bits, false);
        packed |= d << k;
        sum += d;
    }
    return in->sub == M_add ? sum : packed;
}
HANDLER(absdiff)
{
    EACH(absolute_differences((u32)a, (u32)b, (u32)c, in));
}

/* ---- lanes talk to each other ---- */

/* The lanes of `left` that name the same members as the first of them. */
static inline u32 peers(const u32 *members, u32 left)
{
    u32 first = members[__builtin_ctz(left)], same = 0;
    for (int i = 0; i < WARP; i++)
        same |= (u32)(members[i] == first) << i;
    return same & left;
}
/* The lanes that execute a .sync instruction together, 0 when the path has to wait. They
 * are in w->mask until warp_joined(). src: the source with the member masks. Lanes on one
 * path may name different ones, each group its own (tiles, labelled partitions): when all that
 * a group needs are here all groups go at once, else each goes for itself. */
static inline u32 together(struct warp *w, const struct insn *in, u32 src)
{
    const u32 *members = place(w, in->src[src]);
    if (in->src[src] >> SEL_SHIFT != SEL_LAUNCH) {
        u32 missing = 0, others = w->mask & ~peers(members, w->mask);
        for (int i = 0; i < WARP && others; i++)
            missing |= ON(w->mask, i) ? members[i] & w->live & ~w->cur->mask : 0;
        if (missing) {
            u32 mine = w->mask & ~others;
            warp_set_aside(w, in, others);
            w->mask = mine;
        }
    }
    u32 want = members[__builtin_ctz(w->mask)];
    if ((want & w->live & ~w->cur->mask) != 0 && !warp_gather(w, in, want))
        return 0;
    return w->mask;
}
/* For each group of `all`, which names the same members: body sees `group`, and `set`, the
 * members that are here. */
#define GROUPS(members, all)                                                                       \
    for (u32 left_ = (all), group, set;                                                            \
         left_ &&                                                                                  \
         (group = peers((members), left_), set = (members)[__builtin_ctz(group)] & (all), true);   \
         left_ &= ~group)

/* shfl.sync (PTX ISA 9.7.9.6): d|p, a, b, c, membermask */
HANDLER(shfl)
{
    if (!together(w, in, 3))
        return warp_next_path(w);
    const u32 *a = SRC(u32, 0), *b = SRC(u32, 1), *c = SRC(u32, 2);
    u32 r[WARP], valid = 0;
    for (int i = 0; i < WARP; i++) {
        s32 lane = i, bval = b[i] & 31, cval = c[i] & 31, seg = c[i] >> 8 & 31;
        s32 max = (lane & seg) | (cval & ~seg), min = lane & seg, j;
        bool p;
        switch (in->sub) {
        case M_up:
            j = lane - bval;
            p = j >= max;
            break;
        case M_down:
            j = lane + bval;
            p = j <= max;
            break;
        case M_bfly:
            j = lane ^ bval;
            p = j <= max;
            break;
        default:
            j = min | (bval & ~seg);
            p = j <= max;
        }
        if (!p)
            j = lane;
        r[i] = ON(w->mask, j & 31) ? a[j & 31] : 0; /* as an H200 does where it is undefined */
        valid |= (u32)p << i;
    }
    u32 *d = DST(u32);
    if (in->dst != NO_PLACE)
        WRITE(u32, d, r[i]);
    if (in->dst2 != NO_PLACE) {
        u32 *q = place(w, in->dst2);
        *q = (*q & ~w->mask) | (valid & w->mask);
    }
    w->worker->slots[in->slot].requests++;
    return warp_joined(w, in);
}

/* movmatrix.trans (9.7.14.5.17): an 8 x 8 matrix of 16 bits, two elements of row lane/4 a lane */
HANDLER(movmatrix)
{
    if (w->mask != FULL)
        return warp_fault(w, in, -1, cudaErrorIllegalInstruction, "%s needs all 32 lanes",
                          in->site->opcode);
    const u32 *a = SRC(u32, 0);
    u32 r[WARP], *d = DST(u32);
    for (u32 i = 0; i < WARP; i++) {
        u32 row = i / 4, col = i % 4 * 2; /* d[row][col] = a[col][row] */
        u32 low = a[col * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        u32 high = a[(col + 1) * 4 + row / 2] >> 16 * (row & 1) & 0xffff;
        r[i] = low | high << 16;
    }
    WRITE(u32, d, r[i]);
    return in + 1;
}

HANDLER(vote)
{
    static const u32 everyone[WARP] = {[0 ... WARP - 1] = FULL};
    bool sync = in->src[1] != NO_PLACE;
    u32 all = sync ? together(w, in, 1) : w->mask;
    if (!all)
        return warp_next_path(w);
    const u32 *members = sync ? SRC(u32, 1) : everyone;
    u32 p = *SRC(u32, 0), yes = 0, ballot[WARP] = {0};
    if (in->flags & F_NEG_SRC)
        p = ~p;
    GROUPS(members, all)
    {
        u32 q = p & set;
        bool one = in->sub == M_all ? q == set : in->sub == M_any ? q != 0 : q == set || q == 0;
        yes |= one ? group : 0;
        LANES ballot[i] = ON(group, i) ? q : ballot[i];
    }
    u32 *d = DST(u32);
    if (in->sub == M_ballot)
        WRITE(u32, d, ballot[i]);
    else
        *d = (*d & ~w->mask) | (yes & w->mask);
    return warp_joined(w, in);
}

/* match.sync: insn.src_width is the width of a */
HANDLER(match)
{
    u32 all = together(w, in, 1);
    if (!all)
        return warp_next_path(w);
    const u32 *members = SRC(u32, 1);
    u64 a[WARP];
    load_lanes(a, place(w, in->src[0]), in->src_width, false);
    u32 r[WARP], same = 0;
    for (int i = 0; i < WARP; i++) {
        u32 set = members[i] & all;
        r[i] = 0;
        for (int j = 0; j < WARP; j++)
            r[i] |= (u32)(ON(set, j) && a[j] == a[i]) << j;
        same |= (u32)(r[i] == set) << i;
    }
    u32 *d = DST(u32);
    if (in->sub == M_any) {
        WRITE(u32, d, r[i]);
    } else {
        WRITE(u32, d, ON(same, i) ? r[i] : 0);
        if (in->dst2 != NO_PLACE) {
            u32 *q = place(w, in->dst2);
            *q = (*q & ~w->mask) | (same & w->mask);
        }
    }
    return warp_joined(w, in);
}

static inline u32 reduced(const struct insn *in, u32 x, u32 y)
{
    bool sign = in->flags & F_SIGNED;
    switch (in->sub) {
    case M_add:
        return x + y;
    case M_and:
        return x & y;
    case M_or:
        return x | y;
    case M_xor:
        return x ^ y;
    case M_min:
        return sign ? ((s32)y < (s32)x ? y : x) : (y < x ? y : x);
    default:
        return sign ? ((s32)y > (s32)x ? y : x) : (y > x ? y : x);
    }
}
HANDLER(redux)
{
    u32 all = together(w, in, 1), r[WARP] = {0};
    if (!all)
        return warp_next_path(w);
    const u32 *members = SRC(u32, 1), *a = SRC(u32, 0);
    GROUPS(members, all)
    {
        u32 x = 0;
        for (u32 m = set; m; m &= m - 1)
            x = m == set ? a[__builtin_ctz(m)] : reduced(in, x, a[__builtin_ctz(m)]);
        LANES r[i] = ON(group, i) ? x : r[i];
    }
    u32 *d = DST(u32);
    WRITE(u32, d, r[i]);
    return warp_joined(w, in);
}

HANDLER(activemask)
{
    u32 *d = DST(u32);
    WRITE(u32, d, w->mask);
    return in + 1;
}

HANDLER(elect) /* d|p, membermask: the lowest lane is elected */
{
    u32 all = together(w, in, 0), leader[WARP], elected = 0;
    if (!all)
        return warp_next_path(w);
    const u32 *members = SRC(u32, 0);
    GROUPS(members, all)
    {
        u32 lowest = (u32)__builtin_ctz(set ? set : group);
        LANES leader[i] = ON(group, i) ? lowest : leader[i];
        elected |= 1u << lowest;
    }
    if (in->dst != NO_PLACE) {
        u32 *d = DST(u32);
        WRITE(u32, d, leader[i]);
    }
    u32 *q = place(w, in->dst2);
    *q = (*q & ~w->mask) | (elected & w->mask);
    return warp_joined(w, in);
}

HANDLER(bar_warp_sync)
{
    u32 all = together(w, in, 0);
    if (!all)
        return warp_next_path(w);
    w->worker->slots[in->slot].requests++;
    struct block *b = w->block;
    const u32 *members = SRC(u32, 0);
    for (u32 left = b->nlisteners ? all : 0; left;) { /* lanes may name different masks: tiles */
        u32 mask = members[__builtin_ctz(left)] & all;
        for (int k = 0; k < b->nlisteners; k++)
            if (b->listeners[k]->warp_sync)
                b->listeners[k]->warp_sync(b->listeners[k], &b->info, in->site, w->index, mask,
                                           true);
        left &= ~(mask | 1u << __builtin_ctz(left));
    }
    return warp_joined(w, in);
}

/* ---- special registers that change ---- */
HANDLER(clock)
{
    u64 t[WARP], v;
    struct timespec now;
    switch (in->sub) {
    case SREG_GLOBALTIMER:
    case SREG_GLOBALTIMER_LO:
    case SREG_GLOBALTIMER_HI:
        clock_gettime(CLOCK_REALTIME, &now);
        v = (u64)now.tv_sec * 1000000000ull + (u64)now.tv_nsec;
        if (in->sub == SREG_GLOBALTIMER_HI)
            v >>= 32;
        break;
    default: /* instructions issued by this worker, a cycle each: monotonic, repeatable */
        v = w->worker->clock += 4;
        if (in->sub == SREG_CLOCK_HI)
            v >>= 32;
    }
    LANES t[i] = v;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}

HANDLER(envreg) /* %envreg1/2: address of the cooperative grid's workspace */
{
    u32 *d = DST(u32);
    u64 v = w->block->launch->workspace;
    u32 x = in->sub == 2 ? (u32)v : in->sub == 1 ? (u32)(v >> 32) : 0;
    WRITE(u32, d, x);
    return in + 1;
}

/* mov {a,b,…}, c and mov c, {a,b,…}: insn.size is the width of one element */
HANDLER(pack)
{
    u64 r[WARP] = {0}, t[WARP];
    for (unsigned k = 0; k < in->count; k++) {
        if (in->places[k] == NO_PLACE)
            continue;
        load_lanes(t, place(w, in->places[k]), in->size < 2 ? 2 : in->size, false);
        u64 ones = in->size == 8 ? ~0ull : (1ull << 8 * in->size) - 1;
        LANES r[i] |= (t[i] & ones) << (8 * in->size * k & 63);
    }
    store_lanes(place(w, in->dst), r, in->width, w->mask);
    return in + 1;
}
HANDLER(unpack)
{
    u64 s[WARP], t[WARP];
    load_lanes(s, place(w, in->src[0]), in->src_width, false);
    u64 ones = in->size == 8 ? ~0ull : (1ull << 8 * in->size) - 1;
    for (unsigned k = 0; k < in->count; k++) {
        if (in->places[k] == NO_PLACE)
            continue;
        LANES t[i] = s[i] >> (8 * in->size * k & 63) & ones;
        store_lanes(place(w, in->places[k]), t, in->size < 2 ? 2 : in->size, w->mask);
    }
    return in + 1;
}
