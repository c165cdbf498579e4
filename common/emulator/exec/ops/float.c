/* float.c - floating-point handlers with rounding, .ftz and .sat, minimum and
 * maximum, the approximate functions, and every conversion.
 *
 * The approximate functions (PTX ISA: ex2, lg2, sin, cos, rsqrt, tanh, rcp.approx, …) are
 * computed with the host's mathematics library: within the ISA's error bounds, not bit for
 * bit what a GPU's tables give.
 */
#include "half.h"
#include "lanes.h"

/* .ftz: hardware asks whether a result is too small of what it is rounded to 24 bits, which
 * subnormals do not have. The one case where that shows is r, the smallest normal number, from
 * an exact value below it. */
static inline f32 unlift(f32 r, f64 exact, u32 flags)
{
    unsigned mode = (flags & F_ROUND) >> F_ROUND_SHIFT;
    bool away = (mode == 2 && r < 0) || (mode == 3 && r > 0);
    f64 least = mode == 0 ? 0x1p-126 - 0x1p-151 : 0x1p-126;
    bool below = away ? fabs(exact) <= 0x1p-126 - 0x1p-150 : fabs(exact) < least;
    return fabsf(r) == 0x1p-126f && below ? copysignf(0.0f, r) : r;
}
#define UNLIFT(exact)                                                                              \
    if (in->flags & F_FTZ) {                                                                       \
        u32 least = 0;                                                                             \
        LANES least |= fabsf(r[i]) == 0x1p-126f;                                                   \
        for (int i = 0; least && i < WARP; i++) {                                                  \
            f64 a = s[0][i], b = s[1][i], c = s[2][i];                                             \
            (void)c;                                                                               \
            r[i] = unlift(r[i], exact, in->flags);                                                 \
        }                                                                                          \
    }
/* r[i] = expr under the instruction's rounding; inputs flushed, result flushed, saturated. */
#define ROUNDED(T, n, FLUSH, SATURATE, CANON, LIFT, expr)                                          \
    T r[WARP];                                                                                     \
    T s[3][WARP];                                                                                  \
    for (int k = 0; k < (n); k++) {                                                                \
        const T *p = SRC(T, k);                                                                    \
        if (in->flags & F_FTZ)                                                                     \
            LANES s[k][i] = FLUSH(p[i]);                                                           \
        else                                                                                       \
            LANES s[k][i] = p[i];                                                                  \
    }                                                                                              \
    bool directed = in->flags & F_ROUND;                                                           \
    if (directed)                                                                                  \
        fesetround(fenv_round(in->flags));                                                         \
    __asm__ volatile("" : : "r"(s) : "memory");                                                    \
    LANES                                                                                          \
    {                                                                                              \
        T a = s[0][i], b = s[1][i], c = s[2][i];                                                   \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        r[i] = (expr);                                                                             \
    }                                                                                              \
    __asm__ volatile("" : : "r"(r) : "memory");                                                    \
    if (directed)                                                                                  \
        fesetround(FE_TONEAREST);                                                                  \
    LIFT;                                                                                          \
    if (in->flags & F_FTZ)                                                                         \
        LANES r[i] = FLUSH(r[i]);                                                                  \
    if (in->flags & F_SAT)                                                                         \
        LANES r[i] = SATURATE(r[i]);                                                               \
    T *d = DST(T);                                                                                 \
    WRITE(T, d, CANON(r[i]));                                                                      \
    return in + 1

#define NOFLUSH(x) (x)
#define F32_LIFTED(name, n, exact, expr)                                                           \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        ROUNDED(f32, n, flush, saturate, canonical, UNLIFT(exact), expr);                          \
    }
#define F32X(name, n, expr)                                                                        \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        ROUNDED(f32, n, flush, saturate, canonical, , expr);                                       \
    }
