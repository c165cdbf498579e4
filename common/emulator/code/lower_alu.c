/* lower_alu.c - what arithmetic becomes: integers, floating point, comparisons, selection. */
#include "lower_insn.h"
#include <stdio.h>
#include <string.h>

struct insn *lower_alu(struct lower *l, const char *name, uint32_t nsrc, const enum ptx_type *src)
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
    return lower_alu(l, name, nsrc, t);
}
struct insn *lower_alu_format(struct lower *l, uint32_t nsrc, const char *mnemonic, const char *tag)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_%s", mnemonic, tag);
    return alu_same(l, name, nsrc);
}

/* ---- floating point ---- */
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
    struct insn *in = t == PTX_F32 ? alu_same(l, "approx_f32", 1)
                      : t == PTX_F64
                          ? alu_same(l, "approx_f64", 1)
                          : lower_alu_format(l, 1, ptx_op_name(l->in->op), ptx_type_name(t));
    in->sub = l->in->op;
}
static void lower_minmax(struct lower *l)
{
    enum ptx_type t = type(l);
    if (is_int(t))
        lower_alu_format(l, 2, ptx_op_name(l->in->op),
                         ptx_has(l->in, M_relu) && t == PTX_S32 ? "relu_s32" : type_tag(t));
    else
        lower_alu_format(l, l->in->noperands - 1, ptx_op_name(l->in->op), ptx_type_name(t));
}

/* ---- integers ---- */
static void lower_carry(struct lower *l, const char *family)
{
    const struct ptx_insn *p = l->in;
    struct insn *in = lower_alu_format(l, p->noperands - 1, family, width_tag(type(l)));
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
        lower_alu_format(l, 2, l->in->op == OP_add ? "add_sat" : "sub_sat", ptx_type_name(t));
    else if (is_int(t))
        lower_alu_format(l, 2, name, width_tag(t));
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
        lower_alu_format(l, 2, "mul_lo", width_tag(t));
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
        lower_alu(l, name, 3, types);
    } else if (ptx_has(l->in, M_hi)) {
        snprintf(name, sizeof(name), "mad_hi_%s%s", ptx_has(l->in, M_sat) ? "sat_" : "",
                 type_tag(t));
        alu_same(l, name, 3);
    } else {
        lower_alu_format(l, 3, "mad_lo", width_tag(t));
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
    lower_alu(l, name, 2, types);
}
void lower_logic(struct lower *l, uint32_t nsrc)
{
    if (type(l) != PTX_PRED) {
        lower_alu_format(l, nsrc, ptx_op_name(l->in->op), width_tag(type(l)));
        return;
    }
    struct insn *in = lower_alu_format(l, nsrc, ptx_op_name(l->in->op), "pred");
    for (uint32_t k = 0; k < nsrc; k++)
        if (op(l, k + 1)->negated)
            in->sub |= 1 << k;
}
/* popc, clz, brev, bfind, bfe, bfi: size is the operation's width */
static void lower_bits(struct lower *l, uint32_t nsrc, const enum ptx_type *src)
{
    struct insn *in = lower_alu(l, ptx_op_name(l->in->op), nsrc, src);
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
    struct insn *in = lower_alu(l, "prmt", 3, t);
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
    struct insn *in = lower_alu(l, ptx_op_name(l->in->op), 3, t);
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
    if (lower_alu(l, name, 3, types) && op(l, 3)->negated)
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
    lower_alu(l, name, 3, types);
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

static void lower_div(struct lower *l)
{
    enum ptx_type t = type(l);
    if (is_int(t)) {
        lower_alu_format(l, 2, ptx_op_name(l->in->op), type_tag(t));
    } else if (ptx_has(l->in, M_approx) || ptx_has(l->in, M_full)) {
        struct insn *in = alu_same(l, "div_approx_f32", 2);
        in->sub = ptx_has(l->in, M_approx) ? M_approx : M_full;
        if (t != PTX_F32)
            lower_fail(l, "div.approx of this type");
    } else {
        lower_float(l, "div", 2);
    }
}

void lower_arithmetic(struct lower *l)
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
        lower_alu_format(l, 1, ptx_op_name(l->in->op), ptx_type_name(t));
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
        lower_alu_format(l, 3, "sad", type_tag(t));
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
        lower_alu_format(l, 2, "copysign", ptx_type_name(t));
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
    default:
        lower_fail(l, "%s: not supported by the emulator", l->f->sites[l->in - l->p->insns].opcode);
    }
}
