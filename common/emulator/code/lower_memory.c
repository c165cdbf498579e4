/* lower_memory.c - loads, stores, atomics, fences: space, size and order of each. */
#include "lower.h"

static uint32_t scope_flags(const struct ptx_insn *p)
{
    uint32_t s = ptx_has(p, M_cta)                       ? 1
                 : ptx_has(p, M_cluster)                 ? 2
                 : ptx_has(p, M_gpu) || ptx_has(p, M_gl) ? 3
                 : ptx_has(p, M_sys)                     ? 4
                                                         : 0;
    uint32_t f = s << F_SCOPE_SHIFT;
    if (ptx_has(p, M_volatile) || ptx_has(p, M_mmio))
        f |= F_VOLATILE;
    if (ptx_has(p, M_relaxed))
        f |= F_RELAXED;
    if (ptx_has(p, M_acquire) || ptx_has(p, M_acq_rel))
        f |= F_ACQUIRE;
    if (ptx_has(p, M_release) || ptx_has(p, M_acq_rel))
        f |= F_RELEASE;
    return f;
}
static void elements(struct lower *l, const struct ptx_operand *o, bool store, uint32_t **places,
                     uint32_t *single, uint8_t *width)
{
    enum ptx_type t = l->in->types[0];
    *width = type_bytes(t) <= 2 ? 2 : (uint8_t)type_bytes(t);
    *places = NULL;
    *single = NO_PLACE;
    if (t == PTX_B128) { /* as .v2.b64: the halves of its register */
        *places = lower_places(l, 2);
        (*places)[0] = store ? lower_src(l, o, t) : lower_dst(l, o);
        (*places)[1] = (*places)[0] == NO_PLACE ? NO_PLACE : (*places)[0] + WIDE_HALF;
        *width = 8;
        if (o->kind != OPD_REG || lower_reg_bytes(l, o->reg) != 16)
            lower_fail(l, "a 128-bit access takes a .b128 register");
        return;
    }
    if ((o->kind == OPD_VEC ? o->nelems : 1) != (l->in->vec ? l->in->vec : 1)) {
        lower_fail(l, "this access takes %u elements", l->in->vec ? l->in->vec : 1);
        return;
    }
    if (o->kind != OPD_VEC) {
        if (store)
            *single = lower_src_any(l, o, t, width);
        else {
            *single = lower_dst(l, o);
            if (o->kind == OPD_REG)
                *width = lower_reg_bytes(l, o->reg);
        }
        return;
    }
    *places = lower_places(l, o->nelems);
    for (uint32_t k = 0; k < o->nelems; k++) {
        const struct ptx_operand *e = &o->elems[k];
        uint8_t bytes = *width;
        (*places)[k] = store ? lower_src_any(l, e, t, &bytes) : lower_dst(l, e);
        if (e->kind == OPD_REG)
            bytes = lower_reg_bytes(l, e->reg);
        if (k && bytes != *width && e->kind != OPD_SINK)
            lower_fail(l, "vector elements of different width: not supported");
        if (e->kind != OPD_SINK)
            *width = bytes;
    }
    if (o->nelems == 1)
        *single = (*places)[0];
}

/* .param of this function's calls and signature: rows in the frame */
static bool lower_frame_access(struct lower *l, const struct ptx_operand *address, bool store)
{
    const struct ptx_operand *value = &l->in->operands[store ? 1 : 0];
    const struct param_place *at = address->var ? lower_param(l, address->var) : NULL;
    if (!at)
        return false;
    uint32_t *places, single;
    uint8_t width;
    if (l->in->types[0] == PTX_B128)
        lower_fail(l, "a .b128 argument: not supported");
    if (address->has_reg)
        lower_fail(l, "indexed access to a .param variable: not supported");
    uint64_t bytes = (uint64_t)type_bytes(l->in->types[0]) * (l->in->vec ? l->in->vec : 1);
    if (address->offset < 0 || (uint64_t)address->offset + bytes > ROUND_UP(at->var->size, 4))
        lower_fail(l, "access outside the .param variable %s", at->var->name);
    elements(l, value, store, &places, &single, &width);
    struct insn *in = lower_emit(l, store ? H_st_frame : H_ld_frame);
    in->taken = at->offset;
    in->imm = address->offset;
    in->size = (uint8_t)type_bytes(l->in->types[0]);
    in->count = l->in->vec ? l->in->vec : 1;
    in->places = places;
    in->width = in->src_width = width;
    if (store)
        in->src[1] = single;
    else
        in->dst = single;
    if (is_signed_type(l->in->types[0]))
        in->flags |= F_SIGNED;
    return true;
}

