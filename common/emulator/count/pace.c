/* pace.c - see pace.h.
 *
 * ptxas orders the instructions of a basic block as it likes, so that here one starts as soon as
 * its operands are there, wherever it stands in the block; but loads stay behind the stores before
 * them, and everything behind a barrier. Between basic blocks order holds: the next one begins when
 * all of this one have started, and the block's schedulers have issued it for all of their warps.
 * Registers keep the cycle at which their value comes.
 *
 * An mbarrier keeps the time at which the last of its arrivals and bytes is there; who waits goes
 * on then. Attempts that fail are taken back, for the emulator's warps take turns of their own.
 * Blocks of a cluster are taken to do the same at the same time: what one sends the other comes
 * from there.
 *
 * Not modelled: the register pressure that keeps loads from moving up; lanes of one warp that wait
 * for each other at different barriers; a register of a called function that has the number of one
 * of its caller's; an mbarrier whose next phase gets arrivals before all have seen this one's end.
 */
#include "pace.h"
#include "base/alloc.h"
#include "emulator/base/profile.h"
#include "emulator/code/code.h"
#include "emulator/code/lower.h"
#include "emulator/code/opcodes.h"
#include "model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_INSNS = 16384, /* a warp's, watched */
    MAX_REGS = 160,    /* that one instruction names */
    MAX_HEARD = 8,     /* accesses of one basic block that wait to be played */
    PREDICATED = 8,    /* instructions that a branch skips, or fewer, are predicated instead */
    UNROLLED = 4,      /* turns of a loop that ptxas makes one, */
    LOOP_CONTROL = 3,  /* with one count, test and branch, */
    LOOP_INSNS = 32,   /* where a turn has so many instructions or fewer */
    GROUPS = 8,        /* of asynchronous work that may be waited for one by one */
};

struct heard { /* an access of the basic block that is being executed */
    uint32_t insn, passes;
    double cycles[PACE_CLOCKS]; /* until the result is there */
};

struct async {
    double done;           /* when what was not committed is, */
    double groups[GROUPS]; /* and the last committed groups, newest first */
};

struct clock {
    double base;      /* the basic block's instructions start from here on, */
    double slots;     /* and need as many of the scheduler's, */
    double pipe;      /* and so many cycles of its tensor core */
    double started;   /* the latest start of one of them */
    double stored[2]; /* of the latest store to shared memory, and to other */
    double waited;    /* when what was waited for was there */
    double port;      /* when the next access can go through shared memory or L1 */
    struct async copies, products;
    double spun;   /* when the mbarrier was first asked that has not let it pass */
    double *ready; /* by register */
};

struct warp_pace {
    struct clock clocks[PACE_CLOCKS];
    const struct emu_func *func;
    uint32_t first, next, end; /* of the basic block: what is to be played, and its ends */
    uint64_t unit; /* of 16 bytes of shared memory, that all lanes loaded from last, plus 1 */
    uint32_t nheard, heard_room;
    struct heard *heard;
    uint64_t insns; /* all, of which `watched` were played */
    uint64_t watched;
    uint32_t waits; /* a barrier's number, plus 1 */
    bool asks;      /* since the last branch: memory, another lane, or a barrier */
    bool spins, multiplies;
    uint32_t *loaded;    /* by register: the instruction that loaded it, plus 1 */
    uint32_t used, soon; /* since the last branch: loads whose values were used, and at once */
    uint32_t turns;      /* of a loop */
};

struct step {                       /* of an instruction, what playing it needs */
    bool known, costs, moves, asks; /* moves: loads or stores; asks: memory or another lane */
    bool async, noted;              /* async: cp, wgmma; noted: note() is about it */
    uint16_t nuses, ndefs;
    uint32_t first; /* of its registers in learned.regs: those used, those written */
    double latency, slots, pipe;
};

struct learned { /* of a function, the instructions that were played */
    const struct emu_func *func;
    struct step *steps;
    uint32_t *regs, nregs, room;
};

struct meeting { /* at a barrier of the block */
    double last[PACE_CLOCKS];
    uint32_t warps;
    bool some; /* that a number of threads is given for */
};

struct mbarrier {
    uint64_t at;
    double last[PACE_CLOCKS];
};

