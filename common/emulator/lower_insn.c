/* lower_insn.c - what each PTX instruction becomes: arithmetic, control, lanes.
 *
 * Handlers are found by name, made from the mnemonic and the type: "add" + ".s32" is
 * add_32, "min" + ".s32" is min_s32. A name that does not exist is an instruction that is
 * not supported, and said to be.
 */
#include "builtin.h"
#include "lower.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ptx_operand *op(struct lower *l, uint32_t k)
{
    static const struct ptx_operand none;
    if (k < l->in->noperands)
        return &l->in->operands[k];
    lower_fail(l, "operand %u is missing", k + 1);
    return &none;
}
static enum ptx_type type(const struct lower *l)
{
    return l->in->ntypes ? l->in->types[0] : PTX_NOTYPE;
}
/* "16", "32", "64": where signedness makes no difference */
static const char *width_tag(enum ptx_type t)
{
    unsigned bits = ptx_type_bits(t);
    return bits <= 16 ? "16" : bits == 32 ? "32" : bits == 64 ? "64" : "128";
}
/* "u32", "s64", "f32", …; untyped bits count as unsigned */
static const char *type_tag(enum ptx_type t)
{
    switch (t) {
    case PTX_B16:
        return "u16";
    case PTX_B32:
        return "u32";
    case PTX_B64:
        return "u64";
    default:
        return ptx_type_name(t);
    }
}
static bool is_int(enum ptx_type t)
{
    return !is_float_type(t) && t != PTX_PRED && t != PTX_U16X2 && t != PTX_S16X2;
}

static struct insn *alu(struct lower *l, const char *name, uint32_t nsrc, const enum ptx_type *src)
{
    uint32_t s[4] = {NO_PLACE, NO_PLACE, NO_PLACE, NO_PLACE};
    for (uint32_t k = 0; k < nsrc; k++)
        s[k] = lower_src(l, op(l, k + 1), src[k]);
    struct insn *in = lower_emit(l, "%s", name);
    memcpy(in->src, s, sizeof(s));
    in->dst = lower_dst(l, op(l, 0));
    in->flags |= lower_float_flags(l);
    if (op(l, 0)->kind == OPD_REG)
        in->width = lower_reg_bytes(l, op(l, 0)->reg);
    if (nsrc && op(l, 1)->kind == OPD_REG)
        in->src_width = lower_reg_bytes(l, op(l, 1)->reg);
    else if (nsrc)
        in->src_width = (uint8_t)type_bytes(src[0]);
    return in;
}
static struct insn *alu_same(struct lower *l, const char *name, uint32_t nsrc)
{
    enum ptx_type t[4] = {type(l), type(l), type(l), type(l)};
    return alu(l, name, nsrc, t);
}
static struct insn *alu_format(struct lower *l, uint32_t nsrc, const char *mnemonic,
                               const char *tag)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", mnemonic, tag);
    return alu_same(l, name, nsrc);
}

/* ---- floating point ---- */
static bool plain_float(struct lower *l)
{
    return (lower_float_flags(l) & (F_FTZ | F_SAT | F_ROUND | F_RELU | F_SATFINITE)) == 0;
}
static void lower_float(struct lower *l, const char *mnemonic, uint32_t nsrc)
{
    enum ptx_type t = type(l);
    char name[64];
    bool x = (t == PTX_F32 || t == PTX_F64) && !plain_float(l);
    snprintf(name, sizeof(name), "%s_%s%s", mnemonic, ptx_type_name(t), x ? "x" : "");
    alu_same(l, name, nsrc);
}
static void lower_approximate(struct lower *l)
{
    enum ptx_type t = type(l);
    struct insn *in = t == PTX_F32   ? alu_same(l, "approx_f32", 1)
                      : t == PTX_F64 ? alu_same(l, "approx_f64", 1)
                                     : alu_format(l, 1, ptx_op_name(l->in->op), ptx_type_name(t));
    in->sub = l->in->op;
}
static void lower_minmax(struct lower *l)
{
    enum ptx_type t = type(l);
    if (is_int(t))
        alu_format(l, 2, ptx_op_name(l->in->op),
                   ptx_has(l->in, M_relu) && t == PTX_S32 ? "relu_s32" : type_tag(t));
    else
        alu_format(l, l->in->noperands - 1, ptx_op_name(l->in->op), ptx_type_name(t));
}

