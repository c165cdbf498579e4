/* lower_control.c - one instruction by its opcode's row, and what control, barriers and what lanes
 * say to each other become.
 */
#include "lower.h"
#include "emulator/base/names.h"
#include <stdlib.h>
#include <string.h>

/* ---- control ---- */
static uint32_t label_block(struct lower *l, uint32_t label)
{
    return l->cfg->block_of[l->p->labels[label].insn];
}
void lower_bra(struct lower *l)
{
    uint32_t to = label_block(l, op(l, 0)->label);
    if (op(l, 0)->kind != OPD_LABEL) {
        lower_fail(l, "branch to something that is no label");
        return;
    }
    bool back = to <= l->block;
    struct insn *in = lower_emit(l, !l->in->guarded ? H_bra_uni : back ? H_bra_back : H_bra);
    l->f->costs[l->in - l->p->insns].turns = back && !l->in->guarded;
    in->taken = to;
    in->fall = l->block + 1;
    in->imm = l->cfg->ipdom[l->block];
    in->slot = lower_slot(l);
}
void lower_brx(struct lower *l)
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
    struct insn *in = lower_emit(l, H_brx);
    in->src[0] = index;
    in->places = targets;
    in->taken = t->nlabels;
    in->imm = l->cfg->ipdom[l->block];
}
void lower_end(struct lower *l) /* ret, exit */
{
    lower_emit(l, lower_handler(l))->fall = l->block + 1;
}
void lower_alone(struct lower *l) /* operands, if any, do not matter */
{
    lower_emit(l, lower_handler(l));
}

/* ptxas leaves setmaxnreg out, with a warning, where it does not know how many registers a thread
 * starts with, and where there are calls, into which they would have to fit. */
