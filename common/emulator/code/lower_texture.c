/* lower_texture.c - what tex, tld4, txq, suld, sust, sured, suq and istypep become (PTX ISA 9.7.10,
 * 9.7.11).
 *
 * Objects are named by 64-bit handles. Queries of anything but sizes end on an H200 in errors of
 * its linker or driver: not supported here, too. Not supported: .texref and .surfref variables
 * (gone from CUDA 12), samplers of their own, offsets, depth comparison, multi-sample textures.
 * Each is refused with what to use instead.
 */
#include "lower.h"
#include "texture_op.h"
#include <stdlib.h>

static bool geometry(struct lower *l, struct texture_op *t)
{
    uint8_t g = FIRST_MOD(l, M_1d, M_2d, M_3d, M_a1d, M_a2d, M_cube, M_acube);
    t->dims = g == M_1d || g == M_a1d ? 1 : g == M_2d || g == M_a2d ? 2 : 3;
    t->layered = g == M_a1d || g == M_a2d || g == M_acube;
    t->cube = g == M_cube || g == M_acube;
    return g != M_none;
}
/* The k-th element of a vector, or the operand itself. */
static const struct ptx_operand *element(struct lower *l, const struct ptx_operand *o, uint32_t k)
{
    static const struct ptx_operand none;
    if (o->kind != OPD_VEC && k == 0)
        return o;
    if (o->kind == OPD_VEC && k < o->nelems)
        return &o->elems[k];
    lower_fail(l, "a vector has too few elements");
    return &none;
}
/* What this form is, and what does the same. */
static void refuse(struct lower *l, uint32_t operands)
{
    if (ptx_has(l->in, M_2dms) || ptx_has(l->in, M_a2dms))
        lower_fail(l, "multi-sample textures: not supported by the emulator (a layered texture can "
                      "have a layer a sample)");
    else if (operands && l->in->noperands > operands)
        lower_fail(l, "a fetch with an offset or a depth to compare with: not supported by the "
                      "emulator (add the offset to the coordinates; compare what is fetched)");
    lower_unsupported(l); /* when nothing was said */
}
/* [object, {…}]: the coordinates; the handle's place. */
static uint32_t object(struct lower *l, const struct ptx_operand *o, struct texture_op *t)
{
    enum ptx_type each = t->whole ? PTX_S32 : PTX_F32;
    if (o->kind != OPD_ADDR || !o->has_reg || o->offset) {
        lower_fail(l, "texture and surface references: not supported (CUDA 12 removed them: make "
                      "an object with cudaCreateTextureObject or cudaCreateSurfaceObject)");
        return NO_PLACE;
    }
    if (o->nelems > 1 || lower_reg_bytes(l, o->reg) != 8) {
        lower_fail(l, "a sampler of its own: not supported (texture objects have theirs)");
        return NO_PLACE;
    }
    if (o->nelems) {
        const struct ptx_operand *at = &o->elems[0];
        t->layer = t->layered ? lower_src(l, element(l, at, 0), PTX_U32) : NO_PLACE;
        for (uint32_t d = 0; d < t->dims; d++)
            t->at[d] = lower_src(l, element(l, at, d + t->layered), each);
    }
    const struct ptx_operand handle = {.kind = OPD_REG, .reg = o->reg};
    return lower_src(l, &handle, PTX_B64);
}
static void values(struct lower *l, const struct ptx_operand *o, struct texture_op *t, bool store)
{
    for (uint32_t k = 0; k < t->n; k++) {
        const struct ptx_operand *e = element(l, o, k);
        uint8_t bytes = 4;
        if (store)
            t->value[k] = lower_src_any(l, e, t->type, &bytes);
        else
            t->value[k] = lower_dst(l, e);
        t->width[k] = e->kind == OPD_REG ? lower_reg_bytes(l, e->reg) : bytes;
    }
    if (o->kind == OPD_VEC && o->nelems != t->n)
        lower_fail(l, "this instruction takes %u elements", t->n);
    t->there = o->pair ? lower_dst(l, o->pair) : NO_PLACE;
}
static struct texture_op *start(struct lower *l)
{
    struct texture_op *t = xcalloc(1, sizeof(*t));
    t->op = l->in->op;
    t->type = type(l);
    t->layer = t->lod_at = t->there = NO_PLACE;
    return t;
}
static void finish(struct lower *l, enum handler_id h, uint32_t handle, struct texture_op *t)
{
    struct insn *in = lower_emit(l, h);
    in->src[0] = handle;
    in->data = t;
    in->slot = lower_slot(l);
}
static void gradients(struct lower *l, struct texture_op *t)
{
    for (uint32_t d = 0; d < t->dims; d++) {
        t->dx[d] = lower_src(l, element(l, op(l, 2), d), PTX_F32);
        t->dy[d] = lower_src(l, element(l, op(l, 3), d), PTX_F32);
    }
}
void lower_tex(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct texture_op *t = start(l);
    bool gather = p->op == OP_tld4;
    t->lod = ptx_has(p, M_level) ? LOD_LEVEL : ptx_has(p, M_grad) ? LOD_GRADIENT : LOD_NONE;
    t->whole = p->ntypes > 1 && p->types[1] == PTX_S32;
    t->n = p->vec;
    uint8_t c = FIRST_MOD(l, M_r, M_g, M_b, M_a);
    t->component = c == M_g ? 1 : c == M_b ? 2 : c == M_a ? 3 : 0;
    uint32_t wanted = t->lod == LOD_LEVEL ? 3 : t->lod == LOD_GRADIENT ? 4 : 2;
    bool known = t->type == PTX_F16X2 ? t->n == 2
                                      : t->n == 4 && (t->type == PTX_F32 || t->type == PTX_S32 ||
                                                      t->type == PTX_U32 || t->type == PTX_F16);
    if (!geometry(l, t) || p->ntypes != 2 || !known || p->noperands != wanted ||
        (gather && (c == M_none || t->dims == 1 || (t->dims == 3 && !t->cube)))) {
        refuse(l, wanted);
        free(t);
        return;
    }
    uint32_t handle = object(l, op(l, 1), t);
    if (t->lod == LOD_LEVEL)
        t->lod_at = lower_src(l, op(l, 2), t->whole ? PTX_S32 : PTX_F32);
    if (t->lod == LOD_GRADIENT)
        gradients(l, t);
    values(l, op(l, 0), t, false);
    finish(l, H_tex, handle, t);
}
void lower_texture_query(struct lower *l)
{
    struct texture_op *t = start(l);
    const struct ptx_operand *o = op(l, 1);
    struct ptx_operand handle = {.kind = OPD_REG, .reg = o->reg};
    t->what = FIRST_MOD(l, M_width, M_height, M_depth, M_texref, M_samplerref, M_surfref);
    t->n = 1;
    bool reg = o->kind == OPD_REG || (o->kind == OPD_ADDR && o->has_reg);
    if (!reg)
        lower_fail(l, "texture and surface references: not supported (CUDA 12 removed them: make "
                      "an object with cudaCreateTextureObject or cudaCreateSurfaceObject)");
    else if (t->what == M_none || ptx_has(l->in, M_level))
        lower_fail(l, "objects are asked for their width, height and depth alone (pass what else "
                      "the kernel has to know as an argument): not supported by the emulator");
    if (!reg || t->what == M_none || ptx_has(l->in, M_level) || l->in->noperands != 2) {
        lower_unsupported(l);
        free(t);
        return;
    }
    uint32_t place = lower_src(l, &handle, PTX_B64);
    values(l, op(l, 0), t, false);
    finish(l, H_txq, place, t);
}
void lower_surface(struct lower *l)
{
    const struct ptx_insn *p = l->in;
    struct texture_op *t = start(l);
    bool load = p->op == OP_suld;
    t->whole = true;
    t->formatted = ptx_has(p, M_p);
    t->outside = FIRST_MOD(l, M_trap, M_clamp, M_zero);
    t->what = FIRST_MOD(l, M_add, M_min, M_max, M_and, M_or);
    t->bits = (uint8_t)ptx_type_bits(t->type);
    t->n = p->vec;
    if (!geometry(l, t) || t->cube || p->ntypes != 1 || p->noperands != 2 || t->outside == M_none ||
        t->bits > 64 || t->bits * t->n > 128 ||
        (p->op == OP_sured && (t->what == M_none || t->n != 1))) {
        refuse(l, 0);
        free(t);
        return;
    }
    uint32_t handle = object(l, op(l, load ? 1 : 0), t);
    values(l, op(l, load ? 0 : 1), t, !load);
    finish(l, H_surface, handle, t);
}