/* Handlers by space; H_none: there is no such access. */
#define NSPACES (SPACE_SHARED_CLUSTER + 1)
static const uint16_t loads[NSPACES] = {
    [SPACE_GENERIC] = H_ld_generic,
    [SPACE_CONST] = H_ld_global,
    [SPACE_GLOBAL] = H_ld_global,
    [SPACE_LOCAL] = H_ld_local,
    [SPACE_PARAM] = H_ld_param,
    [SPACE_SHARED] = H_ld_shared,
    [SPACE_SHARED_CLUSTER] = H_ld_cluster,
};
static const uint16_t stores[NSPACES] = {
    [SPACE_GENERIC] = H_st_generic,
    [SPACE_GLOBAL] = H_st_global,
    [SPACE_LOCAL] = H_st_local,
    [SPACE_SHARED] = H_st_shared,
    [SPACE_SHARED_CLUSTER] = H_st_cluster,
};
static const uint16_t atomics[NSPACES] = {
    [SPACE_GENERIC] = H_atom_generic,
    [SPACE_GLOBAL] = H_atom_global,
    [SPACE_SHARED] = H_atom_shared,
    [SPACE_SHARED_CLUSTER] = H_atom_cluster,
};
/* The same for one element of 4 or 8 bytes, as wide as its register. */
static enum handler_id access_handler(enum ptx_space s, bool store, uint8_t size)
{
    bool global = s == SPACE_GLOBAL || s == SPACE_CONST;
    if (global && size == 4)
        return store ? H_st_global_4 : H_ld_global_4;
    if (global && size == 8)
        return store ? H_st_global_8 : H_ld_global_8;
    if (s == SPACE_SHARED && size == 4)
        return store ? H_st_shared_4 : H_ld_shared_4;
    return store ? stores[s] : loads[s];
}
static void lower_access(struct lower *l, bool store)
{
    const struct ptx_insn *p = l->in;
    if (p->noperands < 2 || !p->ntypes) {
        lower_fail(l, "operand missing");
        return;
    }
    const struct ptx_operand *address = &p->operands[store ? 0 : 1];
    if (!store && p->operands[0].kind == OPD_REG && l->aliased[p->operands[0].reg])
        return;
    enum ptx_space space = p->space;
    if (space == SPACE_PARAM && lower_frame_access(l, address, store))
        return;
    if (space == SPACE_PARAM && store) {
        lower_fail(l, "store to a kernel parameter");
        return;
    }
    if (space == SPACE_CONST && store) {
        lower_fail(l, "store to constant memory");
        return;
    }
    enum ptx_type t = p->types[0];
    uint8_t size = (uint8_t)type_bytes(t), count = p->vec ? p->vec : 1;
    if (t == PTX_B128 && count == 1)
        size = 8, count = 2;
    if (size > 8 || (uint32_t)size * count > 16) {
        lower_fail(l, "accesses of more than 16 bytes: not supported");
        return;
    }
    uint32_t *places, single;
    uint8_t width;
    elements(l, &p->operands[store ? 1 : 0], store, &places, &single, &width);
    bool plain = count == 1 && size == width && single != NO_PLACE;
    struct insn *in = lower_emit(l, access_handler(space, store, plain ? size : 0));
    uint32_t at = (uint32_t)(in - l->out);
    in->size = size;
    in->count = count;
    in->places = places;
    in->width = in->src_width = width;
    if (store)
        in->src[1] = single;
    else
        in->dst = single;
    in->flags |= scope_flags(p);
    if (is_signed_type(t))
        in->flags |= F_SIGNED;
    access_slots(l, in, space == SPACE_GENERIC);
    lower_address(l, &l->out[at], address, space);
}

