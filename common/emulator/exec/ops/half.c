/* half.c - half precision: f16, bf16, their packed forms, and packed 16-bit integers.
 *
 * Values are computed in double precision, where sums and products of halves are exact;
 * the sum in fma is rounded to odd first, so that the one rounding to 11 (f16) or 8 (bf16)
 * bits is the right one. Conversions to the 8-bit floats live here too.
 */
#include "half.h"
#include "lanes.h"

/* ---- one element ---- */
static inline f64 half_in(u16 h, bool brain, u32 flags)
{
    f64 x = brain ? (f64)f32_bits((u32)h << 16) : (f64)half_to_float(h);
    if (flags & F_FTZ && !brain && fabs(x) < 0x1p-14)
        x = copysign(0.0, x);
    return x;
}
static inline u16 half_out(f64 x, bool brain, u32 flags)
{
    if (flags & F_SAT)
        x = saturate64(x);
    if (flags & F_RELU && x < 0)
        x = 0.0;
    if (flags & F_RELU && x == 0)
        x = 0.0;
    if (flags & F_FTZ && !brain && fabs(round_to(x, 11, -1000, 0)) < 0x1p-14)
        x = copysign(0.0, x); /* too small as rounded to 11 bits, which subnormals do not have */
    return brain ? float_to_bf16(x, 0) : float_to_half(x, 0);
}
/* min, max; .xorsign.abs: of the magnitudes, with the product's sign */
static inline f64 half_extreme(f64 x, f64 y, bool max, u32 flags)
{
    if (!(flags & F_XORSIGN))
        return half_minmax(x, y, max, flags);
    f64 r = half_minmax(fabs(x), fabs(y), max, flags);
    return r != r ? r : copysign(r, signbit(x) != signbit(y) ? -1 : 1);
}
static inline u16 half_element(unsigned op, u16 a, u16 b, u16 c, bool brain, u32 flags)
{
    f64 x = half_in(a, brain, flags), y = half_in(b, brain, flags), z = half_in(c, brain, flags);
    switch (op) {
    case OP_add:
        return half_out(x + y, brain, flags);
    case OP_sub:
        return half_out(x - y, brain, flags);
    case OP_mul:
        return half_out(x * y, brain, flags);
    case OP_fma:
        return half_out(sum_to_odd(x * y, z), brain, flags);
    case OP_min:
    case OP_max:
        return half_out(half_extreme(x, y, op == OP_max, flags), brain, flags);
    case OP_neg:
        return x != x ? 0x7fff : flags & F_FTZ ? half_out(-x, brain, flags) : a ^ 0x8000;
    case OP_abs:
        return x != x ? 0x7fff : flags & F_FTZ ? half_out(fabs(x), brain, flags) : a & 0x7fff;
    case OP_tanh:
        return half_out(tanh(x), brain, flags);
    default: /* OP_ex2 */
        if (brain && flags & F_FTZ && fabs(x) < 0x1p-126)
            x = 0;
        x = exp2(x);
        return half_out(brain && flags & F_FTZ && x < 0x1p-126 ? 0.0 : x, brain, flags);
    }
}

/* insn.sub: opcode; .size: 16 or 32 bits; .sub2: 1 for bf16 */
HANDLER(half)
{
    u64 a[WARP], b[WARP] = {0}, c[WARP] = {0}, r[WARP];
    u8 width = in->size / 8;
    load_lanes(a, place(w, in->src[0]), width, false);
    if (in->src[1] != NO_PLACE)
        load_lanes(b, place(w, in->src[1]), width, false);
    if (in->src[2] != NO_PLACE)
        load_lanes(c, place(w, in->src[2]), width, false);
    for (int i = 0; i < WARP; i++) {
        if (!ON(w->mask, i))
            continue;
        r[i] = 0;
        for (unsigned k = 0; k < in->size; k += 16)
            r[i] |= (u64)half_element(in->sub, (u16)(a[i] >> k), (u16)(b[i] >> k), (u16)(c[i] >> k),
                                      in->sub2, in->flags)
                    << k;
    }
    store_lanes(place(w, in->dst), r, in->width, w->mask);
    return in + 1;
}

