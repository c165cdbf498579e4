/* amounts.c - the numbers of a case and its plan, by name (amounts.h). */
#include "amounts.h"

#include <math.h>
#include <string.h>

static void add_ops(struct amounts *a, const struct plan *p)
{
    uint32_t used[LAB_MAX_OPS];

    for (int i = 0; i < p->nops; i++) {
        const struct plan_op *o = &p->ops[i];
        int k = 0;

        while (k < (int)a->streams && used[k] != o->stream)
            k++;
        if (k == (int)a->streams && o->kind != OP_RECORD && o->kind != OP_WAIT) {
            used[k] = o->stream;
            a->streams++;
        }
        a->sums += o->kind == OP_SUM;
        a->fetches += o->kind == OP_FETCH && o->rank;
        if (o->kind != OP_COPY_IN && o->kind != OP_COPY_OUT)
            continue;
        double bytes = (double)(o->count * dtype_size(p->buffers[o->index].dtype));
        a->copies++;
        *(o->kind == OP_COPY_IN ? &a->bytes_in : &a->bytes_out) += bytes;
    }
}

struct amounts amounts_of(const struct lab_case *c, const struct plan *p)
{
    struct amounts a = {
        .n = (double)c->n,
        .m = (double)c->m,
        .k = (double)c->k,
        .param = (double)c->param,
        .elem = (double)dtype_size(c->dtype),
        .bytes = p->bytes,
        .flops = p->flops,
    };

    for (int i = 0; i < p->nsteps; i++) {
        const struct plan_step *s = &p->steps[i];
        double blocks = (double)s->grid[0] * s->grid[1] * s->grid[2];
        double threads = (double)s->block[0] * s->block[1] * s->block[2];

        a.launches += s->kind == STEP_KERNEL;
        a.blocks += blocks;
        a.threads += blocks * threads;
        a.warps += blocks * ceil(threads / 32);
    }
    add_ops(&a, p);
    return a;
}

bool amount_named(const struct amounts *a, const char *name, double *value)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {
        {"n", a->n},
        {"m", a->m},
        {"k", a->k},
        {"param", a->param},
        {"elem", a->elem},
        {"bytes", a->bytes},
        {"flops", a->flops},
        {"blocks", a->blocks},
        {"launches", a->launches},
        {"warps", a->warps},
        {"threads", a->threads},
        {"bytes_in", a->bytes_in},
        {"bytes_out", a->bytes_out},
        {"copies", a->copies},
        {"streams", a->streams},
        {"sums", a->sums},
        {"fetches", a->fetches},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!strcmp(rows[i].name, name)) {
            *value = rows[i].value;
            return true;
        }
    }
    return false;
}