#define F64X(name, n, expr)                                                                        \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        ROUNDED(f64, n, NOFLUSH, saturate64, NOFLUSH, , expr);                                     \
    }
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
F32X(add_f32x, 2, a + b)
F32X(sub_f32x, 2, a - b)
F32_LIFTED(mul_f32x, 2, a *b, a *b)
F32_LIFTED(fma_f32x, 3, sum_to_odd(a *b, c), fmaf(a, b, c))
F32X(div_f32x, 2, a / b)
F32X(rcp_f32x, 1, 1.0f / a)
F32X(sqrt_f32x, 1, sqrtf(a))
F64X(add_f64x, 2, nan2(a + b, a, b))
F64X(sub_f64x, 2, nan2(a - b, a, b))
F64X(mul_f64x, 2, nan2(a *b, a, b))
F64X(fma_f64x, 3, nan3(fma(a, b, c), a, b, c))
F64X(div_f64x, 2, nan2(a / b, b, a))
F64X(rcp_f64x, 1, nan1(1.0 / a, a))
F64X(sqrt_f64x, 1, nan1(sqrt(a), a))

#define quiet_nan(x) ((x) != (x) ? quiet(x) : (x))

/* ---- minimum, maximum (PTX ISA 9.7.3.11): a NaN loses, -0 < +0 ---- */
#define MINMAX(name, T, BITS, CANON, TOP, better)                                                  \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        const T *a_ = SRC(T, 0), *b_ = SRC(T, 1);                                                  \
        T r[WARP];                                                                                 \
        LANES                                                                                      \
        {                                                                                          \
            T a = a_[i], b = b_[i];                                                                \
            if (sizeof(T) == 4 && in->flags & F_FTZ) {                                             \
                a = (T)flush((f32)a);                                                              \
                b = (T)flush((f32)b);                                                              \
            }                                                                                      \
            if (in->flags & F_ABS) {                                                               \
                a = a < 0 ? -a : a;                                                                \
                b = b < 0 ? -b : b;                                                                \
            }                                                                                      \
            T x = (better) ? a : b;                                                                \
            x = a == b ? (signbit(a) == TOP ? a : b) : x;                                          \
            x = a != a ? b : b != b ? a : x;                                                       \
            if (in->flags & F_NAN)                                                                 \
                x = a != a ? a : b != b ? b : x;                                                   \
            r[i] = CANON(x);                                                                       \
        }                                                                                          \
        if (in->flags & F_XORSIGN)                                                                 \
            LANES r[i] =                                                                           \
                r[i] != r[i] ? r[i] : copysign(r[i], signbit(a_[i]) != signbit(b_[i]) ? -1 : 1);   \
        T *d = DST(T);                                                                             \
        WRITE(T, d, r[i]);                                                                         \
        return in + 1;                                                                             \
    }
#undef signbit
#define signbit(x) (__builtin_signbit(x) != 0)
MINMAX(min_f32, f32, u32, canonical, 1, a < b)
MINMAX(max_f32, f32, u32, canonical, 0, a > b)
MINMAX(min_f64, f64, u64, quiet_nan, 1, a < b)
MINMAX(max_f64, f64, u64, quiet_nan, 0, a > b)

HANDLER(neg_f32)
{
    const f32 *a = SRC(f32, 0);
    u32 *d = DST(u32);
    if (in->flags & F_FTZ)
        WRITE(u32, d, bits_f32(flush(canonical(-a[i]))));
    else
        WRITE(u32, d, a[i] != a[i] ? 0x7fffffffu : bits_f32(a[i]) ^ 0x80000000u);
    return in + 1;
}
HANDLER(abs_f32)
{
    const f32 *a = SRC(f32, 0);
    u32 *d = DST(u32);
    if (in->flags & F_FTZ)
        WRITE(u32, d, bits_f32(flush(canonical(fabsf(a[i])))));
    else
        WRITE(u32, d, a[i] != a[i] ? 0x7fffffffu : bits_f32(a[i]) & 0x7fffffffu);
    return in + 1;
}
HANDLER(copysign_f32) /* sign of a, magnitude of b (PTX ISA 9.7.3.2) */
{
    const u32 *a = SRC(u32, 0), *b = SRC(u32, 1);
    u32 *d = DST(u32);
    WRITE(u32, d, (a[i] & 0x80000000u) | (b[i] & 0x7fffffffu));
    return in + 1;
}
HANDLER(copysign_f64)
{
    const u64 *a = SRC(u64, 0), *b = SRC(u64, 1);
    u64 *d = DST(u64);
    WRITE(u64, d, (a[i] & 1ull << 63) | (b[i] & ~(1ull << 63)));
    return in + 1;
}

