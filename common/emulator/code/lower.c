/* lower.c - PTX functions to code: their variables, blocks and callees.
 *
 * Where operands lie is in lower_operand.c; what one instruction becomes in lower_control.c and
 * the other lower_*.c.
 */
#include "lower.h"
#include "emulator/base/occupancy.h"
#include "emulator/base/names.h"
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
#define STATEMENT_SHOWN 160 /* bytes */

/* Adds an instruction as it was written, on one line. */
static void put_statement(struct text *t, const struct ptx_module *m, const struct ptx_insn *in)
{
    const char *at = m->text + in->text_offset;
    uint32_t n = in->text_length < STATEMENT_SHOWN ? in->text_length : STATEMENT_SHOWN;
    for (uint32_t i = 0; i < n; i++) /* nvcc's calls are several lines long */
        text_bytes(t, at[i] == '\n' ? " " : &at[i], 1);
    if (n < in->text_length)
        text_add(t, "…");
}
static void fail_at(const struct lower *l, const char *why)
{
    const struct ptx_module *m = ptx_module_of(l->f);
    struct text statement = {0};
    struct site site = {0};
    site_locate(m, &l->in->loc, &site);
    char *where = site_text(&site);
    put_statement(&statement, m, l->in);
    emu_fail(cudaErrorInvalidPtx, "%s: %s: %s\n    PTX line %u, in %s: %s", l->f->module->name,
             where, why, l->in->loc.ptx_line, shown_name(l->f->info.name), text_str(&statement));
    text_free(&statement);
    free(where);
}
void lower_fail(struct lower *l, const char *format, ...)
{
    if (l->error)
        return;
    struct text why = {0};
    va_list ap;
    va_start(ap, format);
    text_vaddf(&why, format, ap);
    va_end(ap);
    l->error = cudaErrorInvalidPtx;
    if (l->note)
        l->note(l->note_arg, l->f, l->in, text_str(&why));
    else
        fail_at(l, text_str(&why));
    text_free(&why);
}

void lower_unsupported(struct lower *l)
{
    lower_fail(l, "%s: not supported by the emulator", l->f->sites[l->in - l->p->insns].opcode);
}

/* ---- emitting ---- */
struct insn *lower_emit(struct lower *l, enum handler_id h)
{
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
    in->site = &l->f->sites[l->p->ninsns ? l->in - l->p->insns : 0];
    if (!h) {
        lower_unsupported(l);
        return in;
    }
    in->fn = in->unguarded = handler_function(h);
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
        l->out[k].fn = handler_function(H_guard);
        l->out[k].guard_slot = lower_slot(l);
        cost->guard_slot = l->out[k].guard_slot;
    }
    if (from == l->n) { /* an alias has no guard; see lower_aliases */
        struct insn *nop = lower_emit(l, H_nop);
        nop->fn = handler_function(H_guard);
        nop->guard_slot = cost->guard_slot = lower_slot(l);
    }
}