struct pace {
    bool stopped; /* nobody says any more what accesses find */
    const struct block_info *block;
    uint32_t nwarps, nregs, nlearned, nmbarriers;
    uint32_t multiply; /* warps that ask for wgmma */
    struct warp_pace *warps;
    struct learned *learned;
    struct meeting meetings[CLUSTER_BARRIER + 1];
    struct mbarrier *mbarriers;
    struct pace_shared shared;
    double bulk[PACE_CLOCKS]; /* from then on, bulk copies can begin on the next */
};

static uint32_t most_registers(const struct emu_func *f)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < f->module->nfuncs; i++)
        if (f->module->funcs[i]->ptx->nregs > n)
            n = f->module->funcs[i]->ptx->nregs;
    return n;
}

struct pace *pace_new(const struct block_info *b)
{
    struct pace *p = xcalloc(1, sizeof(*p));
    p->block = b;
    p->nwarps = b->warps;
    p->nregs = most_registers(b->func);
    p->warps = xcalloc(p->nwarps, sizeof(*p->warps));
    for (uint32_t i = 0; i < p->nwarps; i++) {
        p->warps[i].loaded = xcalloc(p->nregs, sizeof(uint32_t));
        for (int k = 0; k < PACE_CLOCKS; k++)
            p->warps[i].clocks[k].ready = xcalloc(p->nregs, sizeof(double));
    }
    return p;
}

void pace_free(struct pace *p)
{
    for (uint32_t i = 0; i < p->nwarps; i++) {
        for (int k = 0; k < PACE_CLOCKS; k++)
            free(p->warps[i].clocks[k].ready);
        free(p->warps[i].heard);
        free(p->warps[i].loaded);
    }
    for (uint32_t i = 0; i < p->nlearned; i++) {
        free(p->learned[i].steps);
        free(p->learned[i].regs);
    }
    free(p->learned);
    free(p->mbarriers);
    free(p->warps);
    free(p);
}

/* ---- one instruction ---- */

/* Machine code has none for it: a name for a register, or a parameter's place in constant memory.
 */
static bool costs_nothing(const struct ptx_insn *in)
{
    return in->op == OP_mov || in->op == OP_cvta || (in->op == OP_ld && in->space == SPACE_PARAM);
}

/* Cycles from its start until its result is there; of a load from an access that was not heard of,
 * those of shared memory. */
static double latency_of(const struct ptx_insn *in, const struct insn_cost *c)
{
    const struct device_profile *d = device_profile();
    if (costs_nothing(in))
        return 0;
    if (in->op == OP_ld || in->op == OP_ldu || in->op == OP_ldmatrix || in->op == OP_shfl ||
        in->op == OP_atom)
        return d->shared_latency_cycles;
    if (c->div)
        return c->sfu ? d->division_latency_cycles : d->int_division_latency_cycles;
    if (c->sfu)
        return d->special_latency_cycles;
    if (c->tensor)
        return d->matrix_latency_cycles;
    return c->flop64 ? d->fp64_latency_cycles : d->alu_latency_cycles;
}

static bool is_store(const struct ptx_insn *in)
{
    return in->op == OP_st || in->op == OP_red || in->op == OP_atom || in->op == OP_stmatrix;
}

static bool is_load(const struct ptx_insn *in)
{
    return in->op == OP_ld || in->op == OP_ldmatrix || in->op == OP_ldu;
}

static bool is_exchange(const struct ptx_insn *in)
{
    return in->op == OP_shfl || in->op == OP_vote || in->op == OP_match || in->op == OP_redux ||
           in->op == OP_cp;
}

static bool commits(const struct ptx_insn *in)
{
    return ptx_has(in, M_commit_group);
}

static bool awaits(const struct ptx_insn *in)
{
    return ptx_has(in, M_wait_group) || ptx_has(in, M_wait_all);
}

