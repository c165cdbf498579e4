/* mma.c - matrices: mma.sync, wmma, ldmatrix, stmatrix.
 *
 * Register layouts of mma and ldmatrix are the ISA's (PTX ISA 9.7.14): with g = lane/4,
 * t = lane%4 and e elements in a register,
 *
 *   A, register r: row g + 8*(r&1), columns t*e + 4e*(r>>1) …      (m8: row g, r>>0)
 *   B, register r: rows t*e + 4e*r …, column g
 *   C, element i:  row g + 8*(i>>1), column 2t + (i&1)
 *
 * wmma fragments are opaque in the ISA; here element i of lane l is number l*n + i of the
 * matrix in the order of its layout in memory, n elements a lane, repeated where the ISA
 * gives more room, and register r of an accumulator holds 32 neighbours of row order: so
 * that registers are loaded whole, with the sectors a GPU touches.
 *
 * How a tensor core adds in f32 and f16: tensor.h.
 */
#include "fragment.h"
#include "half.h"
#include "lanes.h"
#include "mma.h"
#include "tensor_fast.h"
#include "emulator/base/mem.h"

/* ---- elements of a register ---- */
static inline f64 element_value(u64 raw, unsigned type, u32 k)
{
    switch (type) {
    case PTX_F16:
        return half_to_float((u16)(raw >> 16 * k));
    case PTX_BF16:
        return f32_bits((u32)(raw >> 16 * k) << 16);
    case PTX_TF32: /* the low 13 bits are ignored */
        return f32_bits((u32)raw & 0xffffe000u);
    case PTX_F32:
        return f32_bits((u32)raw);
    case PTX_F64:
        return f64_bits(raw);
    case PTX_S8:
        return (s8)(raw >> 8 * k);
    case PTX_U8:
        return (u8)(raw >> 8 * k);
    default: /* PTX_S32 */
        return (s32)raw;
    }
}
static inline bool is_byte_factor(unsigned type)
{
    return type == PTX_S8 || type == PTX_U8;
}
static inline u32 elements_per_register(unsigned type)
{
    return type == PTX_F16 || type == PTX_BF16 ? 2 : is_byte_factor(type) ? 4 : 1;
}
static inline u64 place_element(u64 old, unsigned type, u32 k, f64 v, u32 flags)
{
    switch (type) {
    case PTX_F16:
        return (old & ~(0xffffull << 16 * k)) | (u64)sum_to_half(v) << 16 * k;
    case PTX_F32:
        return bits_f32(canonical((f32)v));
    case PTX_F64:
        return bits_f64(v);
    default: /* PTX_S32: wraps, or saturates with .satfinite */
        if (flags & F_SATFINITE)
            v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
        return (u32)(s64)v;
    }
}

static void read_registers(struct warp *w, const uint32_t *places, u32 n, unsigned type,
                           u64 (*r)[WARP])
{
    for (u32 k = 0; k < n; k++)
        load_lanes(r[k], place(w, places[k]), type == PTX_F64 ? 8 : 4, false);
}

/* ---- one matrix product: d = a*b + c, everything in double ---- */
struct tile {
    f64 a[32 * 32], b[32 * 32], c[32 * 32];
};

