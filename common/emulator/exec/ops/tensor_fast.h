/* tensor_fast.h - the sums of tensor.h where no number is out of the ordinary: sixteen at a time.
 *
 * Products of finite factors whose sum is neither subnormal nor near f32's largest numbers come out
 * of f32 arithmetic exactly as tensor_add() makes them: tensor_lines() makes these and says whether
 * all were such; if not, it is tensor_add()'s turn. A product of WIDE lines (rows of a, say) by any
 * number of others (columns of b):
 *
 *   x       WIDE neighbours of each k, k after k: element (line, p) is number p * WIDE + line
 *   y       element (line, p) is number line * by + p * along
 *   sums    of line j of y with all of x: number j * apart and its WIDE - 1 neighbours, as bits
 *
 * Loops over i are written so that the compiler turns them into vector code, those over p so that
 * it unrolls them.
 */
#ifndef EMULATOR_EXEC_TENSOR_FAST_H
#define EMULATOR_EXEC_TENSOR_FAST_H

#include "half.h"
#include "tensor.h"
#include "turn.h"

enum { WIDE = 16 };
enum { TENSOR_A_STEP = 16, TENSOR_FAST_A_STEP = 128 }; /* products in the time of a step */
#define TENSOR_K   32     /* of one product, at most; of single bits and halves of bytes more */
#define LEAST_TOP  (-101) /* with less, a sum's last bit may lie below 2^-149 */
#define MOST_TOP   120    /* with more, a sum may be beyond f32's range */
#define NO_PRODUCT (OF_ZERO / 2) /* exponents below it are of sums of zeros */

struct tensor_side { /* a factor: values and exponents, as tensor_split() finds them */
    const f32 *v;
    const s32 *e; /* NULL: of whole numbers */
    u32 by, along;
};

/* The f32 that an f16 is. */
static inline u32 half_bits(u32 h)
{
    u32 m = h & 0x7fff;
    u32 v = m < 0x400 ? bits_f32((f32)(s32)m * 0x1p-24f) : (m << 13) + ((127 - 15) << 23);
    return (m < 0x7c00 ? v : v | 0x7f800000) | (h & 0x8000) << 16;
}
static inline u32 e4m3_bits(u32 b)
{
    u32 m = b & 0x7f;
    u32 v = m < 8 ? bits_f32((f32)(s32)m * 0x1p-9f) : (m << 20) + ((127 - 7) << 23);
    return (m < 0x7f ? v : 0x7fffffff) | (b & 0x80) << 24;
}
static inline s32 least_exponent(unsigned type)
{
    return type == PTX_F16 || type == PTX_E5M2 ? LEAST_F16
           : type == PTX_E4M3                  ? LEAST_E4M3
                                               : LEAST_F32;
}
#define AS_THEY_LIE(T, expr)                                                                       \
    for (u32 i = 0; i < n; i++) {                                                                  \
        T t;                                                                                       \
        memcpy(&t, (const u8 *)raw + i * sizeof(t), sizeof(t));                                    \
        u32 x = t;                                                                                 \
        v[i] = f32_bits(expr);                                                                     \
    }
/* The values of n elements, as they lie. */
static inline void tensor_values(const void *raw, unsigned type, u32 n, f32 *restrict v)
{
    switch (type) {
    case PTX_F16:
        AS_THEY_LIE(u16, half_bits(x))
        break;
    case PTX_BF16:
        AS_THEY_LIE(u16, x << 16)
        break;
    case PTX_TF32: /* the low 13 bits are ignored */
        AS_THEY_LIE(u32, x & 0xffffe000u)
        break;
    case PTX_E5M2: /* the high byte of an f16 */
        AS_THEY_LIE(u8, half_bits(x << 8))
        break;
    case PTX_E4M3:
        AS_THEY_LIE(u8, e4m3_bits(x))
        break;
    case PTX_S8:
        AS_THEY_LIE(u8, bits_f32((f32)(s8)x))
        break;
    default: /* PTX_U8 */
        AS_THEY_LIE(u8, bits_f32((f32)(s32)x))
    }
}
#undef AS_THEY_LIE
/* And their exponents; are all finite? */
static inline bool tensor_read(const void *raw, unsigned type, u32 n, bool negative,
                               f32 *restrict v, s32 *restrict e)
{
    u32 most = 0, sign = (u32)negative << 31;
    s32 least = least_exponent(type);
    tensor_values(raw, type, n, v);
    for (u32 i = 0; i < n; i++) {
        u32 m = bits_f32(v[i]) & 0x7fffffff;
        s32 x = (s32)(m >> 23) - 127;
        x = x > least ? x : least;
        e[i] = m ? x : OF_ZERO;
        v[i] = f32_bits(bits_f32(v[i]) ^ sign);
        most = m > most ? m : most;
    }
    return most < 0x7f800000;
}