/* What commits asynchronous work and waits for it. */
static void play_group(struct clock *c, struct async *a, const struct ptx_insn *in, double start)
{
    if (commits(in)) {
        memmove(a->groups + 1, a->groups, (GROUPS - 1) * sizeof(a->groups[0]));
        a->groups[0] = a->done;
        a->done = 0;
        return;
    }
    bool all = ptx_has(in, M_wait_all);
    uint64_t newer = all ? 0 : in->operands[0].imm;
    double done = newer < GROUPS ? a->groups[newer] : 0;
    if (all && a->done > done)
        done = a->done;
    if (in->op == OP_wgmma && done > 0)
        done += device_profile()->wgmma_latency_cycles;
    c->started = done > c->started ? done : c->started;
    c->waited = done > start ? done : start;
}

/* cp.async and bulk copies to global memory. */
static void play_copy(struct clock *c, const struct ptx_insn *in, double start, double cycles)
{
    if (commits(in) || awaits(in))
        play_group(c, &c->copies, in, start);
    else if (start + cycles > c->copies.done)
        c->copies.done = start + cycles;
}

/* wgmma: one after the other, on tensor cores that the block's other warp groups use, too. */
static void play_product(struct clock *c, const struct ptx_insn *in, double start, double cycles)
{
    if (commits(in) || awaits(in)) {
        play_group(c, &c->products, in, start);
    } else if (cycles > 0) {
        double last = c->products.done > 0 ? c->products.done : c->products.groups[0];
        c->products.done = (last > start ? last : start) + cycles;
    }
}

/* Where a memory access may start: behind the stores before it that may be to the same place. */
static double after_stores(struct clock *c, const struct ptx_insn *in, double start)
{
    bool generic = in->space == SPACE_GENERIC, shared = in->space == SPACE_SHARED;
    for (int other = 0; other < 2; other++) {
        if (in->space == SPACE_PARAM || !(generic || shared != other))
            continue;
        start = c->stored[other] > start ? c->stored[other] : start;
        c->stored[other] = is_store(in) ? start : c->stored[other];
    }
    return start;
}

static struct learned *learned_of(struct pace *p, const struct emu_func *f)
{
    for (uint32_t i = 0; i < p->nlearned; i++)
        if (p->learned[i].func == f)
            return &p->learned[i];
    p->learned = xrealloc(p->learned, (p->nlearned + 1) * sizeof(*p->learned));
    struct learned *l = &p->learned[p->nlearned++];
    *l = (struct learned){.func = f, .steps = xcalloc(f->ptx->ninsns, sizeof(*l->steps))};
    return l;
}

static void learn(struct learned *l, uint32_t i)
{
    const struct ptx_func *f = l->func->ptx;
    const struct ptx_insn *in = &f->insns[i];
    const struct insn_cost *c = &l->func->costs[i];
    if (l->nregs + 2 * MAX_REGS > l->room) {
        l->room = 2 * l->room + 8 * MAX_REGS;
        l->regs = xrealloc(l->regs, l->room * sizeof(*l->regs));
    }
    uint32_t *regs = l->regs + l->nregs;
    uint32_t nuses = insn_uses(in, f, regs, MAX_REGS);
    uint32_t ndefs = insn_defs(in, f, regs + nuses, MAX_REGS);
    bool free_of = costs_nothing(in);
    double slots = c->div ? device_profile()->division_insts : 1;
    double pipe = c->tensor ? model_tensor_cycles(device_profile(), c) : 0;
    l->steps[i] =
        (struct step){.known = true,
                      .costs = !free_of,
                      .moves = is_load(in) || is_store(in),
                      .asks = !free_of && (is_load(in) || is_store(in) || is_exchange(in)),
                      .async = in->op == OP_cp || in->op == OP_wgmma,
                      .noted = c->waits || (c->wgmma && c->tensor),
                      .nuses = (uint16_t)nuses,
                      .ndefs = (uint16_t)ndefs,
                      .first = l->nregs,
                      .latency = latency_of(in, c),
                      .slots = free_of ? 0 : slots,
                      .pipe = pipe};
    l->nregs += nuses + ndefs;
}

/* When its registers are there: at once, of a product's. */
static double play_async(struct clock *c, const struct ptx_insn *in, double start, double cycles,
                         double pipe)
{
    if (in->op == OP_cp) {
        play_copy(c, in, start, cycles);
        return start + cycles;
    }
    play_product(c, in, start, pipe);
    return start;
}