/* ---- packed integers: add, min, max of u16x2, s16x2 ---- */
HANDLER(pair16)
{
    const u32 *a = SRC(u32, 0), *b = SRC(u32, 1);
    u32 *d = DST(u32), r[WARP];
    bool sign = in->flags & F_SIGNED;
    for (int i = 0; i < WARP; i++) {
        r[i] = 0;
        for (int k = 0; k < 32; k += 16) {
            s32 x = sign ? (s16)(a[i] >> k) : (u16)(a[i] >> k);
            s32 y = sign ? (s16)(b[i] >> k) : (u16)(b[i] >> k);
            s32 v = in->sub == OP_add ? x + y : (x < y) == (in->sub == OP_min) ? x : y;
            v = in->flags & F_RELU && v < 0 ? 0 : v;
            r[i] |= (u32)(u16)v << k;
        }
    }
    WRITE(u32, d, r[i]);
    return in + 1;
}

/* ---- comparisons: insn.sub relation, .sub2 bool op | type bits in .count ---- */
static inline bool related(f64 a, f64 b, unsigned relation)
{
    bool nan = a != a || b != b;
    switch (relation) {
    case M_eq:
        return a == b;
    case M_ne:
        return !nan && a != b;
    case M_lt:
        return a < b;
    case M_le:
        return a <= b;
    case M_gt:
        return a > b;
    case M_ge:
        return a >= b;
    case M_equ:
        return nan || a == b;
    case M_neu:
        return nan || a != b;
    case M_ltu:
        return nan || a < b;
    case M_leu:
        return nan || a <= b;
    case M_gtu:
        return nan || a > b;
    case M_geu:
        return nan || a >= b;
    case M_num:
        return !nan;
    default:
        return nan;
    }
}
/* lanes where the relation holds for element k */
static inline u32 half_relation(struct warp *w, const struct insn *in, unsigned k)
{
    u64 a[WARP], b[WARP];
    bool brain = in->count == 2;
    load_lanes(a, place(w, in->src[0]), in->size / 8, false);
    load_lanes(b, place(w, in->src[1]), in->size / 8, false);
    u32 r = 0;
    for (int i = 0; i < WARP; i++)
        r |= (u32)related(half_in((u16)(a[i] >> k), brain, in->flags),
                          half_in((u16)(b[i] >> k), brain, in->flags), in->sub)
             << i;
    return r;
}
HANDLER(setp_half) /* packed: p from the lower, q from the upper half; else q = not p */
{
    u32 p = half_relation(w, in, 0);
    return setp_result(w, in, p, in->size == 32 ? half_relation(w, in, 16) : ~p);
}
HANDLER(set_half) /* insn.imm: what a true element is */
{
    u64 r[WARP];
    u32 p = combine(w, in, half_relation(w, in, 0));
    u32 q = in->size == 32 ? combine(w, in, half_relation(w, in, 16)) : 0;
    u64 one = (u64)in->imm;
    for (int i = 0; i < WARP; i++)
        r[i] = (ON(p, i) ? one : 0) | (ON(q, i) ? one << 16 : 0);
    store_lanes(place(w, in->dst), r, in->width, w->mask);
    return in + 1;
}

/* ---- conversions with two sources or to narrow formats ---- */

