/* products.c - the registers of wgmma.mma_async: sums that are touched before wgmma.wait_group, and
 * products that no wgmma.fence keeps behind what touched their registers (PTX ISA 9.7.15.7).
 *
 * A listener of its own, for launches of kernels that have such products. It follows each warp from
 * basic block to basic block, as the interpreter tells of them, and walks those of its PTX
 * instructions that matter: products, what orders them, and what names their registers. A move from
 * register to register is what compilers do with values, and no touch; nor is a number moved into
 * one behind a fence, where compilers put what a program has set before it. What is predicated may
 * not take place, and is let through. A called function may do anything.
 */
#include "private.h"
#include "emulator/code/code.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_REGS = 320, NONE = UINT32_MAX };

/* ---- of a kernel: which registers, which instructions matter ---- */
struct plan {
    struct plan *next;
    uint64_t launch;
    const struct emu_func *func;
    uint32_t nregs;    /* that matter */
    uint32_t *number;  /* of a register; NONE */
    uint32_t *matters; /* the next instruction that does, from each on; ninsns */
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct plan *plans;

static bool is_product(const struct ptx_insn *in)
{
    return in->op == OP_wgmma && ptx_has(in, M_mma_async);
}

static uint32_t collect(const struct ptx_operand *o, uint32_t *out, uint32_t n)
{
    if (o->kind == OPD_REG && n < MOST_REGS)
        out[n++] = o->reg;
    for (uint32_t k = 0; o->kind == OPD_VEC && k < o->nelems; k++)
        n = collect(&o->elems[k], out, n);
    return n;
}

/* A value passed on as it is, from src to dst. */
static bool passes_on(const struct ptx_insn *in)
{
    return in->op == OP_mov && !in->guarded && in->noperands == 2 &&
           in->operands[0].kind == OPD_REG && in->operands[1].kind == OPD_REG;
}

static bool add(struct plan *p, uint32_t reg)
{
    if (p->number[reg] != NONE)
        return false;
    p->number[reg] = p->nregs++;
    return true;
}

/* The vector operands: sums, and a's where it is in registers; and where these come from or go. */
static void number_registers(struct plan *p)
{
    const struct ptx_func *f = p->func->ptx;
    uint32_t regs[MOST_REGS];
    bool more = true;

    for (uint32_t i = 0; i < f->ninsns; i++)
        for (uint32_t k = 0; is_product(&f->insns[i]) && k < f->insns[i].noperands; k++)
            if (f->insns[i].operands[k].kind == OPD_VEC)
                for (uint32_t n = collect(&f->insns[i].operands[k], regs, 0); n-- > 0;)
                    add(p, regs[n]);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < f->ninsns; i++) {
            const struct ptx_operand *o = f->insns[i].operands;

            if (!passes_on(&f->insns[i]))
                continue;
            if (p->number[o[0].reg] != NONE)
                more |= add(p, o[1].reg);
            else if (p->number[o[1].reg] != NONE)
                more |= add(p, o[0].reg);
        }
    }
}

static bool matters(const struct plan *p, const struct ptx_insn *in)
{
    uint32_t regs[MOST_REGS], n = insn_uses(in, p->func->ptx, regs, MOST_REGS);

    n += insn_defs(in, p->func->ptx, regs + n, MOST_REGS - n);
    while (n-- > 0)
        if (p->number[regs[n]] != NONE)
            return true;
    return in->op == OP_wgmma || in->op == OP_call;
}

static struct plan *plan_make(const struct block_info *any)
{
    const struct ptx_func *f = any->func->ptx;
    struct plan *p = xcalloc(1, sizeof(*p));

    p->func = any->func;
    p->launch = any->launch;
    p->number = xmalloc((f->nregs + 1) * sizeof(*p->number));
    p->matters = xmalloc((f->ninsns + 1) * sizeof(*p->matters));
    for (uint32_t r = 0; r < f->nregs; r++)
        p->number[r] = NONE;
    number_registers(p);
    p->matters[f->ninsns] = f->ninsns;
    for (uint32_t i = f->ninsns; i-- > 0;)
        p->matters[i] = matters(p, &f->insns[i]) ? i : p->matters[i + 1];
    return p;
}

