/* lower_spin.c - loops that do nothing but look at the clock until it is late enough.
 *
 * Such a loop is one block that reads the clock first, then computes, and branches to its start;
 * what a round makes no other round uses. So it is the clock alone that says how a round ends,
 * and the clock's handler may pass over rounds (exec/ops/mov.c). Interface: lower.h.
 */
#include "lower.h"
#include <stdlib.h>

static bool computes(enum ptx_op op)
{
    static const enum ptx_op those[] = {OP_mov, OP_cvt, OP_add,  OP_sub, OP_min, OP_max,
                                        OP_and, OP_or,  OP_xor,  OP_not, OP_shl, OP_shr,
                                        OP_mul, OP_mad, OP_setp, OP_selp};
    for (size_t k = 0; k < sizeof(those) / sizeof(those[0]); k++)
        if (op == those[k])
            return true;
    return false;
}
static bool is_clock(const struct ptx_insn *in)
{
    enum ptx_sreg s = in->operands[1].sreg;
    return in->op == OP_mov && in->noperands == 2 && in->operands[1].kind == OPD_SREG &&
           (s == SREG_CLOCK || s == SREG_CLOCK_HI || s == SREG_CLOCK64);
}
static bool asks(const struct ptx_insn *in) /* a special register */
{
    for (uint32_t k = 0; k < in->noperands; k++)
        if (in->operands[k].kind == OPD_SREG)
            return true;
    return false;
}
static bool any_of(const bool *set, const uint32_t *regs, uint32_t n)
{
    while (n--)
        if (set[regs[n]])
            return true;
    return false;
}
/* Does no instruction of [in, end) use what it, or a later one, writes? */
static bool starts_afresh(const struct lower *l, const struct ptx_insn *in,
                          const struct ptx_insn *end)
{
    bool *later = xcalloc(l->p->nregs + 1, sizeof(*later)), fresh = true;
    uint32_t regs[16];
    while (fresh && end-- > in) {
        for (uint32_t n = insn_defs(end, l->p, regs, 16); n--;)
            later[regs[n]] = true;
        fresh = !any_of(later, regs, insn_uses(end, l->p, regs, 16));
    }
    free(later);
    return fresh;
}

void lower_spin(struct lower *l, uint32_t b)
{
    const struct ptx_insn *in = &l->p->insns[l->cfg->first[b]];
    const struct ptx_insn *last = &l->p->insns[l->cfg->end[b] - 1];
    struct insn *first = &l->out[l->f->blocks[b].first], *bra = &l->out[l->n - 1];
    if (last <= in || last->op != OP_bra || !last->guarded || bra->taken != b || !is_clock(in) ||
        in->guarded || !starts_afresh(l, in, last))
        return;
    for (const struct ptx_insn *k = in + 1; k < last; k++)
        if (k->guarded || !computes(k->op) || asks(k))
            return;
    if (bra - first <= UINT8_MAX)
        first->sub2 = (uint8_t)(bra - first);
}
