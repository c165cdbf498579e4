/* lower_half.c - half precision, packed 16-bit integers, narrow conversions. */
#include "lower.h"

void lower_half(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    enum ptx_type t = p->types[0];
    uint32_t s[3] = {NO_PLACE, NO_PLACE, NO_PLACE};
    if (ptx_has(p, M_oob)) {
        lower_fail(l, "fma.oob: not supported: the ISA does not say which NaN is out of bounds");
        return;
    }
    if (p->ntypes > 1) { /* sums of mixed types */
        lower_unsupported(l);
        return;
    }
    for (uint32_t k = 1; k < p->noperands && k <= 3; k++)
        s[k - 1] = lower_src(l, &p->operands[k], t);
    struct insn *in = lower_emit(l, H_half);
    for (int k = 0; k < 3; k++)
        in->src[k] = s[k];
    in->dst = lower_dst(l, op(l, 0));
    in->sub = (uint8_t)p->op;
    in->sub2 = t == PTX_BF16 || t == PTX_BF16X2;
    in->size = (uint8_t)ptx_type_bits(t);
    in->width = in->size / 8;
    in->flags |= lower_float_flags(l);
}
void lower_pair(struct lower *l)
{
    struct insn *in = lower_same(l, H_pair16, 2);
    in->sub = (uint8_t)l->in->op;
    if (type(l) == PTX_S16X2)
        in->flags |= F_SIGNED;
}

static bool is_packed8(enum ptx_type t)
{
    return t == PTX_E4M3X2 || t == PTX_E5M2X2;
}
static bool narrow_exists(const struct ptx_insn *p)
{
    enum ptx_type to = p->types[0], from = p->types[1];
    if (p->ntypes < 2 || ptx_has(p, M_rs))
        return false;
    if (from == PTX_F32 && to == PTX_TF32)
        return true;
    if (from == PTX_F32 && p->noperands == 3)
        return to == PTX_F16X2 || to == PTX_BF16X2 || is_packed8(to);
    if (from == PTX_F16X2 && p->noperands == 2)
        return is_packed8(to);
    return to == PTX_F16X2 && is_packed8(from);
}
void lower_narrow(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    enum ptx_type to = p->types[0], from = p->types[1];
    if (!narrow_exists(p)) {
        lower_fail(l, "cvt between these types: not supported");
        return;
    }
    enum ptx_type in_registers = is_packed8(from) ? PTX_B16 : from == PTX_F32 ? PTX_F32 : PTX_B32;
    uint32_t a = lower_src(l, op(l, 1), in_registers);
    uint32_t b = p->noperands > 2 ? lower_src(l, &p->operands[2], PTX_F32) : NO_PLACE;
    struct insn *in = lower_emit(l, H_cvt_narrow);
    in->src[0] = a;
    in->src[1] = b;
    in->dst = lower_dst(l, op(l, 0));
    in->sub = (uint8_t)to;
    in->sub2 = (uint8_t)from;
    in->src_width = (uint8_t)type_bytes(in_registers);
    in->width = is_packed8(to) ? 2 : 4;
    in->flags |= lower_float_flags(l);
}