/* ---- integers ---- */
static void lower_carry(struct lower *l, const char *family)
{
    const struct ptx_insn *p = l->in;
    struct insn *in = alu_format(l, p->noperands - 1, family, width_tag(type(l)));
    if (p->op == OP_addc || p->op == OP_subc || p->op == OP_madc)
        in->flags |= F_CARRY_IN;
    if (ptx_has(p, M_cc))
        in->flags |= F_CC_OUT;
    if (is_signed_type(type(l)))
        in->flags |= F_SIGNED;
    in->sub = ptx_has(p, M_hi) ? M_hi : M_lo;
}
static void lower_add_sub(struct lower *l)
{
    const char *name = ptx_op_name(l->in->op);
    enum ptx_type t = type(l);
    if (ptx_has(l->in, M_cc))
        lower_carry(l, l->in->op == OP_add ? "add_carry" : "sub_carry");
    else if (is_int(t) && ptx_has(l->in, M_sat))
        alu_format(l, 2, l->in->op == OP_add ? "add_sat" : "sub_sat", ptx_type_name(t));
    else if (is_int(t))
        alu_format(l, 2, name, width_tag(t));
    else
        lower_float(l, name, 2);
}
static void lower_mul(struct lower *l)
{
    enum ptx_type t = type(l);
    char name[32];
    if (!is_int(t)) {
        lower_float(l, "mul", 2);
    } else if (ptx_has(l->in, M_wide)) {
        snprintf(name, sizeof(name), "mul_wide_%s", type_tag(t));
        alu_same(l, name, 2);
    } else if (ptx_has(l->in, M_hi)) {
        snprintf(name, sizeof(name), "mul_hi_%s", type_tag(t));
        alu_same(l, name, 2);
    } else {
        alu_format(l, 2, "mul_lo", width_tag(t));
    }
}
static void lower_mad(struct lower *l)
{
    enum ptx_type t = type(l);
    char name[40];
    if (ptx_has(l->in, M_cc) || l->in->op == OP_madc) {
        lower_carry(l, "mad_carry");
    } else if (!is_int(t)) {
        lower_float(l, "fma", 3);
    } else if (ptx_has(l->in, M_wide)) {
        enum ptx_type wide = ptx_type_bits(t) == 16 ? PTX_B32 : PTX_B64;
        enum ptx_type types[3] = {t, t, wide};
        snprintf(name, sizeof(name), "mad_wide_%s", type_tag(t));
        alu(l, name, 3, types);
    } else if (ptx_has(l->in, M_hi)) {
        snprintf(name, sizeof(name), "mad_hi_%s%s", ptx_has(l->in, M_sat) ? "sat_" : "",
                 type_tag(t));
        alu_same(l, name, 3);
    } else {
        alu_format(l, 3, "mad_lo", width_tag(t));
    }
}
static void lower_mul24(struct lower *l)
{
    char name[40];
    snprintf(name, sizeof(name), "mul24_%s_%s", ptx_has(l->in, M_hi) ? "hi" : "lo",
             type_tag(type(l)));
    struct insn *in;
    if (l->in->op == OP_mad24) {
        alu_same(l, name, 3);
        return;
    }
    in = alu_same(l, name, 2);
    uint32_t zero = lower_const(l, CONST_IMM, 4, 0, 0, false);
    in->src[2] = zero;
}
static void lower_shift(struct lower *l)
{
    enum ptx_type t = type(l), types[2] = {t, PTX_B32};
    char name[32];
    snprintf(name, sizeof(name), "%s_%s", ptx_op_name(l->in->op),
             l->in->op == OP_shl ? width_tag(t) : type_tag(t));
    alu(l, name, 2, types);
}
static void lower_logic(struct lower *l, uint32_t nsrc)
{
    if (type(l) != PTX_PRED) {
        alu_format(l, nsrc, ptx_op_name(l->in->op), width_tag(type(l)));
        return;
    }
    struct insn *in = alu_format(l, nsrc, ptx_op_name(l->in->op), "pred");
    for (uint32_t k = 0; k < nsrc; k++)
        if (op(l, k + 1)->negated)
            in->sub |= 1 << k;
}
/* popc, clz, brev, bfind, bfe, bfi: size is the operation's width */
static void lower_bits(struct lower *l, uint32_t nsrc, const enum ptx_type *src)
{
    struct insn *in = alu(l, ptx_op_name(l->in->op), nsrc, src);
    in->size = (uint8_t)ptx_type_bits(type(l));
    in->count = 0;
    for (uint32_t k = 1; k < nsrc; k++)
        if (ptx_type_bits(src[k]) == 64)
            in->count |= 1 << k;
    if (is_signed_type(type(l)))
        in->flags |= F_SIGNED;
}
static void lower_prmt(struct lower *l)
{
    static const enum ptx_mod modes[] = {M_f4e, M_b4e, M_rc8, M_ecl, M_ecr, M_rc16};
    const enum ptx_type t[3] = {PTX_B32, PTX_B32, PTX_B32};
    struct insn *in = alu(l, "prmt", 3, t);
    in->count = 0;
    for (unsigned k = 0; k < sizeof(modes) / sizeof(modes[0]); k++)
        if (ptx_has(l->in, modes[k]))
            in->sub = modes[k];
}
static void lower_lop3(struct lower *l)
{
    const struct ptx_operand *table = op(l, 4);
    if (table->kind != OPD_IMM || l->in->noperands != 5) {
        lower_fail(l, "lop3: the table is no constant, or a predicate form: not supported");
        return;
    }
    alu_same(l, "lop3", 3)->imm = (int64_t)(table->imm & 0xff);
}
static void lower_dot(struct lower *l)
{
    enum ptx_type t[3] = {PTX_B32, PTX_B32, PTX_B32};
    struct insn *in = alu(l, ptx_op_name(l->in->op), 3, t);
    in->count = 0;
    if (l->in->types[0] == PTX_S32)
        in->flags |= F_SIGNED;
    if (l->in->types[1] == PTX_S32)
        in->flags |= F_NEG_SRC;
    in->sub = ptx_has(l->in, M_hi) ? M_hi : M_lo;
}
static void lower_shf(struct lower *l)
{
    char name[32];
    snprintf(name, sizeof(name), "shf_%s_%s", ptx_has(l->in, M_l) ? "l" : "r",
             ptx_has(l->in, M_wrap) ? "wrap" : "clamp");
    alu_same(l, name, 3);
}

