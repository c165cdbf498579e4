/* alu.c - integer, logic and predicate handlers, and the plain floating-point ones.
 *
 * Rows come from code/rows.h. Not here: rounding modes, .ftz, .sat (float.c).
 */
#include "lanes.h"
#include "emulator/code/rows.h"
#include "emulator/base/mem.h"

static inline s32 clamp_s32(s64 x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x;
}
#define DEF1(name, T, A, expr)                                                                     \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        T *d = DST(T);                                                                             \
        const A *a_ = SRC(A, 0);                                                                   \
        if (w->mask == FULL) {                                                                     \
            LANES                                                                                  \
            {                                                                                      \
                A a = a_[i];                                                                       \
                d[i] = (T)(expr);                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            u32 m = w->mask;                                                                       \
            LANES                                                                                  \
            {                                                                                      \
                A a = ON(m, i) ? a_[i] : 0;                                                        \
                d[i] = ON(m, i) ? (T)(expr) : d[i];                                                \
            }                                                                                      \
        }                                                                                          \
        return in + 1;                                                                             \
    }
#define DEF2(name, T, A, B, expr)                                                                  \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        T *d = DST(T);                                                                             \
        const A *a_ = SRC(A, 0);                                                                   \
        const B *b_ = SRC(B, 1);                                                                   \
        if (w->mask == FULL) {                                                                     \
            LANES                                                                                  \
            {                                                                                      \
                A a = a_[i];                                                                       \
                B b = b_[i];                                                                       \
                d[i] = (T)(expr);                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            u32 m = w->mask;                                                                       \
            LANES                                                                                  \
            {                                                                                      \
                A a = ON(m, i) ? a_[i] : 0;                                                        \
                B b = ON(m, i) ? b_[i] : 0;                                                        \
                d[i] = ON(m, i) ? (T)(expr) : d[i];                                                \
            }                                                                                      \
        }                                                                                          \
        return in + 1;                                                                             \
    }
#define DEF3(name, T, A, B, C, expr)                                                               \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        T *d = DST(T);                                                                             \
        const A *a_ = SRC(A, 0);                                                                   \
        const B *b_ = SRC(B, 1);                                                                   \
        const C *c_ = SRC(C, 2);                                                                   \
        if (w->mask == FULL) {                                                                     \
            LANES                                                                                  \
            {                                                                                      \
                A a = a_[i];                                                                       \
                B b = b_[i];                                                                       \
                C c = c_[i];                                                                       \
                d[i] = (T)(expr);                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            u32 m = w->mask;                                                                       \
            LANES                                                                                  \
            {                                                                                      \
                A a = ON(m, i) ? a_[i] : 0;                                                        \
                B b = ON(m, i) ? b_[i] : 0;                                                        \
                C c = ON(m, i) ? c_[i] : 0;                                                        \
                d[i] = ON(m, i) ? (T)(expr) : d[i];                                                \
            }                                                                                      \
        }                                                                                          \
        return in + 1;                                                                             \
    }

#define ROW1(f, t, ...) DEF1(f##_##t, __VA_ARGS__)
#define ROW2(f, t, ...) DEF2(f##_##t, __VA_ARGS__)
#define ROW3(f, t, ...) DEF3(f##_##t, __VA_ARGS__)
ROWS_1(ROW1)
ROWS_2(ROW2)
ROWS_3(ROW3)
CONVERSION_ROWS(DEF1)
SHIFT_ROWS(DEF3)

/* ---- comparisons: insn.sub is the relation, an index into this list ---- */
#define RELATION(expr)                                                                             \
    LANES                                                                                          \
    {                                                                                              \
        bits[i] = (expr) ? 1u << i : 0;                                                            \
    }                                                                                              \
    break
