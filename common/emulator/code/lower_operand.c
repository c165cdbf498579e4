/* lower_operand.c - places for operands: registers, constants, special registers, addresses.
 *
 * Instructions whose result is the same for a whole launch, block or warp index (kernel
 * parameters, %tid, conversions of such addresses) become no code at all: their destination
 * register is an alias of the constant's place. They are still counted.
 */
#include "lower.h"
#include <stdlib.h>

/* ---- constants ---- */
static uint32_t add_const(struct lower *l, enum const_kind kind, uint8_t width, uint64_t value,
                          uint8_t size, bool sign, int64_t addend)
{
    struct emu_func *f = l->f;
    if (kind == CONST_IMM && width < 8 && width > 1)
        value &= (1ull << 8 * width) - 1;
    for (uint32_t k = 0; k < f->nconsts; k++) {
        const struct launch_const *c = &f->consts[k];
        if (c->kind == kind && c->width == width && c->value == value && c->size == size &&
            c->sign == sign && c->addend == addend)
            return PLACE(SEL_LAUNCH, c->place);
    }
    if (f->nconsts == l->const_capacity) {
        l->const_capacity = l->const_capacity ? 2 * l->const_capacity : 32;
        f->consts = xrealloc(f->consts, l->const_capacity * sizeof(*f->consts));
    }
    uint32_t at = f->const_bytes;
    f->consts[f->nconsts++] = (struct launch_const){kind, at, width, size, sign, value, addend};
    f->const_bytes += width == 1 ? 64 : WARP * width;
    return PLACE(SEL_LAUNCH, at);
}

uint32_t lower_const(struct lower *l, enum const_kind kind, uint8_t width, uint64_t value,
                     uint8_t size, bool sign)
{
    return add_const(l, kind, width, value, size, sign, 0);
}

/* Place of a special register that is constant while a warp runs; NO_PLACE: it is not. */
static uint32_t sreg_place(struct lower *l, const struct ptx_operand *o)
{
    static const uint16_t masks[] = {WC_EQ, WC_LE, WC_LT, WC_GE, WC_GT};
    switch (o->sreg) {
    case SREG_TID:
        return PLACE(SEL_WARP, WC_TID_X + 128 * o->comp);
    case SREG_CTAID:
        return PLACE(SEL_BLOCK, BC_CTAID_X + 128 * o->comp);
    case SREG_CLUSTERID:
        return PLACE(SEL_BLOCK, BC_CLUSTERID_X + 128 * o->comp);
    case SREG_CLUSTER_CTAID:
        return PLACE(SEL_BLOCK, BC_CLUSTER_CTAID_X + 128 * o->comp);
    case SREG_CLUSTER_CTARANK:
        return PLACE(SEL_BLOCK, BC_CLUSTER_RANK);
    case SREG_LANEID:
        return PLACE(SEL_WARP, WC_LANEID);
    case SREG_WARPID:
        return PLACE(SEL_WARP, WC_WARPID);
    case SREG_SMID:
        return PLACE(SEL_BLOCK, BC_SMID);
    case SREG_LANEMASK_EQ:
    case SREG_LANEMASK_LE:
    case SREG_LANEMASK_LT:
    case SREG_LANEMASK_GE:
    case SREG_LANEMASK_GT:
        return PLACE(SEL_WARP, masks[o->sreg - SREG_LANEMASK_EQ]);
    case SREG_RESERVED_SMEM_OFFSET:
        l->f->uses |= USES_RESERVED;
        /* fall through */
    case SREG_NTID:
    case SREG_NCTAID:
    case SREG_NWARPID:
    case SREG_NSMID:
    case SREG_GRIDID:
    case SREG_DYNAMIC_SMEM_SIZE:
    case SREG_TOTAL_SMEM_SIZE:
    case SREG_AGGR_SMEM_SIZE:
    case SREG_CLUSTER_NCTAID:
    case SREG_CLUSTER_NCTARANK:
    case SREG_NCLUSTERID:
    case SREG_IS_EXPLICIT_CLUSTER:
        return lower_const(l, CONST_SREG, 4, (uint64_t)o->sreg << 8 | o->comp, 0, false);
    default:
        return NO_PLACE;
    }
}