/* ---- storage of variables ---- */
/* Sizes that no launch allows stay such when they are summed up. */
static uint32_t saturated(uint64_t bytes)
{
    const uint32_t most = INT32_MAX / 16 * 16;
    return bytes > most ? most : (uint32_t)bytes;
}
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
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < f->nparams; k++)
        bytes += f->params[k].var->size;
    if (bytes > MAX_LOCAL) {
        lower_fail(l, "%llu bytes of .param variables: a thread has %d bytes of local memory",
                   (unsigned long long)bytes, MAX_LOCAL);
        return;
    }
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
    l->f->local_bytes = saturated(ROUND_UP(at, 16));
}
static void count_uses(const struct ptx_operand *o, uint32_t *uses)
{
    if (o->kind == OPD_REG || (o->kind == OPD_ADDR && o->has_reg))
        uses[o->reg]++;
    for (uint32_t i = 0; i < o->nelems; i++)
        count_uses(&o->elems[i], uses);
    if (o->pair)
        count_uses(o->pair, uses);
}
/* The instruction that alone uses what `in` makes, close behind it; NULL: none. */
static const struct ptx_insn *only_user(const struct lower *l, const struct ptx_insn *in,
                                        const uint32_t *uses)
{
    const struct ptx_insn *end = l->p->insns + l->p->ninsns;
    const struct ptx_operand *o = in->operands;
    if (o->kind != OPD_REG || uses[o->reg] != 2)
        return NULL;
    for (const struct ptx_insn *u = in + 1; u < end && u - in < 16; u++)
        for (uint32_t k = 1; k < u->noperands; k++)
            if (u->operands[k].kind == OPD_REG && u->operands[k].reg == o->reg)
                return u;
    return NULL;
}
/* s.bits = x: ld, and, or, st to the same place. */
static bool puts_back(const struct lower *l, const struct ptx_insn *ld, const uint32_t *uses)
{
    const struct ptx_operand *from = &ld->operands[1], *to;
    const struct ptx_insn *in = only_user(l, ld, uses);
    if (!in || in->op != OP_and || in->operands[2].kind != OPD_IMM)
        return false;
    in = only_user(l, in, uses);
    if (in && in->op == OP_or)
        in = only_user(l, in, uses);
    if (!in || in->op != OP_st)
        return false;
    to = &in->operands[0];
    return to->has_reg == from->has_reg && (!to->has_reg || to->reg == from->reg) &&
           to->var == from->var && to->offset == from->offset && in->space == ld->space;
}
/* What an atomic finds is read by somebody, or decides what it leaves. */
static bool returns(const struct ptx_insn *in, const uint32_t *uses, const uint32_t *chosen)
{
    const struct ptx_operand *to = in->operands;
    if (in->op != OP_atom)
        return false;
    if (ptx_has(in, M_cas) || ptx_has(in, M_exch) || to->nelems)
        return true;
    return to->kind == OPD_REG && uses[to->reg] + chosen[to->reg] > 1;
}
/* The compiler makes `set ? v : -1` a load of v, set or not, and a selp behind it. */
static void mark_uses(struct lower *l)
{
    uint32_t *uses = xcalloc(2 * l->p->nregs + 1, sizeof(*uses)), *chosen = uses + l->p->nregs;
    for (uint32_t i = 0; i < l->p->ninsns; i++) {
        const struct ptx_insn *in = &l->p->insns[i];
        for (uint32_t k = 0; k < in->noperands; k++)
            count_uses(&in->operands[k], in->op == OP_selp && (k == 1 || k == 2) ? chosen : uses);
    }
    for (uint32_t i = 0; i < l->p->ninsns; i++) {
        const struct ptx_insn *in = &l->p->insns[i];
        const struct ptx_operand *to = in->operands;
        l->f->sites[i].returns = returns(in, uses, chosen);
        if (in->op != OP_ld || to->kind != OPD_REG)
            continue;
        l->f->sites[i].early = chosen[to->reg] && uses[to->reg] == 1;
        l->f->sites[i].put_back = puts_back(l, in, uses);
    }
    free(uses);
}
/* What later stages ask of an instruction: they do not read its text. */
static struct site site_of(const struct ptx_insn *in, uint32_t index)
{
    bool atomic = in->op == OP_atom || in->op == OP_red;
    bool product = in->op == OP_wgmma;
    return (struct site){
        .index = index,
        .store = in->op == OP_st,
        .load = in->op == OP_ld || in->op == OP_ldu || in->op == OP_ldmatrix,
        .atomic = atomic,
        .cas = atomic && ptx_has(in, M_cas),
        .arrives = ptx_has(in, M_arrive),
        .approximate = ptx_has(in, M_approx) || ptx_has(in, M_full),
        .product = product,
        .proxy = product || (in->op == OP_cp && ptx_has(in, M_bulk)),
        .sends = (in->op == OP_st || in->op == OP_red) && ptx_has(in, M_async),
        .held = product || ptx_has(in, M_bulk_group),
        .mbarrier = in->op == OP_mbarrier,
        .sets_up = in->op == OP_mbarrier && ptx_has(in, M_init),
        .is_async = ptx_has(in, M_async),
    };
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
        f->sites[i] = site_of(in, i);
        f->sites[i].opcode = xstrdup(op);
        site_locate(m, &in->loc, &f->sites[i]);
    }
    f->sites[l->p->ninsns] =
        (struct site){.opcode = "end", .index = l->p->ninsns ? l->p->ninsns - 1 : 0};
    mark_uses(l);
}