static inline bool float_is(f64 x, bool subnormal, unsigned test)
{
    bool finite = isfinite(x);
    switch (test) {
    case M_finite:
        return finite;
    case M_infinite:
        return isinf(x);
    case M_number:
        return !isnan(x);
    case M_notanumber:
        return isnan(x);
    case M_normal:
        return finite && !subnormal; /* zero is normal */
    default:
        return subnormal;
    }
}
#define TESTP(name, T, MIN)                                                                        \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        const T *a = SRC(T, 0);                                                                    \
        u32 r = 0;                                                                                 \
        for (int i = 0; i < WARP; i++)                                                             \
            r |= (u32)float_is(a[i], a[i] != 0 && fabs((f64)a[i]) < MIN, in->sub) << i;            \
        u32 *d = DST(u32);                                                                         \
        *d = (*d & ~w->mask) | (r & w->mask);                                                      \
        return in + 1;                                                                             \
    }
TESTP(testp_f32, f32, 0x1p-126)
TESTP(testp_f64, f64, 0x1p-1022)

/* ---- approximate functions: insn.sub is the opcode ---- */
static inline f32 approximate(f32 x, unsigned op)
{
    switch (op) {
    case OP_ex2:
        return exp2f(x);
    case OP_lg2:
        return x < 0 ? NAN : log2f(x);
    case OP_sin:
        return sinf(x);
    case OP_cos:
        return cosf(x);
    case OP_tanh:
        return tanhf(x);
    case OP_rsqrt:
        return (f32)(1.0 / sqrt((f64)x));
    case OP_sqrt:
        return sqrtf(x);
    default: /* OP_rcp */
        return 1.0f / x;
    }
}
HANDLER(approx_f32)
{
    const f32 *a = SRC(f32, 0);
    f32 r[WARP];
    bool ftz = in->flags & F_FTZ;
    for (int i = 0; i < WARP; i++) {
        f32 x = ftz ? flush(a[i]) : a[i];
        f32 y = approximate(x, in->sub);
        r[i] = canonical(ftz ? flush(y) : y);
    }
    f32 *d = DST(f32);
    WRITE(f32, d, r[i]);
    return in + 1;
}
/* rcp.approx.ftz.f64, rsqrt.approx.f64: only the upper word is significant */
HANDLER(approx_f64)
{
    const f64 *a = SRC(f64, 0);
    f64 *d = DST(f64);
    for (int i = 0; i < WARP; i++) {
        f64 x = a[i];
        if (in->flags & F_FTZ && fabs(x) < 0x1p-1022)
            x = copysign(0.0, x);
        f64 y = nan1(in->sub == OP_rcp ? 1.0 / x : 1.0 / sqrt(x), x);
        if (in->flags & F_FTZ && fabs(y) < 0x1p-1022)
            y = copysign(0.0, y);
        u64 b = bits_f64((y));
        if (in->sub == OP_rcp)
            b &= ~0xffffffffull;
        if (ON(w->mask, i))
            d[i] = f64_bits(b);
    }
    return in + 1;
}
/* div.approx, div.full: a * (1/b); for 2^126 < |b| the first gives 0 (PTX ISA 9.7.3.8) */
HANDLER(div_approx_f32)
{
    const f32 *a = SRC(f32, 0), *b = SRC(f32, 1);
    f32 r[WARP];
    bool ftz = in->flags & F_FTZ;
    for (int i = 0; i < WARP; i++) {
        f32 x = ftz ? flush(a[i]) : a[i], y = ftz ? flush(b[i]) : b[i];
        f32 q = x / y;
        if (in->sub == M_approx && fabsf(y) > 0x1p126f && isfinite(y))
            q = isinf(x) || x != x ? NAN : copysignf(0.0f, q);
        r[i] = canonical(ftz ? flush(q) : q);
    }
    f32 *d = DST(f32);
    WRITE(f32, d, r[i]);
    return in + 1;
}