static void play_insn(struct clock *c, const struct learned *l, uint32_t i, double cycles,
                      uint32_t passes, uint32_t multiply)
{
    const struct step *s = &l->steps[i];
    const uint32_t *uses = l->regs + s->first, *defs = uses + s->nuses;
    double start = c->base > c->waited ? c->base : c->waited;
    for (uint32_t u = 0; u < s->nuses; u++)
        start = c->ready[uses[u]] > start ? c->ready[uses[u]] : start;
    if (s->moves)
        start = after_stores(c, &l->func->ptx->insns[i], start);
    if (passes) {
        start = c->port > start ? c->port : start;
        c->port = start + passes;
    }
    if (s->costs && start > c->started)
        c->started = start;
    double ready = start + cycles;
    if (s->async)
        ready =
            play_async(c, &l->func->ptx->insns[i], start, cycles, s->pipe * ceil(multiply / 4.0));
    else
        c->pipe += s->pipe;
    for (uint32_t d = 0; d < s->ndefs; d++)
        c->ready[defs[d]] = ready;
    c->slots += s->slots;
}

/* Of an instruction that is played: the first attempt at an mbarrier that does not let the warp
 * pass, for one that does is told of (pace_mbarrier); the warp's first wgmma. */
static void note(struct pace *p, struct warp_pace *w, uint32_t i)
{
    const struct insn_cost *cost = &w->func->costs[i];
    for (int k = 0; k < PACE_CLOCKS && cost->waits && !w->spins; k++)
        w->clocks[k].spun = fmax(w->clocks[k].base, w->clocks[k].started);
    w->spins |= cost->waits;
    p->multiply += cost->wgmma && cost->tensor && !w->multiplies;
    w->multiplies |= cost->wgmma && cost->tensor;
}

/* Which of this basic block's loads have their values used, and which at once: fewer instructions
 * later than the load takes cycles. */
static void note_use(struct warp_pace *w, const struct learned *l, uint32_t i)
{
    const struct step *s = &l->steps[i];
    const uint32_t *regs = l->regs + s->first;
    for (uint32_t u = 0; u < s->nuses; u++) {
        uint32_t from = w->loaded[regs[u]];
        if (!from || from <= w->first || from > i)
            continue;
        w->used++;
        w->soon += i + 1 - from < device_profile()->shared_latency_cycles;
        w->loaded[regs[u]] = 0;
    }
    for (uint32_t d = s->nuses; d < s->nuses + s->ndefs; d++)
        w->loaded[regs[d]] = is_load(&l->func->ptx->insns[i]) && s->asks ? i + 1 : 0;
}

/* Plays the basic block up to instruction `end`. */
static void play(struct pace *p, struct warp_pace *w, uint32_t end)
{
    if (!w->func || w->next >= end)
        return;
    struct learned *l = learned_of(p, w->func);
    uint32_t at = 0; /* accesses come in the order of instructions */
    for (uint32_t i = w->next; i < end; i++) {
        const struct heard *h = NULL;
        if (!l->steps[i].known)
            learn(l, i);
        if (l->steps[i].noted)
            note(p, w, i);
        note_use(w, l, i);
        for (; at < w->nheard && w->heard[at].insn <= i; at++)
            h = w->heard[at].insn == i ? &w->heard[at] : h;
        for (int k = 0; k < PACE_CLOCKS; k++)
            play_insn(&w->clocks[k], l, i, h ? h->cycles[k] : l->steps[i].latency,
                      h ? h->passes : 0, p->multiply);
        w->asks |= l->steps[i].asks;
    }
    w->watched += end - w->next;
    w->next = end;
    w->nheard = 0;
}

/* Cycles until one of the block's schedulers has issued as many for each of its warps. Where they
 * ask memory they do so side by side, and wait side by side, so that it is idle where another block
 * would go on; but not where code uses words a step later than it loads them. While they calculate
 * it finds one that is ready. Of a loop's turns that are one, only the last counts and branches. */
