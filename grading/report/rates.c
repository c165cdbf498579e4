/* rates.c - counts who passes what. See rates.h. */
#include "rates.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells: a letter a row, NO_ROW or 'A' + its status. A row that nobody had yet lies behind the end.
 */
enum { NO_ROW = '-', CELL = 'A' };

static int rate_of(struct pass_rates *r, const struct verdict_row *row)
{
    for (int i = 0; i < r->n; i++)
        if (!strcmp(r->v[i].id, or_empty(row->id)))
            return i;
    r->v = xrealloc(r->v, (size_t)(r->n + 1) * sizeof(*r->v));
    r->v[r->n] = (struct pass_rate){xstrdup(or_empty(row->id)), xstrdup(or_empty(row->title)), 0};
    return r->n++;
}

bool cell_of(const struct pass_rates *r, int i, int k, enum row_status *status)
{
    const char *cells = r->cells[i];
    if ((size_t)k >= strlen(cells) || cells[k] == NO_ROW)
        return false;
    *status = (enum row_status)(cells[k] - CELL);
    return true;
}

static void set_cell(struct text *cells, int k, enum row_status status)
{
    while (cells->length <= (size_t)k)
        text_add(cells, "-");
    cells->s[k] = (char)(CELL + status);
}

void pass_rates_add(struct pass_rates *r, const struct verdict *v)
{
    double slowest = 0;
    struct text cells = {0};
    r->graded += v && v->nrows > 0;
    for (int i = 0; v && i < v->nrows; i++) {
        int k = rate_of(r, &v->rows[i]);
        r->v[k].passed += v->rows[i].status == STATUS_PASS;
        set_cell(&cells, k, v->rows[i].status);
    }
    for (int i = 0; v && i < v->nruns; i++)
        slowest = fmax(slowest, v->runs[i].modelled_ms);
    r->slowest = xrealloc(r->slowest, (size_t)(r->nslowest + 1) * sizeof(*r->slowest));
    r->cells = xrealloc(r->cells, (size_t)(r->nslowest + 1) * sizeof(*r->cells));
    r->cells[r->nslowest] = xstrdup(text_str(&cells));
    text_free(&cells);
    r->slowest[r->nslowest++] = slowest;
}

void pass_rates_free(struct pass_rates *r)
{
    for (int i = 0; i < r->n; i++) {
        free(r->v[i].id);
        free(r->v[i].title);
    }
    free(r->v);
    for (int i = 0; i < r->nslowest; i++)
        free(r->cells[i]);
    free(r->cells);
    free(r->slowest);
    *r = (struct pass_rates){0};
}