void lower_load(struct lower *l)
{
    lower_access(l, false);
}
void lower_store(struct lower *l)
{
    if (ptx_has(l->in, M_async))
        lower_async_element(l);
    else
        lower_access(l, true);
}

/* ---- atomics ---- */
/* What the ISA has: vectors of floats and halves add, those of halves know min and max too. */
static bool atomic_exists(const struct ptx_insn *p, enum ptx_type t, uint8_t kind)
{
    unsigned size = type_bytes(t), n = p->vec > 1 ? p->vec : 1;
    bool swap = kind == M_cas || kind == M_exch;
    if (n > 1)
        return size * n <= 16 && p->space != SPACE_SHARED && p->space != SPACE_SHARED_CLUSTER &&
               (is_half_type(t) ? kind == M_add || kind == M_min || kind == M_max
                                : t == PTX_F32 && kind == M_add);
    if (is_half_type(t))
        return kind == M_add;
    return kind && size >= (swap ? 2 : 4) && size <= (swap ? 16 : 8);
}
/* The elements' places for results, or none, and behind them those of the values to join. */
static void atomic_vector(struct lower *l, struct insn *v, const struct ptx_operand *d,
                          const struct ptx_operand *b)
{
    uint32_t n = l->in->vec;
    if (b->kind != OPD_VEC || b->nelems != n || (d && (d->kind != OPD_VEC || d->nelems != n))) {
        lower_fail(l, "this atomic operation takes %u elements in braces", n);
        return;
    }
    uint32_t *places = lower_places(l, 2 * n);
    v->places = places;
    v->count = (uint8_t)n;
    v->flags |= F_RED;
    for (uint32_t k = 0; k < n; k++) {
        places[k] = d ? lower_dst(l, &d->elems[k]) : NO_PLACE;
        places[n + k] = lower_src_any(l, &b->elems[k], l->in->types[0], &v->src_width);
        if (d && d->elems[k].kind == OPD_REG) {
            v->width = lower_reg_bytes(l, d->elems[k].reg);
            v->flags &= ~(uint32_t)F_RED;
        }
    }
}
static void atomic_scalar(struct lower *l, struct insn *v, const struct ptx_operand *d,
                          const struct ptx_operand *b)
{
    enum ptx_type t = l->in->types[0];
    v->src[1] = lower_src_any(l, b, t, &v->src_width);
    uint8_t width = v->src_width;
    if (v->sub == M_cas)
        v->src[2] = lower_src_any(l, b + 1, t, &width);
    if (d)
        v->dst = lower_dst(l, d);
    v->width = d && d->kind == OPD_REG ? lower_reg_bytes(l, d->reg) : v->src_width;
    if (v->size == 16 && (v->src_width != 16 || v->width != 16 || width != 16))
        lower_fail(l, "a 128-bit atomic operation takes .b128 registers");
    if (v->dst == NO_PLACE)
        v->flags |= F_RED;
}
/* d: the destination; NULL: red's, which has none */
static void atomic(struct lower *l, const struct ptx_operand *d)
{
    const struct ptx_insn *p = l->in;
    const struct ptx_operand *address = &p->operands[d ? 1 : 0];
    enum ptx_type t = p->ntypes ? p->types[0] : PTX_NOTYPE;
    struct insn v = {
        .sub = FIRST_MOD(l, M_add, M_min, M_max, M_inc, M_dec, M_and, M_or, M_xor, M_cas, M_exch),
        .sub2 = (uint8_t)t,
        .flags = scope_flags(p),
        .count = 1};
    v.size = (uint8_t)type_bytes(t);
    v.dst = v.src[1] = v.src[2] = NO_PLACE;
    if (!atomic_exists(p, t, v.sub)) {
        lower_fail(l, "this atomic operation: not supported");
        return;
    }
    if (v.sub != M_add && v.sub != M_min && v.sub != M_max && is_float_type(t)) {
        lower_fail(l, "this atomic operation has no floating-point form");
        return;
    }
    if (p->vec > 1) /* before the instruction: operands may need some of their own */
        atomic_vector(l, &v, d, address + 1);
    else
        atomic_scalar(l, &v, d, address + 1);
    struct insn *in = lower_emit(l, atomics[p->space]);
    uint32_t at = (uint32_t)(in - l->out);
    in->src[1] = v.src[1];
    in->src[2] = v.src[2];
    in->dst = v.dst;
    in->places = v.places;
    in->count = v.count;
    in->sub = v.sub;
    in->sub2 = v.sub2;
    in->size = v.size;
    in->width = v.width;
    in->src_width = v.src_width;
    in->flags |= v.flags;
    access_slots(l, in, p->space == SPACE_GENERIC);
    lower_address(l, &l->out[at], address, p->space);
}
void lower_atomic(struct lower *l)
{
    atomic(l, op(l, 0));
}
void lower_reduction(struct lower *l)
{
    if (ptx_has(l->in, M_async))
        lower_async_element(l);
    else
        atomic(l, NULL);
}

