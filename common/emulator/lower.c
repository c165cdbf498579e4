/* lower.c - PTX functions to code: places for operands, blocks, constants.
 *
 * What one instruction becomes is in lower_insn.c and lower_memory.c. Instructions whose
 * result is the same for a whole launch, block or warp index (kernel parameters, %tid,
 * conversions of such addresses) become no code at all: their destination register is an
 * alias of the constant's place. They are still counted.
 */
#include "lower.h"
#include "builtin.h"
#include "source.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool insn_alone(const struct ptx_insn *in); /* cfg.c */

const struct ptx_module *ptx_module_of(const struct emu_func *f)
{
    const struct emu_module *m = f->module;
    for (int k = 0; k < m->nptx; k++)
        for (uint32_t i = 0; i < m->ptx[k]->nfuncs; i++)
            if (m->ptx[k]->funcs[i] == f->ptx)
                return m->ptx[k];
    panic("function %s is in no module", f->info.name);
}

/* ---- errors ---- */
void lower_fail(struct lower *l, const char *format, ...)
{
    if (l->error)
        return;
    char text[400], line[160];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    if (l->note) {
        l->error = cudaErrorInvalidPtx;
        l->note(l->note_arg, l->f, l->in, text);
        return;
    }
    const struct ptx_module *m = ptx_module_of(l->f);
    uint32_t n = l->in->text_length < sizeof(line) - 1 ? l->in->text_length : sizeof(line) - 1;
    memcpy(line, m->text + l->in->text_offset, n);
    line[n] = 0;
    struct site site = {0};
    char where[1200];
    site_locate(m, &l->in->loc, &site);
    l->error = emu_fail(cudaErrorInvalidPtx, "%s: %s: %s\n    PTX line %u, in %s: %s",
                        l->f->module->name, site_text(&site, where, sizeof(where)), text,
                        l->in->loc.ptx_line, shown_name(l->f->info.name), line);
}

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
        struct insn *in = lower_emit(l, "local_address");
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
uint32_t lower_scratch(struct lower *l, uint32_t bytes)
{
    uint32_t at = ROUND_UP(l->frame, 64);
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

/* ---- emitting ---- */
bool lower_has(const char *handler)
{
    return handler_find(handler) >= 0;
}
struct insn *lower_emit(struct lower *l, const char *handler, ...)
{
    char name[64];
    va_list ap;
    va_start(ap, handler);
    vsnprintf(name, sizeof(name), handler, ap);
    va_end(ap);
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 64;
        l->out = xrealloc(l->out, l->capacity * sizeof(*l->out));
    }
    struct insn *in = &l->out[l->n++];
    memset(in, 0, sizeof(*in));
    in->dst = in->dst2 = in->guard = in->slot = in->guard_slot = NO_PLACE;
    for (int k = 0; k < 4; k++)
        in->src[k] = NO_PLACE;
    in->taken = in->fall = NO_BLOCK;
    in->count = 1;
    in->site = &l->f->sites[l->in - l->p->insns];
    int h = handler_find(name);
    if (h < 0) {
        lower_fail(l, "%s: not supported by the emulator", in->site->opcode);
        return in;
    }
    in->fn = in->unguarded = exec_level()->handlers[h];
    if (l->in->guarded) {
        in->guard = l->reg_place[l->in->guard];
        in->guard_neg = l->in->guard_negated;
    }
    return in;
}
static bool reads_guard_itself(const struct ptx_insn *in)
{
    return in->op == OP_bra || in->op == OP_ret || in->op == OP_exit || insn_alone(in);
}
/* Instructions emitted for a predicated one run under the guard handler. */
static void apply_guard(struct lower *l, uint32_t from)
{
    const struct ptx_insn *in = l->in;
    struct insn_cost *cost = &l->f->costs[in - l->p->insns];
    cost->guard_slot = NO_PLACE;
    if (!in->guarded || reads_guard_itself(in))
        return;
    if (in->op == OP_trap || in->op == OP_brx) {
        if (in->op == OP_brx)
            lower_fail(l, "predicated brx.idx: not supported");
    }
    for (uint32_t k = from; k < l->n; k++) {
        l->out[k].fn = exec_level()->handlers[H_guard];
        l->out[k].guard_slot = lower_slot(l);
        cost->guard_slot = l->out[k].guard_slot;
    }
    if (from == l->n) { /* an alias has no guard; see find_aliases */
        struct insn *nop = lower_emit(l, "nop");
        nop->fn = exec_level()->handlers[H_guard];
        nop->guard_slot = cost->guard_slot = lower_slot(l);
    }
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
        if (!is_param)
            return false;
        *at = lower_const(l, CONST_PARAM, bytes, s->var->address + (uint64_t)s->offset,
                          (uint8_t)type_bytes(in->types[0]), is_signed_type(in->types[0]));
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
static void find_aliases(struct lower *l)
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

/* ---- storage of variables ---- */
static void place_params(struct lower *l)
{
    const struct ptx_func *p = l->p;
    struct emu_func *f = l->f;
    uint32_t nlocal = 0;
    for (uint32_t k = 0; k < p->nvars; k++)
        nlocal += p->vars[k]->space == SPACE_PARAM;
    if (p->is_entry) {
        f->params = xcalloc(nlocal + 1, sizeof(*f->params));
    } else {
        f->params = xcalloc(p->nparams + p->nrets + nlocal + 1, sizeof(*f->params));
        for (uint32_t k = 0; k < p->nparams; k++)
            f->params[f->nparams++].var = p->params[k];
        for (uint32_t k = 0; k < p->nrets; k++)
            f->params[f->nparams++].var = p->rets[k];
    }
    for (uint32_t k = 0; k < p->nvars; k++)
        if (p->vars[k]->space == SPACE_PARAM)
            f->params[f->nparams++].var = p->vars[k];
    for (uint32_t k = 0; k < f->nparams; k++) {
        f->params[k].offset =
            lower_scratch(l, (uint32_t)ROUND_UP(f->params[k].var->size + 4, 4) * WARP);
        f->params[k].place = NO_PLACE;
    }
}
static void place_locals(struct lower *l)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < l->p->nvars; k++) {
        struct ptx_var *v = l->p->vars[k];
        if (v->space != SPACE_LOCAL)
            continue;
        at = ROUND_UP(at, (uint64_t)(v->align ? v->align : 1));
        v->address = at;
        at += v->size;
    }
    l->f->local_bytes = (uint32_t)ROUND_UP(at, 16);
}
static void make_sites(struct lower *l)
{
    struct emu_func *f = l->f;
    const struct ptx_module *m = ptx_module_of(f);
    f->sites = xcalloc(l->p->ninsns + 1, sizeof(*f->sites));
    f->costs = xcalloc(l->p->ninsns + 1, sizeof(*f->costs));
    for (uint32_t i = 0; i < l->p->ninsns; i++) {
        const struct ptx_insn *in = &l->p->insns[i];
        char op[128];
        ptx_opcode_text(m, in, op, sizeof(op));
        f->costs[i].guard_slot = NO_PLACE;
        f->sites[i] = (struct site){.opcode = xstrdup(op), .index = i};
        site_locate(m, &in->loc, &f->sites[i]);
    }
    f->sites[l->p->ninsns] =
        (struct site){.opcode = "end", .index = l->p->ninsns ? l->p->ninsns - 1 : 0};
}

