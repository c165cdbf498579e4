/* lower_async.c - what asynchronous copies, mbarriers and addresses in a cluster become. */
#include "lower.h"
#include "tensor_copy.h"
#include <stdlib.h>

/* ---- cp.async ---- */
/* The last operand: how many bytes of the source count, or a predicate that ignores it all. */
static uint32_t source_bytes(struct lower *l, const struct ptx_operand *o, uint8_t size)
{
    if (o->kind != OPD_REG || lower_reg_bytes(l, o->reg) != 1)
        return lower_src(l, o, PTX_B32);
    struct ptx_operand all = {.kind = OPD_IMM, .imm = size}, none = {.kind = OPD_IMM};
    uint32_t p = lower_src(l, o, PTX_PRED), room = lower_scratch(l, 4 * 32);
    uint32_t yes = lower_src(l, &none, PTX_B32), no = lower_src(l, &all, PTX_B32);
    struct insn *in = lower_emit(l, H_selp_32);
    in->dst = room;
    in->src[0] = yes;
    in->src[1] = no;
    in->src[2] = p;
    in->width = 4;
    in->flags |= o->negated ? F_NEG_SRC : 0;
    return room;
}
static void copy(struct lower *l)
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
    uint32_t to = lower_base(l, &p->operands[0], &offsets[0], &to_bytes);
    uint32_t from = lower_base(l, &p->operands[1], &offsets[1], &from_bytes);
    if (p->noperands > 3 && p->operands[3].kind != OPD_NONE)
        some = source_bytes(l, &p->operands[3], (uint8_t)n->imm);
    struct insn *in = lower_emit(l, H_cp_async);
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
/* ---- bytes: cp.async.bulk, cp.reduce.async.bulk, st.async, red.async ---- */
static uint32_t async_address(struct lower *l, const struct ptx_operand *o, struct async_address *a)
{
    return lower_base(l, o, &a->offset, &a->bytes);
}
/* Is there such a reduction, of global memory (PTX ISA 9.7.9.25.5.2) or of shared memory? */
static bool bulk_reduces(const struct ptx_insn *p, uint8_t kind, bool global)
{
    enum ptx_type t = p->ntypes ? p->types[0] : PTX_NOTYPE;
    bool half = t == PTX_F16 || t == PTX_BF16;
    switch (kind) {
    case M_add:
        return t == PTX_U32 || t == PTX_S32 || t == PTX_U64 || (t == PTX_S64 && p->op == OP_red) ||
               (global && (t == PTX_F32 || t == PTX_F64 || (half && ptx_has(p, M_noftz))));
    case M_min:
    case M_max:
        return t == PTX_U32 || t == PTX_S32 || (global && (t == PTX_U64 || t == PTX_S64 || half));
    case M_inc:
    case M_dec:
        return t == PTX_U32;
    case M_and:
    case M_or:
    case M_xor:
        return t == PTX_B32 || (global && t == PTX_B64);
    default:
        return false;
    }
}
static uint8_t reduction_of(struct lower *l)
{
    return FIRST_MOD(l, M_add, M_min, M_max, M_inc, M_dec, M_and, M_or, M_xor);
}
/* [to], [from], bytes {, [mbarrier] {, mask of blocks}} */
static void bulk_copy(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct bulk_copy *c = xcalloc(1, sizeof(*c));
    c->to_shared = is_shared(p->space);
    c->from_shared = is_shared(p->space2);
    c->multicast = ptx_has(p, M_multicast);
    c->reduction = ptx_has(p, M_reduce) ? reduction_of(l) : (uint8_t)M_none;
    c->type = (uint8_t)(p->ntypes ? p->types[0] : PTX_NOTYPE);
    bool load = c->to_shared && (c->from_shared || p->space2 == SPACE_GLOBAL) &&
                ptx_has(p, M_complete_tx) && p->noperands == (c->multicast ? 5 : 4);
    bool store = p->space == SPACE_GLOBAL && p->space2 == SPACE_SHARED &&
                 ptx_has(p, M_bulk_group) && p->noperands == 3 && !c->multicast;
    bool reduces =
        !ptx_has(p, M_reduce) || (c->from_shared && bulk_reduces(p, c->reduction, store));
    if (!(load || store) || !reduces || ptx_has(p, M_cp_mask) ||
        (c->multicast && (c->from_shared || p->space != SPACE_SHARED_CLUSTER))) {
        lower_unsupported(l);
        free(c);
        return;
    }
    uint32_t *places = lower_places(l, 5);
    places[0] = async_address(l, op(l, 0), &c->to);
    places[1] = async_address(l, op(l, 1), &c->from);
    places[2] = lower_src(l, op(l, 2), PTX_B32);
    if (load)
        places[3] = async_address(l, op(l, 3), &c->barrier);
    if (c->multicast)
        places[4] = lower_src(l, op(l, 4), PTX_B16);
    struct insn *in = lower_emit(l, H_cp_bulk);
    in->places = places;
    in->data = c;
    in->size = (uint8_t)type_bytes((enum ptx_type)c->type);
    in->slot = lower_slot(l);
    lower_slot(l); /* the next one counts the shared side */
    if ((c->to_shared ? c->from_shared ? 8 : c->from.bytes : c->to.bytes) != 8)
        lower_fail(l, "cp.async.bulk: an address in global memory is 64 bits wide");
}
/* st.async [to], value, [mbarrier]; red.async the same */
void lower_async_element(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    const struct ptx_operand *value = op(l, 1);
    enum ptx_type t = type(l);
    uint32_t n = p->vec;
    uint8_t kind = p->op == OP_red ? reduction_of(l) : (uint8_t)M_none;
    bool exists = p->op == OP_red ? n == 1 && bulk_reduces(p, kind, false)
                                  : type_bytes(t) == 4 || (type_bytes(t) == 8 && n <= 2);
    if (p->space != SPACE_SHARED_CLUSTER || !ptx_has(p, M_complete_tx) || p->noperands != 3 ||
        !exists || ptx_has(p, M_mmio) ||
        (n > 1 && (value->kind != OPD_VEC || value->nelems != n))) {
        lower_unsupported(l);
        return;
    }
    struct bulk_copy *c = xcalloc(1, sizeof(*c));
    uint32_t *places = lower_places(l, 1 + n);
    uint8_t width = 0;
    c->reduction = kind;
    c->type = (uint8_t)t;
    uint32_t to = async_address(l, op(l, 0), &c->to);
    for (uint32_t k = 0; k < n; k++)
        places[1 + k] = lower_src_any(l, n > 1 ? &value->elems[k] : value, t, &width);
    places[0] = async_address(l, op(l, 2), &c->barrier);
    struct insn *in = lower_emit(l, H_st_async);
    in->src[0] = to;
    in->places = places;
    in->data = c;
    in->slot = lower_slot(l);
    in->src_width = width;
    in->size = (uint8_t)type_bytes(t);
    in->count = (uint8_t)n;
}
/* ---- tiles: cp.async.bulk.tensor ---- */
static uint32_t tensor_rank(const struct lower *l)
{
    switch (FIRST_MOD(l, M_1d, M_2d, M_3d, M_4d, M_5d)) {
    case M_1d:
        return 1;
    case M_2d:
        return 2;
    case M_3d:
        return 3;
    case M_4d:
        return 4;
    case M_5d:
        return 5;
    default:
        return 0;
    }
}
static bool is_list(const struct ptx_operand *o, uint32_t n)
{
    return o->kind == OPD_VEC && o->nelems == n;
}
/* [shared], [map, {…}], [mbarrier] {, {offsets}} {, mask of blocks}, or [map, {…}], [shared] */
static void tensor_copy(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct tensor_copy *t = xcalloc(1, sizeof(*t));
    t->store = p->space == SPACE_GLOBAL;
    t->rank = tensor_rank(l);
    t->reduction = ptx_has(p, M_reduce) ? reduction_of(l) : (uint8_t)M_none;
    t->multicast = ptx_has(p, M_multicast);
    t->image = ptx_has(p, t->store ? M_im2col_no_offs : M_im2col);
    const struct ptx_operand *map = op(l, t->store ? 0 : 1), *at = map->elems;
    uint32_t offsets = t->image && !t->store && t->rank > 2 ? t->rank - 2 : 0;
    bool load = !t->store && is_shared(p->space) && p->space2 == SPACE_GLOBAL &&
                ptx_has(p, M_complete_tx) && p->noperands == 3u + t->multicast + !!offsets &&
                (!offsets || is_list(op(l, 3), offsets));
    bool store = t->store && is_shared(p->space2) && ptx_has(p, M_bulk_group) && !t->multicast &&
                 p->noperands == 2 && (ptx_has(p, M_reduce) == (t->reduction != M_none));
    if (!(load || store) || (t->image && t->rank < 3) || map->nelems != 1 ||
        !is_list(at, t->rank)) {
        lower_unsupported(l);
        free(t);
        return;
    }
    uint32_t *places = lower_places(l, t->rank + offsets), barrier = NO_PLACE, mask = NO_PLACE;
    for (uint32_t d = 0; d < t->rank; d++)
        places[d] = lower_src(l, &at->elems[d], PTX_S32);
    for (uint32_t d = 0; d < offsets; d++)
        places[t->rank + d] = lower_src(l, &op(l, 3)->elems[d], PTX_B16);
    uint32_t from = async_address(l, map, &t->at);
    uint32_t to = async_address(l, op(l, t->store ? 1 : 0), &t->shared);
    if (load)
        barrier = async_address(l, op(l, 2), &t->barrier);
    if (t->multicast)
        mask = lower_src(l, op(l, offsets ? 4 : 3), PTX_B16);
    struct insn *in = lower_emit(l, H_cp_tensor);
    in->src[0] = to;
    in->src[1] = from;
    in->src[2] = barrier;
    in->src[3] = mask;
    in->places = places;
    in->data = t;
    in->slot = lower_slot(l);
    lower_slot(l); /* the next one counts the shared side */
}
/* ---- maps that kernels change: tensormap ---- */
static bool has_ordinal(uint8_t field)
{
    return field == M_box_dim || field == M_global_dim || field == M_global_stride ||
           field == M_element_stride;
}
/* .replace.tile.field [map], {ordinal,} value; .cp_fenceproxy [to], [from], 128 */
void lower_tensormap(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct tensor_change *c = xcalloc(1, sizeof(*c));
    c->field = FIRST_MOD(l, M_cp_fenceproxy, M_global_address, M_rank, M_box_dim, M_global_dim,
                         M_global_stride, M_element_stride, M_elemtype, M_interleave_layout,
                         M_swizzle_mode, M_fill_mode);
    bool copies = c->field == M_cp_fenceproxy, counted = has_ordinal(c->field);
    uint32_t n = copies ? 3 : 2u + counted, value = n - 1;
    const struct ptx_operand *ordinal = op(l, 1);
    uint64_t dimensions = c->field == M_global_stride ? 4 : 5;
    if (!c->field || p->noperands != n ||
        (counted && (ordinal->kind != OPD_IMM || ordinal->imm >= dimensions)) ||
        (!copies && !(ptx_has(p, M_replace) && ptx_has(p, M_tile)))) {
        lower_unsupported(l);
        free(c);
        return;
    }
    c->shared = !copies && is_shared(p->space);
    c->ordinal = counted ? (uint8_t)ordinal->imm : 0;
    uint8_t width = 0;
    uint32_t to = async_address(l, op(l, 0), &c->to), from;
    if (copies)
        from = async_address(l, op(l, 1), &c->from);
    else
        from = lower_src_any(l, op(l, value), type(l), &width);
    struct insn *in = lower_emit(l, H_tensormap);
    in->src[0] = to;
    in->src[1] = from;
    in->src_width = width;
    in->data = c;
}
/* Into L2: changes no result. Of tiles, of bytes. */
static void prefetch(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    const struct ptx_operand *map = op(l, 0);
    uint32_t rank = tensor_rank(l);
    bool image = ptx_has(p, M_im2col);
    bool tile =
        ptx_has(p, M_tensor) && map->nelems == 1 && is_list(map->elems, rank) &&
        (image ? rank > 2 && p->noperands == 2 && is_list(op(l, 1), rank - 2) : p->noperands == 1);
    if (tile || (!ptx_has(p, M_tensor) && p->noperands == 2 && p->space == SPACE_GLOBAL))
        lower_emit(l, H_nop);
    else
        lower_unsupported(l);
}
static bool of_bulk_groups(const struct ptx_insn *p) /* what takes place at once, is waited for */
{
    return ptx_has(p, M_bulk) && (ptx_has(p, M_commit_group) || ptx_has(p, M_wait_group));
}
static void bulk_group(struct lower *l)
{
    struct insn *in = lower_emit(l, H_bulk_group);
    in->sub = FIRST_MOD(l, M_commit_group, M_wait_group);
    if (in->sub == M_wait_group)
        in->imm = (int64_t)op(l, 0)->imm;
}
static void wait_group(struct lower *l)
{
    const struct ptx_operand *n = op(l, 0);
    if (n->kind != OPD_IMM)
        lower_fail(l, "cp.async.wait_group needs a number");
    else
        lower_emit(l, H_cp_wait)->imm = (int64_t)n->imm;
}
static void mbarrier_arrive(struct lower *l)
{
    int64_t offset;
    uint8_t bytes;
    uint32_t at = lower_base(l, op(l, 0), &offset, &bytes);
    struct insn *in = lower_emit(l, H_mbarrier);
    in->src[0] = at;
    in->imm = offset;
    in->flags |= bytes == 4 ? F_SHARED32 : 0;
    in->sub = M_mbarrier;
    in->count = ptx_has(l->in, M_noinc) ? 2 : 1;
}
void lower_cp(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    if (ptx_has(p, M_bulk) && ptx_has(p, M_prefetch))
        prefetch(l);
    else if (ptx_has(p, M_tensor))
        tensor_copy(l);
    else if (of_bulk_groups(p))
        bulk_group(l);
    else if (ptx_has(p, M_bulk))
        bulk_copy(l);
    else if (!ptx_has(p, M_async))
        lower_unsupported(l);
    else if (ptx_has(p, M_commit_group))
        lower_emit(l, H_cp_commit);
    else if (ptx_has(p, M_wait_all))
        lower_emit(l, H_cp_wait)->imm = -1;
    else if (ptx_has(p, M_wait_group))
        wait_group(l);
    else if (ptx_has(p, M_mbarrier))
        mbarrier_arrive(l);
    else
        copy(l);
}