/* Of f16, bf16, tf32 with the accumulator in f32 or f16. */
struct parts {
    f32 part[32 * 32];
    s32 e[32 * 32];
};
/* True when all are finite. */
static bool take_apart(struct parts *x, const f64 *v, u32 n, s32 least)
{
    bool finite = true;
    for (u32 i = 0; i < n; i++) {
        x->part[i] = tensor_split((f32)v[i], least, &x->e[i]);
        finite &= isfinite(v[i]) != 0;
    }
    return finite;
}
static void multiply_floats(struct tile *x, const struct mma_shape *s, u32 step)
{
    struct tensor_bits bits = tensor_bits(s->a_type, s->d_type);
    s32 least = s->a_type == PTX_F16 ? LEAST_F16 : LEAST_F32;
    u32 m = s->m, n = s->n, k = s->k;
    f64 plain[32 * 32];
    f32 c[32];
    struct parts a, b;
    bool finite = take_apart(&a, x->a, m * k, least);
    finite &= take_apart(&b, x->b, k * n, least);
    for (u32 i = 0; i < m * n; i++)
        finite &= isfinite(x->c[i]) != 0;
    if (!finite) {
        memcpy(plain, x->c, m * n * sizeof(f64));
        for (u32 i = 0; i < m * n; i++)
            for (u32 p = 0; p < k; p++)
                plain[i] += x->a[i / n * k + p] * x->b[p * n + i % n];
    }
    for (u32 i = 0; i < m; i++) {
        for (u32 j = 0; j < n; j++)
            c[j] = (f32)x->c[i * n + j];
        for (u32 p = 0; p < k; p += step)
            tensor_add(c, n, step, a.part + i * k + p, a.e + i * k + p, b.part + p * n, b.e + p * n,
                       bits);
        for (u32 j = 0; j < n; j++)
            x->c[i * n + j] = c[j];
    }
    for (u32 i = 0; i < m * n && !finite; i++)
        x->c[i] = isfinite(plain[i]) ? x->c[i] : plain[i];
}
/* step: the rows of b that the hardware takes at a time */
static void multiply(struct tile *x, const struct mma_shape *s, u32 step, u32 flags)
{
    unsigned type = s->a_type;
    u32 m = s->m, n = s->n, k = s->k;
    if (type == PTX_F16 || type == PTX_BF16 || type == PTX_TF32) {
        multiply_floats(x, s, step);
        return;
    }
    bool directed = flags & F_ROUND; /* f64's */
    if (directed)
        fesetround(fenv_round(flags));
    __asm__ volatile("" : : "r"(x) : "memory");
    for (u32 i = 0; i < m; i++) {
        f64 *c = x->c + i * n;
        for (u32 p = 0; p < k; p++) {
            f64 a = x->a[i * k + p];
            const f64 *b = x->b + p * n;
            if (type == PTX_F64)
                for (u32 j = 0; j < n; j++)
                    c[j] = nan3(fma(a, b[j], c[j]), a, b[j], c[j]);
            else
                for (u32 j = 0; j < n; j++)
                    c[j] += a * b[j];
        }
    }
    __asm__ volatile("" : : "r"(x) : "memory");
    if (directed)
        fesetround(FE_TONEAREST);
}

/* ---- the same where nothing is out of the ordinary (tensor_fast.h) ---- */
typedef u32 sums[16 * WIDE]; /* as bits */
struct raw {                 /* a factor's elements; of x as tensor_lines() wants them */
    const void *at;
    unsigned type;
    u32 by, along;
};
/* The sums of n lines of y with WIDE of x. False: it takes multiply(). */
static bool multiply_fast(u32 *c, u32 n, u32 apart, const struct mma_shape *s, u32 step, u32 flags,
                          const struct raw *x, const struct raw *y)
{
    f32 xv[TENSOR_K * WIDE], yv[16 * WIDE];
    s32 xe[TENSOR_K * WIDE], ye[16 * WIDE];
    if (is_byte_factor(x->type)) {
        tensor_values(x->at, x->type, s->k * WIDE, xv);
        tensor_values(y->at, y->type, s->k * n, yv);
        tensor_whole_lines(c, n, apart, s->k, &(struct tensor_side){.v = xv},
                           &(struct tensor_side){yv, NULL, y->by, y->along}, flags & F_SATFINITE);
        return true;
    }
    bool fast = tensor_read(x->at, x->type, s->k * WIDE, false, xv, xe);
    fast &= tensor_read(y->at, y->type, s->k * n, false, yv, ye);
    for (u32 p = 0; p < s->k && fast; p += step)
        fast = tensor_lines(
            c, n, apart, step, &(struct tensor_side){xv + p * WIDE, xe + p * WIDE, 1, WIDE},
            &(struct tensor_side){yv + p * y->along, ye + p * y->along, y->by, y->along},
            tensor_bits(s->a_type, s->d_type));
    return fast;
}