/* ---- comparisons and selection ---- */
uint8_t lower_relation(struct lower *l)
{
    if (ptx_has(l->in, M_lo))
        return M_lo;
    if (ptx_has(l->in, M_hi))
        return M_hi;
    for (int m = M_eq; m <= M_nan; m++)
        if (ptx_has(l->in, (enum ptx_mod)m))
            return (uint8_t)m;
    lower_fail(l, "no comparison");
    return 0;
}
/* setp.rel{.bool}{.ftz}.type p{|q}, a, b{, {!}c} */
static void lower_setp(struct lower *l)
{
    enum ptx_type t = type(l);
    const char *tag = t == PTX_B16 || t == PTX_B32 || t == PTX_B64 ? width_tag(t) : type_tag(t);
    uint32_t a = lower_src(l, op(l, 1), t), b = lower_src(l, op(l, 2), t), c = NO_PLACE;
    bool negated = false;
    if (l->in->noperands > 3) {
        c = lower_src(l, op(l, 3), PTX_PRED);
        negated = op(l, 3)->negated;
    }
    struct insn *in = lower_emit(l, "setp_%s", tag);
    in->sub = lower_relation(l);
    in->sub2 = ptx_has(l->in, M_and) ? M_and : ptx_has(l->in, M_or) ? M_or : M_xor;
    in->src[0] = a;
    in->src[1] = b;
    in->src[2] = c;
    in->flags |= lower_float_flags(l) | (negated ? F_NEG_SRC : 0);
    in->dst = lower_dst(l, op(l, 0));
    if (op(l, 0)->pair)
        in->dst2 = lower_dst(l, op(l, 0)->pair);
}
/* set.rel{.bool}{.ftz}.dtype.stype d, a, b{, {!}c} */
static void lower_set(struct lower *l)
{
    if (l->in->ntypes < 2) {
        lower_fail(l, "set needs two types");
        return;
    }
    enum ptx_type t = l->in->types[1];
    uint32_t a = lower_src(l, op(l, 1), t), b = lower_src(l, op(l, 2), t), c = NO_PLACE;
    if (l->in->noperands > 3)
        c = lower_src(l, op(l, 3), PTX_PRED);
    struct insn *in = lower_emit(l, "set_%s", type_tag(t));
    in->sub = lower_relation(l);
    in->sub2 = ptx_has(l->in, M_and) ? M_and : ptx_has(l->in, M_or) ? M_or : M_xor;
    in->src[0] = a;
    in->src[1] = b;
    in->src[2] = c;
    in->flags |= lower_float_flags(l);
    if (l->in->noperands > 3 && op(l, 3)->negated)
        in->flags |= F_NEG_SRC;
    if (is_float_type(type(l)))
        in->flags |= F_ROUND_INT;
    in->dst = lower_dst(l, op(l, 0));
    in->width = (uint8_t)type_bytes(type(l));
}
static void lower_selp(struct lower *l)
{
    enum ptx_type t = type(l), types[3] = {t, t, PTX_PRED};
    char name[32];
    snprintf(name, sizeof(name), "selp_%s", t == PTX_PRED ? "pred" : width_tag(t));
    if (alu(l, name, 3, types) && op(l, 3)->negated)
        l->out[l->n - 1].flags |= F_NEG_SRC;
}
static void lower_slct(struct lower *l)
{
    if (l->in->ntypes < 2) {
        lower_fail(l, "slct needs two types");
        return;
    }
    enum ptx_type t = type(l), types[3] = {t, t, l->in->types[1]};
    char name[32];
    snprintf(name, sizeof(name), "slct_%s_%s%s", width_tag(t), type_tag(l->in->types[1]),
             ptx_has(l->in, M_ftz) ? "x" : "");
    alu(l, name, 3, types);
}
static void lower_testp(struct lower *l)
{
    char name[32];
    snprintf(name, sizeof(name), "testp_%s", ptx_type_name(type(l)));
    struct insn *in = alu_same(l, name, 1);
    for (int m = M_finite; m <= M_subnormal; m++)
        if (ptx_has(l->in, (enum ptx_mod)m))
            in->sub = (uint8_t)m;
}

