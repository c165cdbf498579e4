/* lanes.h - how a handler works on 32 lanes.
 *
 * A handler is a loop over the lanes, written so that the compiler turns it into vector
 * code: no branches inside, all lanes computed, results of inactive lanes dropped. The
 * file is built once per x86-64 level; FN(name) gives each build its own symbol.
 */
#ifndef EMULATOR_EXEC_LANES_H
#define EMULATOR_EXEC_LANES_H

#include "emulator/exec/exec.h"
#include "emulator/code/handlers.h"
#include <fenv.h>
#include <math.h>
#include <string.h>

#define JOIN2(a, b) a##_##b
#define JOIN(a, b)  JOIN2(a, b)
#define FN(name)    JOIN(h_##name, LEVEL)

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef unsigned __int128 u128;
typedef __int128 s128;

#define LANES    _Pragma("GCC ivdep") for (int i = 0; i < WARP; i++)
#define ON(m, i) ((m) >> (i)&1)

#define HANDLER(name) const struct insn *FN(name)(struct warp * w, const struct insn *in)
#define DST(T)        ((T *)place(w, in->dst))
#define SRC(T, k)     ((const T *)place(w, in->src[k]))

/* d[i] = expr for the active lanes; inactive lanes keep their value. */
#define WRITE(T, d, expr)                                                                          \
    do {                                                                                           \
        u32 m_ = w->mask;                                                                          \
        if (m_ == FULL) {                                                                          \
            LANES d[i] = (T)(expr);                                                                \
        } else {                                                                                   \
            LANES d[i] = ON(m_, i) ? (T)(expr) : d[i];                                             \
        }                                                                                          \
    } while (0)

static inline f32 f32_bits(u32 x)
{
    f32 r;
    memcpy(&r, &x, 4);
    return r;
}
static inline u32 bits_f32(f32 x)
{
    u32 r;
    memcpy(&r, &x, 4);
    return r;
}
static inline f64 f64_bits(u64 x)
{
    f64 r;
    memcpy(&r, &x, 8);
    return r;
}
static inline u64 bits_f64(f64 x)
{
    u64 r;
    memcpy(&r, &x, 8);
    return r;
}
/* The one NaN that single-precision operations make (PTX ISA, "Floating Point"). */
static inline f32 canonical(f32 x)
{
    return x != x ? f32_bits(0x7fffffff) : x;
}
/* Double precision keeps a NaN's payload, the second operand's before the others' (seen on
 * an H200); an invalid operation makes 0xfff8…, as x86-64 does and arm64 does not. */
#define QUIET   0x0008000000000000ull
#define INVALID 0xfff8000000000000ull
static inline bool is_nan64(u64 x)
{
    return (x & ~(1ull << 63)) > 0x7ff0000000000000ull;
}
static inline f64 quiet(f64 x)
{
    return f64_bits(bits_f64(x) | QUIET);
}
static inline f64 nan1(f64 r, f64 a)
{
    return r == r ? r : a != a ? quiet(a) : f64_bits(INVALID);
}
static inline f64 nan2(f64 r, f64 a, f64 b)
{
    return r == r ? r : b != b ? quiet(b) : a != a ? quiet(a) : f64_bits(INVALID);
}
static inline f64 nan3(f64 r, f64 a, f64 b, f64 c)
{
    return r == r   ? r
           : b != b ? quiet(b)
           : c != c ? quiet(c)
           : a != a ? quiet(a)
                    : f64_bits(INVALID);
}
static inline f32 flush(f32 x) /* subnormals to zero of the same sign */
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}
static inline f32 saturate(f32 x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; /* NaN to +0 */
}
static inline f64 saturate64(f64 x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

static inline u32 lane_bits_any(const u32 *t) /* OR over lanes */
{
    u32 r = 0;
    for (int i = 0; i < WARP; i++)
        r |= t[i];
    return r;
}

/* Any width of register, as 64-bit lanes: for operations that are not hot. */
static inline void load_lanes(u64 *t, const void *p, unsigned width, bool sign)
{
    switch (width) {
    case 2:
        if (sign)
            LANES t[i] = (u64)(s64)((const s16 *)p)[i];
        else
            LANES t[i] = ((const u16 *)p)[i];
        break;
    case 4:
        if (sign)
            LANES t[i] = (u64)(s64)((const s32 *)p)[i];
        else
            LANES t[i] = ((const u32 *)p)[i];
        break;
    default:
        LANES t[i] = ((const u64 *)p)[i];
    }
}
static inline void store_lanes(void *p, const u64 *t, unsigned width, u32 m)
{
    switch (width) {
    case 2: {
        u16 *d = p;
        LANES d[i] = ON(m, i) ? (u16)t[i] : d[i];
        break;
    }
    case 4: {
        u32 *d = p;
        LANES d[i] = ON(m, i) ? (u32)t[i] : d[i];
        break;
    }
    default: {
        u64 *d = p;
        LANES d[i] = ON(m, i) ? t[i] : d[i];
    }
    }
}

/* ---- predicates: a bit a lane ---- */
static inline void set_pred(struct warp *w, u32 p, u32 bits)
{
    u32 *d = place(w, p);
    *d = (*d & ~w->mask) | (bits & w->mask);
}
/* result of a relation, combined with a predicate: setp.CmpOp.BoolOp, set.CmpOp.BoolOp */
static inline u32 combine(struct warp *w, const struct insn *in, u32 r)
{
    if (in->src[2] == NO_PLACE)
        return r;
    u32 c = *SRC(u32, 2);
    if (in->flags & F_NEG_SRC)
        c = ~c;
    return in->sub2 == M_and ? r & c : in->sub2 == M_or ? r | c : r ^ c;
}
/* setp's two destinations, either of which may be the predicate it combines with */
static inline const struct insn *setp_result(struct warp *w, const struct insn *in, u32 p, u32 q)
{
    p = combine(w, in, p);
    q = combine(w, in, q);
    if (in->dst != NO_PLACE)
        set_pred(w, in->dst, p);
    if (in->dst2 != NO_PLACE)
        set_pred(w, in->dst2, q);
    return in + 1;
}

/* Rounding of an instruction as fenv's. */
static inline int fenv_round(u32 flags)
{
    static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    return modes[(flags & F_ROUND) >> F_ROUND_SHIFT];
}

#endif