/* ---- f64, rounded to nearest: eight columns at a time ---- */
struct doubles {
    f64 a[16 * 16], b[16 * 8], c[16 * 8]; /* m x k, k x 8, m x 8 */
};
#define ROWS_OF(k)                                                                                 \
    for (u32 row = 0; row < m; row++)                                                              \
    double_row(x->c + row * 8, x->a + row * k, x->b, k, nan)
static inline __attribute__((always_inline)) void
double_row(f64 *restrict c, const f64 *restrict a, const f64 *restrict b, const u32 k, u64 *nan)
{
    _Pragma("GCC ivdep") for (u32 i = 0; i < 8; i++)
    {
        f64 sum = c[i];
        _Pragma("GCC unroll 16") for (u32 p = 0; p < k; p++) sum = fma(a[p], b[p * 8 + i], sum);
        c[i] = sum;
        nan[i] |= sum != sum;
    }
}
/* False: there is a NaN, and which one multiply() knows. */
static bool multiply_doubles(struct doubles *x, u32 m, u32 k)
{
    u64 nan[8] = {0}, any = 0;
    switch (k) {
    case 4:
        ROWS_OF(4);
        break;
    case 8:
        ROWS_OF(8);
        break;
    default:
        ROWS_OF(16);
    }
    for (u32 i = 0; i < 8; i++)
        any |= nan[i];
    return !any;
}
#undef ROWS_OF
static bool mma_doubles(struct warp *w, const struct insn *in)
{
    const struct mma_shape *s = in->data;
    const uint32_t *p = in->places; /* d, a, b, c */
    u32 rows = s->m / 8;
    struct doubles x;
    if (in->flags & F_ROUND || w->mask != FULL)
        return false;
    for (u32 r = 0; r < s->na; r++) {
        const f64 *reg = place(w, p[s->nd + r]);
        for (u32 g = 0; g < 8; g++)
            memcpy(x.a + (8 * (r % rows) + g) * s->k + 4 * (r / rows), reg + 4 * g,
                   4 * sizeof(f64));
    }
    for (u32 r = 0; r < s->nb; r++) {
        const f64 *reg = place(w, p[s->nd + s->na + r]);
        for (u32 g = 0; g < 8; g++)
            for (u32 t = 0; t < 4; t++)
                x.b[(4 * r + t) * 8 + g] = reg[4 * g + t];
    }
    for (u32 r = 0; r < s->nc; r += 2) {
        const f64 *even = place(w, p[s->nd + s->na + s->nb + r]);
        const f64 *odd = place(w, p[s->nd + s->na + s->nb + r + 1]);
        for (u32 l = 0; l < WARP; l++) {
            x.c[r * WARP + 2 * l] = even[l];
            x.c[r * WARP + 2 * l + 1] = odd[l];
        }
    }
    if (!multiply_doubles(&x, s->m, s->k))
        return false;
    for (u32 r = 0; r < s->nd; r += 2) {
        f64 *even = place(w, p[r]), *odd = place(w, p[r + 1]);
        for (u32 l = 0; l < WARP; l++) {
            even[l] = x.c[r * WARP + 2 * l];
            odd[l] = x.c[r * WARP + 2 * l + 1];
        }
    }
    return true;
}
/* rows of `from`, `line` long, as columns of `to` */
static inline __attribute__((always_inline)) void turn_doubles(const f64 *restrict from, u32 line,
                                                               u32 rows, f64 *restrict to)
{
    for (u32 j = 0; j < line; j++)
        for (u32 i = 0; i < rows; i++)
            to[j * rows + i] = from[i * line + j];
}
/* 8 x 8 x 4: a register of a, of b, two of sums */
static bool wmma_doubles(struct warp *w, const struct insn *in)
{
    const struct mma_shape *s = in->data;
    const uint32_t *p = in->places;
    const f64 *a = place(w, p[2]), *b = place(w, p[3]);
    struct doubles x;
    if (in->flags & F_ROUND || w->mask != FULL)
        return false;
    if (s->a_col)
        turn_doubles(a, 8, 4, x.a);
    else
        memcpy(x.a, a, WARP * sizeof(f64));
    if (s->b_col)
        turn_doubles(b, 4, 8, x.b);
    else
        memcpy(x.b, b, WARP * sizeof(f64));
    for (u32 r = 0; r < 2; r++)
        memcpy(x.c + r * WARP, place(w, p[4 + r]), WARP * sizeof(f64));
    if (!multiply_doubles(&x, 8, 4))
        return false;
    for (u32 r = 0; r < 2; r++)
        memcpy(place(w, p[r]), x.c + r * WARP, WARP * sizeof(f64));
    return true;
}

