/* probe.c - what a wrong output is really made of (probe.h); its parts: probing.h.
 *
 * A lab says of what terms an output is the sum, the least or the greatest (lab.term). Products of
 * two arrays are probed one array at a time, the other all ones; then each pair of factors.
 */
#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/indices.h"
#include "lab/plan.h"
#include "probing.h"

#include <math.h>
#include <stdlib.h>

void diagnosis_add(struct diagnosis *d, const char *cause, const char *format, ...)
{
    va_list ap;

    d->cause = d->cause ? d->cause : cause;
    text_add(&d->words, "  ");
    va_start(ap, format);
    text_vaddf(&d->words, format, ap);
    va_end(ap);
    text_add(&d->words, "\n");
}

/* ---- runs ---- */

const struct lab_buffer *probe_buffer(const struct probe *p, int b)
{
    return &p->s.plan.buffers[b];
}

void probe_fill(struct probe *p, int b, double value)
{
    for (uint64_t i = 0; i < probe_buffer(p, b)->count; i++)
        dtype_set(probe_buffer(p, b)->dtype, p->data[b], i, value);
}

void probe_put(struct probe *p, int b, uint64_t i, double value)
{
    dtype_set(probe_buffer(p, b)->dtype, p->data[b], i, value);
}

double probe_look(struct probe *p)
{
    p->broken |= experiment_with(p->x, p->data, &p->s) != RUN_OK;
    return p->broken ? NAN
                     : dtype_get(probe_buffer(p, p->out)->dtype, p->s.outputs.data[p->out], p->o);
}

bool probe_term(const struct probe *p, uint64_t t, struct lab_term *out)
{
    *out = (struct lab_term){.times = 1};
    return p->lab->term && p->lab->term(&p->s.plan, p->x->variant, &p->s.input, p->o, t, out);
}

static uint64_t row_of(const struct probe *p, int b)
{
    return p->lab->row ? p->lab->row(&p->s.plan, &p->s.input, b) : 0;
}

/* ---- words ---- */

void probe_say_output(struct text *t, const struct probe *p)
{
    indices_put(t, probe_buffer(p, p->out)->name, &p->o, 1, probe_buffer(p, p->out)->count,
                row_of(p, p->out));
}

void probe_say(struct text *t, const struct probe *p, int b, const uint64_t *index, uint64_t n)
{
    indices_put(t, probe_buffer(p, b)->name, index, n, probe_buffer(p, b)->count, row_of(p, b));
}

char *probe_output_name(const struct probe *p)
{
    struct text t = {0};

    probe_say_output(&t, p);
    return text_take(&t);
}

char *probe_element_name(const struct probe *p, int b, uint64_t i)
{
    struct text t = {0};

    probe_say(&t, p, b, &i, 1);
    return text_take(&t);
}

/* ---- all of it ---- */

/* Buffers that terms take elements from, at most two. */
static int buffers_of(const struct probe *p, int b[2])
{
    struct lab_term t;
    int n = 0;

    if (!probe_term(p, 0, &t))
        return 0;
    for (int f = 0; f < t.nfactors; f++)
        b[n++] = t.factor[f].buffer;
    return n;
}

static double look_at_all(struct probe *p, double value)
{
    for (int i = 0; i < p->s.plan.nbuffers; i++) {
        if (p->data[i])
            probe_fill(p, i, value);
    }
    return probe_look(p);
}

/* A sum of nothing is 0. */
static bool probe_nothing(struct probe *p)
{
    double zeros = look_at_all(p, 0), ones = look_at_all(p, 1);

    if (p->broken || !(zeros == ones) || zeros == 0)
        return false;
    char *name = probe_output_name(p);
    diagnosis_add(
        p->d, "constant",
        "%s is %.9g, whatever the input holds: no element of it belongs there, and 0 does", name,
        zeros);
    free(name);
    return true;
}

static bool probe_made(struct probe *p)
{
    struct lab_term t;
    int b[2], n = buffers_of(p, b);
    bool told = false;

    if (!n && p->made == MADE_SUM)
        return probe_nothing(p);
    if (!n || probe_buffer(p, b[0])->count > MOST_ELEMENTS)
        return false;
    if (p->made == MADE_MIN || p->made == MADE_MAX)
        return probe_neutral(p, b[0]) || probe_extreme(p, b[0]);
    for (int i = 0; i < p->s.plan.nbuffers; i++) {
        if (p->data[i])
            probe_fill(p, i, 1);
    }
    if (n == 1 && !probe_term(p, 1, &t) && t.times == 1)
        return probe_copy(p, (probe_term(p, 0, &t), &t)) || (!p->broken && probe_values(p));
    if (probe_values(p))
        return true;
    for (int i = 0; i < n; i++) {
        probe_fill(p, b[i], 1);
        told |= !p->broken && probe_sum(p, b[i], n == 2);
    }
    return told || (n == 2 && !p->broken && probe_pairs(p));
}

static bool open_data(struct probe *p)
{
    const struct plan *plan = &p->s.plan;

    for (int b = 0; b < plan->nbuffers; b++) {
        if (plan->buffers[b].role == BUF_INPUT)
            p->data[b] = xzalloc(plan_buffer_bytes(plan, b));
    }
    return p->o < plan->buffers[p->out].count;
}

static void close_data(struct probe *p)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++)
        free(p->data[b]);
    free(p->absent);
    sample_free(&p->s);
}

bool probe(struct experiment *x, const struct lab_case *c, int out, uint64_t o, struct diagnosis *d)
{
    struct probe p = {.x = x, .lab = x->verify->lab, .out = out, .o = o, .d = d};
    bool told = false;

    if ((!p.lab->made && !p.lab->recognise) || !experiment_plan(x, c, &p.s))
        return false;
    p.made = p.lab->made ? p.lab->made(x->variant, &p.s.input) : MADE_UNKNOWN;
    bool open = open_data(&p);
    if (open)
        told = p.made == MADE_UNKNOWN ? probe_recognised(&p) || probe_count(&p) || probe_simple(&p)
               : p.made == MADE_OTHERWISE ? probe_otherwise(&p)
               : p.made == MADE_FOLD      ? probe_recognised(&p) || probe_planted(&p)
                                          : probe_made(&p);
    p.broken = false; /* by other inputs, perhaps */
    told = told || (open && probe_nan(&p));
    close_data(&p);
    return told;
}

bool probe_inputs(struct experiment *x, const struct lab_case *c, int out, uint64_t o,
                  struct diagnosis *d)
{
    struct probe p = {.x = x, .lab = x->verify->lab, .out = out, .o = o, .d = d};

    if (!experiment_plan(x, c, &p.s))
        return false;
    bool told = open_data(&p) && probe_ignored(&p);
    close_data(&p);
    return told;
}

bool probe_any_numbers(struct experiment *x, const struct lab_case *c, int out, uint64_t o,
                       struct diagnosis *d)
{
    struct probe p = {.x = x, .lab = x->verify->lab, .out = out, .o = o, .d = d};

    if (!p.lab->any_numbers || !experiment_plan(x, c, &p.s))
        return false;
    bool open = open_data(&p), told = open && probe_ones(&p);
    if (open && !p.broken)
        told |= probe_reach(&p);
    close_data(&p);
    return told;
}