/* Of products 8 below 2^27 can be added, or 16 below 2^15; out of the ordinary it is anything, and
 * clang's sanitizer has nothing to say of it. */
static inline __attribute__((no_sanitize("float-cast-overflow"))) u32 whole(f32 v)
{
    return (u32)(s32)v;
}
/* One line of y. What is out of the ordinary shows in `odd`. */
static inline __attribute__((always_inline)) void
tensor_line(u32 *restrict c, const u32 k, const f32 *restrict x, const s32 *restrict ex,
            const struct tensor_side *y, u32 line, struct tensor_bits bits, u32 *restrict odd)
{
    u64 kept = ~0ull << (52 - bits.sum);
    u32 to_odd = bits.to_half;
    f32 yv[TENSOR_K];
    s32 ye[TENSOR_K];
    for (u32 p = 0; p < k; p++) {
        yv[p] = y->v[line * y->by + p * y->along];
        ye[p] = y->e[line * y->by + p * y->along];
    }
    _Pragma("GCC ivdep") for (u32 i = 0; i < WIDE; i++)
    {
        u32 m = c[i] & 0x7fffffff;
        s32 top = m ? (s32)(m >> 23) - 127 : OF_ZERO;
        _Pragma("GCC unroll 32") for (u32 p = 0; p < k; p++)
        {
            s32 e = ex[p * WIDE + i] + ye[p];
            top = e > top ? e : top;
        }
        odd[i] |= (top > MOST_TOP) | ((top < LEAST_TOP) & (top > NO_PRODUCT));
        top = top > LEAST_TOP ? top : LEAST_TOP;
        s32 power = bits.added - top;
        f32 up = f32_bits((u32)(127 + power) << 23), down = f32_bits((u32)(127 - power) << 23);
        u32 some = whole(f32_bits(c[i]) * up), more = 0;
        _Pragma("GCC unroll 16") for (u32 p = 0; p < k / 2; p++)
        {
            some += whole(x[p * WIDE + i] * yv[p] * up);
        }
        _Pragma("GCC unroll 16") for (u32 p = k / 2; p < k; p++)
        {
            more += whole(x[p * WIDE + i] * yv[p] * up);
        }
        f64 sum = (f64)(s32)some + (f64)(s32)more, cut = f64_bits(bits_f64(sum) & kept);
        c[i] = bits_f32((f32)cut * down) | (to_odd & (cut != sum));
    }
}
#define LINES(k)                                                                                   \
    for (u32 j = 0; j < n; j++)                                                                    \
    tensor_line(c + j * apart, k, x->v, x->e, y, j, bits, odd)
/* c += x times y, of k products: 4, 8, 16 or 32. False: something is out of the ordinary, and c is
 * worth nothing. */
static inline bool tensor_lines(u32 *restrict c, u32 n, u32 apart, u32 k,
                                const struct tensor_side *x, const struct tensor_side *y,
                                struct tensor_bits bits)
{
    u32 odd[WIDE] = {0}, any = 0;
    switch (k) {
    case 4:
        LINES(4);
        break;
    case 8:
        LINES(8);
        break;
    case 16:
        LINES(16);
        break;
    case 32:
        LINES(32);
        break;
    default:
        return false;
    }
    for (u32 i = 0; i < WIDE; i++)
        any |= odd[i];
    return !any;
}
#undef LINES