/* ---- mov, cvt, cvta ---- */
/* A .b128 register is two rows of 64-bit lanes, the low halves first. */
static void lower_wide_mov(struct lower *l)
{
    const struct ptx_operand *d = op(l, 0), *s = op(l, 1);
    for (uint32_t k = 0; k < 2; k++) {
        const struct ptx_operand *to = d->kind == OPD_VEC ? &d->elems[k] : d;
        const struct ptx_operand *from = s->kind == OPD_VEC ? &s->elems[k] : s;
        if ((to != d && d->nelems != 2) || (from != s && s->nelems != 2) ||
            (to == d && from == s && s->kind != OPD_REG)) {
            lower_fail(l, "mov.b128 of this form: not supported");
            return;
        }
        uint32_t at = lower_src(l, from, from == s ? PTX_B128 : PTX_B64), dst = lower_dst(l, to);
        if (to->kind == OPD_REG && lower_reg_bytes(l, to->reg) != (to == d ? 16 : 8))
            lower_fail(l, "mov: an element is not %u bits wide", to == d ? 128 : 64);
        if (at == NO_PLACE || dst == NO_PLACE)
            continue;
        struct insn *in = lower_emit(l, "mov_64");
        in->src[0] = at + (from == s ? k * WIDE_HALF : 0);
        in->dst = dst + (to == d ? k * WIDE_HALF : 0);
    }
}
static void lower_vector_mov(struct lower *l, bool pack)
{
    const struct ptx_operand *v = op(l, pack ? 1 : 0), *s = op(l, pack ? 0 : 1);
    unsigned bytes = type_bytes(type(l)) / (v->nelems ? v->nelems : 1);
    if (bytes == 0 || v->nelems > 8 || type_bytes(type(l)) > 8) {
        lower_fail(l, "mov of %u parts: not supported", v->nelems);
        return;
    }
    static const enum ptx_type part[] = {[1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32};
    uint32_t *places = lower_places(l, v->nelems);
    for (uint32_t k = 0; k < v->nelems; k++) {
        uint8_t have = 0;
        if (!pack)
            places[k] = lower_dst(l, &v->elems[k]);
        else
            places[k] = lower_src_any(l, &v->elems[k], part[bytes], &have);
        if (v->elems[k].kind == OPD_REG &&
            lower_reg_bytes(l, v->elems[k].reg) != (bytes < 2 ? 2 : bytes))
            lower_fail(l, "mov: an element is not %u bits wide", bytes * 8);
    }
    uint8_t width = (uint8_t)type_bytes(type(l));
    uint32_t scalar = pack ? lower_dst(l, s) : lower_src_any(l, s, type(l), &width);
    struct insn *in = lower_emit(l, pack ? "pack" : "unpack");
    in->places = places;
    in->count = (uint8_t)v->nelems;
    in->size = (uint8_t)bytes;
    if (pack) {
        in->dst = scalar;
        in->width = s->kind == OPD_REG ? lower_reg_bytes(l, s->reg) : width;
    } else {
        in->src[0] = scalar;
        in->src_width = width;
    }
}
static void lower_mov_sreg(struct lower *l)
{
    const struct ptx_operand *s = op(l, 1);
    struct insn *in;
    switch (s->sreg) {
    case SREG_CLOCK:
    case SREG_CLOCK_HI:
    case SREG_CLOCK64:
    case SREG_GLOBALTIMER:
    case SREG_GLOBALTIMER_LO:
    case SREG_GLOBALTIMER_HI:
        in = lower_emit(l, "clock");
        in->sub = (uint8_t)s->sreg;
        break;
    case SREG_ENVREG:
        in = lower_emit(l, "envreg");
        in->sub = s->comp;
        break;
    case SREG_CURRENT_GRAPH_EXEC:
        lower_fail(l, "this special register: not supported");
        return;
    default: {
        uint8_t width = op(l, 0)->kind == OPD_REG ? lower_reg_bytes(l, op(l, 0)->reg) : 4;
        uint32_t from = lower_src(l, s, PTX_B32);
        in = lower_emit(l, width == 8 ? "zext_32_64" : width == 2 ? "trunc_32_16" : "mov_32");
        in->src[0] = from;
    }
    }
    in->dst = lower_dst(l, op(l, 0));
    in->width = op(l, 0)->kind == OPD_REG ? lower_reg_bytes(l, op(l, 0)->reg) : 4;
}
static void lower_mov(struct lower *l)
{
    if (type(l) == PTX_B128)
        lower_wide_mov(l);
    else if (op(l, 0)->kind == OPD_VEC)
        lower_vector_mov(l, false);
    else if (op(l, 1)->kind == OPD_VEC)
        lower_vector_mov(l, true);
    else if (op(l, 0)->kind == OPD_REG && l->aliased[op(l, 0)->reg])
        return;
    else if (op(l, 1)->kind == OPD_SREG)
        lower_mov_sreg(l);
    else if (type(l) == PTX_PRED)
        lower_logic(l, 1);
    else
        alu_format(l, 1, "mov", width_tag(type(l)));
}

/* integer to integer without saturation, where registers are as wide as the types */
static const char *widening(enum ptx_type to, enum ptx_type from, uint8_t dst, uint8_t src)
{
    static const struct {
        uint8_t to, from, dst, src;
        bool sign;
        const char *name;
    } rows[] = {
        {32, 16, 4, 2, false, "zext_16_32"},  {32, 16, 4, 2, true, "sext_16_32"},
        {64, 16, 8, 2, false, "zext_16_64"},  {64, 16, 8, 2, true, "sext_16_64"},
        {64, 32, 8, 4, false, "zext_32_64"},  {64, 32, 8, 4, true, "sext_32_64"},
        {32, 8, 4, 4, false, "zext8_32_32"},  {32, 8, 4, 4, true, "sext8_32_32"},
        {16, 8, 2, 2, false, "zext8_16_16"},  {16, 8, 2, 2, true, "sext8_16_16"},
        {32, 8, 4, 2, true, "sext8_16_32"},   {32, 16, 4, 4, false, "zext16_32_32"},
        {32, 16, 4, 4, true, "sext16_32_32"},
    };
    unsigned tb = ptx_type_bits(to), fb = ptx_type_bits(from);
    for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k].to == tb && rows[k].from == fb && rows[k].dst == dst && rows[k].src == src &&
            rows[k].sign == is_signed_type(from))
            return rows[k].name;
    if (tb == 16 && dst == 2 && src == 4)
        return "trunc_32_16";
    if (tb == 16 && dst == 2 && src == 8)
        return "trunc_64_16";
    if (tb == 32 && dst == 4 && src == 8)
        return "trunc_64_32";
    if (tb == fb && tb >= 16 && dst == src && dst == tb / 8)
        return tb == 16 ? "mov_16" : tb == 32 ? "mov_32" : "mov_64";
    return NULL;
}
static bool single_source_scalar(enum ptx_type t)
{
    return is_int(t) || t == PTX_F16 || t == PTX_BF16 || t == PTX_F32 || t == PTX_F64;
}
static void lower_cvt(struct lower *l)
{
    if (l->in->ntypes < 2) {
        lower_fail(l, "cvt needs two types");
        return;
    }
    enum ptx_type to = l->in->types[0], from = l->in->types[1];
    if (!single_source_scalar(to) || !single_source_scalar(from) || l->in->noperands != 2) {
        if (!lower_half(l))
            lower_fail(l, "cvt between these types: not supported");
        return;
    }
    uint8_t src_width, dst_width = (uint8_t)type_bytes(to);
    if (op(l, 0)->kind == OPD_REG)
        dst_width = lower_reg_bytes(l, op(l, 0)->reg);
    uint32_t s = lower_src_any(l, op(l, 1), from, &src_width);
    const char *fast = NULL;
    char name[40];
    bool plain = plain_float(l);
    if (is_int(to) && is_int(from) && !ptx_has(l->in, M_sat)) {
        fast = widening(to, from, dst_width, src_width);
    } else if (plain && dst_width == type_bytes(to) && src_width == type_bytes(from)) {
        bool integral = ptx_has(l->in, M_rni);
        snprintf(name, sizeof(name), "cvt_%s_%s", ptx_type_name(to), ptx_type_name(from));
        if (!integral && is_float_type(to) && to != from && lower_has(name))
            fast = name;
    }
    struct insn *in = lower_emit(l, "%s", fast ? fast : "cvt_any");
    in->src[0] = s;
    in->dst = lower_dst(l, op(l, 0));
    in->width = dst_width;
    in->src_width = src_width;
    in->sub = (uint8_t)to;
    in->sub2 = (uint8_t)from;
    in->flags |= lower_float_flags(l);
    bool integral = ptx_has(l->in, M_rni) || ptx_has(l->in, M_rzi) || ptx_has(l->in, M_rmi) ||
                    ptx_has(l->in, M_rpi);
    if (integral && is_float_type(to) && is_float_type(from))
        in->flags |= F_ROUND_INT;
}
static void lower_cvta(struct lower *l)
{
    if (op(l, 0)->kind == OPD_REG && l->aliased[op(l, 0)->reg])
        return;
    enum ptx_space s = l->in->space;
    uint8_t bytes;
    uint32_t from = lower_src_any(l, op(l, 1), PTX_B64, &bytes);
    bool to = ptx_has(l->in, M_to);
    const char *name = "mov_64";
    if (s == SPACE_SHARED || s == SPACE_SHARED_CLUSTER)
        name = to ? "uncvta" : "cvta_shared";
    else if (s == SPACE_LOCAL)
        name = to ? "uncvta" : "cvta_local";
    else if (s == SPACE_PARAM)
        name = to ? "uncvta" : "cvta_param";
    if (bytes != 8) {
        lower_fail(l, "cvta of 32-bit addresses: not supported");
        return;
    }
    struct insn *in = lower_emit(l, "%s", name);
    in->src[0] = from;
    in->dst = lower_dst(l, op(l, 0));
}