static bool heeds_setmaxnreg(const struct lower *l)
{
    for (uint32_t k = 0; k < l->p->ninsns; k++)
        if (l->p->insns[k].op == OP_call)
            return false;
    return l->p->is_entry && emu_entry_registers(l->f);
}
/* PTX ISA, setmaxnreg: 24 to 256, a multiple of 8; ptxas takes no other number. */
void lower_setmaxnreg(struct lower *l)
{
    const struct ptx_operand *n = op(l, 0);
    if (l->in->noperands != 1 || n->kind != OPD_IMM || n->imm < 24 || n->imm > 256 || n->imm % 8) {
        lower_fail(l, "setmaxnreg: the number of registers is 24 to 256, and a multiple of 8");
        return;
    }
    struct insn *in = lower_emit(l, heeds_setmaxnreg(l) ? H_setmaxnreg : H_nop);
    in->sub = FIRST_MOD(l, M_inc, M_dec);
    in->imm = (int64_t)n->imm;
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
static const struct {
    const char *name, *shape;
} device_calls[] = {
#define X(name, shape) {#name, shape},
    DEVICE_CALLS(X)
#undef X
};

/* "__cudaCDP2EventRecord_ptsz" */
static bool device_call_of(const char *name, struct call_info *ci)
{
    size_t n = strlen(name), tail = sizeof("_ptsz") - 1;
    name += strncmp(name, "__cudaCDP2", 10) == 0 ? 10 : strncmp(name, "cuda", 4) == 0 ? 4 : n;
    n = strlen(name);
    ci->own_stream = n > tail && strcmp(name + n - tail, "_ptsz") == 0;
    n -= ci->own_stream ? tail : 0;
    for (unsigned k = 0; k < DEVICE_CALLS_N; k++)
        if (strlen(device_calls[k].name) == n && memcmp(device_calls[k].name, name, n) == 0) {
            ci->device_call = (enum device_call)k;
            return true;
        }
    return false;
}
static uint64_t bytes_of_shape(char c)
{
    return c == 'i' ? 4 : c == 'p' ? 8 : c == 'd' ? 12 : c == 'q' ? 32 : 24;
}
static bool device_call_fits(const struct call_info *ci)
{
    const char *shape = device_calls[ci->device_call].shape;
    if (ci->nrets != 1 || ci->rets[0].var->size != bytes_of_shape(shape[0]) ||
        ci->nargs != strlen(shape + 1))
        return false;
    for (uint32_t k = 0; k < ci->nargs; k++)
        if (ci->args[k].var->size != bytes_of_shape(shape[1 + k]))
            return false;
    return true;
}
static enum call_builtin builtin_of(const char *name, struct call_info *ci)
{
    static const struct {
        const char *name;
        enum call_builtin b;
    } table[] = {{"vprintf", CALL_VPRINTF}, {"__assertfail", CALL_ASSERTFAIL},
                 {"malloc", CALL_MALLOC},   {"__cuda_syscall_aligned_malloc", CALL_MALLOC},
                 {"free", CALL_FREE},       {"cudaGraphSetConditional", CALL_SET_CONDITIONAL}};
    for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++)
        if (!strcmp(table[k].name, name))
            return table[k].b;
    return device_call_of(name, ci) ? CALL_DEVICE : CALL_FUNC;
}
/* What of the device runtime it needs. */
static unsigned uses_of(const struct call_info *ci)
{
    switch (ci->builtin) {
    case CALL_VPRINTF:
        return USES_PRINTF;
    case CALL_MALLOC:
    case CALL_FREE:
        return USES_HEAP;
    case CALL_DEVICE:
        return USES_DEVICE |
               (ci->device_call == DEVICE_CALL_Malloc || ci->device_call == DEVICE_CALL_Free
                    ? USES_HEAP
                    : 0) |
               (ci->device_call == DEVICE_CALL_GraphLaunch ? USES_GRAPHS : 0);
    default:
        return 0;
    }
}
bool call_fits(const struct call_info *ci, const struct ptx_func *f)
{
    if (ci->nargs < f->nparams)
        return false;
    for (uint32_t k = 0; k < f->nparams; k++)
        if (ci->args[k].var->size < f->params[k]->size)
            return false;
    for (uint32_t k = 0; k < ci->nrets && k < f->nrets; k++)
        if (ci->rets[k].var->size < f->rets[k]->size)
            return false;
    return true;
}
static void no_function(struct lower *l, const char *name)
{
    if (strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cudaCDP", 9) == 0) /* libcudadevrt's */
        lower_fail(l, "%s: this call is not supported in a kernel", name);
    else
        lower_fail(l, "call of %s, which is not defined", name);
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
        return true;
    }
    if (target->func && !target->func->has_body)
        ci->builtin = builtin_of(target->func->name, ci);
    l->f->uses |= uses_of(ci);
    if (ci->builtin == CALL_DEVICE && !device_call_fits(ci)) {
        lower_fail(l, "arguments or results of the call are not those of %s", target->func->name);
        return false;
    }
    if (ci->builtin == CALL_FUNC) {
        ci->target = target->func ? module_find_any(l->f->module, target->func->name) : NULL;
        if (!ci->target || !ci->target->ptx->has_body) {
            no_function(l, target->func ? target->func->name : "something that is no function");
            return false;
        }
        if (!call_fits(ci, ci->target->ptx)) {
            lower_fail(l, "arguments or results of the call are not those of %s",
                       shown_name(target->func->name));
            return false;
        }
    }
    return true;
}
void lower_call(struct lower *l)
{
    struct call_info *ci = xcalloc(1, sizeof(*ci));
    uint32_t address;
    if (!call_target(l, ci, &address)) {
        free(ci->args);
        free(ci->rets);
        free(ci);
        return;
    }
    struct insn *in = lower_emit(l, H_call);
    in->data = ci;
    in->src[0] = address;
    in->slot = lower_slot(l);
    in->fall = l->block + 1;
}

