/* lower_wide.c - the wider families; see more_rows.h. */
#include "lower.h"

bool lower_async(struct lower *l)
{
    (void)l;
    return false;
}
bool lower_matrix(struct lower *l)
{
    (void)l;
    return false;
}
/* vabsdiff4 alone: the other video instructions are emulated by no GPU since Maxwell either,
 * and no compiler emits them. */
bool lower_video(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    if (p->op != OP_vabsdiff4)
        return false;
    if (p->ntypes < 3 || p->noperands < 4 || ptx_has(p, M_sat)) {
        lower_fail(l, "this form of vabsdiff4: not supported");
        return true;
    }
    bool add = ptx_has(p, M_add);
    uint32_t s[3];
    for (int k = 0; k < 3; k++)
        s[k] = lower_src(l, &p->operands[k + 1], PTX_B32);
    struct insn *in = lower_emit(l, "absdiff4_%c%c%s", p->types[1] == PTX_S32 ? 's' : 'u',
                                 p->types[2] == PTX_S32 ? 's' : 'u', add ? "_add" : "");
    for (int k = 0; k < 3; k++)
        in->src[k] = s[k];
    in->dst = lower_dst(l, &p->operands[0]);
    return true;
}