/* ---- control ---- */
static uint32_t label_block(struct lower *l, uint32_t label)
{
    return l->cfg->block_of[l->p->labels[label].insn];
}
static void lower_bra(struct lower *l)
{
    uint32_t to = label_block(l, op(l, 0)->label);
    if (op(l, 0)->kind != OPD_LABEL) {
        lower_fail(l, "branch to something that is no label");
        return;
    }
    struct insn *in = lower_emit(l, l->in->guarded ? "bra" : "bra_uni");
    in->taken = to;
    in->fall = l->block + 1;
    in->imm = l->cfg->ipdom[l->block];
    in->slot = lower_slot(l);
}
static void lower_brx(struct lower *l)
{
    const struct ptx_branch_table *t = l->in->table;
    if (!t) {
        lower_fail(l, "brx.idx without a .branchtargets list");
        return;
    }
    uint32_t *targets = lower_places(l, t->nlabels);
    for (uint32_t k = 0; k < t->nlabels; k++)
        targets[k] = label_block(l, t->labels[k]);
    uint32_t index = lower_src(l, op(l, 0), PTX_B32);
    struct insn *in = lower_emit(l, "brx");
    in->src[0] = index;
    in->places = targets;
    in->taken = t->nlabels;
    in->imm = l->cfg->ipdom[l->block];
}
static void lower_ret(struct lower *l)
{
    struct insn *in = lower_emit(l, l->in->op == OP_exit ? "exit_lanes" : "ret");
    in->fall = l->block + 1;
}

