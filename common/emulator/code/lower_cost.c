/* lower_cost.c - what one execution of an instruction adds to the counters that do not depend
 * on addresses: floating-point operations, special functions, tensor operations (count.c).
 * And whether it asks about its cluster.
 */
#include "lower.h"
#include <stdlib.h>

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
/* ---- which registers are numbers of the code ---- */
#define MOST_WRITTEN 160 /* registers by one instruction */

enum { NOT_WRITTEN, A_NUMBER, ANYTHING };

/* One for each register: what its only writer moves there, or ANYTHING where there are several. */
static uint8_t *writers(const struct ptx_func *p)
{
    uint8_t *is = xcalloc(p->nregs + 1, sizeof(*is));
    uint32_t regs[MOST_WRITTEN];
    for (uint32_t i = 0; i < p->ninsns; i++) {
        const struct ptx_insn *in = &p->insns[i];
        bool number = in->op == OP_mov && !in->guarded && in->operands[1].kind == OPD_FIMM;
        uint32_t n = insn_defs(in, p, regs, MOST_WRITTEN);
        for (uint32_t k = 0; k < n; k++)
            is[regs[k]] = number && is[regs[k]] == NOT_WRITTEN ? A_NUMBER : ANYTHING;
    }
    return is;
}
static bool is_number(const uint8_t *written, const struct ptx_operand *o)
{
    return o->kind == OPD_FIMM || (o->kind == OPD_REG && written[o->reg] == A_NUMBER);
}
static bool is_coded(const uint8_t *written, const struct ptx_insn *in)
{
    const struct ptx_operand *o = in->operands;
    return opcode_of(in)->cost == COST_FMA && in->noperands == 4 && is_number(written, &o[3]) &&
           (is_number(written, &o[1]) || is_number(written, &o[2]));
}

