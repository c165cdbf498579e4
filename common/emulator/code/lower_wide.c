/* lower_wide.c - matrices, asynchronous copies, mbarriers, clusters of one block, and the
 * one video instruction that compilers emit. */
#include "lower.h"
#include "emulator/base/mem.h"
#include "mma_shape.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- operands ---- */
/* The fragment's registers, `want` of them with as many bits each, to places; returns want, or
 * 0 after lower_fail. */
static uint32_t register_list(struct lower *l, const struct ptx_operand *o, bool write,
                              uint32_t want, unsigned bits, uint32_t *places)
{
    const struct ptx_operand *list = o->kind == OPD_VEC ? o->elems : o;
    uint32_t n = o->kind == OPD_VEC ? o->nelems : 1;
    bool good = n == want && n <= 16;
    for (uint32_t k = 0; k < n && good; k++) {
        good = list[k].kind == OPD_REG && lower_reg_bytes(l, list[k].reg) == bits / 8;
        if (good)
            places[k] = write ? lower_dst(l, &list[k])
                              : lower_src(l, &list[k], bits == 64 ? PTX_B64 : PTX_B32);
    }
    if (good)
        return n;
    lower_fail(l, "this fragment is made of %u %u-bit registers", want, bits);
    return 0;
}
/* Place of an address operand's base, its constant part in *offset, 4 or 8 in *bytes. */
static uint32_t address(struct lower *l, const struct ptx_operand *o, int64_t *offset,
                        uint8_t *bytes)
{
    *offset = o->offset;
    *bytes = 8;
    if (o->kind != OPD_ADDR) {
        lower_fail(l, "an address in brackets is expected");
        return NO_PLACE;
    }
    if (o->has_reg) {
        *bytes = lower_reg_bytes(l, o->reg);
        return lower_src(l, &(struct ptx_operand){.kind = OPD_REG, .reg = o->reg},
                         *bytes == 4 ? PTX_B32 : PTX_B64);
    }
    if (!o->var) {
        lower_fail(l, "an address that is a number: not supported");
        return NO_PLACE;
    }
    return lower_src(l, &(struct ptx_operand){.kind = OPD_SYM, .var = o->var}, PTX_B64);
}
static bool is_shared(enum ptx_space s)
{
    return s == SPACE_SHARED || s == SPACE_SHARED_CLUSTER;
}

