/* compared.c - which comparisons are the same in all threads (compared.h). */
#include "compared.h"
#include "base/alloc.h"
#include "base/text.h"
#include "disturb.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAID = 64 << 10 };

struct compared {
    bool seen, varies;
    double a, b;
};

static struct text said; /* launches that are watched come one after the other */

bool compared_watches(const struct ptx_insn *p)
{
    return (p->op == OP_setp || p->op == OP_min || p->op == OP_max) && p->ntypes == 1 &&
           p->types[0] != PTX_F16 && p->types[0] != PTX_F16X2 && ptx_type_bits(p->types[0]) >= 16 &&
           ptx_type_bits(p->types[0]) <= 64;
}

#define NUMBER(T)                                                                                  \
    {                                                                                              \
        T v;                                                                                       \
        memcpy(&v, p + (size_t)lane * sizeof(v), sizeof(v));                                       \
        return (double)v;                                                                          \
    }

static double number(const struct warp *w, uint32_t at, enum ptx_type type, int lane)
{
    const uint8_t *p = place(w, at);

    switch (type) {
    case PTX_F32:
        NUMBER(float)
    case PTX_F64:
        NUMBER(double)
    case PTX_S16:
        NUMBER(int16_t)
    case PTX_S32:
        NUMBER(int32_t)
    case PTX_S64:
        NUMBER(int64_t)
    case PTX_U16:
    case PTX_B16:
        NUMBER(uint16_t)
    case PTX_U32:
    case PTX_B32:
        NUMBER(uint32_t)
    default:
        NUMBER(uint64_t)
    }
}

static void note(struct compared *c, double a, double b)
{
    c->varies |= c->seen && (c->a != a || c->b != b);
    *c = (struct compared){true, c->varies, a, b};
}

const struct insn *compared_watched(struct warp *w, const struct insn *in)
{
    const struct emu_func *f = w->cur->frame->func;
    struct launch *l = w->block->launch;
    struct compared *c = l->compared[f->index];

    if (!c)
        c = l->compared[f->index] = xcalloc(f->ptx->ninsns, sizeof(*c));
    c += in->site->index;
    if (!c->varies) {
        enum ptx_type type = f->ptx->insns[in->site->index].types[0];
        for (uint32_t m = disturb_lanes(w, in); m; m &= m - 1) {
            int i = __builtin_ctz(m);
            note(c, number(w, in->src[0], type, i), number(w, in->src[1], type, i));
        }
    }
    return disturb_own(in)(w, in);
}

void compared_begin(struct launch *l)
{
    l->compared = xcalloc(l->module->nfuncs, sizeof(*l->compared));
}

/* min(a, b) is a where a < b. Numbers have an order: the unordered relations are the others. */
static const char *relation_of(const struct ptx_insn *p)
{
    static const struct {
        enum ptx_mod mod;
        const char *name;
    } relations[] = {{M_eq, "eq"},  {M_ne, "ne"},  {M_lt, "lt"},  {M_le, "le"},
                     {M_gt, "gt"},  {M_ge, "ge"},  {M_lo, "lt"},  {M_ls, "le"},
                     {M_hi, "gt"},  {M_hs, "ge"},  {M_equ, "eq"}, {M_neu, "ne"},
                     {M_ltu, "lt"}, {M_leu, "le"}, {M_gtu, "gt"}, {M_geu, "ge"}};

    for (size_t k = 0; p->op == OP_setp && k < sizeof(relations) / sizeof(relations[0]); k++)
        if (ptx_has(p, relations[k].mod))
            return relations[k].name;
    return "lt";
}

static void say(const struct launch *l, const struct emu_func *f, uint32_t i,
                const struct compared *c)
{
    const struct ptx_insn *p = &f->ptx->insns[i];
    if (said.length < MOST_SAID)
        text_addf(&said, "%s %u %s %s %.17g %.17g\n", l->func->info.name, f->index << 20 | i,
                  ptx_type_name(p->types[0]), relation_of(p), c->a, c->b);
}

void compared_end(struct launch *l)
{
    for (uint32_t k = 0; k < l->module->nfuncs; k++) {
        const struct emu_func *f = l->module->funcs[k];
        for (uint32_t i = 0; l->compared[k] && i < f->ptx->ninsns; i++)
            if (l->compared[k][i].seen && !l->compared[k][i].varies)
                say(l, f, i, &l->compared[k][i]);
        free(l->compared[k]);
    }
    free(l->compared);
    l->compared = NULL;
}

char *compared_take(void)
{
    return text_take(&said);
}