/* ---- mma.sync ---- */
static void mma_load_a(const struct mma_shape *s, u64 (*r)[WARP], f64 *a)
{
    u32 e = elements_per_register(s->a_type), rows = s->m / 8;
    for (u32 k = 0; k < s->na; k++)
        for (u32 l = 0; l < WARP; l++)
            for (u32 j = 0; j < e; j++) {
                u32 row = l / 4 + 8 * (k % rows), col = l % 4 * e + j + 4 * e * (k / rows);
                a[row * s->k + col] = element_value(r[k][l], s->a_type, j);
            }
}
static void mma_load_b(const struct mma_shape *s, u64 (*r)[WARP], f64 *b)
{
    u32 e = elements_per_register(s->b_type);
    for (u32 k = 0; k < s->nb; k++)
        for (u32 l = 0; l < WARP; l++)
            for (u32 j = 0; j < e; j++)
                b[(l % 4 * e + j + 4 * e * k) * s->n + l / 4] =
                    element_value(r[k][l], s->b_type, j);
}
/* element i of lane l in an accumulator */
static inline u32 accumulator_at(const struct mma_shape *s, u32 l, u32 i)
{
    return (l / 4 + 8 * (i >> 1)) * s->n + l % 4 * 2 + (i & 1);
}
/* A limit on steps is there to end what takes too long (code/lower_cost.c). */
static void charge(struct warp *w, const struct mma_shape *s, bool fast)
{
    w->worker->steps += s->m * s->n * s->k / (fast ? TENSOR_FAST_A_STEP : TENSOR_A_STEP);
}
/* n rows of WIDE words, of e elements each: first all first ones of a row, then all second ones */
static inline __attribute__((always_inline)) void words_apart(const u32 *words, u32 n, u32 e,
                                                              u8 *to)
{
    for (u32 q = 0; q < n; q++, to += 4 * WIDE) {
        const u32 *from = words + q * WIDE;
        if (e == 1)
            memcpy(to, from, WIDE * 4);
        for (u32 j = 0; j < 2 && e == 2; j++)
            for (u32 i = 0; i < WIDE; i++) {
                u16 half = (u16)(from[i] >> 16 * j);
                memcpy(to + (j * WIDE + i) * 2, &half, 2);
            }
        for (u32 j = 0; j < 4 && e == 4; j++)
            for (u32 i = 0; i < WIDE; i++)
                to[j * WIDE + i] = (u8)(from[i] >> 8 * j);
    }
}
/* a's rows side by side, k after k; of m8 the upper ones are 0 */
static void mma_rows(struct warp *w, const struct mma_shape *s, const uint32_t *places, u8 *to)
{
    u32 words[8 * WIDE], rows = s->m / 8, e = elements_per_register(s->a_type);
    if (rows == 1)
        memset(words, 0, sizeof(words));
    for (u32 r = 0; r < s->na; r++)
        tensor_turn(place(w, places[r]), words + r / rows * 4 * WIDE + 8 * (r % rows), WIDE);
    words_apart(words, s->na / rows * 4, e, to);
}
/* b's columns, one after another */
static void mma_columns(struct warp *w, const struct mma_shape *s, const uint32_t *places, u32 *to)
{
    for (u32 r = 0; r < s->nb; r++) {
        const u32 *reg = place(w, places[r]);
        for (u32 g = 0; g < 8; g++)
            memcpy(to + (g * s->nb + r) * 4, reg + 4 * g, 16);
    }
}
static bool mma_fast(struct warp *w, const struct insn *in)
{
    const struct mma_shape *s = in->data;
    const uint32_t *p = in->places; /* d, a, b, c */
    u8 x[8 * WIDE * 4];
    u32 y[8 * 8];
    sums c = {0};
    if (s->a_type == PTX_F64)
        return mma_doubles(w, in);
    if (w->mask != FULL)
        return false;
    mma_rows(w, s, p + s->nd, x);
    mma_columns(w, s, p + s->nd + s->na, y);
    tensor_read_sums(w, p + s->nd + s->na + s->nb, s->nc, s->c_type == PTX_F16, c);
    if (!multiply_fast(c, 8, WIDE, s, s->k, in->flags, &(struct raw){x, s->a_type, 1, WIDE},
                       &(struct raw){y, s->b_type, s->k, 1}))
        return false;
    tensor_write_sums(w, p, s->nd, s->d_type == PTX_F16, c);
    return true;
}
HANDLER(mma)
{
    const struct mma_shape *s = in->data;
    struct tile x;
    u64 r[16][WARP];
    const uint32_t *p = in->places; /* d, a, b, c */
    bool fast = mma_fast(w, in);
    charge(w, s, fast && s->a_type != PTX_F64);
    if (fast)
        return in + 1;
    read_registers(w, p + s->nd, s->na, s->a_type, r);
    mma_load_a(s, r, x.a);
    read_registers(w, p + s->nd + s->na, s->nb, s->b_type, r);
    mma_load_b(s, r, x.b);
    read_registers(w, p + s->nd + s->na + s->nb, s->nc, s->c_type, r);
    u32 e = elements_per_register(s->c_type);
    for (u32 l = 0; l < WARP; l++)
        for (u32 i = 0; i < s->nc * e; i++)
            x.c[accumulator_at(s, l, i)] = element_value(r[i / e][l], s->c_type, i % e);
    multiply(&x, s, s->k, in->flags);
    e = elements_per_register(s->d_type);
    memset(r, 0, sizeof(r));
    for (u32 l = 0; l < WARP; l++)
        for (u32 i = 0; i < s->nd * e; i++)
            r[i / e][l] = place_element(r[i / e][l], s->d_type, i % e, x.c[accumulator_at(s, l, i)],
                                        in->flags);
    for (u32 k = 0; k < s->nd; k++)
        store_lanes(place(w, p[k]), r[k], s->d_type == PTX_F64 ? 8 : 4, w->mask);
    return in + 1;
}