/* ---- blocks ---- */
static void emit_jump(struct lower *l, uint32_t to)
{
    bool guarded = l->in->guarded;
    struct insn *in;
    if (to == NO_BLOCK || to >= l->cfg->nblocks)
        in = lower_emit(l, "ret");
    else
        in = lower_emit(l, "jump");
    in->taken = in->fall = to;
    if (guarded)
        in->guard = NO_PLACE;
    in->site = NULL;
}
static void emit_skip(struct lower *l, const struct ptx_insn *lone, uint32_t b)
{
    const struct ptx_insn *was = l->in;
    l->in = lone;
    struct insn *in = lower_emit(l, "bra");
    in->guard = l->reg_place[lone->guard];
    in->guard_neg = lone->guard_negated;
    in->taken = b + 1;
    in->fall = b + 2;
    in->imm = l->cfg->ipdom[b];
    in->slot = lower_slot(l);
    in->site = NULL;
    l->in = was;
}
static bool terminator(const struct ptx_insn *in)
{
    return in->op == OP_bra || in->op == OP_brx || in->op == OP_ret || in->op == OP_exit ||
           (in->op == OP_trap && !in->guarded);
}
static void lower_block(struct lower *l, uint32_t b)
{
    const struct cfg *c = l->cfg;
    struct bblock *bb = &l->f->blocks[b];
    bb->first = l->n;
    bb->ninsns = c->end[b] - c->first[b];
    bb->ptx_first = c->first[b];
    bb->recon = c->ipdom[b];
    bb->count = l->f->module->ncounts++;
    l->block = b;
    for (uint32_t i = c->first[b]; i < c->end[b] && !l->error; i++) {
        uint32_t from = l->n;
        l->in = &l->p->insns[i];
        lower_insn(l);
        apply_guard(l, from);
        if (l->note)
            l->error = cudaSuccess; /* a survey goes on */
    }
    uint32_t next = b + 1;
    const struct ptx_insn *last = bb->ninsns ? &l->p->insns[c->end[b] - 1] : NULL;
    if (l->p->ninsns)
        l->in = last ? last : &l->p->insns[l->p->ninsns - 1];
    if (last && terminator(last))
        return;
    if (next < c->nblocks && c->first[next] < l->p->ninsns &&
        insn_alone(&l->p->insns[c->first[next]]) && c->succ[b][1] != NO_BLOCK)
        emit_skip(l, &l->p->insns[c->first[next]], b);
    else
        emit_jump(l, next);
}

