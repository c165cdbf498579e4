/* testing.h - for the labs' own tests: cases and variants by name; and do the terms that diagnosis
 * goes by make the reference?
 */
#ifndef LABS_TESTING_H
#define LABS_TESTING_H

#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/plan.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline const struct lab_case *case_of(const struct lab *lab, const char *name)
{
    for (int i = 0; i < lab->ncases; i++)
        if (!strcmp(lab->cases[i].name, name))
            return &lab->cases[i];
    cr_assert_fail("%s has no case %s", lab->name, name);
    return NULL;
}

static inline const struct lab_variant *variant_of(const struct lab *lab, const char *name)
{
    for (int i = 0; i < lab->nvariants; i++)
        if (!strcmp(lab->variants[i].name, name))
            return &lab->variants[i];
    cr_assert_fail("%s has no variant %s", lab->name, name);
    return NULL;
}

struct solved {
    struct plan p;
    void *data[LAB_MAX_BUFFERS], *expected[LAB_MAX_BUFFERS];
    double *tolerance[LAB_MAX_BUFFERS], *allocated[LAB_MAX_BUFFERS];
    int out;
};

static inline bool solve_case(struct solved *s, const struct lab *lab, const struct lab_variant *v,
                              const struct lab_case *c)
{
    const struct device_limits h200 = {
        .sms = 132, .max_threads_per_block = 1024, .max_threads_per_sm = 2048, .cc = 90};
    char err[200];

    *s = (struct solved){.out = -1};
    if ((lab->applies && !lab->applies(v, c)) ||
        !lab->plan(v, c, &v->record, &h200, &s->p, err, sizeof(err)))
        return false;
    for (int b = 0; b < s->p.nbuffers; b++) {
        const struct lab_buffer *buffer = &s->p.buffers[b];

        if (buffer->role == BUF_INPUT) {
            s->data[b] = xzalloc(plan_buffer_bytes(&s->p, b));
            lab->make_input(&s->p, b, c, 7, s->data[b]);
        } else if (buffer->role == BUF_OUTPUT) {
            s->out = b;
            s->expected[b] = xzalloc(plan_buffer_bytes(&s->p, b));
            s->tolerance[b] = s->allocated[b] = xcalloc(buffer->count, sizeof(double));
        }
    }
    lab->reference(&s->p, v, c, (const void *const *)s->data, s->expected, s->tolerance);
    return true;
}

static inline void solved_free(struct solved *s)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++) {
        free(s->data[b]);
        free(s->expected[b]);
        free(s->allocated[b]);
    }
}

static inline double value_of(const struct solved *s, const struct lab_term *t)
{
    double x = t->times;

    for (int f = 0; f < t->nfactors; f++) {
        cr_assert_lt(t->factor[f].index, s->p.buffers[t->factor[f].buffer].count);
        x *= dtype_get(s->p.buffers[t->factor[f].buffer].dtype, s->data[t->factor[f].buffer],
                       t->factor[f].index);
    }
    return x;
}

/* Sums of 32-bit integers wrap. */
static inline double wrapped(enum dtype t, double x)
{
    return t == DT_I32   ? (double)(int32_t)(int64_t)x
           : t == DT_U32 ? (double)(uint32_t)(int64_t)x
                         : x;
}

static inline void check_element(const struct lab *lab, const struct lab_variant *v,
                                 const struct lab_case *c, const struct solved *s, uint64_t o)
{
    enum dtype type = s->p.buffers[s->out].dtype;
    enum lab_made made = lab->made(v, c);
    double sum = 0, least = INFINITY, most = -INFINITY, magnitude = 0;
    struct lab_term t;

    for (uint64_t k = 0; lab->term(&s->p, v, c, o, k, &t); k++) {
        double x = value_of(s, &t);

        sum += x;
        magnitude += fabs(x);
        least = fmin(least, x);
        most = fmax(most, x);
    }
    double got = made == MADE_MIN ? least : made == MADE_MAX ? most : wrapped(type, sum);
    double want = dtype_get(type, s->expected[s->out], o);
    if (made != MADE_OTHERWISE && magnitude > 0)
        cr_expect(fabs(got - want) <= 1e-5 * (dtype_is_float(type) ? magnitude : 0),
                  "%s on %s, element %llu: %.17g of its terms, %.17g", v->name, c->name,
                  (unsigned long long)o, got, want);
}

/* On cases of up to so many elements; of each the first, the last and every 97th output. */
static inline void check_terms(const struct lab *lab, uint64_t most)
{
    struct solved s;

    for (int i = 0; i < lab->nvariants * lab->ncases; i++) {
        const struct lab_variant *v = &lab->variants[i / lab->ncases];
        const struct lab_case *c = &lab->cases[i % lab->ncases];
        uint64_t size = (c->n ? c->n : 1) * (c->m ? c->m : 1) * (c->k ? c->k : 1);

        if (size > most)
            continue;
        if (solve_case(&s, lab, v, c)) {
            uint64_t n = s.p.buffers[s.out].count;

            for (uint64_t o = 0; o < n; o += o + 97 < n || o + 1 == n ? 97 : n - 1 - o)
                check_element(lab, v, c, &s, o);
        }
        solved_free(&s);
    }
}

#endif
