/* bits.c - counts and fields of bits, permutations of bytes, small dot products: one lane at a
 * time, for what is not hot. */
#include "lanes.h"

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
/* a and b, as far as they fit into so many bits, above each other and below c */
static inline u64 pack_two(s32 a, s32 b, u32 c, const struct insn *in)
{
    s64 most = (1ll << (in->size - !!(in->flags & F_SIGNED))) - 1;
    s64 least = in->flags & F_SIGNED ? -most - 1 : 0, ones = (1ll << in->size) - 1;
    s64 x = a < least ? least : a > most ? most : a, y = b < least ? least : b > most ? most : b;
    return (u32)((u64)c << 2 * in->size | (u64)(x & ones) << in->size | (u64)(y & ones));
}
HANDLER(cvt_pack)
{
    EACH(pack_two((s32)a, (s32)b, in->size == 16 ? 0 : (u32)c, in));
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