/* ---- what a kernel reaches ---- */
struct reach {
    struct emu_func **list; /* in the order found */
    uint32_t n;
    bool indirect, cycle; /* calls through addresses; a function that may call itself */
};
static void callees(struct emu_func *f, struct reach *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        if (r->list[k] == f) {
            r->cycle |= f->on_path;
            return;
        }
    }
    r->list[r->n++] = f;
    f->on_path = true;
    for (uint32_t i = 0; i < f->ptx->ninsns; i++) {
        const struct ptx_insn *in = &f->ptx->insns[i];
        if (in->op != OP_call)
            continue;
        struct emu_func *g = NULL;
        for (uint32_t k = 0; k < in->noperands; k++)
            if (in->operands[k].func)
                g = module_find_any(f->module, in->operands[k].func->name);
        if (g && g->ptx->has_body)
            callees(g, r);
        else if (!g)
            r->indirect = true;
    }
    f->on_path = false;
}
/* All that f may run: with calls through addresses, every function of the module. */
static struct reach reach_of(struct emu_func *f)
{
    struct emu_module *m = f->module;
    struct reach r = {.list = xcalloc(m->nfuncs + 1, sizeof(*r.list))};
    callees(f, &r);
    for (uint32_t k = 0; k < m->nfuncs && r.indirect; k++)
        if (!m->funcs[k]->ptx->is_entry && m->funcs[k]->ptx->has_body)
            callees(m->funcs[k], &r);
    return r;
}
static bool uses_alloca(const struct reach *r)
{
    for (uint32_t k = 0; k < r->n; k++)
        for (uint32_t i = 0; i < r->list[k]->ptx->ninsns; i++)
            if (r->list[k]->ptx->insns[i].op == OP_alloca)
                return true;
    return false;
}
static bool uses_var(const struct emu_func *f, const struct ptx_var *v)
{
    for (uint32_t i = 0; i < f->ptx->ninsns; i++)
        for (uint32_t k = 0; k < f->ptx->insns[i].noperands; k++)
            if (f->ptx->insns[i].operands[k].var == v)
                return true;
    return false;
}
static void add_shared(struct emu_func *kernel, const struct ptx_var *v, uint64_t *at)
{
    for (uint32_t k = 0; k < kernel->nshared; k++)
        if (kernel->shared[k].var == v)
            return;
    kernel->shared = xrealloc(kernel->shared, (kernel->nshared + 1) * sizeof(*kernel->shared));
    *at = ROUND_UP(*at, (uint64_t)(v->align ? v->align : 1));
    kernel->shared[kernel->nshared].var = v;
    kernel->shared[kernel->nshared++].offset = *at;
    if (!v->is_extern)
        *at += v->size;
}
bool shared_collect(struct emu_func *kernel)
{
    struct emu_module *m = kernel->module;
    struct reach r = reach_of(kernel);
    uint64_t at = 0;
    for (int extern_pass = 0; extern_pass < 2; extern_pass++)
        for (uint32_t k = 0; k < r.n; k++) {
            for (uint32_t j = 0; j < r.list[k]->ptx->nvars; j++)
                if (r.list[k]->ptx->vars[j]->space == SPACE_SHARED &&
                    r.list[k]->ptx->vars[j]->is_extern == extern_pass)
                    add_shared(kernel, r.list[k]->ptx->vars[j], &at);
            for (int q = 0; q < m->nptx; q++)
                for (uint32_t j = 0; j < m->ptx[q]->nvars; j++) {
                    struct ptx_var *v = m->ptx[q]->vars[j];
                    if (v->space == SPACE_SHARED && v->is_extern == extern_pass &&
                        uses_var(r.list[k], v))
                        add_shared(kernel, v, &at);
                }
        }
    kernel->static_shared = (uint32_t)at;
    kernel->info.shared_bytes = (uint32_t)at;
    kernel->recursive = r.indirect || r.cycle || uses_alloca(&r);
    free(r.list);
    return true;
}
uint64_t shared_offset(struct emu_func *kernel, const struct ptx_var *v)
{
    for (uint32_t k = 0; k < kernel->nshared; k++)
        if (kernel->shared[k].var == v)
            return kernel->shared[k].offset;
    return 0;
}