/* ---- matrices ---- */
static bool is_byte(unsigned type)
{
    return type == PTX_S8 || type == PTX_U8;
}
static bool known_types(const struct mma_shape *s)
{
    unsigned sum = s->a_type == PTX_F64 ? PTX_F64 : is_byte(s->a_type) ? PTX_S32 : PTX_F32;
    bool half = s->a_type == PTX_F16;
    return (s->b_type == s->a_type || (is_byte(s->a_type) && is_byte(s->b_type))) &&
           (s->c_type == sum || (half && s->c_type == PTX_F16)) &&
           (s->d_type == sum || (half && s->d_type == PTX_F16));
}
static bool known_wmma(const struct mma_shape *s)
{
    bool tall =
        (s->m == 16 && s->n == 16) || (s->m == 8 && s->n == 32) || (s->m == 32 && s->n == 8);
    switch (s->a_type) {
    case PTX_F16:
    case PTX_BF16:
    case PTX_S8:
    case PTX_U8:
        return tall && s->k == 16;
    case PTX_TF32:
        return s->m == 16 && s->n == 16 && s->k == 8;
    default:
        return s->a_type == PTX_F64 && s->m == 8 && s->n == 8 && s->k == 4;
    }
}
/* Registers a lane that hold rows x cols elements; wmma has f16's factors twice. */
static uint32_t fragment(unsigned type, uint32_t rows, uint32_t cols, bool factor)
{
    uint32_t e = type == PTX_F16 || type == PTX_BF16 ? 2 : is_byte(type) ? 4 : 1;
    return factor && type == PTX_F16 ? 8 : rows * cols / (32 * e);
}
static unsigned fragment_bits(unsigned type)
{
    return type == PTX_F64 ? 64 : 32;
}
static bool known_mma(const struct mma_shape *s)
{
    static const struct {
        unsigned type;
        uint16_t m, n, k;
    } rows[] = {
        {PTX_F16, 16, 8, 8},  {PTX_F16, 16, 8, 16}, {PTX_BF16, 16, 8, 8}, {PTX_BF16, 16, 8, 16},
        {PTX_TF32, 16, 8, 4}, {PTX_TF32, 16, 8, 8}, {PTX_F64, 8, 8, 4},   {PTX_F64, 16, 8, 4},
        {PTX_F64, 16, 8, 8},  {PTX_F64, 16, 8, 16}, {PTX_S8, 8, 8, 16},   {PTX_S8, 16, 8, 16},
        {PTX_S8, 16, 8, 32},  {PTX_U8, 8, 8, 16},   {PTX_U8, 16, 8, 16},  {PTX_U8, 16, 8, 32}};
    for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (rows[k].type == s->a_type && rows[k].m == s->m && rows[k].n == s->n &&
            rows[k].k == s->k)
            return true;
    return false;
}
static void lower_product(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct mma_shape *s = xcalloc(1, sizeof(*s));
    bool wmma = p->op == OP_wmma;
    s->m = p->shape_m;
    s->n = p->shape_n;
    s->k = p->shape_k;
    s->d_type = p->types[0];
    s->c_type = p->ntypes == 2 ? p->types[1] : p->types[3];
    s->a_type = p->ntypes == 2 ? PTX_F16 : p->types[1];
    s->b_type = p->ntypes == 2 ? PTX_F16 : p->types[2];
    if (wmma) {
        s->a_col = p->col[0];
        s->b_col = p->col[1];
    }
    uint32_t *places = lower_places(l, 64), n = 0;
    if (p->noperands < 4 || ptx_has(p, M_sp) || !known_types(s) ||
        !(wmma ? known_wmma(s) : known_mma(s))) {
        lower_fail(l, "%s: not supported by the emulator", l->f->sites[l->in - l->p->insns].opcode);
        free(s);
        free(places);
        return;
    }
    const unsigned type[] = {s->d_type, s->a_type, s->b_type, s->c_type};
    const uint32_t want[] = {
        fragment(s->d_type, s->m, s->n, false), fragment(s->a_type, s->m, s->k, wmma),
        fragment(s->b_type, s->k, s->n, wmma), fragment(s->c_type, s->m, s->n, false)};
    uint32_t *const have[] = {&s->nd, &s->na, &s->nb, &s->nc};
    for (int k = 0; k < 4; k++)
        n += *have[k] =
            register_list(l, &p->operands[k], k == 0, want[k], fragment_bits(type[k]), places + n);
    struct insn *in = lower_emit(l, wmma ? "wmma_mma" : "mma");
    in->data = s;
    in->places = places;
    in->flags |= lower_float_flags(l) & (F_SATFINITE | F_ROUND);
}
static uint8_t move_space(const struct ptx_insn *p)
{
    return (uint8_t)(is_shared(p->space) ? SPACE_SHARED : p->space);
}
/* wmma.load.{a,b,c} {…}, [p]{, stride}; wmma.store.d [p], {…}{, stride} */
static void lower_wmma_move(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct mma_shape *s = xcalloc(1, sizeof(*s));
    uint32_t *places = lower_places(l, 16), stride = NO_PLACE;
    uint8_t bytes;
    int64_t offset;
    s->store = ptx_has(p, M_store);
    s->row_major = ptx_has(p, M_row);
    s->accumulator = ptx_has(p, M_c) || ptx_has(p, M_d);
    s->m = p->shape_m;
    s->n = p->shape_n;
    s->k = p->shape_k;
    s->a_type = !s->accumulator || p->types[0] == PTX_F64 ? p->types[0]
                : s->k == 8                               ? PTX_TF32
                                                          : PTX_F16; /* whose shapes it has */
    s->rows = ptx_has(p, M_b) ? p->shape_k : p->shape_m;
    s->cols = ptx_has(p, M_a) ? p->shape_k : p->shape_n;
    s->element_bytes = type_bytes(p->types[0]);
    s->nd = register_list(l, &p->operands[s->store ? 1 : 0], !s->store,
                          fragment(p->types[0], s->rows, s->cols, !s->accumulator),
                          fragment_bits(p->types[0]), places);
    uint32_t base = address(l, &p->operands[s->store ? 0 : 1], &offset, &bytes);
    if (p->noperands > 2)
        stride = lower_src(l, &p->operands[2], PTX_B32);
    struct insn *in = lower_emit(l, "wmma_move");
    in->data = s;
    in->places = places;
    in->src[0] = base;
    in->src[2] = stride;
    in->imm = offset;
    in->sub = move_space(p);
    in->flags |= F_COLLECTIVE | (bytes == 4 ? F_SHARED32 : 0);
    in->slot = lower_slot(l);
    if (!known_wmma(s))
        lower_fail(l, "this wmma shape: not supported");
}
static void lower_ldmatrix(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct mma_shape *s = xcalloc(1, sizeof(*s));
    uint32_t *places = lower_places(l, 16);
    uint8_t bytes;
    int64_t offset;
    s->store = p->op == OP_stmatrix;
    s->row_major = !ptx_has(p, M_trans);
    s->nd = register_list(l, &p->operands[s->store ? 1 : 0], !s->store,
                          ptx_has(p, M_x4)   ? 4
                          : ptx_has(p, M_x2) ? 2
                                             : 1,
                          32, places);
    uint32_t base = address(l, &p->operands[s->store ? 0 : 1], &offset, &bytes);
    struct insn *in = lower_emit(l, "ldmatrix");
    in->data = s;
    in->places = places;
    in->src[0] = base;
    in->imm = offset;
    in->sub = move_space(p);
    in->flags |= F_COLLECTIVE | (bytes == 4 ? F_SHARED32 : 0);
    in->slot = lower_slot(l);
    if (p->types[0] != PTX_B16 || p->shape_m != 8 || p->shape_n != 8)
        lower_fail(l, "this form of %s: not supported", ptx_op_name(p->op));
}
static void lower_movmatrix(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    if (p->noperands != 2 || !ptx_has(p, M_trans) || p->shape_m != 8 || p->shape_n != 8) {
        lower_fail(l, "this form of movmatrix: not supported");
        return;
    }
    uint32_t from = lower_src(l, &p->operands[1], PTX_B32);
    struct insn *in = lower_emit(l, "movmatrix");
    in->src[0] = from;
    in->dst = lower_dst(l, &p->operands[0]);
    in->width = 4;
}
bool lower_matrix(struct lower *l)
{
    switch (l->in->op) {
    case OP_mma:
        lower_product(l);
        return true;
    case OP_wmma:
        if (ptx_has(l->in, M_mma))
            lower_product(l);
        else
            lower_wmma_move(l);
        return true;
    case OP_ldmatrix:
    case OP_stmatrix:
        lower_ldmatrix(l);
        return true;
    case OP_movmatrix:
        lower_movmatrix(l);
        return true;
    default:
        return false;
    }
}