#define COMPARE(T, is_float)                                                                       \
    static inline u32 compare_##T(const T *a, const T *b, unsigned relation)                       \
    {                                                                                              \
        u32 bits[WARP];                                                                            \
        switch (relation) {                                                                        \
        case M_eq:                                                                                 \
            RELATION(a[i] == b[i]);                                                                \
        case M_ne: /* ordered for floats: NaN gives false */                                       \
            RELATION(is_float ? (a[i] < b[i]) | (a[i] > b[i]) : a[i] != b[i]);                     \
        case M_lt:                                                                                 \
        case M_lo:                                                                                 \
            RELATION(a[i] < b[i]);                                                                 \
        case M_le:                                                                                 \
        case M_ls:                                                                                 \
            RELATION(a[i] <= b[i]);                                                                \
        case M_gt:                                                                                 \
        case M_hi:                                                                                 \
            RELATION(a[i] > b[i]);                                                                 \
        case M_ge:                                                                                 \
        case M_hs:                                                                                 \
            RELATION(a[i] >= b[i]);                                                                \
        case M_equ:                                                                                \
            RELATION(!((a[i] < b[i]) | (a[i] > b[i])));                                            \
        case M_neu:                                                                                \
            RELATION(a[i] != b[i]);                                                                \
        case M_ltu:                                                                                \
            RELATION(!(a[i] >= b[i]));                                                             \
        case M_leu:                                                                                \
            RELATION(!(a[i] > b[i]));                                                              \
        case M_gtu:                                                                                \
            RELATION(!(a[i] <= b[i]));                                                             \
        case M_geu:                                                                                \
            RELATION(!(a[i] < b[i]));                                                              \
        case M_num:                                                                                \
            RELATION((a[i] == a[i]) & (b[i] == b[i]));                                             \
        default: /* M_nan */                                                                       \
            RELATION((a[i] != a[i]) | (b[i] != b[i]));                                             \
        }                                                                                          \
        return lane_bits_any(bits);                                                                \
    }
COMPARE(u16, 0)
COMPARE(s16, 0)
COMPARE(u32, 0)
COMPARE(s32, 0)
COMPARE(u64, 0)
COMPARE(s64, 0)
COMPARE(f32, 1)
COMPARE(f64, 1)

static inline u32 flush_if(const struct insn *in, const f32 **a, const f32 **b, f32 *ta, f32 *tb)
{
    if (!(in->flags & F_FTZ))
        return 0;
    for (int i = 0; i < WARP; i++) {
        ta[i] = flush((*a)[i]);
        tb[i] = flush((*b)[i]);
    }
    *a = ta;
    *b = tb;
    return 1;
}

/* set: all ones (integer) or 1.0 (f32) where the relation holds */
static inline const struct insn *set_result(struct warp *w, const struct insn *in, u32 r)
{
    r = combine(w, in, r);
    u32 one = in->width == 2 ? 0xffff : 0xffffffffu;
    if (in->flags & F_ROUND_INT) /* float destination */
        one = in->width == 2 ? 0x3c00 : 0x3f800000;
    u64 t[WARP];
    LANES t[i] = ON(r, i) ? one : 0;
    store_lanes(place(w, in->dst), t, in->width, w->mask);
    return in + 1;
}

