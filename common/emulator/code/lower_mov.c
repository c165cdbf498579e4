/* lower_mov.c - what moves and conversions become: mov, cvt, cvta. */
#include "lower.h"

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
        struct insn *in = lower_emit(l, H_mov_64);
        in->src[0] = at + (from == s ? k * WIDE_HALF : 0);
        in->dst = dst + (to == d ? k * WIDE_HALF : 0);
    }
}
static void lower_vector_mov(struct lower *l, bool pack)
{
    const struct ptx_operand *v = op(l, pack ? 1 : 0), *s = op(l, pack ? 0 : 1);
    unsigned bytes = type_bytes(type(l)) / (v->nelems ? v->nelems : 1);
    if (bytes == 0 || bytes * v->nelems != type_bytes(type(l)) || type_bytes(type(l)) > 8) {
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
    struct insn *in = lower_emit(l, pack ? H_pack : H_unpack);
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
    case SREG_CURRENT_GRAPH_EXEC:
        in = lower_emit(l, H_clock);
        in->sub = (uint8_t)s->sreg;
        break;
    case SREG_ENVREG:
        in = lower_emit(l, H_envreg);
        in->sub = s->comp;
        break;
    default: {
        uint8_t width = op(l, 0)->kind == OPD_REG ? lower_reg_bytes(l, op(l, 0)->reg) : 4;
        uint32_t from = lower_src(l, s, PTX_B32);
        in = lower_emit(l, width == 8 ? H_zext_32_64 : width == 2 ? H_trunc_32_16 : H_mov_32);
        in->src[0] = from;
    }
    }
    in->dst = lower_dst(l, op(l, 0));
    in->width = op(l, 0)->kind == OPD_REG ? lower_reg_bytes(l, op(l, 0)->reg) : 4;
}
void lower_mov(struct lower *l)
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
        lower_logic_1(l);
    else
        lower_1(l);
}

/* ---- cvt: between registers as wide as their types, plain conversions have handlers ---- */
/* integer to integer without saturation: bits of the types, bytes of the registers */
static enum handler_id widening(enum ptx_type to, enum ptx_type from, uint8_t dst, uint8_t src)
{
    static const struct {
        uint8_t to, from, dst, src;
        uint16_t of_unsigned, of_signed;
    } rows[] = {
        {32, 16, 4, 2, H_zext_16_32, H_sext_16_32},
        {64, 16, 8, 2, H_zext_16_64, H_sext_16_64},
        {64, 32, 8, 4, H_zext_32_64, H_sext_32_64},
        {32, 8, 4, 4, H_zext8_32_32, H_sext8_32_32},
        {16, 8, 2, 2, H_zext8_16_16, H_sext8_16_16},
        {32, 8, 4, 2, H_none, H_sext8_16_32},
        {32, 16, 4, 4, H_zext16_32_32, H_sext16_32_32},
        {16, 16, 2, 2, H_mov_16, H_mov_16},
        {32, 32, 4, 4, H_mov_32, H_mov_32},
        {64, 64, 8, 8, H_mov_64, H_mov_64},
    };
    unsigned tb = ptx_type_bits(to), fb = ptx_type_bits(from);
    for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k].to == tb && rows[k].from == fb && rows[k].dst == dst && rows[k].src == src)
            return is_signed_type(from) ? rows[k].of_signed : rows[k].of_unsigned;
    if (tb == 16 && dst == 2 && src == 4)
        return H_trunc_32_16;
    if (tb == 16 && dst == 2 && src == 8)
        return H_trunc_64_16;
    return tb == 32 && dst == 4 && src == 8 ? H_trunc_64_32 : H_none;
}
/* to floating point from another type, rounded to nearest */
static enum handler_id to_float(enum ptx_type to, enum ptx_type from)
{
    static const struct {
        uint16_t to, from, handler;
    } rows[] = {
        {PTX_F32, PTX_BF16, H_cvt_f32_bf16}, {PTX_F32, PTX_S32, H_cvt_f32_s32},
        {PTX_F32, PTX_U32, H_cvt_f32_u32},   {PTX_F32, PTX_F64, H_cvt_f32_f64},
        {PTX_F64, PTX_S32, H_cvt_f64_s32},   {PTX_F64, PTX_U32, H_cvt_f64_u32},
        {PTX_F64, PTX_F32, H_cvt_f64_f32},
    };
    for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k].to == to && rows[k].from == from)
            return rows[k].handler;
    return H_none;
}
static enum handler_id quick_conversion(struct lower *l, uint8_t dst, uint8_t src)
{
    enum ptx_type to = l->in->types[0], from = l->in->types[1];
    if (is_int(to) && is_int(from))
        return ptx_has(l->in, M_sat) ? H_none : widening(to, from, dst, src);
    bool plain = !(lower_float_flags(l) & (F_FTZ | F_SAT | F_ROUND | F_RELU | F_SATFINITE)) &&
                 !ptx_has(l->in, M_rni);
    return plain && dst == type_bytes(to) && src == type_bytes(from) ? to_float(to, from) : H_none;
}
void lower_cvt(struct lower *l)
{
    if (ptx_has(l->in, M_pack)) {
        lower_pack(l);
        return;
    }
    if (l->in->ntypes < 2 || l->in->noperands != 2) {
        lower_fail(l, "cvt takes two types and two operands");
        return;
    }
    enum ptx_type to = l->in->types[0], from = l->in->types[1];
    uint8_t src_width, dst_width = (uint8_t)type_bytes(to);
    if (op(l, 0)->kind == OPD_REG)
        dst_width = lower_reg_bytes(l, op(l, 0)->reg);
    uint32_t s = lower_src_any(l, op(l, 1), from, &src_width);
    enum handler_id quick = quick_conversion(l, dst_width, src_width);
    struct insn *in = lower_emit(l, quick ? quick : H_cvt_any);
    in->src[0] = s;
    in->dst = lower_dst(l, op(l, 0));
    in->width = dst_width;
    in->src_width = src_width;
    in->sub = (uint8_t)to;
    in->sub2 = (uint8_t)from;
    in->flags |= lower_float_flags(l);
    if (FIRST_MOD(l, M_rni, M_rzi, M_rmi, M_rpi) && is_float_type(to) && is_float_type(from))
        in->flags |= F_ROUND_INT;
}
void lower_cvta(struct lower *l)
{
    if (op(l, 0)->kind == OPD_REG && l->aliased[op(l, 0)->reg])
        return;
    enum ptx_space s = l->in->space;
    uint8_t bytes;
    uint32_t from = lower_src_any(l, op(l, 1), PTX_B64, &bytes);
    bool to = ptx_has(l->in, M_to);
    enum handler_id h = H_mov_64;
    if (is_shared(s))
        h = to ? H_uncvta : H_cvta_shared;
    else if (s == SPACE_LOCAL)
        h = to ? H_uncvta : H_cvta_local;
    else if (s == SPACE_PARAM)
        h = to ? H_uncvta : H_cvta_param;
    if (bytes != 8) {
        lower_fail(l, "cvta of 32-bit addresses: not supported");
        return;
    }
    struct insn *in = lower_emit(l, h);
    in->src[0] = from;
    in->dst = lower_dst(l, op(l, 0));
}