static double issue_cycles(const struct pace *p, const struct warp_pace *w, double slots,
                           bool unrolled)
{
    const struct device_profile *d = device_profile();
    double rate = model_issue_rate(d) / d->issue_per_cycle;
    uint32_t warps = (p->nwarps + d->issue_per_cycle - 1) / d->issue_per_cycle;
    double soon = w->used ? (double)w->soon / w->used : 1;
    double wait = w->asks ? 1 + (d->block_issue_cycles - 1) * soon : 1;
    if (unrolled)
        return fmax(slots - LOOP_CONTROL * (1 - 1.0 / UNROLLED), 0) * warps / rate;
    return d->machine_insts_per_ptx * slots * warps * wait / rate;
}

/* What follows starts after all that was played. */
static void settle(struct pace *p, struct warp_pace *w, bool unrolled)
{
    const struct device_profile *d = device_profile();
    double warps = ceil((double)p->nwarps / d->issue_per_cycle);
    warps = fmax(warps, 1 / d->mma_warp_part); /* as far as mma.sync goes */
    for (int k = 0; k < PACE_CLOCKS; k++) {
        struct clock *c = &w->clocks[k];
        double issue = issue_cycles(p, w, c->slots, unrolled);
        double issued = c->base + fmax(issue, warps * c->pipe);
        c->base = c->started + 1 > issued ? c->started + 1 : issued;
        c->slots = c->pipe = 0;
    }
}

/* ---- events ---- */

static const struct emu_func *func_of(const struct pace *p, const struct site *first)
{
    const struct emu_module *m = p->block->func->module;
    const struct emu_func *f = p->block->func;
    if (first >= f->sites && first < f->sites + f->ptx->ninsns)
        return f;
    for (uint32_t i = 0; i < m->nfuncs; i++) {
        f = m->funcs[i];
        if (f->lowered && first >= f->sites && first < f->sites + f->ptx->ninsns)
            return f;
    }
    return NULL;
}

/* Does machine code go on here without a branch? The end of a basic block that control falls out
 * of, or a branch over a few instructions, which become predicated ones. */
static bool goes_on(const struct emu_func *f, uint32_t last)
{
    const struct ptx_insn *in = &f->ptx->insns[last];
    if (in->op != OP_bra)
        return in->op != OP_brx && in->op != OP_call && in->op != OP_ret && in->op != OP_exit;
    uint32_t target = f->ptx->labels[in->operands[0].label].insn;
    return in->guarded && target > last && target - last <= PREDICATED;
}

/* ptxas unrolls loops of one basic block further than PTX shows. */
static bool is_again(const struct warp_pace *w, const struct site *first)
{
    return first->index == w->first && &w->func->sites[first->index] == first;
}

/* The instruction of [from, to) that writes this register last; `to`: none. */
static uint32_t writer_of(const struct ptx_func *f, uint32_t from, uint32_t to, uint32_t reg)
{
    for (uint32_t i = to; i-- > from;)
        if (f->insns[i].noperands && f->insns[i].operands[0].kind == OPD_REG &&
            f->insns[i].operands[0].reg == reg)
            return i;
    return to;
}

/* A loop whose turns can be counted beforehand: what its branch tests goes on by a constant. */
static bool is_counted(const struct ptx_func *f, uint32_t from, uint32_t to)
{
    const struct ptx_insn *last = &f->insns[to - 1];
    uint32_t test = last->guarded ? writer_of(f, from, to, last->guard) : to;
    if (test == to || f->insns[test].op != OP_setp || f->insns[test].operands[1].kind != OPD_REG)
        return false;
    uint32_t counter = f->insns[test].operands[1].reg, step = writer_of(f, from, to, counter);
    if (step == to)
        return false;
    const struct ptx_insn *in = &f->insns[step];
    return in->op == OP_add && in->operands[2].kind == OPD_IMM && in->operands[1].reg == counter;
}

/* One more turn of a loop that only loads and calculates: loads of four go side by side. */
static bool is_next_turn(struct warp_pace *w, const struct site *first)
{
    bool plain = w->asks && is_again(w, first) && w->end - w->first <= LOOP_INSNS &&
                 is_counted(w->func->ptx, w->first, w->end);
    for (uint32_t i = w->first; plain && i < w->end; i++) {
        const struct ptx_insn *in = &w->func->ptx->insns[i];
        plain = !is_store(in) && !is_exchange(in) && in->op != OP_bar && in->op != OP_barrier;
    }
    w->turns = plain ? w->turns + 1 : 0;
    return w->turns % UNROLLED != 0;
}