/* ---- blocks ---- */
static void emit_jump(struct lower *l, uint32_t to)
{
    bool guarded = l->in->guarded;
    struct insn *in;
    if (to == NO_BLOCK || to >= l->cfg->nblocks)
        in = lower_emit(l, H_ret);
    else
        in = lower_emit(l, H_jump);
    in->taken = in->fall = to;
    if (guarded)
        in->guard = NO_PLACE;
    in->site = NULL;
}
static void emit_skip(struct lower *l, const struct ptx_insn *lone, uint32_t b)
{
    const struct ptx_insn *was = l->in;
    l->in = lone;
    struct insn *in = lower_emit(l, H_bra);
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
    if (last && terminator(last)) {
        if (!l->error)
            lower_spin(l, b);
        return;
    }
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
    struct step {
        struct emu_func *f;
        uint32_t at; /* the instruction to go on with */
    } * path;        /* while searching */
    uint32_t depth;
};
static void reach_enter(struct reach *r, struct emu_func *f)
{
    r->list[r->n++] = f;
    r->path[r->depth++] = (struct step){f, 0};
    f->reached = f->on_path = true;
}
/* The next function with a body that the step's calls; NULL: no more. */
static struct emu_func *next_callee(struct reach *r, struct step *s)
{
    while (s->at < s->f->ptx->ninsns) {
        const struct ptx_insn *in = &s->f->ptx->insns[s->at++];
        if (in->op != OP_call)
            continue;
        struct emu_func *g = NULL;
        for (uint32_t k = 0; k < in->noperands; k++)
            if (in->operands[k].func)
                g = module_find_any(s->f->module, in->operands[k].func->name);
        if (g && g->ptx->has_body)
            return g;
        r->indirect |= !g;
    }
    return NULL;
}
static void callees(struct emu_func *f, struct reach *r)
{
    if (!f->reached)
        reach_enter(r, f);
    while (r->depth) {
        struct step *s = &r->path[r->depth - 1];
        struct emu_func *g = next_callee(r, s);
        if (g && g->reached) {
            r->cycle |= g->on_path;
        } else if (g) {
            reach_enter(r, g);
        } else {
            s->f->on_path = false;
            r->depth--;
        }
    }
}
/* All that f may run: with calls through addresses, every function of the module if `any`. */
static struct reach reach_of(struct emu_func *f, bool any)
{
    struct emu_module *m = f->module;
    struct reach r = {.list = xcalloc(m->nfuncs + 1, sizeof(*r.list)),
                      .path = xcalloc(m->nfuncs + 1, sizeof(*r.path))};
    callees(f, &r);
    for (uint32_t k = 0; k < m->nfuncs && r.indirect && any; k++)
        if (!m->funcs[k]->ptx->is_entry && m->funcs[k]->ptx->has_body)
            callees(m->funcs[k], &r);
    for (uint32_t k = 0; k < r.n; k++)
        r.list[k]->reached = false;
    free(r.path);
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
static void mark_used(const struct emu_func *f, bool used)
{
    for (uint32_t i = 0; i < f->ptx->ninsns; i++)
        for (uint32_t k = 0; k < f->ptx->insns[i].noperands; k++)
            if (f->ptx->insns[i].operands[k].var)
                f->ptx->insns[i].operands[k].var->used = used;
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
    struct reach r = reach_of(kernel, true);
    uint64_t at = 0;
    for (int extern_pass = 0; extern_pass < 2; extern_pass++)
        for (uint32_t k = 0; k < r.n; k++) {
            for (uint32_t j = 0; j < r.list[k]->ptx->nvars; j++)
                if (r.list[k]->ptx->vars[j]->space == SPACE_SHARED &&
                    r.list[k]->ptx->vars[j]->is_extern == extern_pass)
                    add_shared(kernel, r.list[k]->ptx->vars[j], &at);
            mark_used(r.list[k], true);
            for (int q = 0; q < m->nptx; q++)
                for (uint32_t j = 0; j < m->ptx[q]->nvars; j++) {
                    struct ptx_var *v = m->ptx[q]->vars[j];
                    if (v->used && v->space == SPACE_SHARED && v->is_extern == extern_pass)
                        add_shared(kernel, v, &at);
                }
            mark_used(r.list[k], false);
        }
    kernel->static_shared = kernel->info.shared_bytes = saturated(at);
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
    lower_aliases(&l);
    f->first_slot = f->module->nslots;
    f->first_count = f->module->ncounts;
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
        uint32_t fit = occupancy_registers(device_profile(), f->info.max_threads);
        n = n > fit ? fit : n;
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
        struct reach r = reach_of(f, true);
        uint64_t local = 0;
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
        f->depth_local = local < MAX_LOCAL ? (uint32_t)local : MAX_LOCAL;
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
    struct reach r = reach_of(f, false);
    bool found = false;
    for (uint32_t k = 0; k < r.n && !found; k++)
        found = test(r.list[k], arg);
    free(r.list);
    return found;
}