static bool call_places(struct lower *l, const struct ptx_operand *list, struct param_place **out,
                        uint32_t *n)
{
    *n = list->nelems;
    *out = xcalloc(*n ? *n : 1, sizeof(**out));
    for (uint32_t k = 0; k < *n; k++) {
        const struct ptx_operand *o = &list->elems[k];
        const struct param_place *at = o->var ? lower_param(l, o->var) : NULL;
        if (!at) {
            lower_fail(l, "a call's argument is no .param variable: not supported");
            return false;
        }
        (*out)[k] = *at;
    }
    return true;
}
static enum call_builtin builtin_of(const char *name)
{
    static const struct {
        const char *name;
        enum call_builtin b;
    } table[] = {{"vprintf", CALL_VPRINTF},
                 {"__assertfail", CALL_ASSERTFAIL},
                 {"malloc", CALL_MALLOC},
                 {"free", CALL_FREE}};
    for (unsigned k = 0; k < 4; k++)
        if (!strcmp(table[k].name, name))
            return table[k].b;
    return CALL_FUNC;
}
/* operands: (returns), target, (arguments) */
static bool call_target(struct lower *l, struct call_info *ci, uint32_t *address)
{
    const struct ptx_operand *rets = op(l, 0), *target = op(l, 1), *args = op(l, 2);
    if (!call_places(l, rets, &ci->rets, &ci->nrets) ||
        !call_places(l, args, &ci->args, &ci->nargs))
        return false;
    *address = NO_PLACE;
    if (target->kind == OPD_REG) {
        *address = lower_src(l, target, PTX_B64);
    } else if (target->func && !target->func->has_body &&
               builtin_of(target->func->name) != CALL_FUNC) {
        ci->builtin = builtin_of(target->func->name);
        l->f->uses |= ci->builtin == CALL_VPRINTF      ? USES_PRINTF
                      : ci->builtin == CALL_ASSERTFAIL ? 0
                                                       : USES_HEAP;
    } else {
        ci->target = target->func ? module_find_any(l->f->module, target->func->name) : NULL;
        if (!ci->target || !ci->target->ptx->has_body) {
            lower_fail(l, "call of %s, which is not defined",
                       target->func ? target->func->name : "something that is no function");
            return false;
        }
    }
    return true;
}
static void lower_call(struct lower *l)
{
    struct call_info *ci = xcalloc(1, sizeof(*ci));
    uint32_t address;
    if (!call_target(l, ci, &address)) {
        free(ci->args);
        free(ci->rets);
        free(ci);
        return;
    }
    struct insn *in = lower_emit(l, "call");
    in->data = ci;
    in->src[0] = address;
    in->slot = lower_slot(l);
    in->fall = l->block + 1;
}