/* ---- a function ---- */
static cudaError_t lower_body(struct emu_func *f, lower_note note, void *note_arg)
{
    struct lower l = {.f = f, .p = f->ptx, .note = note, .note_arg = note_arg};
    static const struct ptx_insn none;
    l.in = f->ptx->ninsns ? f->ptx->insns : &none;
    if (f->ptx->is_entry)
        shared_collect(f);
    make_sites(&l);
    l.cfg = cfg_build(f->ptx);
    l.reg_place = xcalloc(f->ptx->nregs + 1, 4);
    l.aliased = xcalloc(f->ptx->nregs + 1, 1);
    place_locals(&l);
    find_aliases(&l);
    if (note)
        l.error = cudaSuccess;
    uint32_t *offset = xcalloc(f->ptx->nregs + 1, 4);
    l.frame = regalloc(f->ptx, l.cfg, l.aliased, offset, &f->max_live);
    for (uint32_t r = 0; r < f->ptx->nregs; r++)
        if (!l.aliased[r])
            l.reg_place[r] = PLACE(SEL_REG, offset[r]);
    place_params(&l);
    f->nblocks = l.cfg->nblocks;
    f->blocks = xcalloc(f->nblocks, sizeof(*f->blocks));
    for (uint32_t b = 0; b < f->nblocks && !l.error; b++)
        lower_block(&l, b);
    lower_costs(&l);
    f->insns = l.out;
    f->ninsns = l.n;
    f->frame_bytes = ROUND_UP(l.frame, 64);
    f->depth_local = f->local_bytes;
    f->end_slot = f->module->nslots;
    f->end_count = f->module->ncounts;
    free(offset);
    free(l.reg_place);
    free(l.aliased);
    cfg_free(l.cfg);
    return l.error;
}

/* Registers a thread: what machine code says when known, else live values plus what a
 * compiler needs on top (addresses, predicates' spills): an estimate. */
static void estimate_registers(struct emu_func *f)
{
    if (!f->info.registers_estimated)
        return;
    uint32_t n = f->max_live + 8;
    uint32_t top = device_profile()->max_registers_per_thread;
    if (f->ptx->maxnreg && n > f->ptx->maxnreg)
        n = f->ptx->maxnreg;
    if (f->ptx->maxntid[0]) { /* __launch_bounds__: the block must fit */
        uint32_t t = f->info.max_threads ? f->info.max_threads : 1;
        uint32_t fit = device_profile()->registers_per_block / ROUND_UP(t, WARP) / 8 * 8;
        n = fit && n > fit ? fit : n;
    }
    f->info.registers = n > top ? top : n;
}

static pthread_mutex_t lower_lock = PTHREAD_MUTEX_INITIALIZER;

cudaError_t lower_func(struct emu_func *f)
{
    pthread_mutex_lock(&lower_lock);
    cudaError_t e = f->lower_error;
    if (!f->lowered && e == cudaSuccess) {
        /* counters are sized before a launch: every possible target is lowered */
        struct reach r = reach_of(f);
        uint32_t local = 0;
        for (uint32_t k = 0; k < r.n && e == cudaSuccess; k++) {
            struct emu_func *g = r.list[k];
            if (!g->lowered && g->lower_error != cudaSuccess) { /* said when another needed it */
                e = emu_fail(g->lower_error, "%s cannot run either: it needs %s",
                             shown_name(f->info.name), shown_name(g->info.name));
            } else if (!g->lowered) {
                e = g->lower_error = lower_body(g, NULL, NULL);
                g->lowered = e == cudaSuccess;
                estimate_registers(g);
            }
            f->uses |= g->uses;
            f->cluster_site = f->cluster_site ? f->cluster_site : g->cluster_site;
            local += ROUND_UP(g->local_bytes, 16u);
        }
        if (e != cudaSuccess) {
            f->lowered = false;
            f->lower_error = e;
        }
        f->info.local_bytes = f->local_bytes;
        f->depth_local = local;
        free(r.list);
    }
    pthread_mutex_unlock(&lower_lock);
    return e;
}

void lower_survey(struct emu_func *f, lower_note note, void *arg)
{
    lower_body(f, note, arg);
    f->lower_error = cudaErrorInvalidPtx; /* what it left behind is not to be run */
}

bool lower_reaches(struct emu_func *f, bool (*test)(const struct emu_func *g, void *arg), void *arg)
{
    struct reach r = {.list = xcalloc(f->module->nfuncs + 1, sizeof(*r.list))};
    bool found = false;
    callees(f, &r);
    for (uint32_t k = 0; k < r.n && !found; k++)
        found = test(r.list[k], arg);
    free(r.list);
    return found;
}