/* ---- wmma ---- */
static inline u32 accumulator_element(u32 l, u32 i, u32 e)
{
    return i / e * WARP * e + l * e + i % e;
}
static void accumulator_load(u64 (*r)[WARP], u32 regs, unsigned type, u32 count, f64 *out)
{
    u32 e = elements_per_register(type);
    for (u32 l = 0; l < WARP; l++)
        for (u32 i = 0; i < regs * e; i++)
            out[accumulator_element(l, i, e) % count] = element_value(r[i / e][l], type, i % e);
}
static void fragment_load(u64 (*r)[WARP], u32 regs, unsigned type, u32 rows, u32 cols,
                          bool by_column, f64 *out)
{
    u32 e = elements_per_register(type), n = regs * e;
    for (u32 l = 0; l < WARP; l++)
        for (u32 i = 0; i < n; i++) {
            u32 at = (l * n + i) % (rows * cols);
            u32 to = by_column ? at % rows * cols + at / rows : at;
            out[to] = element_value(r[i / e][l], type, i % e);
        }
}
/* A factor as it lies in memory: a lane's elements, one lane after another; where the fragments
 * have more room the upper lanes' count. Returns where it begins. */
static const void *wmma_factor(struct warp *w, const uint32_t *places, u32 regs, unsigned type,
                               u32 count, u32 *to)
{
    fragment_to_words(w, places, regs, to);
    return to + regs * WARP - count / elements_per_register(type);
}
/* WIDE lines from `first` on of a factor, as tensor_lines() wants them */
static void wmma_lines(const struct raw *f, u32 first, u32 k, u8 *to)
{
    u32 e = elements_per_register(f->type), bytes = 4 / e, words[TENSOR_K * WIDE];
    const u8 *at = (const u8 *)f->at + (size_t)first * f->by * bytes;
    for (u32 p = 0; p < k && f->by == 1; p++)
        for (u32 i = 0; i < bytes; i++)
            memcpy(to + (p * bytes + i) * WIDE, at + p * f->along * bytes + i * WIDE, WIDE);
    if (f->by == 1)
        return;
    for (u32 q = 0; q < k / e; q += 4)
        for (u32 i = 0; i < WIDE; i += 4)
            turn_four((const u32 *)at + i * k / e + q, k / e, words + q * WIDE + i, WIDE);
    words_apart(words, k / e, e, to);
}
/* rows x cols words, turned */
static void turn_sums(const u32 *from, u32 rows, u32 cols, u32 *to)
{
    for (u32 i = 0; i < rows; i++)
        for (u32 j = 0; j < cols; j++)
            to[j * rows + i] = from[i * cols + j];
}
static void wmma_read_sums(struct warp *w, const struct mma_shape *s, const uint32_t *places,
                           u32 *c)
{
    for (u32 r = 0; r < s->nc; r++)
        if (s->c_type == PTX_F16)
            for (u32 l = 0; l < WARP; l++) {
                u32 pair = ((const u32 *)place(w, places[r]))[l];
                c[(r * WARP + l) * 2] = half_bits(pair & 0xffff);
                c[(r * WARP + l) * 2 + 1] = half_bits(pair >> 16);
            }
        else
            memcpy(c + r * WARP, place(w, places[r]), WARP * 4);
}
static void wmma_write_sums(struct warp *w, const struct mma_shape *s, const uint32_t *places,
                            const u32 *c)
{
    for (u32 r = 0; r < s->nd; r++) {
        u32 *to = place(w, places[r]);
        if (s->d_type != PTX_F16)
            memcpy(to, c + r * WARP, WARP * 4);
        else
            for (u32 i = 0; i < WARP; i++)
                to[i] = tensor_to_half(c[(r * WARP + i) * 2]) |
                        tensor_to_half(c[(r * WARP + i) * 2 + 1]) << 16;
    }
}
static bool wmma_fast(struct warp *w, const struct insn *in, u32 step)
{
    const struct mma_shape *s = in->data;
    const uint32_t *p = in->places;
    u32 fa[8 * WARP], fb[8 * WARP], m = s->m, n = s->n, k = s->k;
    u8 x[TENSOR_K * WIDE];
    sums c, turned;
    if (s->a_type == PTX_F64)
        return wmma_doubles(w, in);
    if (w->mask != FULL)
        return false;
    struct raw a = {wmma_factor(w, p + s->nd, s->na, s->a_type, m * k, fa), s->a_type,
                    s->a_col ? 1 : k, s->a_col ? m : 1};
    struct raw b = {wmma_factor(w, p + s->nd + s->na, s->nb, s->b_type, k * n, fb), s->b_type,
                    s->b_col ? k : 1, s->b_col ? 1 : n};
    bool by_columns = n % WIDE == 0, fast = true; /* else by rows */
    const struct raw *from = by_columns ? &b : &a, *y = by_columns ? &a : &b;
    u32 lines = by_columns ? m : n, apart = by_columns ? n : m;
    wmma_read_sums(w, s, p + s->nd + s->na + s->nb, c);
    if (!by_columns) {
        turn_sums(c, m, n, turned);
        memcpy(c, turned, sizeof(c));
    }
    for (u32 first = 0; first < apart && fast; first += WIDE) {
        wmma_lines(from, first, k, x);
        fast = multiply_fast(c + first, lines, apart, s, step, in->flags,
                             &(struct raw){x, from->type, 1, WIDE}, y);
    }
    if (fast && !by_columns) {
        turn_sums(c, n, m, turned);
        memcpy(c, turned, sizeof(c));
    }
    if (fast)
        wmma_write_sums(w, s, p, c);
    return fast;
}
HANDLER(wmma_mma)
{
    const struct mma_shape *s = in->data;
    struct tile x;
    u64 r[16][WARP];
    const uint32_t *p = in->places;
    u32 step = s->a_type == PTX_TF32 ? 4 : s->k;
    bool fast = wmma_fast(w, in, step);
    charge(w, s, fast && s->a_type != PTX_F64);
    if (fast)
        return in + 1;
    read_registers(w, p + s->nd, s->na, s->a_type, r);
    fragment_load(r, s->na, s->a_type, s->m, s->k, s->a_col, x.a);
    read_registers(w, p + s->nd + s->na, s->nb, s->b_type, r);
    fragment_load(r, s->nb, s->b_type, s->k, s->n, s->b_col, x.b);
    read_registers(w, p + s->nd + s->na + s->nb, s->nc, s->c_type, r);
    accumulator_load(r, s->nc, s->c_type, s->m * s->n, x.c);
    multiply(&x, s, step, in->flags);
    u32 e = elements_per_register(s->d_type), n = s->nd * e, count = s->m * s->n;
    memset(r, 0, sizeof(r));
    for (u32 l = 0; l < WARP; l++)
        for (u32 i = 0; i < n; i++)
            r[i / e][l] = place_element(r[i / e][l], s->d_type, i % e,
                                        x.c[accumulator_element(l, i, e) % count], in->flags);
    for (u32 k = 0; k < s->nd; k++)
        store_lanes(place(w, p[k]), r[k], s->d_type == PTX_F64 ? 8 : 4, w->mask);
    return in + 1;
}

