/* lower_alu.c - what arithmetic becomes: integers, floating point, bits, comparisons, selection. */
#include "lower.h"
#include <string.h>

enum handler_id lower_handler(const struct lower *l)
{
    const struct opcode *o = opcode_of(l->in);
    return o->handler ? o->handler : handler_of(o->family, type(l));
}
struct insn *lower_alu(struct lower *l, enum handler_id h, uint32_t nsrc, const enum ptx_type *src)
{
    uint32_t s[4] = {NO_PLACE, NO_PLACE, NO_PLACE, NO_PLACE};
    for (uint32_t k = 0; k < nsrc; k++)
        s[k] = lower_src(l, op(l, k + 1), src[k]);
    struct insn *in = lower_emit(l, h);
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
struct insn *lower_same(struct lower *l, enum handler_id h, uint32_t nsrc)
{
    const enum ptx_type t[4] = {type(l), type(l), type(l), type(l)};
    return lower_alu(l, h, nsrc, t);
}
void lower_1(struct lower *l)
{
    lower_same(l, lower_handler(l), 1);
}
void lower_2(struct lower *l)
{
    lower_same(l, lower_handler(l), 2);
}
void lower_3(struct lower *l)
{
    lower_same(l, lower_handler(l), 3);
}

/* ---- floating point ---- */
static void lower_rounded(struct lower *l, uint32_t nsrc)
{
    bool plain = !(lower_float_flags(l) & (F_FTZ | F_SAT | F_ROUND | F_RELU | F_SATFINITE));
    enum family f = opcode_of(l->in)->family;
    lower_same(l, plain ? handler_of(f, type(l)) : handler_rounded(f, type(l)), nsrc);
}
void lower_rounded_2(struct lower *l)
{
    lower_rounded(l, 2);
}
void lower_rounded_3(struct lower *l)
{
    lower_rounded(l, 3);
}
void lower_approximate(struct lower *l)
{
    lower_same(l, handler_of(FAM_approx, type(l)), 1)->sub = l->in->op;
}
void lower_root(struct lower *l) /* rcp, sqrt */
{
    if (ptx_has(l->in, M_approx))
        lower_approximate(l);
    else
        lower_rounded(l, 1);
}
void lower_div(struct lower *l)
{
    uint8_t how = FIRST_MOD(l, M_approx, M_full);
    if (how)
        lower_same(l, H_div_approx_f32, 2)->sub = how;
    else
        lower_rounded(l, 2);
}
void lower_testp(struct lower *l)
{
    lower_same(l, lower_handler(l), 1)->sub =
        FIRST_MOD(l, M_finite, M_infinite, M_number, M_notanumber, M_normal, M_subnormal);
}

/* ---- integers ---- */
static void lower_carry(struct lower *l, enum family f, uint32_t nsrc, bool carry_in)
{
    struct insn *in = lower_same(l, handler_of(f, type(l)), nsrc);
    if (carry_in)
        in->flags |= F_CARRY_IN;
    if (ptx_has(l->in, M_cc))
        in->flags |= F_CC_OUT;
    if (is_signed_type(type(l)))
        in->flags |= F_SIGNED;
    in->sub = ptx_has(l->in, M_hi) ? M_hi : M_lo;
}
void lower_add_carry(struct lower *l)
{
    lower_carry(l, FAM_add_carry, 2, true);
}
void lower_sub_carry(struct lower *l)
{
    lower_carry(l, FAM_sub_carry, 2, true);
}
void lower_mad_carry(struct lower *l)
{
    lower_carry(l, FAM_mad_carry, 3, true);
}
void lower_add_sub(struct lower *l)
{
    bool add = l->in->op == OP_add;
    if (ptx_has(l->in, M_cc))
        lower_carry(l, add ? FAM_add_carry : FAM_sub_carry, 2, false);
    else if (ptx_has(l->in, M_sat))
        lower_same(l, handler_of(add ? FAM_add_sat : FAM_sub_sat, type(l)), 2);
    else
        lower_2(l);
}
void lower_min_max(struct lower *l) /* of .s32: .relu */
{
    if (ptx_has(l->in, M_relu))
        lower_same(l, handler_of(l->in->op == OP_min ? FAM_min_relu : FAM_max_relu, type(l)), 2);
    else
        lower_2(l);
}
void lower_mul(struct lower *l)
{
    enum family f = ptx_has(l->in, M_wide) ? FAM_mul_wide
                    : ptx_has(l->in, M_hi) ? FAM_mul_hi
                                           : FAM_mul_lo;
    lower_same(l, handler_of(f, type(l)), 2);
}
void lower_mad(struct lower *l)
{
    enum ptx_type t = type(l), wide = ptx_type_bits(t) == 16 ? PTX_B32 : PTX_B64;
    if (ptx_has(l->in, M_cc))
        lower_carry(l, FAM_mad_carry, 3, false);
    else if (ptx_has(l->in, M_wide))
        lower_alu(l, handler_of(FAM_mad_wide, t), 3, (const enum ptx_type[]){t, t, wide});
    else if (ptx_has(l->in, M_hi))
        lower_same(l, handler_of(ptx_has(l->in, M_sat) ? FAM_mad_hi_sat : FAM_mad_hi, t), 3);
    else
        lower_same(l, handler_of(FAM_mad_lo, t), 3);
}
static enum handler_id product24(const struct lower *l)
{
    return handler_of(ptx_has(l->in, M_hi) ? FAM_mul24_hi : FAM_mul24_lo, type(l));
}
void lower_mad24(struct lower *l)
{
    if (ptx_has(l->in, M_sat))
        lower_unsupported(l);
    else
        lower_same(l, product24(l), 3);
}
void lower_mul24(struct lower *l)
{
    uint32_t zero = lower_const(l, CONST_IMM, 4, 0, 0, false);
    lower_same(l, product24(l), 2)->src[2] = zero;
}
void lower_shift(struct lower *l)
{
    lower_alu(l, lower_handler(l), 2, (const enum ptx_type[]){type(l), PTX_B32});
}
void lower_shf(struct lower *l)
{
    static const uint16_t handlers[2][2] = {{H_shf_r_clamp, H_shf_r_wrap},
                                            {H_shf_l_clamp, H_shf_l_wrap}};
    lower_same(l, handlers[ptx_has(l->in, M_l)][ptx_has(l->in, M_wrap)], 3);
}
static void lower_logic(struct lower *l, uint32_t nsrc)
{
    struct insn *in = lower_same(l, lower_handler(l), nsrc);
    for (uint32_t k = 0; k < nsrc; k++) /* predicates: "!%p" */
        if (op(l, k + 1)->negated)
            in->sub |= 1 << k;
}
void lower_logic_1(struct lower *l)
{
    lower_logic(l, 1);
}
void lower_logic_2(struct lower *l)
{
    lower_logic(l, 2);
}

/* ---- bits: size is the operation's width, count has a bit for each source of 64 bits ---- */
static void lower_bits(struct lower *l, uint32_t nsrc, const enum ptx_type *src)
{
    struct insn *in = lower_alu(l, lower_handler(l), nsrc, src);
    in->size = (uint8_t)ptx_type_bits(type(l));
    in->count = 0;
    for (uint32_t k = 1; k < nsrc; k++)
        if (ptx_type_bits(src[k]) == 64)
            in->count |= 1 << k;
    if (is_signed_type(type(l)))
        in->flags |= F_SIGNED;
    in->sub = FIRST_MOD(l, M_shiftamt, M_wrap, M_clamp);
}
void lower_bits_1(struct lower *l)
{
    lower_bits(l, 1, (const enum ptx_type[]){type(l)});
}
void lower_bits_2(struct lower *l)
{
    lower_bits(l, 2, (const enum ptx_type[]){type(l), PTX_B32});
}
void lower_bits_3(struct lower *l)
{
    lower_bits(l, 3, (const enum ptx_type[]){type(l), PTX_B32, PTX_B32});
}
void lower_bfi(struct lower *l)
{
    lower_bits(l, 4, (const enum ptx_type[]){type(l), type(l), PTX_B32, PTX_B32});
}
/* cvt.pack.sat.{u16,s16}.s32 d, a, b; cvt.pack.sat.{u8,s8}.s32.b32 d, a, b, c (PTX ISA 9.7.9.22) */
void lower_pack(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    bool bytes = type(l) == PTX_U8 || type(l) == PTX_S8;
    uint32_t n = bytes ? 3 : 2;
    if (!(bytes || type(l) == PTX_U16 || type(l) == PTX_S16) || !ptx_has(p, M_sat) ||
        p->types[1] != PTX_S32 || p->ntypes != n || p->noperands != n + 1 ||
        (bytes && p->types[2] != PTX_B32)) {
        lower_unsupported(l);
        return;
    }
    struct insn *in =
        lower_alu(l, H_cvt_pack, n, (const enum ptx_type[]){PTX_S32, PTX_S32, PTX_B32});
    in->size = (uint8_t)ptx_type_bits(type(l));
    in->count = 0;
    if (is_signed_type(type(l)))
        in->flags |= F_SIGNED;
}
/* Not modelled: which lines caches keep. What a policy is made of nobody can tell. */
void lower_policy(struct lower *l)
{
    struct insn *in = lower_emit(l, H_mov_64);
    in->src[0] = lower_const(l, CONST_IMM, 8, 0, 0, false);
    in->dst = lower_dst(l, op(l, 0));
    in->width = in->src_width = 8;
}
void lower_prmt(struct lower *l)
{
    struct insn *in = lower_same(l, H_prmt, 3);
    in->count = 0;
    in->sub = FIRST_MOD(l, M_f4e, M_b4e, M_rc8, M_ecl, M_ecr, M_rc16);
}
void lower_lop3(struct lower *l)
{
    const struct ptx_operand *table = op(l, 4);
    if (table->kind != OPD_IMM || l->in->noperands != 5) {
        lower_fail(l, "lop3: the table is no constant, or a predicate form: not supported");
        return;
    }
    lower_same(l, H_lop3, 3)->imm = (int64_t)(table->imm & 0xff);
}
void lower_dot(struct lower *l) /* dp4a, dp2a: a and b each signed or not */
{
    struct insn *in = lower_same(l, lower_handler(l), 3);
    in->count = 0;
    if (l->in->types[0] == PTX_S32)
        in->flags |= F_SIGNED;
    if (l->in->types[1] == PTX_S32)
        in->flags |= F_NEG_SRC;
    in->sub = ptx_has(l->in, M_hi) ? M_hi : M_lo;
}
/* vabsdiff2, vabsdiff4 {.add} d, a, b, c: the one video instruction that compilers emit */
void lower_absdiff(struct lower *l)
{
    bool a = l->in->types[1] == PTX_S32, b = l->in->types[2] == PTX_S32;
    bool add = ptx_has(l->in, M_add);
    if (l->in->ntypes < 3 || ptx_has(l->in, M_sat) || (add && (a || b))) {
        lower_unsupported(l);
        return;
    }
    struct insn *in = lower_same(l, H_absdiff, 3);
    in->size = l->in->op == OP_vabsdiff2 ? 16 : 8;
    in->flags |= (a ? F_SIGNED : 0) | (b ? F_NEG_SRC : 0);
    in->sub = add ? M_add : M_none;
}

/* ---- comparisons and selection ---- */
static uint8_t relation(struct lower *l)
{
    uint8_t r = FIRST_MOD(l, M_lo, M_hi, M_ls, M_hs, M_eq, M_ne, M_lt, M_le, M_gt, M_ge, M_equ,
                          M_neu, M_ltu, M_leu, M_gtu, M_geu, M_num, M_nan);
    if (!r)
        lower_fail(l, "no comparison");
    return r;
}
/* {setp, set}.relation{.bool}{.ftz}.types d, a, b{, {!}c}: operands of type t */
static struct insn *compare(struct lower *l, enum handler_id h, enum ptx_type t)
{
    uint32_t a = lower_src(l, op(l, 1), t), b = lower_src(l, op(l, 2), t), c = NO_PLACE;
    bool joined = l->in->noperands > 3;
    if (joined)
        c = lower_src(l, op(l, 3), PTX_PRED);
    struct insn *in = lower_emit(l, h);
    in->sub = relation(l);
    in->sub2 = ptx_has(l->in, M_and) ? M_and : ptx_has(l->in, M_or) ? M_or : M_xor;
    in->src[0] = a;
    in->src[1] = b;
    in->src[2] = c;
    in->flags |= lower_float_flags(l) | (joined && op(l, 3)->negated ? F_NEG_SRC : 0);
    in->dst = lower_dst(l, op(l, 0));
    if (op(l, 0)->pair)
        in->dst2 = lower_dst(l, op(l, 0)->pair);
    return in;
}
static void compare_halves(struct insn *in, enum ptx_type t)
{
    in->count = t == PTX_BF16 || t == PTX_BF16X2 ? 2 : 1;
    in->size = (uint8_t)ptx_type_bits(t);
}
void lower_setp(struct lower *l)
{
    compare(l, lower_handler(l), type(l));
}
void lower_setp_half(struct lower *l)
{
    compare_halves(compare(l, H_setp_half, type(l)), type(l));
}
static bool two_types(struct lower *l)
{
    if (l->in->ntypes < 2)
        lower_fail(l, "%s needs two types", ptx_op_name(l->in->op));
    return l->in->ntypes >= 2;
}
void lower_set(struct lower *l)
{
    if (!two_types(l))
        return;
    enum ptx_type t = l->in->types[1];
    struct insn *in = compare(l, handler_of(FAM_set, t), t);
    if (is_float_type(type(l)))
        in->flags |= F_ROUND_INT;
    in->width = (uint8_t)type_bytes(type(l));
}
void lower_set_half(struct lower *l)
{
    if (!two_types(l))
        return;
    enum ptx_type d = type(l), t = l->in->types[1];
    struct insn *in = compare(l, H_set_half, t);
    compare_halves(in, t);
    in->width = (uint8_t)type_bytes(d);
    in->imm = d == PTX_F16 || d == PTX_F16X2         ? 0x3c00
              : d == PTX_BF16 || d == PTX_BF16X2     ? 0x3f80
              : type_bytes(d) == 2 || in->size == 32 ? 0xffff
                                                     : 0xffffffff;
}
void lower_selp(struct lower *l)
{
    const enum ptx_type types[3] = {type(l), type(l), PTX_PRED};
    struct insn *in = lower_alu(l, lower_handler(l), 3, types);
    if (op(l, 3)->negated)
        in->flags |= F_NEG_SRC;
}
void lower_slct(struct lower *l)
{
    if (!two_types(l))
        return;
    enum ptx_type t = type(l), by = l->in->types[1];
    enum family f = by == PTX_S32           ? FAM_slct_s32
                    : ptx_has(l->in, M_ftz) ? FAM_slct_f32x
                                            : FAM_slct_f32;
    lower_alu(l, handler_of(f, t), 3, (const enum ptx_type[]){t, t, by});
}