/* ---- of a block: what each warp's registers are in ---- */
struct reg {
    const struct site *product; /* that is under way, and writes it, or reads it */
    const struct site *touched; /* since the last fence: the last that did */
    uint32_t group;
    bool is_sum, moved; /* of the product; touched by a move of a number */
};
struct warp_products {
    uint32_t commits;
    bool fenced, fenced_here; /* ever; since the last commit */
};
struct products {
    struct products *next; /* of the pool */
    const struct plan *plan;
    struct block_info info;
    struct warp_products warp[MAX_WARPS];
    uint32_t room;
    struct reg *regs; /* by warp */
};
static struct products *pool;

static struct reg *reg_of(struct products *x, uint32_t warp, uint32_t reg)
{
    uint32_t n = x->plan->number[reg];

    return n == NONE ? NULL : &x->regs[warp * x->plan->nregs + n];
}

static void fence(struct products *x, uint32_t warp)
{
    for (uint32_t i = 0; i < x->plan->nregs; i++)
        x->regs[warp * x->plan->nregs + i].touched = NULL;
    x->warp[warp].fenced = x->warp[warp].fenced_here = true;
}

/* All but the last `left` groups are over. */
static void wait(struct products *x, uint32_t warp, uint32_t left)
{
    for (uint32_t i = 0; i < x->plan->nregs; i++) {
        struct reg *r = &x->regs[warp * x->plan->nregs + i];

        if (r->product && r->group + left < x->warp[warp].commits)
            r->product = NULL;
    }
}

static void forget(struct products *x, uint32_t warp)
{
    memset(x->regs + (size_t)warp * x->plan->nregs, 0, x->plan->nregs * sizeof(*x->regs));
    x->warp[warp].fenced = x->warp[warp].fenced_here = true;
}

static void multiply(struct products *x, uint32_t warp, const struct ptx_insn *in,
                     const struct site *s)
{
    struct warp_products *w = &x->warp[warp];
    const struct site *touched = NULL;
    uint32_t regs[MOST_REGS];

    if (in->guarded)
        return;
    for (uint32_t k = 0; k < in->noperands; k++) {
        uint32_t n = in->operands[k].kind == OPD_VEC ? collect(&in->operands[k], regs, 0) : 0;

        for (uint32_t i = 0; i < n; i++) {
            struct reg *r = reg_of(x, warp, regs[i]);

            if (r->touched && !(r->moved && w->fenced_here) && (!touched || !touched->line))
                touched = r->touched;
            if (k && r->product && r->is_sum) /* a's, of another's sums */
                report_registers(&x->info, REGISTER_TOUCHED, warp, s, r->product);
            *r = (struct reg){.product = s, .group = w->commits, .is_sum = k == 0};
        }
    }
    if (touched || !w->fenced)
        report_registers(&x->info, REGISTER_UNFENCED, warp, s, touched);
    w->fenced = true; /* or told */
}

static void touch(struct products *x, uint32_t warp, struct reg *r, bool writes,
                  const struct site *s)
{
    if (r->product && (r->is_sum || writes))
        report_registers(&x->info, REGISTER_TOUCHED, warp, s, r->product);
    if (writes)
        r->product = NULL;
    r->touched = s;
    r->moved = false;
}

static void other(struct products *x, uint32_t warp, const struct ptx_insn *in,
                  const struct site *s)
{
    const struct ptx_func *f = x->plan->func->ptx;
    uint32_t regs[MOST_REGS];
    bool number = in->op == OP_mov && in->noperands == 2 && in->operands[1].kind != OPD_VEC &&
                  in->operands[0].kind == OPD_REG;

    if (in->guarded)
        return;
    uint32_t n = number ? 0 : insn_uses(in, f, regs, MOST_REGS);
    while (n-- > 0) {
        struct reg *r = reg_of(x, warp, regs[n]);

        if (r)
            touch(x, warp, r, false, s);
    }
    n = insn_defs(in, f, regs, MOST_REGS);
    while (n-- > 0) {
        struct reg *r = reg_of(x, warp, regs[n]);

        if (r && number)
            *r = (struct reg){.touched = s, .moved = true};
        else if (r)
            touch(x, warp, r, true, s);
    }
}