/* ---- mbarrier ---- */
static uint8_t mbarrier_operation(struct lower *l)
{
    return ptx_has(l->in, M_try_wait) && !ptx_has(l->in, M_parity)
               ? M_test_wait
               : FIRST_MOD(l, M_parity, M_test_wait, M_expect_tx, M_init, M_inval, M_arrive_drop,
                           M_noComplete, M_complete_tx, M_pending_count, M_arrive);
}
void lower_mbarrier(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    uint8_t what = mbarrier_operation(l), bytes = 8, width = 4;
    bool result = p->noperands && p->operands[0].kind != OPD_ADDR;
    uint32_t first = result ? 1 : 0, base, extra = NO_PLACE;
    int64_t offset = 0;
    if (!what || p->noperands <= first) {
        lower_fail(l, "this form of mbarrier: not supported");
        return;
    }
    if (what == M_pending_count)
        base = lower_src(l, &p->operands[1], PTX_B64);
    else
        base = lower_base(l, &p->operands[first], &offset, &bytes);
    if (what != M_pending_count && p->noperands > first + 1)
        extra = lower_src_any(l, &p->operands[first + 1], what == M_test_wait ? PTX_B64 : PTX_B32,
                              &width);
    struct insn *in = lower_emit(l, H_mbarrier);
    in->src[0] = base;
    in->src[1] = extra;
    in->src_width = width;
    in->imm = offset;
    in->flags |= bytes == 4 ? F_SHARED32 : 0;
    in->sub = what;
    in->count = what != M_expect_tx         ? 1
                : ptx_has(p, M_arrive)      ? 2
                : ptx_has(p, M_arrive_drop) ? 3
                                            : 1;
    in->flags |= ptx_has(p, M_relaxed) ? F_RELAXED : 0;
    in->flags |= (ptx_has(p, M_cluster) ? 2u : 1u) << F_SCOPE_SHIFT;
    if (result) {
        in->dst = lower_dst(l, &p->operands[0]);
        in->width = what == M_pending_count ? 4 : 8;
    }
}

/* ---- addresses of other blocks' shared memory: mapa, getctarank ---- */
void lower_cluster_address(struct lower *l)
{
    bool map = l->in->op == OP_mapa;
    uint8_t width;
    uint32_t a = lower_src_any(l, op(l, 1), PTX_B64, &width), rank = NO_PLACE;
    if (map)
        rank = lower_src(l, op(l, 2), PTX_B32);
    struct insn *in = lower_emit(l, lower_handler(l));
    in->src[0] = a;
    in->src[1] = rank;
    in->src_width = width;
    in->width = map ? width : 4;
    in->dst = lower_dst(l, op(l, 0));
}