/* ---- operands ---- */
uint8_t lower_reg_bytes(const struct lower *l, uint32_t reg)
{
    enum ptx_type t = l->p->regs[reg].type;
    unsigned bits = ptx_type_bits(t);
    return t == PTX_PRED ? 1 : bits <= 16 ? 2 : (uint8_t)(bits / 8);
}
static uint64_t immediate(struct lower *l, const struct ptx_operand *o, enum ptx_type t)
{
    if (o->kind == OPD_IMM) {
        if (t == PTX_F32 || t == PTX_F64)
            lower_fail(l, "an integer where a floating-point constant is expected");
        return o->imm;
    }
    union {
        uint32_t u;
        float f;
    } s;
    union {
        uint64_t u;
        double d;
    } d;
    if (o->width == 32 && t == PTX_F64) {
        s.u = (uint32_t)o->imm;
        d.d = s.f;
        return d.u;
    }
    if (o->width == 64 && (t == PTX_F32 || t == PTX_B32)) {
        d.u = o->imm;
        s.f = (float)d.d;
        return s.u;
    }
    return o->imm;
}
/* Address that mov and ld see: an offset for .shared, .local, .param; else absolute. */
static uint32_t symbol_place(struct lower *l, const struct ptx_operand *o, uint8_t width)
{
    if (o->func) {
        struct emu_func *f = module_find_any(l->f->module, o->func->name);
        if (!f) {
            lower_fail(l, "function %s is not defined", o->func->name);
            return NO_PLACE;
        }
        return lower_const(l, CONST_IMM, width, f->address, 0, false);
    }
    const struct ptx_var *v = o->var;
    switch (v->space) {
    case SPACE_SHARED:
        return add_const(l, CONST_SHARED, width, (uint64_t)(uintptr_t)v, 0, false, o->offset);
    case SPACE_PARAM:
        if (!l->p->is_entry || v->func != (struct ptx_func *)l->p) {
            lower_fail(l, "the address of a device function's parameter is taken: not supported");
            return NO_PLACE;
        }
        return lower_const(l, CONST_IMM, width, v->address + (uint64_t)o->offset, 0, false);
    case SPACE_LOCAL: {
        if (l->p->is_entry)
            return lower_const(l, CONST_IMM, width, v->address + (uint64_t)o->offset, 0, false);
        uint32_t at = PLACE(SEL_REG, lower_scratch(l, 256));
        struct insn *in = lower_emit(l, H_local_address);
        in->dst = at;
        in->width = width;
        in->imm = (int64_t)v->address + o->offset;
        return at;
    }
    default:
        return lower_const(l, CONST_IMM, width, v->address + (uint64_t)o->offset, 0, false);
    }
}
uint32_t lower_src(struct lower *l, const struct ptx_operand *o, enum ptx_type t)
{
    uint8_t width = t == PTX_PRED ? 1 : type_bytes(t) <= 2 ? 2 : (uint8_t)type_bytes(t);
    switch (o->kind) {
    case OPD_REG:
        if (lower_reg_bytes(l, o->reg) != width) {
            lower_fail(l, "register %s is .%s, the instruction takes .%s", l->p->regs[o->reg].name,
                       ptx_type_name(l->p->regs[o->reg].type), ptx_type_name(t));
            return NO_PLACE;
        }
        return l->reg_place[o->reg];
    case OPD_IMM:
    case OPD_FIMM:
        return lower_const(l, CONST_IMM, width, immediate(l, o, t), 0, false);
    case OPD_SYM:
        return symbol_place(l, o, width);
    case OPD_SREG: {
        uint32_t p = sreg_place(l, o);
        if (p == NO_PLACE || width != 4)
            lower_fail(l, "special register as an operand of this instruction: not supported");
        return p;
    }
    default:
        lower_fail(l, "operand of a kind that this instruction does not take");
        return NO_PLACE;
    }
}
uint32_t lower_src_any(struct lower *l, const struct ptx_operand *o, enum ptx_type t,
                       uint8_t *bytes)
{
    if (o->kind == OPD_REG) {
        *bytes = lower_reg_bytes(l, o->reg);
        return l->reg_place[o->reg];
    }
    *bytes = type_bytes(t) <= 2 ? 2 : (uint8_t)type_bytes(t);
    return lower_src(l, o, t);
}
uint32_t lower_dst(struct lower *l, const struct ptx_operand *o)
{
    if (o->kind == OPD_SINK)
        return NO_PLACE;
    if (o->kind != OPD_REG) {
        lower_fail(l, "the destination is no register");
        return NO_PLACE;
    }
    return l->reg_place[o->reg];
}
uint32_t lower_slot(struct lower *l)
{
    return l->f->module->nslots++;
}
void access_slots(struct lower *l, struct insn *in, bool generic)
{
    in->slot = lower_slot(l);
    for (int k = 1; generic && k < GENERIC_SLOTS; k++)
        lower_slot(l);
}
uint32_t lower_scratch(struct lower *l, uint32_t bytes)
{
    uint32_t at = ROUND_UP(l->frame, 64);
    if (at + bytes > OFFSET_MASK) {
        lower_fail(l, "more than %u bytes of registers a warp: not supported", OFFSET_MASK);
        return 0;
    }
    l->frame = at + bytes;
    return at;
}
uint32_t *lower_places(struct lower *l, uint32_t n)
{
    (void)l;
    return xcalloc(n ? n : 1, sizeof(uint32_t)); /* lives as long as the module: the process */
}
const struct param_place *lower_param(struct lower *l, const struct ptx_var *v)
{
    for (uint32_t k = 0; k < l->f->nparams; k++)
        if (l->f->params[k].var == v)
            return &l->f->params[k];
    return NULL;
}

