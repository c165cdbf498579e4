/* nan.c - where a NaN comes from (nan.h). */
#include "nan.h"
#include "disturb.h"
#include "base/text.h"
#include <math.h>
#include <string.h>

enum { OPERANDS = 3 };

/* How many operands it computes with; 0: it is none of these. */
static int operands_of(const struct ptx_insn *p)
{
    switch (p->op) {
    case OP_mad:
    case OP_fma:
        return 3;
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div:
        return 2;
    case OP_rcp:
    case OP_sqrt:
    case OP_rsqrt:
    case OP_sin:
    case OP_cos:
    case OP_lg2:
    case OP_ex2:
    case OP_tanh:
        return 1;
    default:
        return 0;
    }
}

bool nan_watches(const struct ptx_insn *p)
{
    return p->ntypes == 1 && (p->types[0] == PTX_F32 || p->types[0] == PTX_F64) && operands_of(p);
}

static double number(const struct warp *w, uint32_t at, bool wide, int lane)
{
    const uint8_t *p = place(w, at);
    float f;
    double d;

    if (!wide) {
        memcpy(&f, p + 4 * lane, sizeof(f));
        return (double)f;
    }
    memcpy(&d, p + 8 * lane, sizeof(d));
    return d;
}

static bool is_made(double r, const double *of, int n)
{
    bool made = isnan(r);

    for (int k = 0; k < n; k++)
        made &= !isnan(of[k]);
    return made;
}

static void tell(struct warp *w, const struct insn *in, int lane, const double *of, int n)
{
    struct block *b = w->block;
    struct text t = {0};

    for (int k = 0; k < n; k++)
        text_addf(&t, "%s%.9g", !k ? "" : k == n - 1 ? " and " : ", ", of[k]);
    for (int k = 0; k < b->nlisteners; k++) {
        struct listener *l = b->listeners[k];

        if (l->makes_nan)
            l->makes_nan(l, &b->info, in->site, w->index * WARP + (uint32_t)lane, text_str(&t));
    }
    text_free(&t);
}

const struct insn *nan_watched(struct warp *w, const struct insn *in)
{
    const struct path *path = w->cur;
    const struct ptx_insn *p = &path->frame->func->ptx->insns[in->site->index];
    uint32_t mask = disturb_lanes(w, in);
    bool wide = p->types[0] == PTX_F64, told = false;
    int n = operands_of(p);
    double of[WARP][OPERANDS];

    for (int i = 0; i < WARP; i++)
        for (int k = 0; k < n; k++)
            of[i][k] = number(w, in->src[k], wide, i);
    const struct insn *next = disturb_own(in)(w, in);
    if (next != in + 1 || w->cur != path)
        return next;
    for (int i = 0; i < WARP; i++) {
        if (!(mask >> i & 1))
            continue;
        if (!is_made(number(w, in->dst, wide, i), of[i], n))
            continue;
        if (!told)
            tell(w, in, i, of[i], n);
        told = true;
        memset((uint8_t *)place(w, in->dst) + (wide ? 8 : 4) * i, 0, wide ? 8 : 4);
    }
    return next;
}
