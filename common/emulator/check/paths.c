/* paths.c - which way round two accesses follow one another without a block barrier between them.
 *
 * Interface: private.h. Of a race, the run's order is chance: what is missing is a barrier on a way
 * that the program can take. Ways are those of the PTX control flow, whatever conditions say. Not
 * modelled: barriers inside called functions; with a call anywhere, or in different functions,
 * both ways round are granted.
 */
#include "private.h"
#include "emulator/code/code.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_REGS = 160 }; /* of an instruction */

static bool is_barrier(const struct ptx_insn *in)
{
    return (in->op == OP_bar || in->op == OP_barrier) && !ptx_has(in, M_warp) && !in->guarded;
}

static bool calls(const struct ptx_func *f)
{
    for (uint32_t i = 0; i < f->ninsns; i++)
        if (f->insns[i].op == OP_call)
            return true;
    return false;
}

/* From instruction `at` to the end of its basic block: `to` found, or a barrier in the way. */
enum walked { WENT_THROUGH, FOUND, STOPPED };

static enum walked walk(const struct ptx_func *f, uint32_t at, uint32_t end, uint32_t to)
{
    for (uint32_t i = at; i < end; i++) {
        if (i == to)
            return FOUND;
        if (is_barrier(&f->insns[i]))
            return STOPPED;
    }
    return WENT_THROUGH;
}

struct ways {
    const struct ptx_func *f;
    const struct cfg *c;
    bool *seen;
    uint32_t *todo, n; /* basic blocks to walk from their start */
};

static void visit(struct ways *w, uint32_t block)
{
    if (block == NO_BLOCK || w->seen[block])
        return;
    w->seen[block] = true;
    w->todo[w->n++] = block;
}

static void visit_next(struct ways *w, uint32_t block)
{
    for (uint32_t k = 0; k < 2; k++)
        visit(w, w->c->succ[block][k]);
    for (uint32_t k = 0; k < w->c->nextra[block]; k++)
        visit(w, w->c->extra[block][k]);
}

static bool way(struct ways *w, uint32_t from, uint32_t to)
{
    uint32_t block = w->c->block_of[from];
    enum walked end = walk(w->f, from + 1, w->c->end[block], to);

    if (end == WENT_THROUGH)
        visit_next(w, block);
    while (end != FOUND && w->n) {
        block = w->todo[--w->n];
        end = walk(w->f, w->c->first[block], w->c->end[block], to);
        if (end == WENT_THROUGH)
            visit_next(w, block);
    }
    return end == FOUND;
}

static bool is_of(const struct emu_func *f, const struct site *s)
{
    return f && f->sites && s >= f->sites && s < f->sites + f->ptx->ninsns;
}

bool way_without_barrier(const struct emu_func *f, const struct site *from, const struct site *to)
{
    if (!is_of(f, from) || !is_of(f, to) || calls(f->ptx))
        return true;
    struct cfg *c = cfg_build(f->ptx);
    struct ways w = {.f = f->ptx, .c = c};

    w.seen = xcalloc(c->nblocks, sizeof(*w.seen));
    w.todo = xcalloc(c->nblocks, sizeof(*w.todo));
    bool found = way(&w, from->index, to->index);
    free(w.seen);
    free(w.todo);
    cfg_free(c);
    return found;
}

bool asks_for_block(const struct emu_func *f)
{
    for (uint32_t i = 0; f && f->ptx && i < f->ptx->ninsns; i++) {
        const struct ptx_insn *in = &f->ptx->insns[i];

        for (uint32_t k = 0; k < in->noperands; k++)
            if (in->operands[k].kind == OPD_SREG && in->operands[k].sreg == SREG_CTAID)
                return true;
    }
    return false;
}

static const struct ptx_operand *address(const struct emu_func *f, const struct site *s)
{
    const struct ptx_insn *in = &f->ptx->insns[s->index];

    for (uint32_t i = 0; i < in->noperands; i++)
        if (in->operands[i].kind == OPD_ADDR)
            return &in->operands[i];
    return NULL;
}

static bool is_block(const struct ptx_operand *o)
{
    return o->kind == OPD_SREG && o->sreg == SREG_CTAID;
}

static bool is_any(const bool *of, const uint32_t *regs, uint32_t n)
{
    bool any = false;

    for (uint32_t i = 0; i < n; i++)
        any |= of[regs[i]];
    return any;
}

/* Marks what an instruction makes of what is marked, or of blockIdx; true: that is news. */
static bool pass_on(const struct ptx_func *f, const struct ptx_insn *in, bool *of)
{
    uint32_t regs[MOST_REGS], n = insn_uses(in, f, regs, MOST_REGS);
    bool made = is_any(of, regs, n), news = false;

    for (uint32_t k = 0; k < in->noperands; k++)
        made |= is_block(&in->operands[k]);
    n = made ? insn_defs(in, f, regs, MOST_REGS) : 0;
    for (uint32_t i = 0; i < n; i++) {
        news |= !of[regs[i]];
        of[regs[i]] = true;
    }
    return news;
}

bool address_of_block(const struct emu_func *f, const struct site *s)
{
    if (!is_of(f, s) || calls(f->ptx))
        return true;
    const struct ptx_operand *a = address(f, s);
    if (!a)
        return true;
    bool *of = xcalloc((size_t)f->ptx->nregs + 1, sizeof(*of)), news = true;

    while (news) {
        news = false;
        for (uint32_t i = 0; i < f->ptx->ninsns; i++)
            news |= pass_on(f->ptx, &f->ptx->insns[i], of);
    }
    bool made = a->has_reg && of[a->reg];
    free(of);
    return made;
}

bool one_address(const struct emu_func *f, const struct site *a, const struct site *b)
{
    if (!is_of(f, a) || !is_of(f, b))
        return true;
    const struct ptx_operand *x = address(f, a), *y = address(f, b);
    return !x || !y ||
           (x->has_reg == y->has_reg && (!x->has_reg || x->reg == y->reg) &&
            x->offset == y->offset && x->var == y->var);
}