/* ---- order, and what is asked of addresses ---- */
/* .tensormap::generic.acquire [map], 128: which map is told besides. */
static void fence_map(struct lower *l)
{
    uint8_t bytes;
    int64_t offset;
    uint32_t base = lower_base(l, op(l, 0), &offset, &bytes);
    struct insn *in = lower_emit(l, H_fence_map);
    in->src[0] = base;
    in->imm = offset;
    in->flags |= bytes == 4 ? F_SHARED32 : 0;
}
void lower_fence(struct lower *l)
{
    if (ptx_has(l->in, M_tensormap) && l->in->noperands == 2 && op(l, 0)->kind == OPD_ADDR)
        fence_map(l);
    struct insn *in = lower_emit(l, H_fence);
    uint32_t f = scope_flags(l->in);
    if (!(f >> F_SCOPE_SHIFT & 7))
        f |= (ptx_has(l->in, M_proxy) ? 1u : 3u) << F_SCOPE_SHIFT;
    in->flags |= f;
    in->sub = (f & F_ACQUIRE && !(f & F_RELEASE)) ? 2 : (f & F_RELEASE && !(f & F_ACQUIRE)) ? 4 : 6;
}
void lower_isspacep(struct lower *l)
{
    static const struct {
        enum ptx_mod m;
        enum ptx_space s;
        uint64_t window;
    } rows[] = {{M_global, SPACE_GLOBAL, 0},
                {M_shared, SPACE_SHARED, MEM_SHARED_BASE},
                {M_shared, SPACE_SHARED_CLUSTER, MEM_SHARED_BASE},
                {M_local, SPACE_LOCAL, MEM_LOCAL_BASE},
                {M_param, SPACE_PARAM, MEM_PARAM_BASE}};
    uint32_t a = lower_src(l, op(l, 1), PTX_B64);
    struct insn *in = lower_emit(l, H_isspacep);
    in->src[0] = a;
    in->dst = lower_dst(l, op(l, 0));
    in->sub = 1;
    for (unsigned k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
        if (ptx_has(l->in, rows[k].m) || (l->in->has_space && l->in->space == rows[k].s)) {
            in->imm = (int64_t)rows[k].window;
            in->sub = 0;
        }
    in->sub2 = l->in->space == SPACE_SHARED; /* the block's own */
}

/* ---- the thread's stack ---- */
void lower_alloca(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    uint8_t width = 8;
    uint32_t n = lower_src_any(l, op(l, 1), PTX_B64, &width);
    struct insn *in = lower_emit(l, H_alloca);
    in->src[0] = n;
    in->src_width = width;
    in->dst = lower_dst(l, op(l, 0));
    in->width = lower_reg_bytes(l, op(l, 0)->reg);
    in->imm = p->noperands > 2 && p->operands[2].kind == OPD_IMM ? (int64_t)p->operands[2].imm : 8;
}
void lower_stacksave(struct lower *l)
{
    struct insn *in = lower_emit(l, H_stacksave);
    in->dst = lower_dst(l, op(l, 0));
    in->width = lower_reg_bytes(l, op(l, 0)->reg);
}
void lower_stackrestore(struct lower *l)
{
    uint8_t width = 8;
    uint32_t v = lower_src_any(l, op(l, 0), PTX_B64, &width);
    struct insn *in = lower_emit(l, H_stackrestore);
    in->src[0] = v;
    in->src_width = width;
}