/* ---- barriers ---- */
static void barrier_of_warp(struct lower *l)
{
    uint32_t mask = lower_src(l, op(l, 0), PTX_B32);
    struct insn *in = lower_emit(l, H_bar_warp_sync);
    in->src[0] = mask;
    in->flags |= F_ALIGNED;
    in->sub = M_warp;
    in->slot = lower_slot(l);
}
static void barrier_of_cluster(struct lower *l)
{
    if (ptx_has(l->in, M_arrive)) {
        lower_emit(l, H_cluster_arrive);
        return;
    } /* in a cluster of one block the wait is a barrier of the block */
    uint32_t id = lower_const(l, CONST_IMM, 4, CLUSTER_BARRIER, 0, false);
    struct insn *in = lower_emit(l, H_cluster_wait);
    in->src[0] = id;
    in->sub = M_sync;
    in->slot = lower_slot(l);
}
static void reduction(struct lower *l, struct insn *in)
{
    in->sub2 = ptx_has(l->in, M_popc) ? M_popc : ptx_has(l->in, M_and) ? M_and : M_or;
    in->dst = lower_dst(l, op(l, 0));
    if (op(l, l->in->noperands - 1)->negated)
        in->flags |= F_NEG_SRC;
}
/* bar{rier}{.cta}.sync/arrive/red (PTX ISA 9.7.13.1): {d,} id {, threads} {, predicate} */
static void barrier_of_block(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    bool red = ptx_has(p, M_red);
    uint32_t first = red ? 1 : 0, n = p->noperands - first - (red ? 1 : 0);
    uint32_t id = lower_src(l, op(l, first), PTX_B32), count = NO_PLACE, pred = NO_PLACE;
    if (n > 1)
        count = lower_src(l, op(l, first + 1), PTX_B32);
    if (red)
        pred = lower_src(l, op(l, p->noperands - 1), PTX_PRED);
    struct insn *in = lower_emit(l, H_barrier);
    in->src[0] = id;
    in->src[1] = count;
    in->src[2] = pred;
    in->sub = red ? M_red : ptx_has(p, M_arrive) ? M_arrive : M_sync;
    if (red)
        reduction(l, in);
    if (p->op == OP_bar || ptx_has(p, M_aligned))
        in->flags |= F_ALIGNED;
    in->slot = lower_slot(l);
}
void lower_barrier(struct lower *l)
{
    if (l->in->op == OP_barrier && ptx_has(l->in, M_cluster))
        barrier_of_cluster(l);
    else if (ptx_has(l->in, M_warp))
        barrier_of_warp(l);
    else
        barrier_of_block(l);
}

/* ---- lanes ---- */
void lower_shfl(struct lower *l)
{
    if (!ptx_has(l->in, M_sync)) {
        lower_fail(l, "shfl without .sync was removed from PTX: use __shfl_sync");
        return;
    }
    const struct ptx_operand *d = op(l, 0);
    struct insn *in = lower_same(l, H_shfl, 4);
    if (d->pair)
        in->dst2 = lower_dst(l, d->pair);
    in->sub = FIRST_MOD(l, M_up, M_down, M_bfly, M_idx);
    in->slot = lower_slot(l);
}
void lower_vote(struct lower *l)
{
    uint32_t p = lower_src(l, op(l, 1), PTX_PRED), mask = NO_PLACE;
    if (ptx_has(l->in, M_sync))
        mask = lower_src(l, op(l, 2), PTX_B32);
    struct insn *in = lower_emit(l, H_vote);
    in->src[0] = p;
    in->src[1] = mask;
    in->dst = lower_dst(l, op(l, 0));
    in->sub = FIRST_MOD(l, M_all, M_any, M_uni, M_ballot);
    if (op(l, 1)->negated)
        in->flags |= F_NEG_SRC;
}
void lower_match(struct lower *l)
{
    enum ptx_type t[2] = {type(l), PTX_B32};
    const struct ptx_operand *d = op(l, 0);
    struct insn *in = lower_alu(l, H_match, 2, t);
    in->sub = ptx_has(l->in, M_any) ? M_any : M_all;
    if (d->pair)
        in->dst2 = lower_dst(l, d->pair);
}
void lower_redux(struct lower *l)
{
    if (type(l) == PTX_F32) {
        lower_fail(l, "redux.sync.f32 (sm_100a): not supported");
        return;
    }
    enum ptx_type t[2] = {type(l), PTX_B32};
    struct insn *in = lower_alu(l, H_redux, 2, t);
    in->sub = FIRST_MOD(l, M_add, M_and, M_or, M_xor, M_min, M_max);
    if (is_signed_type(type(l)))
        in->flags |= F_SIGNED;
}
void lower_elect(struct lower *l)
{
    uint32_t mask = lower_src(l, op(l, 1), PTX_B32);
    struct insn *in = lower_emit(l, H_elect);
    in->src[0] = mask;
    in->dst = lower_dst(l, op(l, 0));
    if (op(l, 0)->pair)
        in->dst2 = lower_dst(l, op(l, 0)->pair);
    else
        lower_fail(l, "elect.sync needs a predicate destination");
}

void lower_activemask(struct lower *l)
{
    lower_emit(l, H_activemask)->dst = lower_dst(l, op(l, 0));
}

/* ---- one instruction ---- */
bool lower_insn(struct lower *l)
{
    const struct form *f = lower_suffixes(l);
    if (f)
        (f->lower ? f->lower : opcode_of(l->in)->lower)(l);
    return !l->error;
}
