/* verify.c - makes a case's data, runs a variant on it, compares, times (verify.h). */
#include "verify.h"
#include "lab/compare.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "lab/random.h"
#include "base/alloc.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETS 3 /* inputs that take turns while timing */

/* ---- host data ---- */

uint64_t case_seed(const struct lab_case *c, uint64_t run_seed)
{
    return c->seed ? c->seed : run_seed;
}

void dataset_free(struct dataset *d)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++)
        free(d->data[b]);
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
        d->data[b] = xzalloc(plan_buffer_bytes(p, b));
        lab->make_input(p, b, c, seed, d->data[b]);
    }
}

struct expected {
    void *data[LAB_MAX_BUFFERS];
    double *tolerance[LAB_MAX_BUFFERS];
};

static struct expected make_expected(const struct lab *lab, const struct plan *p,
                                     const struct lab_variant *variant, const struct lab_case *c,
                                     const struct dataset *d)
{
    struct expected e = {0};

    for (int b = 0; b < p->nbuffers; b++) {
        if (p->buffers[b].role != BUF_OUTPUT)
            continue;
        e.data[b] = xzalloc(plan_buffer_bytes(p, b));
        if (dtype_is_float(p->buffers[b].dtype))
            e.tolerance[b] = xzalloc(p->buffers[b].count * sizeof(double));
    }
    lab->reference(p, variant, c, (const void *const *)d->data, e.data, e.tolerance);
    return e;
}

static void expected_free(struct expected *e)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++) {
        free(e->data[b]);
        free(e->tolerance[b]);
    }
}

/* ---- messages ---- */