static void step(struct products *x, uint32_t warp, const struct ptx_insn *in, const struct site *s)
{
    if (in->op == OP_call)
        forget(x, warp);
    else if (is_product(in))
        multiply(x, warp, in, s);
    else if (in->op == OP_wgmma && ptx_has(in, M_fence))
        fence(x, warp);
    else if (in->op == OP_wgmma && ptx_has(in, M_commit_group)) {
        x->warp[warp].commits++;
        x->warp[warp].fenced_here = false;
    } else if (in->op == OP_wgmma && ptx_has(in, M_wait_group))
        wait(x, warp, (uint32_t)in->operands[0].imm);
    else if (passes_on(in))
        *reg_of(x, warp, in->operands[0].reg) = *reg_of(x, warp, in->operands[1].reg);
    else
        other(x, warp, in, s);
}

/* ---- the listener ---- */
static void on_path(struct listener *self, struct block_info *info, const struct site *first,
                    uint32_t ninsns, uint32_t warp, uint32_t mask)
{
    struct products *x = info->user[self->slot];
    const struct emu_func *f = x->plan->func;
    uint64_t at = (uint64_t)(first - f->sites);

    (void)mask;
    if (first < f->sites || at >= f->ptx->ninsns || warp >= MAX_WARPS) /* of another function */
        return;
    for (uint32_t i = x->plan->matters[at]; i < at + ninsns; i = x->plan->matters[i + 1])
        step(x, warp, &f->ptx->insns[i], &f->sites[i]);
}

static void block_begin(struct listener *self, struct block_info *info)
{
    pthread_mutex_lock(&lock);
    const struct plan *p = plans;
    while (p && p->launch != info->launch)
        p = p->next;
    struct products *x = pool;
    if (x)
        pool = x->next;
    pthread_mutex_unlock(&lock);
    if (!x)
        x = xcalloc(1, sizeof(*x));
    if (x->room < info->warps * p->nregs) {
        x->room = info->warps * p->nregs;
        x->regs = xrealloc(x->regs, x->room * sizeof(*x->regs));
    }
    memset(x->regs, 0, (size_t)info->warps * p->nregs * sizeof(*x->regs));
    memset(x->warp, 0, sizeof(x->warp));
    x->plan = p;
    x->info = *info;
    info->user[self->slot] = x;
}

static void block_end(struct listener *self, struct block_info *info)
{
    struct products *x = info->user[self->slot];

    pthread_mutex_lock(&lock);
    x->next = pool;
    pool = x;
    pthread_mutex_unlock(&lock);
}

static bool wants_launch(struct listener *self, const struct block_info *any)
{
    const struct ptx_func *f = any->func ? any->func->ptx : NULL;

    (void)self;
    for (uint32_t i = 0; check_is_on() && f && i < f->ninsns; i++)
        if (is_product(&f->insns[i]))
            return true;
    return false;
}

static void launch_begin(struct listener *self, const struct block_info *any)
{
    struct plan *p = plan_make(any);

    (void)self;
    pthread_mutex_lock(&lock);
    p->next = plans;
    plans = p;
    pthread_mutex_unlock(&lock);
}

static void launch_end(struct listener *self, const struct block_info *any)
{
    struct plan **at = &plans;

    (void)self;
    pthread_mutex_lock(&lock);
    while (*at && (*at)->launch != any->launch)
        at = &(*at)->next;
    struct plan *p = *at;
    if (p)
        *at = p->next;
    pthread_mutex_unlock(&lock);
    if (!p)
        return;
    free(p->number);
    free(p->matters);
    free(p);
}

__attribute__((constructor)) static void listen(void)
{
    static struct listener self = {
        .name = "products",
        .wants_launch = wants_launch,
        .launch_begin = launch_begin,
        .launch_end = launch_end,
        .block_begin = block_begin,
        .block_end = block_end,
        .path = on_path,
    };

    listener_register(&self);
}