/* bar{rier}{.cta}.sync/arrive/red (PTX ISA 9.7.13.1) */
static void lower_barrier(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    bool red = ptx_has(p, M_red);
    if (ptx_has(p, M_warp)) {
        uint32_t mask = lower_src(l, op(l, 0), PTX_B32);
        struct insn *in = lower_emit(l, "bar_warp_sync");
        in->src[0] = mask;
        in->flags |= F_ALIGNED;
        in->sub = M_warp;
        in->slot = lower_slot(l);
        return;
    }
    uint32_t first = red ? 1 : 0, n = p->noperands - first - (red ? 1 : 0);
    uint32_t id = lower_src(l, op(l, first), PTX_B32), count = NO_PLACE, pred = NO_PLACE;
    if (n > 1)
        count = lower_src(l, op(l, first + 1), PTX_B32);
    if (red)
        pred = lower_src(l, op(l, p->noperands - 1), PTX_PRED);
    struct insn *in = lower_emit(l, "barrier");
    in->src[0] = id;
    in->src[1] = count;
    in->src[2] = pred;
    in->sub = red ? M_red : ptx_has(p, M_arrive) ? M_arrive : M_sync;
    if (red) {
        in->sub2 = ptx_has(p, M_popc) ? M_popc : ptx_has(p, M_and) ? M_and : M_or;
        in->dst = lower_dst(l, op(l, 0));
        if (op(l, p->noperands - 1)->negated)
            in->flags |= F_NEG_SRC;
    }
    if (p->op == OP_bar || ptx_has(p, M_aligned))
        in->flags |= F_ALIGNED;
    in->slot = lower_slot(l);
}

/* ---- lanes ---- */
static void lower_shfl(struct lower *l)
{
    if (!ptx_has(l->in, M_sync)) {
        lower_fail(l, "shfl without .sync was removed from PTX: use __shfl_sync");
        return;
    }
    enum ptx_type t[4] = {PTX_B32, PTX_B32, PTX_B32, PTX_B32};
    const struct ptx_operand *d = op(l, 0);
    struct insn *in = alu(l, "shfl", 4, t);
    if (d->pair)
        in->dst2 = lower_dst(l, d->pair);
    in->sub = ptx_has(l->in, M_up)     ? M_up
              : ptx_has(l->in, M_down) ? M_down
              : ptx_has(l->in, M_bfly) ? M_bfly
                                       : M_idx;
    in->slot = lower_slot(l);
}
static void lower_vote(struct lower *l)
{
    uint32_t p = lower_src(l, op(l, 1), PTX_PRED), mask = NO_PLACE;
    if (ptx_has(l->in, M_sync))
        mask = lower_src(l, op(l, 2), PTX_B32);
    struct insn *in = lower_emit(l, "vote");
    in->src[0] = p;
    in->src[1] = mask;
    in->dst = lower_dst(l, op(l, 0));
    in->sub = ptx_has(l->in, M_all)   ? M_all
              : ptx_has(l->in, M_any) ? M_any
              : ptx_has(l->in, M_uni) ? M_uni
                                      : M_ballot;
    if (op(l, 1)->negated)
        in->flags |= F_NEG_SRC;
}
static void lower_match(struct lower *l)
{
    enum ptx_type t[2] = {type(l), PTX_B32};
    const struct ptx_operand *d = op(l, 0);
    struct insn *in = alu(l, "match", 2, t);
    in->sub = ptx_has(l->in, M_any) ? M_any : M_all;
    if (d->pair)
        in->dst2 = lower_dst(l, d->pair);
}
static void lower_redux(struct lower *l)
{
    static const enum ptx_mod ops[] = {M_add, M_and, M_or, M_xor, M_min, M_max};
    if (type(l) == PTX_F32) {
        lower_fail(l, "redux.sync.f32 (sm_100a): not supported");
        return;
    }
    enum ptx_type t[2] = {type(l), PTX_B32};
    struct insn *in = alu(l, "redux", 2, t);
    for (unsigned k = 0; k < 6; k++)
        if (ptx_has(l->in, ops[k]))
            in->sub = ops[k];
    if (is_signed_type(type(l)))
        in->flags |= F_SIGNED;
}
static void lower_elect(struct lower *l)
{
    uint32_t mask = lower_src(l, op(l, 1), PTX_B32);
    struct insn *in = lower_emit(l, "elect");
    in->src[0] = mask;
    in->dst = lower_dst(l, op(l, 0));
    if (op(l, 0)->pair)
        in->dst2 = lower_dst(l, op(l, 0)->pair);
    else
        lower_fail(l, "elect.sync needs a predicate destination");
}

static void lower_div(struct lower *l)
{
    enum ptx_type t = type(l);
    if (is_int(t)) {
        alu_format(l, 2, ptx_op_name(l->in->op), type_tag(t));
    } else if (ptx_has(l->in, M_approx) || ptx_has(l->in, M_full)) {
        struct insn *in = alu_same(l, "div_approx_f32", 2);
        in->sub = ptx_has(l->in, M_approx) ? M_approx : M_full;
        if (t != PTX_F32)
            lower_fail(l, "div.approx of this type");
    } else {
        lower_float(l, "div", 2);
    }
}