/* The same of bytes, whose sums of products are whole numbers below 2^24. */
static inline __attribute__((always_inline)) void whole_line(u32 *restrict c, const u32 k,
                                                             const f32 *restrict x,
                                                             const struct tensor_side *y, u32 line,
                                                             bool saturates)
{
    f32 yv[TENSOR_K];
    for (u32 p = 0; p < k; p++)
        yv[p] = y->v[line * y->by + p * y->along];
    _Pragma("GCC ivdep") for (u32 i = 0; i < WIDE; i++)
    {
        f32 sum = 0;
        _Pragma("GCC unroll 32") for (u32 p = 0; p < k; p++) sum += x[p * WIDE + i] * yv[p];
        s32 all = (s32)(c[i] + (u32)(s32)sum);
        s32 most = (s32)c[i] < 0 ? INT32_MIN : INT32_MAX; /* of an overflow its sign is c's */
        bool over = saturates & (((s32)c[i] < 0) == (sum < 0)) & ((all < 0) != (sum < 0));
        c[i] = (u32)(over ? most : all);
    }
}
static inline void tensor_whole_lines(u32 *restrict c, u32 n, u32 apart, u32 k,
                                      const struct tensor_side *x, const struct tensor_side *y,
                                      bool saturates)
{
    for (u32 j = 0; j < n; j++)
        if (k == 32)
            whole_line(c + j * apart, 32, x->v, y, j, saturates);
        else
            whole_line(c + j * apart, 16, x->v, y, j, saturates);
}

/* As sum_to_half(), of an f32's bits that are no NaN's. */
static inline u32 tensor_to_half(u32 u)
{
    u32 m = u & 0x7fffffff;
    u32 normal = ((m + 0xfff + (m >> 13 & 1)) >> 13) - ((127 - 15) << 10);
    u32 small =
        bits_f32(f32_bits(m) + 0.5f) - 0x3f000000; /* 0.5 has the last place of f16's least */
    u32 h = m < (127 - 14) << 23 ? small : m < (127 + 16) << 23 ? normal : 0x7c00;
    return h ? h | (u >> 16 & 0x8000) : 0;
}

/* ---- sums in registers: of WIDE rows, columns one after another ---- */
/* Element i of lane 4g + t: row g + 8 * (i >> 1 & 1), column 8 * (i >> 2) + 2t + (i & 1); of f16
 * two in a register. Lane 4g + t's word is number t * apart + g: */
static inline void tensor_turn(const u32 *reg, u32 *to, u32 apart)
{
    turn_four(reg, 4, to, apart);
    turn_four(reg + 16, 4, to + 4, apart);
}
static inline void tensor_turn_back(const u32 *from, u32 *reg, u32 apart)
{
    turn_four(from, apart, reg, 4);
    turn_four(from + 4, apart, reg + 16, 4);
}
/* Where element 0 of a register of its own goes */
static inline u32 tensor_first(u32 r)
{
    return (r / 4 * 8 + (r & 1)) * WIDE + 8 * (r >> 1 & 1);
}
static inline void tensor_read_sums(struct warp *w, const uint32_t *places, u32 n, bool half,
                                    u32 *c)
{
    u32 pairs[4 * WIDE];
    for (u32 r = 0; r < n && !half; r++)
        tensor_turn(place(w, places[r]), c + tensor_first(r), 2 * WIDE);
    for (u32 r = 0; r < n && half; r += 2, c += 8 * WIDE) {
        tensor_turn(place(w, places[r]), pairs, WIDE);
        tensor_turn(place(w, places[r + 1]), pairs + 8, WIDE);
        for (u32 t = 0; t < 4; t++)
            for (u32 i = 0; i < WIDE; i++) {
                c[2 * t * WIDE + i] = half_bits(pairs[t * WIDE + i] & 0xffff);
                c[(2 * t + 1) * WIDE + i] = half_bits(pairs[t * WIDE + i] >> 16);
            }
    }
}
static inline void tensor_write_sums(struct warp *w, const uint32_t *places, u32 n, bool half,
                                     const u32 *c)
{
    u32 pairs[4 * WIDE];
    for (u32 r = 0; r < n && !half; r++)
        tensor_turn_back(c + tensor_first(r), place(w, places[r]), 2 * WIDE);
    for (u32 r = 0; r < n && half; r += 2, c += 8 * WIDE) {
        for (u32 t = 0; t < 4; t++)
            for (u32 i = 0; i < WIDE; i++)
                pairs[t * WIDE + i] = tensor_to_half(c[2 * t * WIDE + i]) |
                                      tensor_to_half(c[(2 * t + 1) * WIDE + i]) << 16;
        tensor_turn_back(pairs, place(w, places[r]), WIDE);
        tensor_turn_back(pairs + 8, place(w, places[r + 1]), WIDE);
    }
}

#endif