void lower_address(struct lower *l, struct insn *in, const struct ptx_operand *o, enum ptx_space s)
{
    struct insn head = *in;
    head.imm = o->offset;
    head.src[0] = NO_PLACE;
    if (o->kind != OPD_ADDR) {
        lower_fail(l, "an address in brackets is expected");
        return;
    }
    if (o->has_reg) {
        uint8_t bytes = lower_reg_bytes(l, o->reg);
        head.src[0] = l->reg_place[o->reg];
        if (bytes == 4)
            head.flags |= F_SHARED32;
        else if (bytes != 8)
            lower_fail(l, "an address register is 32 or 64 bits wide");
        if (bytes == 4 && (s == SPACE_GLOBAL || s == SPACE_GENERIC))
            head.imm = (int32_t)head.imm;
        if (o->var)
            lower_fail(l, "an address of variable and register: not supported");
    } else if (o->var) {
        struct ptx_operand sym = {.kind = OPD_SYM, .var = o->var, .offset = 0};
        bool constant =
            o->var->space != SPACE_SHARED && (o->var->space != SPACE_LOCAL || l->p->is_entry);
        if (s == SPACE_GENERIC && o->var->space == SPACE_SHARED)
            head.imm += (int64_t)MEM_SHARED_BASE;
        if (constant) {
            head.imm += (int64_t)o->var->address;
            if (s == SPACE_GENERIC && o->var->space == SPACE_LOCAL)
                head.imm += (int64_t)MEM_LOCAL_BASE;
        } else {
            uint32_t index = (uint32_t)(in - l->out);
            head.src[0] = symbol_place(l, &sym, 8); /* may emit before: move the instruction */
            if (l->n != index + 1) {
                struct insn moved = l->out[l->n - 1];
                l->out[index] = moved;
                l->out[l->n - 1] = head;
                return;
            }
            in = &l->out[index];
        }
    } else {
        head.imm += (int64_t)o->imm;
    }
    *in = head;
}

uint32_t lower_base(struct lower *l, const struct ptx_operand *o, int64_t *offset, uint8_t *bytes)
{
    *offset = o->offset;
    *bytes = 8;
    if (o->kind != OPD_ADDR) {
        lower_fail(l, "an address in brackets is expected");
        return NO_PLACE;
    }
    if (o->has_reg) {
        *bytes = lower_reg_bytes(l, o->reg);
        return lower_src(l, &(struct ptx_operand){.kind = OPD_REG, .reg = o->reg},
                         *bytes == 4 ? PTX_B32 : PTX_B64);
    }
    if (!o->var) {
        lower_fail(l, "an address that is a number: not supported");
        return NO_PLACE;
    }
    return lower_src(l, &(struct ptx_operand){.kind = OPD_SYM, .var = o->var}, PTX_B64);
}