/* ---- cp.async ---- */
/* The last operand: how many bytes of the source count, or a predicate that ignores it all. */
static uint32_t source_bytes(struct lower *l, const struct ptx_operand *o, uint8_t size)
{
    if (o->kind != OPD_REG || lower_reg_bytes(l, o->reg) != 1)
        return lower_src(l, o, PTX_B32);
    struct ptx_operand all = {.kind = OPD_IMM, .imm = size}, none = {.kind = OPD_IMM};
    uint32_t p = lower_src(l, o, PTX_PRED), room = lower_scratch(l, 4 * 32);
    uint32_t yes = lower_src(l, &none, PTX_B32), no = lower_src(l, &all, PTX_B32);
    struct insn *in = lower_emit(l, "selp_32");
    in->dst = room;
    in->src[0] = yes;
    in->src[1] = no;
    in->src[2] = p;
    in->width = 4;
    in->flags |= o->negated ? F_NEG_SRC : 0;
    return room;
}
static void lower_copy(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    const struct ptx_operand *n = &p->operands[2];
    int64_t *offsets = xcalloc(2, sizeof(*offsets));
    uint8_t to_bytes, from_bytes;
    uint32_t some = NO_PLACE;
    if (p->noperands < 3 || n->kind != OPD_IMM || (n->imm != 4 && n->imm != 8 && n->imm != 16)) {
        lower_fail(l, "cp.async copies 4, 8 or 16 bytes");
        free(offsets);
        return;
    }
    uint32_t to = address(l, &p->operands[0], &offsets[0], &to_bytes);
    uint32_t from = address(l, &p->operands[1], &offsets[1], &from_bytes);
    if (p->noperands > 3 && p->operands[3].kind != OPD_NONE)
        some = source_bytes(l, &p->operands[3], (uint8_t)n->imm);
    struct insn *in = lower_emit(l, "cp_async");
    in->src[0] = to;
    in->src[1] = from;
    in->src[2] = some;
    in->size = (uint8_t)n->imm;
    in->data = offsets;
    in->flags |= to_bytes == 4 ? F_SHARED32 : 0;
    in->slot = lower_slot(l);
    lower_slot(l); /* the next one counts the shared side */
    if (from_bytes != 8)
        lower_fail(l, "cp.async: the source address is 64 bits wide");
}
/* cp.async.bulk from global to this block's shared memory, as cuda::memcpy_async writes it */
static void lower_bulk(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    int64_t *offsets = xcalloc(3, sizeof(*offsets));
    uint8_t to_bytes, from_bytes, barrier_bytes;
    uint32_t to = address(l, &p->operands[0], &offsets[0], &to_bytes);
    uint32_t from = address(l, &p->operands[1], &offsets[1], &from_bytes);
    uint32_t n = lower_src(l, &p->operands[2], PTX_B32);
    uint32_t barrier = address(l, &p->operands[3], &offsets[2], &barrier_bytes);
    struct insn *in = lower_emit(l, "cp_bulk");
    in->src[0] = to;
    in->src[1] = from;
    in->src[2] = n;
    in->src[3] = barrier;
    in->data = offsets;
    in->width = barrier_bytes;
    in->flags |= to_bytes == 4 ? F_SHARED32 : 0;
    in->slot = lower_slot(l);
    lower_slot(l); /* the next one counts the shared side */
    if (from_bytes != 8)
        lower_fail(l, "cp.async.bulk: the source address is 64 bits wide");
}
static bool is_bulk_load(const struct ptx_insn *p)
{
    return ptx_has(p, M_bulk) && ptx_has(p, M_complete_tx) && !ptx_has(p, M_tensor) &&
           !ptx_has(p, M_multicast) && is_shared(p->space) && p->space2 == SPACE_GLOBAL &&
           p->noperands >= 4;
}
static void lower_cp(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    if (is_bulk_load(p))
        lower_bulk(l);
    else if (!ptx_has(p, M_async) || ptx_has(p, M_bulk) || ptx_has(p, M_tensor)) {
        lower_fail(l, "%s: not supported by the emulator", l->f->sites[p - l->p->insns].opcode);
    } else if (ptx_has(p, M_commit_group)) {
        lower_emit(l, "cp_commit");
    } else if (ptx_has(p, M_wait_all)) {
        lower_emit(l, "cp_wait")->imm = -1;
    } else if (ptx_has(p, M_wait_group)) {
        if (p->noperands < 1 || p->operands[0].kind != OPD_IMM)
            lower_fail(l, "cp.async.wait_group needs a number");
        else
            lower_emit(l, "cp_wait")->imm = (int64_t)p->operands[0].imm;
    } else if (ptx_has(p, M_mbarrier)) {
        int64_t offset;
        uint8_t bytes;
        uint32_t at = address(l, &p->operands[0], &offset, &bytes);
        struct insn *in = lower_emit(l, "mbarrier");
        in->src[0] = at;
        in->imm = offset;
        in->flags |= bytes == 4 ? F_SHARED32 : 0;
        in->sub = M_mbarrier;
        in->count = ptx_has(p, M_noinc) ? 2 : 1;
    } else {
        lower_copy(l);
    }
}