/* e4m3 and e5m2, saturating to the largest finite value */
static inline u8 float_to_e(f64 x, bool e5, u32 flags)
{
    if (x != x)
        return 0x7f;
    if (flags & F_RELU && x <= 0)
        x = 0;
    u8 s = __builtin_signbit(x) ? 0x80 : 0;
    int digits = e5 ? 3 : 4, emin = e5 ? -16 : -9, bias = e5 ? 15 : 7, m = digits - 1;
    f64 r = fabs(round_to(fabs(x) > 1e6 ? 1e6 : x, digits, emin, 0));
    f64 top = e5 ? 57344.0 : 448.0;
    if (r > top)
        r = top;
    if (r < ldexp(1, 1 - bias))
        return s | (u8)ldexp(r, -emin);
    int e;
    f64 f = frexp(r, &e);
    return s | (u8)((e - 1 + bias) << m) | (u8)((u8)ldexp(f, digits) & ((1 << m) - 1));
}
static inline f64 e_to_float(u8 v, bool e5)
{
    int m = e5 ? 2 : 3, bias = e5 ? 15 : 7, e = (v & 0x7f) >> m, f = v & ((1 << m) - 1);
    f64 r;
    if (e5 && e == 31)
        r = f ? NAN : INFINITY;
    else if (!e5 && (v & 0x7f) == 0x7f)
        r = NAN;
    else
        r = e ? ldexp((1 << m) + f, e - bias - m) : ldexp(f, 1 - bias - m);
    return v & 0x80 ? -r : r;
}
/* 13 bits fewer; a carry may run up to infinity. .rna keeps a NaN's payload. */
static inline u32 float_to_tf32(u32 u, u32 flags)
{
    u32 last = u >> 13 & 1, mode = (flags & F_ROUND) >> F_ROUND_SHIFT;
    u32 more = flags & F_ROUND_RNA ? 0x1000 : mode == 0 ? 0xfff + last : 0;
    u32 nan = flags & F_ROUND_RNA ? u & 0xffffe000 : 0x7fffe000;
    bool is_nan = (u & 0x7fffffff) > 0x7f800000;
    u32 r = is_nan ? nan : (u + more) & 0xffffe000;
    r = (flags & F_RELU && !is_nan && u >> 31) ? 0 : r;
    bool top = flags & F_SATFINITE && (r >> 23 & 0xff) == 0xff;
    return r - (top ? 0x2000 : 0); /* of NaNs, too: as seen on an H200 */
}
static const struct insn *cvt_tf32(struct warp *w, const struct insn *in)
{
    const u32 *a = SRC(u32, 0), flags = in->flags;
    u32 *d = DST(u32);
    WRITE(u32, d, float_to_tf32(a[i], flags));
    return in + 1;
}
static inline u16 to_element(f64 x, unsigned type, u32 flags)
{
    if (flags & F_RELU && x <= 0)
        x = 0.0;
    return type == PTX_BF16X2 ? float_to_bf16(x, flags) : float_to_half(x, flags);
}
/* insn.sub: destination type, .sub2: source type; d = {upper: a, lower: b} */
HANDLER(cvt_narrow)
{
    u64 a[WARP], b[WARP] = {0}, r[WARP];
    u32 flags = in->flags;
    if (in->sub == PTX_TF32)
        return cvt_tf32(w, in);
    load_lanes(a, place(w, in->src[0]), in->src_width, false);
    if (in->src[1] != NO_PLACE)
        load_lanes(b, place(w, in->src[1]), in->src_width, false);
    for (int i = 0; i < WARP; i++) {
        f64 x = f32_bits((u32)a[i]), y = f32_bits((u32)b[i]);
        bool e5 = in->sub == PTX_E5M2X2 || in->sub2 == PTX_E5M2X2;
        switch (in->sub) {
        case PTX_E4M3X2:
        case PTX_E5M2X2:
            if (in->sub2 == PTX_F16X2) {
                x = half_to_float((u16)(a[i] >> 16));
                y = half_to_float((u16)a[i]);
            }
            r[i] = (u64)float_to_e(x, e5, flags) << 8 | float_to_e(y, e5, flags);
            break;
        default:
            if (in->sub2 == PTX_F32) {
                r[i] = (u64)to_element(x, in->sub, flags) << 16 | to_element(y, in->sub, flags);
            } else {
                x = e_to_float((u8)(a[i] >> 8), e5);
                y = e_to_float((u8)a[i], e5);
                r[i] = (u64)to_element(x, PTX_F16X2, flags) << 16 | to_element(y, PTX_F16X2, flags);
            }
        }
    }
    store_lanes(place(w, in->dst), r, in->width, w->mask);
    return in + 1;
}
