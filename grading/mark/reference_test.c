/* reference_test.c - of the reference's runs those alone are timed that a row asks times of. */
#include "engine.h"
#include "base/alloc.h"
#include "lab/dataset.h"
#include "lab/plan.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Marks the solution's kernels of one variant, and returns how many of the reference's runs, of
 * *all, were timed. */
static int timed(const char *lab, const char *only, int *all)
{
    struct engine_options o;
    struct engine e;
    struct text why = {0};
    int n = 0;
    engine_defaults(&o);
    o.secret = "reference";
    o.only = only;
    cr_assert(engine_open(&e, lab, &o, &why), "%s", text_str(&why));
    struct verdict *v = engine_mark(&e, "solution", e.solution, e.solution_length);
    cr_expect_eq(v->score, v->max);
    cr_assert(e.reference);
    *all = e.reference->nruns;
    for (int i = 0; i < *all; i++)
        n += !e.reference->runs[i]->untimed;
    verdict_free(v);
    engine_close(&e);
    return n;
}

Test(reference, is_not_timed_for_counts, .timeout = 100)
{
    int all;
    cr_expect_eq(timed("coalescing", "strided_copy", &all), 0);
    cr_expect_gt(all, 0);
}

Test(reference, is_timed_for_speed, .timeout = 100)
{
    int all;
    cr_expect_eq(timed("latency_hiding", "copy_4", &all), all);
    cr_expect_gt(all, 0);
}

/* What a reference comes to for one case; asked: lab_asks(), or NULL. */
struct worked {
    void *data[LAB_MAX_BUFFERS];
    double *tolerance[LAB_MAX_BUFFERS], *allocated[LAB_MAX_BUFFERS];
};

static struct worked work_out(const struct lab *l, const struct lab_variant *v, struct lab_case c,
                              const struct plan *p, const struct dataset *d,
                              const uint64_t *const *asked)
{
    struct worked w = {0};
    c.seed = 7;
    c.asked = asked;
    for (int b = 0; b < p->nbuffers; b++)
        if (p->buffers[b].role == BUF_OUTPUT) {
            w.data[b] = xcalloc(plan_buffer_bytes(p, b) + 1, 1);
            w.tolerance[b] = w.allocated[b] = xcalloc(p->buffers[b].count + 1, sizeof(double));
        }
    l->reference(p, v, &c, (const void *const *)d->data, w.data, w.tolerance);
    return w;
}

/* Elements that are asked for and differ from the whole; *spared: those that were left out. */
static uint64_t differ(const struct lab *l, const struct lab_variant *v, const struct lab_case *c,
                       const struct plan *p, uint64_t *spared)
{
    struct dataset d = {0};
    uint64_t *bits[LAB_MAX_BUFFERS] = {0}, n = 0;
    dataset_make(&d, l, p, c, 7);
    struct worked whole = work_out(l, v, *c, p, &d, NULL);
    struct lab_case part = *c;
    for (int b = 0; b < p->nbuffers; b++) {
        bits[b] = xcalloc(p->buffers[b].count / 4096 + 1, sizeof(*bits[b]));
        for (uint64_t i = 0; i <= p->buffers[b].count / 4096; i++)
            bits[b][i] = 0x9249249249249249 << i % 3; /* one in three */
    }
    part.asked = (const uint64_t *const *)bits;
    struct worked few = work_out(l, v, *c, p, &d, part.asked);
    for (int b = 0; b < p->nbuffers; b++) {
        const size_t size = dtype_size(p->buffers[b].dtype);
        const char *x = whole.data[b], *y = few.data[b];
        const double *t = whole.tolerance[b], *u = few.tolerance[b];
        for (uint64_t i = 0; x && i < p->buffers[b].count; i++) {
            bool same = !memcmp(x + i * size, y + i * size, size) && !t == !u &&
                        (!t || !memcmp(&t[i], &u[i], sizeof(*t)));
            n += lab_asks(&part, b, i) && !same;
            *spared += !lab_asks(&part, b, i) && !same;
        }
        free(whole.data[b]), free(whole.allocated[b]);
        free(few.data[b]), free(few.allocated[b]);
        free(bits[b]);
    }
    dataset_free(&d);
    return n;
}

/* What a reference leaves out where a run wrote little is what nobody wrote, and nothing else. */
Test(reference, works_out_all_that_is_asked_for, .timeout = 100)
{
    static const struct device_limits h200 = {.sms = 132,
                                              .max_threads_per_block = 1024,
                                              .max_threads_per_sm = 2048,
                                              .shared_per_block = 227 << 10,
                                              .cc = 90};
    static struct plan plan;
    uint64_t spared = 0;
    char err[200];
    for (int k = 0; k < all_labs_count; k++) {
        const struct lab *l = all_labs[k];
        for (int v = 0; v < l->nvariants; v++)
            for (int i = 0; i < l->ncases; i++) {
                const struct lab_case *c = &l->cases[i];
                const struct lab_variant *of = &l->variants[v];
                if ((l->applies && !l->applies(of, c)) ||
                    !plan_make(l, of, c, &of->record, &h200, &plan, err, sizeof(err)) ||
                    plan_bytes(&plan) > 1 << 20)
                    continue;
                uint64_t n = differ(l, of, c, &plan, &spared);
                cr_expect_eq(n, 0, "%s, %s, %s: %lu", l->name, of->name, c->name, n);
            }
    }
    cr_expect_gt(spared, 10000);
}