uint32_t lower_float_flags(struct lower *l)
{
    const struct ptx_insn *in = l->in;
    uint32_t f = 0;
    if (ptx_has(in, M_ftz))
        f |= F_FTZ;
    if (ptx_has(in, M_sat))
        f |= F_SAT;
    if (ptx_has(in, M_satfinite))
        f |= F_SATFINITE;
    if (ptx_has(in, M_relu))
        f |= F_RELU;
    if (ptx_has(in, M_NaN))
        f |= F_NAN;
    if (ptx_has(in, M_abs))
        f |= F_ABS;
    if (ptx_has(in, M_xorsign))
        f |= F_XORSIGN;
    if (ptx_has(in, M_rz) || ptx_has(in, M_rzi))
        f |= 1 << F_ROUND_SHIFT;
    if (ptx_has(in, M_rm) || ptx_has(in, M_rmi))
        f |= 2 << F_ROUND_SHIFT;
    if (ptx_has(in, M_rp) || ptx_has(in, M_rpi))
        f |= 3 << F_ROUND_SHIFT;
    if (ptx_has(in, M_rna))
        f |= F_ROUND_RNA;
    return f;
}

/* ---- aliases ---- */
static bool alias_of(struct lower *l, const struct ptx_insn *in, const uint32_t *ndefs,
                     uint32_t *at)
{
    l->in = in;
    if (in->guarded || in->noperands < 2 || in->operands[0].kind != OPD_REG ||
        ndefs[in->operands[0].reg] != 1)
        return false;
    uint32_t dst = in->operands[0].reg;
    uint8_t bytes = lower_reg_bytes(l, dst);
    const struct ptx_operand *s = &in->operands[1];
    if (in->op == OP_ld && in->space == SPACE_PARAM && in->vec <= 1 && l->p->is_entry &&
        s->kind == OPD_ADDR && s->var && !s->has_reg && s->var->func == l->p && bytes > 1 &&
        ptx_type_bits(in->types[0]) <= 64) {
        bool is_param = false;
        for (uint32_t k = 0; k < l->p->nparams; k++)
            is_param |= l->p->params[k] == s->var;
        uint64_t at_byte = s->var->address + (uint64_t)s->offset, end = l->f->info.param_bytes;
        if (!is_param || at_byte > end || type_bytes(in->types[0]) > end - at_byte)
            return false; /* the load will say so */
        *at = lower_const(l, CONST_PARAM, bytes, at_byte, (uint8_t)type_bytes(in->types[0]),
                          is_signed_type(in->types[0]));
        return true;
    }
    if (in->op == OP_mov && in->ntypes && bytes == 4 && s->kind == OPD_SREG) {
        *at = sreg_place(l, s);
        return *at != NO_PLACE;
    }
    if (in->op == OP_mov && (s->kind == OPD_IMM || s->kind == OPD_FIMM) && bytes > 1 &&
        bytes <= 8) {
        *at = lower_src(l, s, in->types[0]);
        return true;
    }
    if (in->op == OP_mov && s->kind == OPD_SYM && bytes >= 4 &&
        (s->func ||
         (s->var->space != SPACE_LOCAL && s->var->space != SPACE_SHARED &&
          s->var->space != SPACE_PARAM) ||
         (s->var->space != SPACE_PARAM && l->p->is_entry))) {
        *at = symbol_place(l, s, bytes);
        return true;
    }
    if (in->op == OP_cvta && s->kind == OPD_REG && l->aliased[s->reg] && bytes == 8 &&
        lower_reg_bytes(l, s->reg) == 8 &&
        (in->space == SPACE_GLOBAL || in->space == SPACE_CONST)) {
        *at = l->reg_place[s->reg];
        return true;
    }
    return false;
}
void lower_aliases(struct lower *l)
{
    uint32_t *ndefs = xcalloc(l->p->nregs + 1, 4), regs[160];
    for (uint32_t i = 0; i < l->p->ninsns; i++) {
        uint32_t n = insn_defs(&l->p->insns[i], l->p, regs, 160);
        for (uint32_t k = 0; k < n; k++)
            ndefs[regs[k]]++;
    }
    for (uint32_t i = 0; i < l->p->ninsns && !l->error; i++) {
        uint32_t at;
        if (alias_of(l, &l->p->insns[i], ndefs, &at)) {
            uint32_t r = l->p->insns[i].operands[0].reg;
            l->aliased[r] = true;
            l->reg_place[r] = at;
        }
    }
    free(ndefs);
}