static bool say(struct verify *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(struct verify *v, const char *format, ...)
{
    size_t used = strlen(v->message);
    va_list ap;

    va_start(ap, format);
    vsnprintf(v->message + used, sizeof(v->message) - used, format, ap);
    va_end(ap);
    return false;
}

static bool blame(struct verify *v, const struct exec *e)
{
    v->error = e->error;
    return say(v, "%s\n", e->message);
}

static void say_mismatches(struct verify *v, const struct plan *p, const struct lab_case *c, int b,
                           const struct comparison *r)
{
    const char *cause = NULL;
    int digits = p->buffers[b].dtype == DT_F64 ? 17 : dtype_is_float(p->buffers[b].dtype) ? 9 : 20;

    say(v, "%s: %llu of %llu elements are wrong\n", p->buffers[b].name,
        (unsigned long long)r->nwrong, (unsigned long long)r->count);
    for (int i = 0; i < r->nshown; i++)
        say(v, "  %s[%llu]: expected %.*g, got %.*g\n", p->buffers[b].name,
            (unsigned long long)r->shown[i].index, digits, r->shown[i].expected, digits,
            r->shown[i].got);
    if (v->lab->diagnose)
        cause = v->lab->diagnose(p, c, b, r->shown, r->nshown, r->nwrong);
    if (cause)
        say(v, "  likely: %s\n", cause);
    else if (r->cause[0])
        say(v, "  likely: %s\n", r->cause);
}

/* ---- running ---- */

static struct exec_options options_of(const struct verify *v, uint64_t seed)
{
    return (struct exec_options){
        .guard_bytes = v->machine->emulator || v->check ? 0 : EXEC_GUARD_BYTES,
        .poison = !v->check,
        .seed = seed,
    };
}

static bool make_plan(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                      const struct launch_record *record, struct plan *p)
{
    char err[512] = "";

    if (plan_make(v->lab, variant, c, record, &v->machine->limits, p, err, sizeof(err)))
        return true;
    return say(v, "%s\n", err);
}

static bool upload(struct exec *e, const struct dataset *d, bool symbols)
{
    for (int b = 0; b < e->plan->nbuffers; b++) {
        const struct lab_buffer *buffer = &e->plan->buffers[b];

        if (buffer->role == BUF_INPUT && (symbols || !buffer->symbol[0]) &&
            !exec_upload(e, b, d->data[b]))
            return false;
    }
    return true;
}

static bool compare_output(struct verify *v, struct exec *e, const struct lab_case *c, int b,
                           const struct expected *want)
{
    const struct plan *p = e->plan;
    const struct lab_buffer *buffer = &p->buffers[b];
    const struct plan_step *last = p->nsteps ? &p->steps[p->nsteps - 1] : NULL;
    struct compare_hints hints = {
        .poison = e->options.poison ? poison_byte(e->options.seed) : -1,
        .block_threads = last ? last->block[0] * last->block[1] * last->block[2] : 0,
    };
    uint64_t n = v->lab->output_count ? v->lab->output_count(p, c, b) : buffer->count;
    void *got = xzalloc(plan_buffer_bytes(p, b));
    struct comparison r = {0};
    bool ok = exec_download(e, b, got);

    if (!ok)
        blame(v, e);
    else
        r = compare(buffer->dtype, want->data[b], got, want->tolerance[b], n, &hints);
    if (r.nwrong)
        say_mismatches(v, p, c, b, &r);
    free(got);
    return ok && !r.nwrong;
}

static bool compare_outputs(struct verify *v, struct exec *e, const struct lab_variant *variant,
                            const struct lab_case *c, const struct dataset *d)
{
    struct expected want = make_expected(v->lab, e->plan, variant, c, d);
    bool ok = true;

    for (int b = 0; b < e->plan->nbuffers; b++) {
        if (e->plan->buffers[b].role == BUF_OUTPUT)
            ok &= compare_output(v, e, c, b, &want);
    }
    expected_free(&want);
    return ok;
}

static bool inputs_unchanged(struct verify *v, struct exec *e)
{
    for (int b = 0; b < e->plan->nbuffers; b++) {
        if (e->plan->buffers[b].role == BUF_INPUT && !exec_unchanged(e, b, v->data.data[b]))
            return blame(v, e);
    }
    return true;
}

static void describe(struct verify *v, const struct plan *p, const struct launch_record *record,
                     struct result *r)
{
    r->items = record->items;
    r->launches = (uint32_t)p->nsteps;
    r->bytes = p->bytes;
    r->flops = p->flops;
    for (int axis = 0; axis < 3 && p->nsteps; axis++) {
        r->block[axis] = p->steps[0].block[axis];
        r->grid[axis] = p->steps[0].grid[axis];
    }
    r->seed = case_seed(r->input, v->seed);
}

/* The emulator counts and models every launch: the run that is checked is the run that is
 * reported, and nothing needs to be run twice. */
static void take_counts(struct result *r)
{
    double ms = emulator_modelled_ms();

    emulator_counters(&r->counters);
    r->counted = true;
    memset(r->metric_given, true, sizeof(r->metric_given));
    r->occupancy = emulator_occupancy();
    snprintf(r->bound, sizeof(r->bound), "%s", emulator_bound());
    if (ms > 0)
        r->time.hot = (struct spread){1, ms, ms, ms};
}

static bool run_once(struct verify *v, struct exec *e, const struct lab_variant *variant,
                     const struct lab_case *c, struct result *r)
{
    if (!upload(e, &v->data, true) || !exec_poison(e))
        return blame(v, e);
    emulator_reset();
    if (!exec_launch(e) || !exec_finish(e))
        return blame(v, e);
    if (v->machine->emulator)
        take_counts(r);
    if (v->profile)
        return true;
    return compare_outputs(v, e, variant, c, &v->data) && inputs_unchanged(v, e);
}

bool verify_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                    const struct launch_record *record, struct result *r)
{
    uint64_t seed = case_seed(c, v->seed);
    struct exec_options o = options_of(v, seed);
    struct plan p;
    struct exec e;
    bool ok;

    v->message[0] = '\0';
    v->error = cudaSuccess;
    *r = (struct result){.variant = variant, .input = c, .seed = seed, .verdict = VERDICT_FAIL};
    if (!make_plan(v, variant, c, record, &p))
        return false;
    describe(v, &p, record, r);
    dataset_make(&v->data, v->lab, &p, c, seed);
    ok = exec_open(&e, &p, v->module, &o) || blame(v, &e);
    ok = ok && run_once(v, &e, variant, c, r);
    exec_close(&e);
    r->verdict = ok ? VERDICT_PASS : VERDICT_FAIL;
    return ok;
}