/* ---- conversions (PTX ISA 9.7.9.21): one handler, types in insn.sub (to), .sub2 (from) ---- */
static inline bool type_signed(unsigned t)
{
    return t == PTX_S8 || t == PTX_S16 || t == PTX_S32 || t == PTX_S64;
}
static inline bool type_float(unsigned t)
{
    return t == PTX_F16 || t == PTX_F32 || t == PTX_F64 || t == PTX_BF16;
}
/* A NaN becomes 0, or the type's top bit when either side has 64 bits (seen on an H200). */
static inline u64 nan_to_int(unsigned bits, unsigned from)
{
    return bits == 64 || from == PTX_F64 ? 1ull << (bits - 1) : 0;
}
static inline u64 float_to_int(f64 x, unsigned type, u32 flags, unsigned from)
{
    unsigned bits = ptx_type_bits(type);
    x = round_integral(x, flags);
    if (type_signed(type)) {
        f64 top = ldexp(1.0, (int)bits - 1);
        if (x != x)
            return nan_to_int(bits, from) |
                   (bits < 64 && from == PTX_F64 ? ~0ull << (bits - 1) : 0);
        if (x >= top)
            return (1ull << (bits - 1)) - 1;
        if (x < -top)
            return (u64)(-((s64)1 << (bits - 2)) * 2);
        return (u64)(s64)x;
    }
    if (x != x)
        return nan_to_int(bits, from);
    if (x <= 0)
        return 0;
    if (x >= ldexp(1.0, (int)bits))
        return bits == 64 ? ~0ull : (1ull << bits) - 1;
    return (u64)x;
}
static inline f64 lane_float(u64 raw, unsigned type)
{
    switch (type) {
    case PTX_F16:
        return half_to_float((u16)raw);
    case PTX_BF16:
        return f32_bits((u32)raw << 16);
    case PTX_F32:
        return f32_bits((u32)raw);
    default:
        return f64_bits(raw);
    }
}
/* The value of an integer type's low bits. (Shifts: gcc 13 gets a switch over the type wrong
 * where it takes it out of the loop over lanes.) */