/* ---- s4, u4, b1: mma and wmma, whose factors lie alike; word q of a row of a or column of b is in
 * lane 4g + q%4, register q/4 (of a, for each eight rows) ---- */
static s32 product_of_words(const struct mma_shape *s, u32 a, u32 b)
{
    s32 sum = 0;
    if (s->a_type == PTX_B1)
        return __builtin_popcount(s->exclusive ? a ^ b : a & b);
    for (u32 k = 0; k < 32; k += 4) {
        s32 x = (s32)(a << (28 - k)) >> 28, y = (s32)(b << (28 - k)) >> 28;
        sum += (s->a_type == PTX_U4 ? x & 15 : x) * (s->b_type == PTX_U4 ? y & 15 : y);
    }
    return sum;
}
HANDLER(mma_narrow)
{
    const struct mma_shape *s = in->data;
    const uint32_t *pd = in->places, *pa = pd + s->nd, *pb = pa + s->na, *pc = pb + s->nb;
    bool wmma = s->b_col; /* as it always is there; mma.sync names no layouts here */
    u32 rows = s->m / 8, words = s->nb * 4;
    u64 r[8][WARP];
    charge(w, s, true);
    for (u32 i = 0; i < s->m; i++)
        for (u32 j = 0; j < s->n; j++) {
            /* where c and d have it */
            u32 at = i * s->n + j, reg = wmma ? at / WARP : i / 8 * 2 + (j & 1);
            u32 lane = wmma ? at % WARP : i % 8 * 4 + j / 2;
            s64 sum = ((const s32 *)place(w, pc[reg]))[lane];
            for (u32 q = 0; q < words; q++) {
                u32 l = q % 4;
                u32 a = ((const u32 *)place(w, pa[q / 4 * rows + i / 8]))[i % 8 * 4 + l];
                sum += product_of_words(s, a, ((const u32 *)place(w, pb[q / 4]))[j * 4 + l]);
            }
            if (in->flags & F_SATFINITE)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            r[reg][lane] = (u32)sum;
        }
    for (u32 k = 0; k < s->nd; k++)
        store_lanes(place(w, pd[k]), r[k], 4, w->mask);
    return in + 1;
}