/* On to what follows a basic block in machine code: another turn of a loop, or behind a branch;
 * whose cycles do not matter where a loop only calculates. */
static void follow(struct pace *p, struct warp_pace *w, const struct site *first)
{
    bool unrolled = !w->asks && is_again(w, first);
    if (is_next_turn(w, first)) {
        for (int k = 0; k < PACE_CLOCKS; k++)
            w->clocks[k].slots = fmax(w->clocks[k].slots - LOOP_CONTROL, 0);
    } else if (!goes_on(w->func, w->end - 1)) {
        settle(p, w, unrolled);
        for (int k = 0; k < PACE_CLOCKS && !unrolled; k++)
            w->clocks[k].base += device_profile()->branch_cycles;
        w->asks = false;
        w->used = w->soon = 0;
    }
}

/* What is skipped, and machine code has predicated, goes to shared memory all the same. */
static void skip(struct pace *p, const struct warp_pace *w, uint32_t to)
{
    const struct ptx_func *f = w->func->ptx;
    bool predicated = f->insns[w->end - 1].op == OP_bra && goes_on(w->func, w->end - 1);
    for (uint32_t i = w->end; i < to && predicated; i++)
        p->shared.skipped += (f->insns[i].op == OP_ld || f->insns[i].op == OP_st) &&
                             f->insns[i].space == SPACE_SHARED;
}

void pace_path(struct pace *p, const struct site *first, uint32_t ninsns, uint32_t warp)
{
    struct warp_pace *w = &p->warps[warp];
    if (w->func) {
        play(p, w, w->end);
        follow(p, w, first);
        if (&w->func->sites[first->index] == first)
            skip(p, w, first->index);
    }
    w->unit = 0;
    w->insns += ninsns;
    w->func = w->watched < MAX_INSNS && !p->stopped ? func_of(p, first) : NULL;
    w->first = w->next = first->index;
    w->end = first->index + ninsns;
}

static bool side_by_side(const struct access *a, uint32_t unit)
{
    uint64_t differ = a->addr[0] % unit;
    for (uint32_t i = 1; i < 32; i++)
        differ |= (a->addr[i] - a->addr[i - 1]) ^ unit;
    return !differ;
}

/* Passes that the banks need: the most words that lie in one. A lane's words lie side by side from
 * a multiple of their size on: they are one unit, and as many banks together are one. */
static uint32_t passes_of(const struct access *a)
{
    const struct device_profile *d = device_profile();
    uint32_t unit = a->size > d->bank_bytes ? a->size : d->bank_bytes, top = 1, n = 0;
    uint32_t banks = d->banks * d->bank_bytes / unit, all[32], before[32]; /* of a bank, plus 1 */
    bool powers = !(unit & (unit - 1)) && !(banks & (banks - 1)); /* all devices': no divisions */
    uint32_t shift = (uint32_t)__builtin_ctz(unit);
    if (a->mask == ~0u && side_by_side(a, unit))
        return (32 + banks - 1) / banks;
    struct {
        uint32_t units, last;
    } per[32] = {0};
    for (uint32_t m = a->mask; m; m &= m - 1) { /* shared memory's addresses are below 2^32 */
        uint32_t at = (uint32_t)a->addr[__builtin_ctz(m)], x = powers ? at >> shift : at / unit;
        uint32_t bank = (powers ? x & (banks - 1) : x % banks) % 32;
        uint32_t j = per[bank].last;
        while (j && all[j - 1] != x)
            j = before[j - 1];
        if (j)
            continue;
        all[n] = x;
        before[n] = per[bank].last;
        per[bank].last = ++n;
        if (++per[bank].units > top)
            top = per[bank].units;
    }
    return top;
}

/* Is it a load by all lanes from the 16 bytes that they loaded from last? ptxas makes the two one.
 */
static bool joins(struct warp_pace *w, const struct access *a)
{
    uint64_t last = w->unit, unit = (a->addr[__builtin_ctz(a->mask)] >> 4) + 1;
    bool one = a->kind == ACCESS_LOAD && a->size < 16;
    for (uint32_t m = a->mask; m && one; m &= m - 1)
        one = (a->addr[__builtin_ctz(m)] >> 4) + 1 == unit;
    if (a->kind != ACCESS_LOAD)
        w->unit = 0;
    else if (one)
        w->unit = unit;
    return one && unit == last;
}