/* ---- mbarrier ---- */
static uint8_t mbarrier_operation(const struct ptx_insn *p)
{
    if (ptx_has(p, M_parity))
        return M_parity;
    if (ptx_has(p, M_test_wait) || ptx_has(p, M_try_wait))
        return M_test_wait;
    if (ptx_has(p, M_expect_tx))
        return M_expect_tx;
    static const enum ptx_mod ops[] = {M_init,        M_inval,         M_arrive_drop, M_noComplete,
                                       M_complete_tx, M_pending_count, M_arrive};
    for (unsigned k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
        if (ptx_has(p, ops[k]))
            return (uint8_t)ops[k];
    return 0;
}
static void lower_mbarrier(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    uint8_t what = mbarrier_operation(p), bytes = 8, width = 4;
    bool result = p->noperands && p->operands[0].kind != OPD_ADDR;
    uint32_t first = result ? 1 : 0, base, extra = NO_PLACE;
    int64_t offset = 0;
    if (!what || p->noperands <= first || p->space == SPACE_SHARED_CLUSTER) {
        lower_fail(l, "this form of mbarrier: not supported");
        return;
    }
    if (what == M_pending_count)
        base = lower_src(l, &p->operands[1], PTX_B64);
    else
        base = address(l, &p->operands[first], &offset, &bytes);
    if (what != M_pending_count && p->noperands > first + 1)
        extra = lower_src_any(l, &p->operands[first + 1], what == M_test_wait ? PTX_B64 : PTX_B32,
                              &width);
    struct insn *in = lower_emit(l, "mbarrier");
    in->src[0] = base;
    in->src[1] = extra;
    in->src_width = width;
    in->imm = offset;
    in->flags |= bytes == 4 ? F_SHARED32 : 0;
    in->sub = what;
    in->count = what == M_expect_tx && ptx_has(p, M_arrive) ? 2 : 1;
    in->flags |= ptx_has(p, M_relaxed) ? F_RELAXED : 0;
    in->flags |= (ptx_has(p, M_cluster) ? 2u : 1u) << F_SCOPE_SHIFT;
    if (result) {
        in->dst = lower_dst(l, &p->operands[0]);
        in->width = what == M_pending_count ? 4 : 8;
    }
}

bool lower_async(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    uint8_t width;
    struct insn *in;
    switch (p->op) {
    case OP_cp:
        lower_cp(l);
        return true;
    case OP_mbarrier:
        lower_mbarrier(l);
        return true;
    case OP_mapa:
    case OP_getctarank: {
        uint32_t a = lower_src_any(l, &p->operands[1], PTX_B64, &width), rank = NO_PLACE;
        if (p->op == OP_mapa)
            rank = lower_src(l, &p->operands[2], PTX_B32);
        in = lower_emit(l, "%s", ptx_op_name(p->op));
        in->src[0] = a;
        in->src[1] = rank;
        in->src_width = width;
        in->width = p->op == OP_mapa ? width : 4;
        in->dst = lower_dst(l, &p->operands[0]);
        return true;
    }
    case OP_barrier: /* barrier.cluster */
        if (ptx_has(p, M_arrive)) {
            in = lower_emit(l, "cluster_arrive");
        } else { /* in a cluster of one block: a barrier of the block */
            uint32_t id = lower_const(l, CONST_IMM, 4, CLUSTER_BARRIER, 0, false);
            in = lower_emit(l, "cluster_wait");
            in->src[0] = id;
            in->sub = M_sync;
            in->slot = lower_slot(l);
        }
        return true;
    default:
        return false;
    }
}

/* ---- video ---- */
bool lower_video(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    if (p->op != OP_vabsdiff4 && p->op != OP_vabsdiff2)
        return false;
    if (p->ntypes < 3 || p->noperands < 4 || ptx_has(p, M_sat)) {
        lower_fail(l, "this form of %s: not supported",
                   p->op == OP_vabsdiff2 ? "vabsdiff2" : "vabsdiff4");
        return true;
    }
    bool add = ptx_has(p, M_add);
    uint32_t s[3];
    for (int k = 0; k < 3; k++)
        s[k] = lower_src(l, &p->operands[k + 1], PTX_B32);
    struct insn *in = lower_emit(l, "absdiff%d_%c%c%s", p->op == OP_vabsdiff2 ? 2 : 4,
                                 p->types[1] == PTX_S32 ? 's' : 'u',
                                 p->types[2] == PTX_S32 ? 's' : 'u', add ? "_add" : "");
    for (int k = 0; k < 3; k++)
        in->src[k] = s[k];
    in->dst = lower_dst(l, &p->operands[0]);
    return true;
}
