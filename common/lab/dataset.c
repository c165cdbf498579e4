/* dataset.c - the inputs of one case from a seed (dataset.h). */
#include "dataset.h"
#include "base/alloc.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

void dataset_free(struct dataset *d)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++)
        large_free(d->data[b]);
    memset(d, 0, sizeof(*d));
}

static bool dataset_fits(const struct dataset *d, const struct plan *p, const struct lab_case *c,
                         uint64_t seed)
{
    if (d->input != c || d->seed != seed || d->nbuffers != p->nbuffers)
        return false;
    for (int b = 0; b < p->nbuffers; b++) {
        const struct lab_buffer *x = &d->buffers[b], *y = &p->buffers[b];

        if (x->role != y->role ||
            (x->role == BUF_INPUT && (x->dtype != y->dtype || x->count != y->count)))
            return false;
    }
    return true;
}

void dataset_make(struct dataset *d, const struct lab *lab, const struct plan *p,
                  const struct lab_case *c, uint64_t seed)
{
    if (dataset_fits(d, p, c, seed))
        return;
    dataset_free(d);
    d->input = c;
    d->seed = seed;
    d->nbuffers = p->nbuffers;
    for (int b = 0; b < p->nbuffers; b++) {
        d->buffers[b] = p->buffers[b];
        if (p->buffers[b].role != BUF_INPUT)
            continue;
        d->data[b] = large_zeroed(plan_buffer_bytes(p, b));
        lab->make_input(p, b, c, seed, d->data[b]);
    }
}

struct job dataset_job(const struct dataset *d, const struct plan *p, const struct job_options *o)
{
    struct job j = {.plan = p, .options = *o};

    for (int b = 0; b < p->nbuffers; b++)
        j.inputs[b] = d->data[b];
    return j;
}