/* ---- costs ---- */
static void product(struct insn_cost *c, const struct ptx_insn *in)
{
    if (ptx_has(in, M_load) || ptx_has(in, M_store))
        return;
    c->wgmma = in->op == OP_wgmma;
    c->tensor =
        2u * in->shape_m * in->shape_n * in->shape_k / (c->wgmma ? 4 : 1); /* by four warps */
    c->factor = in->ntypes > 2 ? (uint8_t)in->types[1] : PTX_F16; /* wmma names sums alone */
}
static void add_cost(struct insn_cost *c, const struct ptx_insn *in)
{
    enum ptx_type t = in->ntypes ? in->types[0] : PTX_NOTYPE;
    switch (opcode_of(in)->cost) {
    case COST_NONE:
        break;
    case COST_FLOP:
        flops(c, t, 1);
        break;
    case COST_FMA:
        flops(c, t, 2);
        break;
    case COST_SFU:
        c->sfu = is_float_type(t);
        break;
    case COST_DIVIDE:
        c->sfu = is_float_type(t);
        c->div = !ptx_has(in, M_approx) && !ptx_has(in, M_full);
        break;
    case COST_MATRIX:
        product(c, in);
        break;
    }
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
/* Reads or updates, strongly, what is not surely the block's own. */
static bool looks(const struct ptx_insn *in)
{
    bool strong = in->op == OP_ld && (ptx_has(in, M_volatile) || ptx_has(in, M_relaxed) ||
                                      ptx_has(in, M_acquire) || ptx_has(in, M_mmio));
    return (strong || in->op == OP_atom) && in->space != SPACE_SHARED;
}
static bool hears(const struct ptx_insn *in)
{
    return in->op == OP_call || looks(in);
}
static void of_mbarrier(struct insn_cost *c, const struct ptx_insn *in)
{
    bool is = in->op == OP_mbarrier || (in->op == OP_cp && ptx_has(in, M_mbarrier));
    c->arrives = is && (ptx_has(in, M_arrive) || ptx_has(in, M_arrive_drop));
    c->waits = is && (ptx_has(in, M_test_wait) || ptx_has(in, M_try_wait));
}
static bool is_exchange(const struct ptx_insn *in)
{
    return in->op == OP_vote || in->op == OP_match || in->op == OP_redux || in->op == OP_movmatrix;
}
/* Comparisons, choices and conversions of doubles among them. */
static bool works_on_doubles(const struct ptx_insn *in)
{
    bool moves = in->op == OP_mov || in->op == OP_ld || in->op == OP_ldu || in->op == OP_st;
    for (uint32_t k = 0; !moves && k < in->ntypes; k++)
        if (in->types[k] == PTX_F64)
            return true;
    return false;
}
/* Or where it runs, or in which launch, which is another the next time. */
static bool reads_clock(const struct ptx_insn *in)
{
    for (uint32_t k = 0; k < in->noperands; k++) {
        int of = in->operands[k].kind == OPD_SREG ? (int)in->operands[k].sreg : -1;
        if ((of >= SREG_CLOCK && of <= SREG_GLOBALTIMER_HI) || of == SREG_SMID ||
            of == SREG_WARPID || of == SREG_GRIDID)
            return true;
    }
    return false;
}
/* A floating-point or tensor instruction counts as one, a warp's part of a wgmma as so many
 * mma.m16n8k16. */
static uint32_t floats_of(const struct insn_cost *c)
{
    uint32_t products = c->tensor / (2 * 16 * 8 * 16);
    if (c->wgmma && products)
        return products;
    return c->flop16 || c->flop32 || c->flop64 || c->tensor;
}
/* ---- steps ---- */
static bool is_pair(enum ptx_type t)
{
    return t == PTX_F16X2 || t == PTX_BF16X2 || t == PTX_E4M3X2 || t == PTX_E5M2X2;
}
static bool is_double_word(enum ptx_type t)
{
    return t == PTX_U64 || t == PTX_S64 || t == PTX_B64;
}
static uint32_t dear_conversion(const struct ptx_insn *in)
{
    enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[in->ntypes > 1];
    if (is_pair(to))
        return 20;
    if (is_half_type(to))
        return 12;
    bool whole = !is_float_type(to) || ptx_has(in, M_rni) || ptx_has(in, M_rzi) ||
                 ptx_has(in, M_rmi) || ptx_has(in, M_rpi);
    bool slow = is_half_type(from) || is_pair(from) || ptx_has(in, M_sat) ||
                (is_float_type(from) ? whole : is_float_type(to) && is_double_word(from));
    return slow ? 4 : 0;
}
/* Bytes and halves are moved one by one, vectors turned. */
static uint32_t dear_move(const struct ptx_insn *in)
{
    uint32_t n = in->vec ? in->vec : 1;
    bool narrow = in->ntypes && type_bytes((enum ptx_type)in->types[0]) < 4;
    uint32_t found = in->space == SPACE_GENERIC; /* which memory it is */
    if (in->op == OP_st)
        return found + (narrow ? 4 * n : n / 2);
    return found + (narrow && n > 1 ? n : n / 4);
}
/* A limit on steps is there to end what takes too long: what is carried out a lane at a time takes
 * as long as so many others, of which the slower ones, accesses to memory, are the measure. What
 * depends on lanes and addresses is charged as it is carried out (exec/ops). */
static uint32_t dear_steps(const struct ptx_insn *in)
{
    enum ptx_type t = in->ntypes ? (enum ptx_type)in->types[0] : PTX_NOTYPE;
    enum cost cost = opcode_of(in)->cost;
    switch (in->op) {
    case OP_mov:
    case OP_atom:
    case OP_red:
        return 0;
    case OP_match:
        return 12;
    case OP_bfe:
        return is_double_word(t) ? 28 : 12;
    case OP_fns:
        return 8;
    case OP_vabsdiff2:
    case OP_vabsdiff4:
        return 2;
    case OP_cp:
        return 6;
    case OP_cvt:
        return dear_conversion(in);
    case OP_ld:
    case OP_st:
        return dear_move(in);
    default:
        break;
    }
    if (is_half_type(t) && cost != COST_MATRIX)
        return (is_pair(t) ? 16 : 6) + (cost == COST_SFU ? 8 : 0);
    return cost == COST_SFU ? 2 : 0;
}

static void mark_blocks(struct emu_func *f)
{
    for (uint32_t b = 0; b < f->nblocks; b++) {
        struct bblock *x = &f->blocks[b];
        for (uint32_t i = x->ptx_first; i < x->ptx_first + x->ninsns; i++) {
            const struct ptx_insn *in = &f->ptx->insns[i];
            x->stores |= in->op == OP_red || (in->op == OP_st && in->space != SPACE_LOCAL);
            x->looks |= looks(in);
            x->dear += dear_steps(in);
        }
    }
}
static void sum_floats(struct emu_func *f, uint32_t ninsns)
{
    uint32_t *sum = xcalloc(ninsns + 1, sizeof(*sum));
    for (uint32_t i = 0; i < ninsns; i++)
        sum[i + 1] = sum[i] + floats_of(&f->costs[i]);
    for (uint32_t b = 0; b < f->nblocks; b++) {
        struct bblock *x = &f->blocks[b];
        x->nfloats = sum[x->ptx_first + x->ninsns] - sum[x->ptx_first];
    }
    f->floats_before = sum;
}
void lower_costs(struct lower *l)
{
    uint8_t *written = writers(l->p);
    for (uint32_t i = 0; i < l->p->ninsns; i++) {
        const struct ptx_insn *in = &l->p->insns[i];
        if (!l->f->cluster_site && asks_about_cluster(in))
            l->f->cluster_site = &l->f->sites[i];
        l->f->hears |= hears(in);
        add_cost(&l->f->costs[i], in);
        l->f->costs[i].exchange = is_exchange(in);
        l->f->costs[i].clock = reads_clock(in);
        l->f->costs[i].strong = ptx_is_strong(in);
        l->f->costs[i].fence = in->op == OP_membar || (in->op == OP_fence && !ptx_has(in, M_proxy));
        l->f->costs[i].fp64 = works_on_doubles(in);
        l->f->costs[i].coded = is_coded(written, in);
        of_mbarrier(&l->f->costs[i], in);
    }
    free(written);
    sum_floats(l->f, l->p->ninsns);
    mark_blocks(l->f);
}