/* ---- timing ---- */

struct sets {
    struct exec exec[MAX_SETS];
    struct dataset data[MAX_SETS];
    int n, opened;
};

/* Seeds differ from the checked one: nothing a kernel kept from then is of use. Inputs of
 * several times the L2 need no turns: no cache keeps them, and making them takes long. */
static bool open_sets(struct verify *v, struct sets *s, const struct plan *p,
                      const struct lab_case *c, uint64_t seed)
{
    size_t room = v->machine->memory_bytes / 4;

    s->n = MAX_SETS;
    if (plan_bytes(p) > 2 * v->machine->l2_bytes || room < MAX_SETS * plan_bytes(p))
        s->n = 1;
    for (int i = 0; i < s->n; i++) {
        struct exec *e = &s->exec[i];
        struct exec_options o = options_of(v, seed + 1 + (uint64_t)i);

        s->opened = i + 1;
        if (!exec_open(e, p, v->module, &o))
            return blame(v, e);
        dataset_make(&s->data[i], v->lab, p, c, seed + 1 + (uint64_t)i);
        if (!upload(e, &s->data[i], i == 0) || !exec_poison(e) || !exec_launch(e) ||
            !exec_finish(e))
            return blame(v, e);
    }
    return true;
}

static bool time_sets(struct verify *v, struct sets *s, const struct plan *p, int reps,
                      struct result *r)
{
    struct exec *turns[MAX_SETS];
    const char *impossible;

    for (int i = 0; i < s->n; i++) {
        turns[i] = &s->exec[i];
        if (!exec_poison(turns[i]))
            return blame(v, turns[i]);
    }
    if (!time_gpu(turns, s->n, v->machine, reps, &r->time)) {
        for (int i = 0; i < s->n; i++) {
            if (turns[i]->message[0])
                return blame(v, turns[i]);
        }
        return say(v, "timing failed\n");
    }
    impossible = time_impossible(v->machine, p, &r->time);
    if (impossible) {
        say(v, "%.5f ms is %s: the timing or the kernel is not what it seems\n", r->time.hot.median,
            impossible);
        r->time = (struct timing){0};
        return false;
    }
    return true;
}

static void warn_about_spread(struct result *r)
{
    const struct spread *s = r->time.cold.reps ? &r->time.cold : &r->time.hot;

    if (s->reps > 2 && s->hi - s->lo > 0.2 * s->median)
        snprintf(r->warning, sizeof(r->warning),
                 "times spread from %.5f to %.5f ms: is something else using the GPU?", s->lo,
                 s->hi);
}

bool time_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                  const struct launch_record *record, int reps, struct result *r)
{
    struct sets *s = xzalloc(sizeof(*s));
    struct plan p;
    bool ok;

    v->message[0] = '\0';
    v->error = cudaSuccess;
    ok = make_plan(v, variant, c, record, &p) && open_sets(v, s, &p, c, case_seed(c, v->seed)) &&
         time_sets(v, s, &p, reps, r);
    for (int i = 0; ok && i < s->n; i++) {
        ok = exec_finish(&s->exec[i]) || blame(v, &s->exec[i]);
        if (ok && !compare_outputs(v, &s->exec[i], variant, c, &s->data[i]))
            ok = say(v, "the first run was right, a later one on other data was not\n");
    }
    for (int i = 0; i < MAX_SETS; i++) {
        if (i < s->opened)
            exec_close(&s->exec[i]);
        dataset_free(&s->data[i]);
    }
    free(s);
    if (!ok)
        r->verdict = VERDICT_FAIL;
    warn_about_spread(r);
    return ok;
}

void verify_free(struct verify *v)
{
    dataset_free(&v->data);
}
