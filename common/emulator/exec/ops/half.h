/* half.h - rounding to narrow floating-point formats, shared by the others here. */
#ifndef EMULATOR_EXEC_HALF_H
#define EMULATOR_EXEC_HALF_H

#include "lanes.h"

static inline f64 round_integral(f64 x, u32 flags) /* in the rounding of the flags */
{
    switch ((flags & F_ROUND) >> F_ROUND_SHIFT) {
    case 0:
        return nearbyint(x);
    case 1:
        return trunc(x);
    case 2:
        return floor(x);
    default:
        return ceil(x);
    }
}
static inline f32 half_to_float(u16 h)
{
    u32 e = h >> 10 & 31, m = h & 0x3ff, s = (u32)(h & 0x8000) << 16;
    if (e == 31)
        return f32_bits(s | 0x7f800000u | m << 13);
    if (e == 0)
        return copysignf((f32)m * 0x1p-24f, f32_bits(s | 0x3f800000u));
    return f32_bits(s | (e + 112) << 23 | m << 13);
}
static inline f64 sum_to_odd(f64 a, f64 b) /* a + b, inexact results with an odd last bit */
{
    f64 s = a + b;
    if (!isfinite(s))
        return s;
    f64 bb = s - a, e = (a - (s - bb)) + (b - bb);
    if (e == 0)
        return s;
    u64 u = bits_f64(s);
    if (!(u & 1)) /* towards the error's side */
        u += (e > 0) == (s > 0) ? 1 : (u64)-1;
    return f64_bits(u);
}
/* x rounded to `digits` significant bits with least exponent emin (of the last place) */
static inline f64 round_to(f64 x, int digits, int emin, u32 flags)
{
    if (x == 0 || !isfinite(x))
        return x;
    int e;
    frexp(x, &e);
    int ulp = e - digits > emin ? e - digits : emin;
    f64 scaled = ldexp(x, -ulp); /* exact: at most 53 bits */
    f64 r;
    if (flags & F_ROUND_RNA)
        r = round(scaled);
    else
        r = round_integral(scaled, flags);
    return ldexp(r == 0 ? copysign(0.0, x) : r, ulp);
}
static inline u16 float_to_half(f64 x, u32 flags)
{
    if (x != x)
        return 0x7fff;
    u16 s = signbit(x) ? 0x8000 : 0;
    f64 r = fabs(round_to(x, 11, -24, flags));
    if (r > 65504.0) { /* overflow: infinity or the largest, by rounding direction */
        unsigned mode = (flags & F_ROUND) >> F_ROUND_SHIFT;
        bool largest = mode == 1 || (mode == 2 && !s) || (mode == 3 && s);
        return s | ((largest && !isinf(x)) || flags & F_SATFINITE ? 0x7bff : 0x7c00);
    }
    if (r < 0x1p-14)
        return s | (u16)(r * 0x1p24);
    int e;
    f64 m = frexp(r, &e);
    return s | (u16)((e + 14) << 10) | ((u16)(m * 2048) & 0x3ff);
}
static inline u16 float_to_bf16(f64 x, u32 flags)
{
    if (x != x)
        return 0x7fff;
    u16 s = signbit(x) ? 0x8000 : 0;
    if (isinf(x))
        return s | (flags & F_SATFINITE ? 0x7f7f : 0x7f80);
    f64 r = fabs(round_to(x, 8, -133, flags));
    if (r > 0x1.fep127) {
        unsigned mode = (flags & F_ROUND) >> F_ROUND_SHIFT;
        bool largest = mode == 1 || (mode == 2 && !s) || (mode == 3 && s) || flags & F_SATFINITE;
        return s | (largest ? 0x7f7f : 0x7f80);
    }
    return s | (u16)(bits_f32((f32)r) >> 16);
}
/* NaN only where both are, or with .NaN; -0 is below +0 */
static inline f64 half_minmax(f64 a, f64 b, bool max, u32 flags)
{
    if (a != a || b != b)
        return flags & F_NAN || (a != a && b != b) ? NAN : a != a ? b : a;
    if (a == b)
        return (__builtin_signbit(a) != 0) == max ? b : a;
    return (a < b) == max ? b : a;
}

/* A sum of products: zero is +0, however it came about. */
static inline u16 sum_to_half(f64 v)
{
    u16 h = float_to_half(v, 0);
    return h == 0x8000 ? 0 : h;
}

#endif
