/* lower_half.c - half precision, packed 16-bit integers, narrow conversions. */
#include "lower.h"

static bool is_half(enum ptx_type t)
{
    return t == PTX_F16 || t == PTX_BF16 || t == PTX_F16X2 || t == PTX_BF16X2;
}
static bool is_brain(enum ptx_type t)
{
    return t == PTX_BF16 || t == PTX_BF16X2;
}

static void lower_half_alu(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    enum ptx_type t = p->types[0];
    uint32_t s[3] = {NO_PLACE, NO_PLACE, NO_PLACE};
    if (ptx_has(p, M_oob)) {
        lower_fail(l, "fma.oob: not supported: the ISA does not say which NaN is out of bounds");
        return;
    }
    for (uint32_t k = 1; k < p->noperands && k <= 3; k++)
        s[k - 1] = lower_src(l, &p->operands[k], t);
    struct insn *in = lower_emit(l, "half");
    for (int k = 0; k < 3; k++)
        in->src[k] = s[k];
    in->dst = lower_dst(l, &p->operands[0]);
    in->sub = (uint8_t)p->op;
    in->sub2 = is_brain(t);
    in->size = (uint8_t)ptx_type_bits(t);
    in->width = in->size / 8;
    in->flags |= lower_float_flags(l);
}
static void lower_half_compare(struct lower *l, bool set)
{
    const struct ptx_insn *p = l->in;
    enum ptx_type t = p->types[set ? 1 : 0];
    uint32_t a = lower_src(l, &p->operands[1], t), b = lower_src(l, &p->operands[2], t);
    uint32_t c = p->noperands > 3 ? lower_src(l, &p->operands[3], PTX_PRED) : NO_PLACE;
    struct insn *in = lower_emit(l, set ? "set_half" : "setp_half");
    in->src[0] = a;
    in->src[1] = b;
    in->src[2] = c;
    in->sub = lower_relation(l);
    in->sub2 = ptx_has(p, M_and) ? M_and : ptx_has(p, M_or) ? M_or : M_xor;
    in->count = is_brain(t) ? 2 : 1;
    in->size = (uint8_t)ptx_type_bits(t);
    in->flags |= lower_float_flags(l);
    if (p->noperands > 3 && p->operands[3].negated)
        in->flags |= F_NEG_SRC;
    in->dst = lower_dst(l, &p->operands[0]);
    if (p->operands[0].pair)
        in->dst2 = lower_dst(l, p->operands[0].pair);
    if (!set)
        return;
    enum ptx_type d = p->types[0];
    in->width = (uint8_t)type_bytes(d);
    in->imm = d == PTX_F16 || d == PTX_F16X2         ? 0x3c00
              : d == PTX_BF16 || d == PTX_BF16X2     ? 0x3f80
              : type_bytes(d) == 2 || in->size == 32 ? 0xffff
                                                     : 0xffffffff;
}
static bool lower_narrow(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    enum ptx_type to = p->types[0], from = p->types[1];
    bool e8 = to == PTX_E4M3X2 || to == PTX_E5M2X2;
    bool ok = (to == PTX_TF32 && from == PTX_F32) ||
              ((to == PTX_F16X2 || to == PTX_BF16X2) && from == PTX_F32 && p->noperands == 3) ||
              (e8 && from == PTX_F32 && p->noperands == 3) ||
              (e8 && from == PTX_F16X2 && p->noperands == 2) ||
              (to == PTX_F16X2 && (from == PTX_E4M3X2 || from == PTX_E5M2X2));
    if (!ok || ptx_has(p, M_rs))
        return false;
    enum ptx_type register_type = from == PTX_E4M3X2 || from == PTX_E5M2X2 ? PTX_B16 : PTX_B32;
    uint32_t a = lower_src(l, &p->operands[1], from == PTX_F32 ? PTX_F32 : register_type);
    uint32_t b = p->noperands > 2 ? lower_src(l, &p->operands[2], PTX_F32) : NO_PLACE;
    struct insn *in = lower_emit(l, "cvt_narrow");
    in->src[0] = a;
    in->src[1] = b;
    in->dst = lower_dst(l, &p->operands[0]);
    in->sub = (uint8_t)to;
    in->sub2 = (uint8_t)from;
    in->src_width = register_type == PTX_B16 ? 2 : 4;
    in->width = e8 ? 2 : 4;
    in->flags |= lower_float_flags(l);
    return true;
}
static void lower_pair(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    uint32_t a = lower_src(l, &p->operands[1], PTX_B32), b = lower_src(l, &p->operands[2], PTX_B32);
    struct insn *in = lower_emit(l, "pair16");
    in->src[0] = a;
    in->src[1] = b;
    in->dst = lower_dst(l, &p->operands[0]);
    in->sub = (uint8_t)p->op;
    if (p->types[0] == PTX_S16X2)
        in->flags |= F_SIGNED;
    in->flags |= lower_float_flags(l) & F_RELU;
}

bool lower_half(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    enum ptx_type t = p->ntypes ? p->types[0] : PTX_NOTYPE;
    switch (p->op) {
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_fma:
    case OP_min:
    case OP_max:
    case OP_neg:
    case OP_abs:
    case OP_ex2:
    case OP_tanh:
        if (is_half(t) && p->ntypes == 1) {
            lower_half_alu(l);
            return true;
        }
        if ((t == PTX_U16X2 || t == PTX_S16X2) &&
            (p->op == OP_add || p->op == OP_min || p->op == OP_max)) {
            lower_pair(l);
            return true;
        }
        return false;
    case OP_setp:
        if (is_half(t))
            lower_half_compare(l, false);
        return is_half(t);
    case OP_set:
        if (p->ntypes > 1 && is_half(p->types[1])) {
            lower_half_compare(l, true);
            return true;
        }
        return false;
    case OP_cvt:
        return p->ntypes > 1 && lower_narrow(l);
    default:
        return false;
    }
}
