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
#include "half.h"
#include "lanes.h"
#include "mma.h"
#include "tensor.h"
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
static inline u32 elements_per_register(unsigned type)
{
    return type == PTX_F16 || type == PTX_BF16 ? 2 : type == PTX_S8 || type == PTX_U8 ? 4 : 1;
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
/* A limit on steps is there to end what takes too long: these take as long as hundreds. */
static void charge(struct warp *w, const struct mma_shape *s)
{
    w->worker->steps += s->m * s->n * s->k / 16;
}
HANDLER(mma)
{
    const struct mma_shape *s = in->data;
    struct tile x;
    u64 r[16][WARP];
    const uint32_t *p = in->places; /* d, a, b, c */
    charge(w, s);
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
HANDLER(wmma_mma)
{
    const struct mma_shape *s = in->data;
    struct tile x;
    u64 r[16][WARP];
    const uint32_t *p = in->places;
    charge(w, s);
    read_registers(w, p + s->nd, s->na, s->a_type, r);
    fragment_load(r, s->na, s->a_type, s->m, s->k, s->a_col, x.a);
    read_registers(w, p + s->nd + s->na, s->nb, s->b_type, r);
    fragment_load(r, s->nb, s->b_type, s->k, s->n, s->b_col, x.b);
    read_registers(w, p + s->nd + s->na + s->nb, s->nc, s->c_type, r);
    accumulator_load(r, s->nc, s->c_type, s->m * s->n, x.c);
    multiply(&x, s, s->a_type == PTX_TF32 ? 4 : s->k, in->flags);
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
/* Address of element `at` of a fragment, bytes from the matrix's origin. */
static inline u64 matrix_offset(const struct mma_shape *s, u32 at, u64 stride)
{
    u32 line = s->row_major ? s->cols : s->rows; /* elements side by side in memory */
    u64 index = at / line * stride + at % line;
    if (s->accumulator && !s->row_major) /* kept by rows, stored by columns */
        index = at % s->cols * stride + at / s->cols;
    return index * s->element_bytes;
}
static void tell_matrix(struct warp *w, const struct insn *in, const u64 *base, const u64 *stride)
{
    const struct mma_shape *s = in->data;
    u64 window = in->sub == SPACE_SHARED ? MEM_SHARED_BASE : 0, addr[WARP], pitch[WARP];
    LANES addr[i] = (base[i] + (u64)in->imm) | window;
    LANES pitch[i] = stride[i] * s->element_bytes;
    access_matrix(w, in, addr, pitch, s->nd * (s->element_bytes == 8 ? 8 : 4));
}
/* wmma.load, wmma.store: one access a register where its elements lie side by side */
HANDLER(wmma_move)
{
    const struct mma_shape *s = in->data;
    u32 e = s->element_bytes >= 4 ? 1 : 4 / s->element_bytes, n = s->nd * e;
    u32 step = s->accumulator && !s->row_major ? 1 : e, count = s->rows * s->cols;
    u32 bytes = s->element_bytes * step;
    u64 base[WARP], stride[WARP];
    load_lanes(base, place(w, in->src[0]), in->flags & F_SHARED32 ? 4 : 8, false);
    if (in->src[2] != NO_PLACE)
        load_lanes(stride, place(w, in->src[2]), 4, false);
    else
        LANES stride[i] = s->row_major ? s->cols : s->rows;
    if (w->block->tell)
        tell_matrix(w, in, base, stride);
    for (u32 k = 0; k < n; k += step) {
        u32 *reg = place(w, in->places[k / e]), shift = 8 * s->element_bytes * (k % e);
        u32 ones = bytes >= 4 ? ~0u : (1u << 8 * bytes) - 1;
        u64 a[WARP], v[WARP] = {0};
        for (u32 l = 0; l < WARP; l++) {
            u32 at = s->accumulator ? accumulator_element(l, k, e) : l * n + k;
            a[l] = base[l] + (u64)in->imm + matrix_offset(s, at % count, stride[l]);
            v[l] = bytes == 8 ? ((u64 *)reg)[l] : reg[l] >> shift & ones;
        }
        if (!access_lanes(w, in, a, bytes, s->store, v))
            return NULL;
        for (u32 l = 0; l < WARP && !s->store; l++) {
            if (!ON(w->mask, l))
                continue;
            if (bytes == 8)
                ((u64 *)reg)[l] = v[l];
            else
                reg[l] = (reg[l] & ~(ones << shift)) | ((u32)v[l] & ones) << shift;
        }
    }
    return in + 1;
}

/* ---- ldmatrix, stmatrix: lane 8i+r holds the address of row r of matrix i ---- */
HANDLER(ldmatrix)
{
    const struct mma_shape *s = in->data;
    u64 base[WARP], v[WARP], a[WARP];
    load_lanes(base, place(w, in->src[0]), in->flags & F_SHARED32 ? 4 : 8, false);
    if (w->mask != FULL)
        return warp_fault(w, in, -1, cudaErrorIllegalInstruction, "%s needs all 32 lanes",
                          in->site->opcode);
    for (u32 m = 0; m < s->nd; m++) {
        u32 *reg = place(w, in->places[m]);
        for (u32 half = 0; half < 2; half++) {
            for (u32 l = 0; l < WARP; l++) {
                u32 row = s->row_major ? l / 4 : l % 4 * 2 + half;
                u32 col = s->row_major ? l % 4 * 2 + half : l / 4;
                a[l] = base[8 * m + row] + (u64)in->imm + 2 * col;
                v[l] = reg[l] >> 16 * half & 0xffff;
            }
            if (!access_lanes(w, in, a, 2, s->store, v))
                return NULL;
            if (!s->store)
                LANES reg[i] = (reg[i] & (half ? 0xffffu : 0xffff0000u)) | (u32)(v[i] & 0xffff)
                                                                               << 16 * half;
        }
    }
    return in + 1;
}