static uint32_t lines_of(const struct access *a)
{
    uint64_t seen[32];
    uint32_t n = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint64_t line = a->addr[__builtin_ctz(m)] >> 7;
        uint32_t j = 0;
        while (j < n && seen[j] != line)
            j++;
        if (j == n)
            seen[n++] = line;
    }
    return n;
}

uint32_t pace_passes(const struct access *a)
{
    uint32_t banks = a->space == ACCESS_LOCAL ? 1 : passes_of(a), tags = 0;
    if (a->space == ACCESS_GLOBAL)
        tags = (uint32_t)ceil(lines_of(a) / device_profile()->l1_lines_per_pass);
    return banks > tags ? banks : tags;
}

/* Cycles that a warp waits for more than one pass: longer for banks than for tags. */
static double queue_of(const struct access *a, uint32_t passes)
{
    double banks = a->space == ACCESS_LOCAL ? 1 : passes_of(a);
    return fmax(device_profile()->bank_wait_cycles * (banks - 1), passes - 1);
}

void pace_shared(const struct pace *p, struct pace_shared *to)
{
    to->passes += p->shared.passes;
    to->skipped += p->shared.skipped;
    to->joined += p->shared.joined;
}

void pace_access(struct pace *p, const struct access *a, bool misses)
{
    const struct device_profile *d = device_profile();
    struct warp_pace *w = &p->warps[a->warp];
    if (!w->func)
        return;
    uint32_t passes = pace_passes(a);
    bool shared = a->space == ACCESS_SHARED, joined = shared && joins(w, a);
    p->shared.passes += shared ? passes : 0;
    p->shared.joined += joined ? passes : 0;
    if (a->kind == ACCESS_STORE || a->site->index < w->next || a->site->index >= w->end)
        return;
    if (w->nheard == w->heard_room) {
        w->heard_room = 2 * w->heard_room + MAX_HEARD;
        w->heard = xrealloc(w->heard, w->heard_room * sizeof(*w->heard));
    }
    struct heard *h = &w->heard[w->nheard++];
    h->insn = a->site->index;
    h->passes = joined ? 0 : passes;
    double queue = queue_of(a, passes), lines = a->space == ACCESS_GLOBAL ? lines_of(a) : 1;
    if (shared) {
        h->cycles[PACE_NEAR] = h->cycles[PACE_FAR] = d->shared_latency_cycles + queue;
        return;
    }
    double l2 = d->l2_latency_cycles > 0 ? d->l2_latency_cycles : d->dram_latency_cycles;
    double near = d->l1_latency_cycles > 0 ? d->l1_latency_cycles : d->shared_latency_cycles;
    bool far = misses || a->kind == ACCESS_ATOMIC;
    h->cycles[PACE_NEAR] = (far ? l2 : near) + queue;
    h->cycles[PACE_FAR] =
        (far ? d->dram_latency_cycles + d->dram_spread_cycles * log2(lines) : near) + queue;
}

void pace_stop(struct pace *p)
{
    p->stopped = true;
}

static void come(struct meeting *m, const struct warp_pace *w)
{
    for (int k = 0; k < PACE_CLOCKS; k++)
        m->last[k] = fmax(m->last[k], w->clocks[k].base);
    m->warps++;
}

/* Of a cluster's barrier one hears when the last warp has arrived there: this one is at its wait,
 * or on its way to it. */
static uint32_t cluster_wait_of(const struct warp_pace *w)
{
    uint32_t i = w->next;
    for (; i < w->end; i++) {
        const struct ptx_insn *in = &w->func->ptx->insns[i];
        if (in->op == OP_barrier && ptx_has(in, M_cluster) && ptx_has(in, M_wait))
            break;
    }
    return i < w->end ? i + 1 : w->next;
}

