/* lower_cost.c - what one execution of an instruction adds to the counters that do not depend
 * on addresses: floating-point operations, special functions, tensor operations (count.c).
 * And whether it asks about its cluster.
 */
#include "lower.h"

static void flops(struct insn_cost *c, enum ptx_type t, uint8_t n)
{
    if (t == PTX_F32)
        c->flop32 = n;
    else if (t == PTX_F64)
        c->flop64 = n;
    else if (t == PTX_F16 || t == PTX_BF16)
        c->flop16 = n;
    else if (t == PTX_F16X2 || t == PTX_BF16X2)
        c->flop16 = 2 * n;
}
/* Does it depend on which blocks share a cluster? */
static bool asks_about_cluster(const struct ptx_insn *in)
{
    if (in->op == OP_mapa || in->op == OP_getctarank ||
        (in->op == OP_barrier && ptx_has(in, M_cluster)) || in->space == SPACE_SHARED_CLUSTER ||
        in->space2 == SPACE_SHARED_CLUSTER)
        return true;
    for (uint32_t k = 0; k < in->noperands; k++)
        if (in->operands[k].kind == OPD_SREG && in->operands[k].sreg >= SREG_CLUSTERID &&
            in->operands[k].sreg <= SREG_CLUSTER_NCTARANK)
            return true;
    return false;
}
void lower_costs(struct lower *l)
{
    for (uint32_t i = 0; i < l->p->ninsns; i++) {
        const struct ptx_insn *in = &l->p->insns[i];
        struct insn_cost *c = &l->f->costs[i];
        if (!l->f->cluster_site && asks_about_cluster(in))
            l->f->cluster_site = &l->f->sites[i];
        enum ptx_type t = in->ntypes ? in->types[0] : PTX_NOTYPE;
        switch (in->op) {
        case OP_add:
        case OP_sub:
        case OP_mul:
            flops(c, t, 1);
            break;
        case OP_fma:
        case OP_mad:
            flops(c, t, 2);
            break;
        case OP_ex2:
        case OP_lg2:
        case OP_sin:
        case OP_cos:
        case OP_tanh:
        case OP_rcp:
        case OP_rsqrt:
        case OP_sqrt:
        case OP_div:
            c->sfu = is_float_type(t);
            c->div = (in->op == OP_div || in->op == OP_sqrt || in->op == OP_rcp) &&
                     !ptx_has(in, M_approx) && !ptx_has(in, M_full);
            break;
        case OP_rem:
            c->div = true;
            break;
        case OP_mma:
            c->tensor = 2u * in->shape_m * in->shape_n * in->shape_k;
            break;
        case OP_wmma:
            if (ptx_has(in, M_mma))
                c->tensor = 2u * in->shape_m * in->shape_n * in->shape_k;
            break;
        default:
            break;
        }
    }
}
