/* rates.c - counts who passes what. See rates.h. */
#include "rates.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct pass_rate *rate_of(struct pass_rates *r, const struct verdict_row *row)
{
    for (int i = 0; i < r->n; i++)
        if (!strcmp(r->v[i].id, or_empty(row->id)))
            return &r->v[i];
    r->v = xrealloc(r->v, (size_t)(r->n + 1) * sizeof(*r->v));
    r->v[r->n] = (struct pass_rate){xstrdup(or_empty(row->id)), xstrdup(or_empty(row->title)), 0};
    return &r->v[r->n++];
}

void pass_rates_add(struct pass_rates *r, const struct verdict *v)
{
    double slowest = 0;
    r->graded += v && v->nrows > 0;
    for (int i = 0; v && i < v->nrows; i++)
        rate_of(r, &v->rows[i])->passed += v->rows[i].status == STATUS_PASS;
    for (int i = 0; v && i < v->nruns; i++)
        slowest = fmax(slowest, v->runs[i].modelled_ms);
    r->slowest = xrealloc(r->slowest, (size_t)(r->nslowest + 1) * sizeof(*r->slowest));
    r->slowest[r->nslowest++] = slowest;
}

void pass_rates_free(struct pass_rates *r)
{
    for (int i = 0; i < r->n; i++) {
        free(r->v[i].id);
        free(r->v[i].title);
    }
    free(r->v);
    free(r->slowest);
    *r = (struct pass_rates){0};
}