#define SETP(name, T, is_float)                                                                    \
    static inline u32 relation_##name(struct warp *w, const struct insn *in)                       \
    {                                                                                              \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                                                    \
        f32 ta[WARP], tb[WARP];                                                                    \
        if (is_float && sizeof(T) == 4)                                                            \
            flush_if(in, (const f32 **)(void *)&a, (const f32 **)(void *)&b, ta, tb);              \
        return compare_##T(a, b, in->sub);                                                         \
    }                                                                                              \
    HANDLER(setp_##name)                                                                           \
    {                                                                                              \
        u32 r = relation_##name(w, in);                                                            \
        return setp_result(w, in, r, ~r);                                                          \
    }                                                                                              \
    HANDLER(set_##name)                                                                            \
    {                                                                                              \
        return set_result(w, in, relation_##name(w, in));                                          \
    }
COMPARISON_ROWS(SETP)

/* ---- predicates: one word a warp ---- */
static inline u32 pred_src(struct warp *w, const struct insn *in, int k)
{
    u32 p = *SRC(u32, k);
    return in->sub >> k & 1 ? ~p : p; /* "!%p" */
}
#define PRED(name, expr)                                                                           \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        set_pred(w, in->dst, expr);                                                                \
        return in + 1;                                                                             \
    }
PRED(mov_pred, pred_src(w, in, 0))
PRED(not_pred, ~pred_src(w, in, 0))
PRED(and_pred, pred_src(w, in, 0) & pred_src(w, in, 1))
PRED(or_pred, pred_src(w, in, 0) | pred_src(w, in, 1))
PRED(xor_pred, pred_src(w, in, 0) ^ pred_src(w, in, 1))

#define SELP(name, T)                                                                              \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        T *d = DST(T);                                                                             \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                                                    \
        u32 p = *SRC(u32, 2);                                                                      \
        if (in->flags & F_NEG_SRC)                                                                 \
            p = ~p;                                                                                \
        WRITE(T, d, ON(p, i) ? a[i] : b[i]);                                                       \
        return in + 1;                                                                             \
    }
SELP(selp_16, u16)
SELP(selp_32, u32)
SELP(selp_64, u64)

/*
 * ---- extended precision: one carry bit a lane ----
 * A subtraction adds the complement: its carry is set where there is no borrow, which shows in
 * an addc behind it. The ISA calls the bit borrow-out, but ptxas does this for all of them, and
 * nvcc's 128-bit division rests on it.
 */
#define CARRY(name, T, WIDE, expr)                                                                 \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        T *d = DST(T);                                                                             \
        const T *a_ = SRC(T, 0), *b_ = SRC(T, 1);                                                  \
        const T *c_ = in->src[2] == NO_PLACE ? a_ : SRC(T, 2);                                     \
        u32 m = w->mask, out = 0;                                                                  \
        for (int i = 0; i < WARP; i++) {                                                           \
            WIDE a = a_[i], b = b_[i], c = c_[i];                                                  \
            WIDE k = in->flags & F_CARRY_IN ? ON(w->carry, i) : 0;                                 \
            (void)c;                                                                               \
            WIDE r = (expr);                                                                       \
            out |= (u32)(r >> (8 * sizeof(T)) & 1) << i;                                           \
            if (ON(m, i))                                                                          \
                d[i] = (T)r;                                                                       \
        }                                                                                          \
        if (in->flags & F_CC_OUT)                                                                  \
            w->carry = (w->carry & ~m) | (out & m);                                                \
        return in + 1;                                                                             \
    }
/* product half selected by insn.sub (M_lo, M_hi); sign by F_SIGNED */
static inline u64 half_product32(const struct insn *in, u64 a, u64 b)
{
    u64 p = in->flags & F_SIGNED ? (u64)((s64)(s32)a * (s32)b) : (u32)a * (u64)(u32)b;
    return in->sub == M_hi ? p >> 32 : (u32)p;
}
static inline u64 half_product64(const struct insn *in, u64 a, u64 b)
{
    u128 p = in->flags & F_SIGNED ? (u128)((s128)(s64)a * (s64)b) : (u128)a * b;
    return (u64)(in->sub == M_hi ? p >> 64 : p);
}
CARRY(add_carry_32, u32, u64, a + b + k)
CARRY(add_carry_64, u64, u128, a + b + k)
CARRY(sub_carry_32, u32, u64, a + (u32)~b + (in->flags & F_CARRY_IN ? k : 1))
CARRY(sub_carry_64, u64, u128, a + (u64)~b + (in->flags & F_CARRY_IN ? k : 1))
CARRY(mad_carry_32, u32, u64, (u64)(u32)half_product32(in, a, b) + c + k)
CARRY(mad_carry_64, u64, u128, (u128)half_product64(in, (u64)a, (u64)b) + c + k)