/* ---- ldmatrix, stmatrix: lane 8i+r holds the address of row r of matrix i ---- */
/* 8 x 8 halves, turned */
typedef u16 eight __attribute__((vector_size(16), aligned(2), may_alias));
#define LOWER(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
static void turn_halves(eight m[8]) /* rows i and i + 4 meet; after three times all have met */
{
    for (u32 times = 0; times < 3; times++) {
        eight t[8];
        for (u32 i = 0; i < 4; i++) {
            t[2 * i] = LOWER(m[i], m[i + 4]);
            t[2 * i + 1] = UPPER(m[i], m[i + 4]);
        }
        memcpy(m, t, sizeof(t));
    }
}
static void load_matrix(const struct warp *w, const u64 *a, bool turned, u32 *reg)
{
    eight m[8];
    for (u32 row = 0; row < 8; row++)
        memcpy(&m[row], w->block->shared + a[row], 16);
    if (turned)
        turn_halves(m);
    memcpy(reg, m, sizeof(m));
}
static void store_matrix(const struct warp *w, const u64 *a, bool turned, const u32 *reg)
{
    eight m[8];
    memcpy(m, reg, sizeof(m));
    if (turned)
        turn_halves(m);
    for (u32 k = 0; k < 8; k++) { /* where rows meet, the last one stays: turned, an odd one */
        u32 row = turned ? k % 4 * 2 + k / 4 : k;
        memcpy(w->block->shared + a[row], &m[row], 16);
    }
}
static void move_rows(struct warp *w, const struct insn *in, const u64 *a)
{
    const struct mma_shape *s = in->data;
    for (u32 m = 0; m < s->nd; m++)
        if (s->store)
            store_matrix(w, a + 8 * m, !s->row_major, place(w, in->places[m]));
        else
            load_matrix(w, a + 8 * m, !s->row_major, place(w, in->places[m]));
}
/* Checked and told of as accesses of the lanes, of each half of their words; counted by rows. */
static bool move_halves(struct warp *w, const struct insn *in, const u64 *base)
{
    const struct mma_shape *s = in->data;
    struct slot *slots = &w->worker->slots[in->slot], before[GENERIC_SLOTS];
    size_t n = in->sub == SPACE_GENERIC ? GENERIC_SLOTS : 1;
    u64 v[WARP], a[WARP];
    memcpy(before, slots, n * sizeof(*slots));
    for (u32 k = 0; k < 2 * s->nd; k++) {
        u32 m = k / 2, half = k % 2, *reg = place(w, in->places[m]);
        for (u32 l = 0; l < WARP; l++) {
            u32 row = s->row_major ? l / 4 : l % 4 * 2 + half;
            u32 col = s->row_major ? l % 4 * 2 + half : l / 4;
            a[l] = base[8 * m + row] + (u64)in->imm + 2 * col;
            v[l] = reg[l] >> 16 * half & 0xffff;
        }
        if (!access_lanes(w, in, a, 2, s->store, v))
            return false;
        if (!s->store)
            LANES reg[i] = (reg[i] & (half ? 0xffffu : 0xffff0000u)) | (u32)(v[i] & 0xffff)
                                                                           << 16 * half;
    }
    memcpy(slots, before, n * sizeof(*slots));
    return true;
}
HANDLER(ldmatrix)
{
    const struct mma_shape *s = in->data;
    u64 base[WARP], a[WARP];
    load_lanes(base, place(w, in->src[0]), in->flags & F_SHARED32 ? 4 : 8, false);
    if (w->mask != FULL)
        return warp_fault(w, in, -1, cudaErrorIllegalInstruction, "%s needs all 32 lanes",
                          in->site->opcode);
    LANES a[i] = (base[i] + (u64)in->imm) & ~MEM_WINDOW_MASK;
    if (rows_in_reach(w, in, a, s->nd))
        move_rows(w, in, a);
    else if (!move_halves(w, in, base))
        return NULL;
    count_rows(w, in, a, s->nd);
    return in + 1;
}