void pace_arrive(struct pace *p, const struct site *s, uint32_t warp, uint32_t id)
{
    struct warp_pace *w = &p->warps[warp];
    struct meeting *m = &p->meetings[id];
    bool cluster = id == CLUSTER_BARRIER;
    if (!w->func || (!cluster && (s->index < w->next || s->index >= w->end)))
        return;
    const struct ptx_insn *in = &w->func->ptx->insns[s->index];
    w->asks = true;
    play(p, w, cluster ? cluster_wait_of(w) : s->index + 1);
    settle(p, w, false);
    come(m, w);
    m->some |= !cluster && in->noperands > 1 && !ptx_has(in, M_red);
    w->waits = cluster || !ptx_has(in, M_arrive) ? id + 1 : 0;
}

void pace_leave(struct pace *p, uint32_t id)
{
    const struct device_profile *d = device_profile();
    struct meeting *m = &p->meetings[id];
    double warps = m->some ? m->warps : p->nwarps;
    double after = d->barrier_cycles + d->barrier_warp_cycles * warps;
    if (id == CLUSTER_BARRIER)
        after = d->cluster_barrier_cycles + d->cluster_barrier_warp_cycles * warps;
    for (uint32_t i = 0; i < p->nwarps; i++) {
        struct warp_pace *w = &p->warps[i];
        if (w->waits != id + 1)
            continue;
        for (int k = 0; k < PACE_CLOCKS; k++)
            w->clocks[k].base = m->last[k] + after;
        w->waits = 0;
    }
    *m = (struct meeting){0};
}

static struct mbarrier *mbarrier_at(struct pace *p, uint64_t at)
{
    for (uint32_t i = 0; i < p->nmbarriers; i++)
        if (p->mbarriers[i].at == at)
            return &p->mbarriers[i];
    p->mbarriers = xrealloc(p->mbarriers, (p->nmbarriers + 1) * sizeof(*p->mbarriers));
    p->mbarriers[p->nmbarriers] = (struct mbarrier){.at = at};
    return &p->mbarriers[p->nmbarriers++];
}

/* The warp passes when the last arrival is there; what it tried before is taken back. */
static void pass(struct warp_pace *w, const struct mbarrier *m)
{
    for (int k = 0; k < PACE_CLOCKS; k++) {
        struct clock *c = &w->clocks[k];
        double from = w->spins ? c->spun : fmax(c->base, c->started);
        c->base = c->started = fmax(from, m->last[k]);
    }
    w->spins = false;
}

void pace_mbarrier(struct pace *p, const struct access *a, uint32_t bytes, bool peer)
{
    const struct device_profile *d = device_profile();
    struct warp_pace *w = &p->warps[a->warp];
    if (!w->func || a->site->index < w->next || a->site->index >= w->end)
        return;
    struct mbarrier *m = mbarrier_at(p, a->addr[__builtin_ctz(a->mask)]);
    w->asks = true;
    play(p, w, a->site->index);
    settle(p, w, false);
    if (a->kind == ACCESS_LOAD) {
        pass(w, m);
        w->watched++;
        w->next = a->site->index + 1;
    }
    for (int k = 0; k < PACE_CLOCKS && a->kind != ACCESS_LOAD; k++) {
        double far = k == PACE_FAR ? d->dram_latency_cycles - d->l2_latency_cycles : 0;
        double from = w->clocks[k].base;
        if (bytes) {
            from = fmax(p->bulk[k], from);
            p->bulk[k] = from + bytes / d->bulk_bytes_per_cycle;
            from += d->bulk_latency_cycles + far + bytes / d->bulk_burst_bytes_per_cycle;
        } else {
            from += peer ? d->mbarrier_peer_cycles : d->mbarrier_cycles;
        }
        m->last[k] = a->order ? fmax(m->last[k], from) : 0; /* 0: it is made */
    }
}

void pace_life(struct pace *p, double cycles[PACE_CLOCKS])
{
    cycles[PACE_NEAR] = cycles[PACE_FAR] = 0;
    for (uint32_t i = 0; i < p->nwarps; i++) {
        struct warp_pace *w = &p->warps[i];
        play(p, w, w->end);
        settle(p, w, false);
        for (int k = 0; k < PACE_CLOCKS; k++) {
            double t = w->clocks[k].base;
            if (w->watched && w->watched < w->insns)
                t *= (double)w->insns / (double)w->watched;
            if (t > cycles[k])
                cycles[k] = t;
        }
    }
}
