/* tensor.c - from the record of a tensor kernel to its grid and arguments (tensor.h). */
#include "tensor.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_SIDE = 1024,   /* of a tile */
    MOST_CLUSTER = 8,   /* blocks, on every device that has clusters */
    MOST_BOX = 256,     /* elements along a side */
    UNIT = 16,          /* bytes */
    MOST_PROMOTION = 3, /* as the driver numbers them: none, 64, 128 and 256 bytes */
    MOST_SWIZZLE = 3    /* none, 32, 64 and 128 bytes */
};

static const struct {
    const char *name;
    enum dtype dtype;
} types[TENSOR_TYPE_COUNT] = {
    [TENSOR_F16] = {"TENSOR_F16", DT_F16},
    [TENSOR_F32] = {"TENSOR_F32", DT_F32},
    [TENSOR_BF16] = {"TENSOR_BF16", DT_BF16},
};

bool tensor_grid(const struct lab_variant *v, const struct launch_record *r,
                 const struct device_limits *d, uint64_t m, uint64_t n, struct plan_step *s,
                 char *err, size_t errsize)
{
    const struct tensor_record *t = &r->tensor;
    uint64_t cluster = t->cluster ? t->cluster : 1;

    if (!t->tile[0] || !t->tile[1] || t->tile[0] > MOST_SIDE || t->tile[1] > MOST_SIDE) {
        snprintf(err, errsize, "TENSOR(%s): a tile of %u x %u: each side is 1 to %d", v->name,
                 t->tile[0], t->tile[1], MOST_SIDE);
        return false;
    }
    if (cluster > MOST_CLUSTER || (cluster & (cluster - 1)) || t->persistent > 1) {
        snprintf(err, errsize,
                 "TENSOR(%s): clusters of %u blocks, persistent %u: 1, 2, 4 or 8, "
                 "and 0 or 1",
                 v->name, t->cluster, t->persistent);
        return false;
    }
    uint64_t down = (m + t->tile[0] - 1) / t->tile[0], across = (n + t->tile[1] - 1) / t->tile[1];
    uint64_t blocks = (down + cluster - 1) / cluster * cluster * across;
    uint64_t most = d->sms > cluster ? d->sms / cluster * cluster : cluster;
    if (t->persistent && blocks > most)
        blocks = most;
    if (blocks > INT32_MAX) {
        snprintf(err, errsize, "TENSOR(%s): %llu blocks", v->name, (unsigned long long)blocks);
        return false;
    }
    s->grid[0] = (uint32_t)blocks;
    s->grid[1] = s->grid[2] = 1;
    return true;
}

/* One map's line of the record, for step s. */
static bool use(const struct lab *lab, const struct lab_variant *v, const struct lab_case *c,
                const struct tensor_map_record *m, struct plan *p, struct plan_step *s, char *err,
                size_t errsize)
{
    struct plan_arg *a = m->argument < (uint32_t)s->nargs ? &s->args[m->argument] : NULL;

    if (!a || (a->kind != ARG_BUFFER && a->kind != ARG_TENSOR)) {
        snprintf(err, errsize, "TENSOR(%s): argument %u is %s (they count from 0)", v->name,
                 m->argument, a ? "no array" : "not there");
        return false;
    }
    const struct lab_buffer *b = &p->buffers[a->buffer];
    if (a->kind == ARG_TENSOR) {
        snprintf(err, errsize, "TENSOR(%s): two maps of argument %u (%s)", v->name, m->argument,
                 b->name);
        return false;
    }
    if (m->type >= TENSOR_TYPE_COUNT || types[m->type].dtype != b->dtype) {
        snprintf(err, errsize, "TENSOR(%s): argument %u (%s) has elements of type %s, not %s",
                 v->name, m->argument, b->name, dtype_name(b->dtype),
                 m->type < TENSOR_TYPE_COUNT ? types[m->type].name : "a type that is not known");
        return false;
    }
    if (m->box[0] > MOST_BOX || m->box[1] > MOST_BOX || m->swizzle > MOST_SWIZZLE ||
        m->promotion > MOST_PROMOTION) {
        snprintf(err, errsize,
                 "TENSOR(%s): the map of argument %u (%s): a box has at most %d "
                 "elements a side, and swizzle and promotion are one of SWIZZLE_… and PROMOTE_…",
                 v->name, m->argument, b->name, MOST_BOX);
        return false;
    }
    *a = (struct plan_arg){.kind = ARG_TENSOR,
                           .buffer = a->buffer,
                           .offset = lab->row ? lab->row(p, c, a->buffer) : b->count,
                           .v.box = {(uint16_t)m->box[0], (uint16_t)m->box[1], (uint8_t)m->swizzle,
                                     (uint8_t)m->promotion}};
    return true;
}

bool tensor_maps(const struct lab *lab, const struct lab_variant *v, const struct lab_case *c,
                 const struct tensor_record *r, struct plan *p, char *err, size_t errsize)
{
    for (int i = 0; i < p->nsteps; i++)
        for (int k = 0; k < LAB_MAX_MAPS && r->map[k].type != TENSOR_NONE; k++) {
            if (!use(lab, v, c, &r->map[k], p, &p->steps[i], err, errsize))
                return false;
        }
    return true;
}

bool tensor_check(const struct plan *p, int step, int i, char *err, size_t errsize)
{
    const struct plan_step *s = &p->steps[step];
    const struct plan_arg *a = &s->args[i];
    const struct plan_box *x = &a->v.box;
    const struct lab_buffer *b = &p->buffers[a->buffer];
    uint64_t element = dtype_size(b->dtype), wide = x->width * element;
    uint64_t swizzled = x->swizzle ? (uint64_t)UNIT << x->swizzle : 0;
    const char *why = NULL;

    if (!x->width || !x->height || x->width > MOST_BOX || x->height > MOST_BOX)
        why = "its box has 1 to 256 elements a side";
    else if (x->swizzle > MOST_SWIZZLE || x->promotion > MOST_PROMOTION)
        why = "swizzle and promotion are one of SWIZZLE_… and PROMOTE_…";
    else if (wide % UNIT)
        why = "a row of its box is no multiple of 16 bytes";
    else if (swizzled && wide > swizzled)
        why = "a row of its box is wider than what is swizzled";
    else if (!a->offset || !b->count || b->count % a->offset || a->offset >> 32 ||
             b->count / a->offset >> 32)
        why = "no array without elements has one";
    else if (a->offset * element % UNIT)
        why = "a row of the array is no multiple of 16 bytes";
    else if (p->ranks > 1)
        why = "not on several devices";
    if (!why)
        return true;
    snprintf(err, errsize, "%s: the tensor map of argument %d (%s), a box of %u x %u elements: %s",
             s->kernel, i, b->name, x->width, x->height, why);
    return false;
}