static inline u64 extend(u64 raw, unsigned type)
{
    unsigned above = 64 - ptx_type_bits(type);
    return type_signed(type) ? (u64)((s64)(raw << above) >> above) : raw << above >> above;
}
static inline u64 int_saturate(u64 v, bool from_signed, unsigned to)
{
    unsigned bits = ptx_type_bits(to);
    if (type_signed(to)) {
        s64 top = (s64)((1ull << (bits - 1)) - 1);
        if (!from_signed)
            return v > (u64)top ? (u64)top : v;
        s64 s = (s64)v;
        return (u64)(s > top ? top : s < -top - 1 ? -top - 1 : s);
    }
    u64 top = bits == 64 ? ~0ull : (1ull << bits) - 1;
    if (from_signed && (s64)v < 0)
        return 0;
    return v > top ? top : v;
}
/* nan_payload: the source is f64 or bf16, whose NaNs keep sign and upper bits */
static f64 to_float(f64 x, unsigned to, u32 flags, bool nan_payload, u64 *out)
{
    if (flags & F_SAT)
        x = saturate64(x);
    if (flags & F_RELU)
        x = x <= 0 ? 0.0 : x;
    switch (to) {
    case PTX_F16:
        *out = float_to_half(x, flags);
        if (x != x && nan_payload)
            *out = (bits_f64(x) >> 48 & 0x8000) | 0x7e00 | (bits_f64(x) >> 42 & 0x3ff);
        break;
    case PTX_BF16:
        *out = float_to_bf16(x, flags);
        if (x != x && nan_payload)
            *out = (bits_f64(x) >> 48 & 0x8000) | 0x7fc0 | (bits_f64(x) >> 45 & 0x7f);
        break;
    case PTX_F32: {
        volatile f64 v = x;
        if (flags & F_ROUND)
            fesetround(fenv_round(flags));
        volatile f32 f = (f32)v;
        if (flags & F_ROUND)
            fesetround(FE_TONEAREST);
        f32 r = f;
        if (flags & F_FTZ)
            r = flush(unlift(r, x, flags));
        *out = bits_f32(nan_payload && !(flags & F_SAT) ? r : canonical(r));
        break;
    }
    default:
        *out = bits_f64((x));
    }
    return x;
}
/* 64-bit integers do not fit a double's 53 bits: round once, directly to the target. */
static u64 int_to_float(u64 v, bool is_signed, unsigned to, u32 flags)
{
    u64 out;
    bool negative = is_signed && (s64)v < 0;
    u64 mag = negative ? 0 - v : v;
    if (mag >> 53 == 0) {
        to_float(negative ? -(f64)mag : (f64)mag, to, flags, false, &out);
        return out;
    }
    if (to != PTX_F64 && to != PTX_F32) { /* beyond 2^53: keep stickiness below f16/bf16's reach */
        mag = (mag >> 12 | ((mag & 0xfff) != 0)) << 12;
        f64 x = (f64)(mag >> 12) * 4096.0;
        to_float(negative ? -x : x, to, flags, false, &out);
        return out;
    }
    fesetround(fenv_round(flags));
    volatile u64 vm = v;
    if (to == PTX_F64) {
        volatile f64 r = is_signed ? (f64)(s64)vm : (f64)vm;
        out = bits_f64(r);
    } else {
        volatile f32 r = is_signed ? (f32)(s64)vm : (f32)vm;
        out = bits_f32(r);
    }
    fesetround(FE_TONEAREST);
    return out;
}
static inline bool keeps_payload(unsigned to, u32 flags) /* of a bf16 NaN */
{
    return to == PTX_F64 || (to == PTX_F32 && !(flags & F_FTZ));
}
HANDLER(cvt_any)
{
    u64 t[WARP];
    unsigned to = in->sub, from = in->sub2;
    load_lanes(t, place(w, in->src[0]), in->src_width, false);
    for (int i = 0; i < WARP; i++) {
        if (!ON(w->mask, i))
            continue;
        u64 r;
        if (type_float(from)) {
            f64 x = lane_float(t[i], from);
            if (in->flags & F_FTZ && from == PTX_F32 && to != PTX_F16) /* as seen on an H200 */
                x = flush(canonical((f32)x));
            if (type_float(to)) {
                if (in->flags & F_ROUND_INT)
                    x = x == x ? copysign(round_integral(x, in->flags), x) : quiet(x);
                to_float(x, to, in->flags & F_ROUND_INT ? in->flags & ~(u32)F_ROUND : in->flags,
                         from == PTX_F64 || (from == PTX_BF16 && keeps_payload(to, in->flags)), &r);
            } else {
                r = float_to_int(x, to, in->flags, from);
            }
        } else {
            u64 v = extend(t[i], from);
            if (type_float(to))
                r = int_to_float(v, type_signed(from), to, in->flags);
            else if (in->flags & F_SAT)
                r = extend(int_saturate(v, type_signed(from), to), to);
            else
                r = extend(v, to);
        }
        t[i] = r;
    }
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}