static void lower_arithmetic(struct lower *l)
{
    enum ptx_type t = type(l);
    const enum ptx_type b32[4] = {t, PTX_B32, PTX_B32, PTX_B32};
    const enum ptx_type bfi[4] = {t, t, PTX_B32, PTX_B32};
    switch (l->in->op) {
    case OP_add:
    case OP_sub:
        lower_add_sub(l);
        break;
    case OP_addc:
        lower_carry(l, "add_carry");
        break;
    case OP_subc:
        lower_carry(l, "sub_carry");
        break;
    case OP_mul:
        lower_mul(l);
        break;
    case OP_mad:
    case OP_madc:
        lower_mad(l);
        break;
    case OP_mul24:
    case OP_mad24:
        lower_mul24(l);
        break;
    case OP_fma:
        lower_float(l, "fma", 3);
        break;
    case OP_div:
    case OP_rem:
        lower_div(l);
        break;
    case OP_abs:
    case OP_neg:
        alu_format(l, 1, ptx_op_name(l->in->op), ptx_type_name(t));
        break;
    case OP_min:
    case OP_max:
        lower_minmax(l);
        break;
    case OP_rcp:
    case OP_sqrt:
        if (ptx_has(l->in, M_approx))
            lower_approximate(l);
        else
            lower_float(l, ptx_op_name(l->in->op), 1);
        break;
    case OP_rsqrt:
    case OP_ex2:
    case OP_lg2:
    case OP_sin:
    case OP_cos:
    case OP_tanh:
        lower_approximate(l);
        break;
    case OP_and:
    case OP_or:
    case OP_xor:
        lower_logic(l, 2);
        break;
    case OP_not:
    case OP_cnot:
        lower_logic(l, 1);
        break;
    case OP_shl:
    case OP_shr:
        lower_shift(l);
        break;
    case OP_shf:
        lower_shf(l);
        break;
    case OP_sad:
        alu_format(l, 3, "sad", type_tag(t));
        break;
    case OP_popc:
    case OP_clz:
    case OP_brev:
        lower_bits(l, 1, &t);
        break;
    case OP_bfind:
        lower_bits(l, 1, &t);
        l->out[l->n - 1].sub = ptx_has(l->in, M_shiftamt) ? M_shiftamt : 0;
        break;
    case OP_bfe:
        lower_bits(l, 3, b32);
        break;
    case OP_bfi:
        lower_bits(l, 4, bfi);
        break;
    case OP_bmsk:
    case OP_szext:
        lower_bits(l, 2, b32);
        l->out[l->n - 1].sub = ptx_has(l->in, M_wrap) ? M_wrap : M_clamp;
        break;
    case OP_fns:
        lower_bits(l, 3, b32);
        break;
    case OP_prmt:
        lower_prmt(l);
        break;
    case OP_lop3:
        lower_lop3(l);
        break;
    case OP_dp4a:
    case OP_dp2a:
        lower_dot(l);
        break;
    case OP_copysign:
        alu_format(l, 2, "copysign", ptx_type_name(t));
        break;
    default:
        lower_fail(l, "%s: not supported by the emulator", l->f->sites[l->in - l->p->insns].opcode);
    }
}

bool lower_insn(struct lower *l)
{
    bool cluster = l->in->op == OP_barrier && ptx_has(l->in, M_cluster);
    if (lower_half(l) || lower_matrix(l) ||
        ((l->in->op != OP_barrier || cluster) && lower_async(l)) || lower_video(l) ||
        lower_memory(l))
        return !l->error;
    switch (l->in->op) {
    case OP_mov:
        lower_mov(l);
        break;
    case OP_cvt:
        lower_cvt(l);
        break;
    case OP_cvta:
        lower_cvta(l);
        break;
    case OP_setp:
        lower_setp(l);
        break;
    case OP_set:
        lower_set(l);
        break;
    case OP_selp:
        lower_selp(l);
        break;
    case OP_slct:
        lower_slct(l);
        break;
    case OP_testp:
        lower_testp(l);
        break;
    case OP_bra:
        lower_bra(l);
        break;
    case OP_brx:
        lower_brx(l);
        break;
    case OP_ret:
    case OP_exit:
        lower_ret(l);
        break;
    case OP_call:
        lower_call(l);
        break;
    case OP_bar:
    case OP_barrier:
        lower_barrier(l);
        break;
    case OP_trap:
    case OP_brkpt:
        lower_emit(l, "%s", ptx_op_name(l->in->op));
        break;
    case OP_nanosleep:
        lower_emit(l, "nanosleep");
        break;
    case OP_pmevent:
    case OP_griddepcontrol: /* one grid at a time: what it waits for is done */
    case OP_setmaxnreg:     /* registers are plentiful here */
        lower_emit(l, "nop");
        break;
    case OP_shfl:
        lower_shfl(l);
        break;
    case OP_vote:
        lower_vote(l);
        break;
    case OP_match:
        lower_match(l);
        break;
    case OP_redux:
        lower_redux(l);
        break;
    case OP_elect:
        lower_elect(l);
        break;
    case OP_activemask:
        lower_emit(l, "activemask")->dst = lower_dst(l, op(l, 0));
        break;
    default:
        lower_arithmetic(l);
    }
    return !l->error;
}
