/* experiment.c - runs a wrong kernel again, within a budget (experiment.h). */
#include "experiment.h"
#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What tries take, in bytes of what the compiler makes of them, at 1.5 us each. No clock is asked,
 * so that a slower machine finds the same. */
enum {
    SPENT = 6000000,
    AT_LEAST = 8000, /* of one that compiles to less, or not at all */
    TO_LOAD = 30,    /* times as fast: what is compiled is loaded */
    QUICK = 3,       /* times as fast: quickly compiled code */
    PER_BYTE = 64    /* warp instructions that are run in that time */
};

/* In each step that has both, of one kind. */
static void exchange(struct plan *p, const int which[2])
{
    for (int i = 0; i < p->nsteps; i++) {
        struct plan_step *s = &p->steps[i];
        struct plan_arg *a = &s->args[which[0]], *b = &s->args[which[1]], spare = *a;

        if (s->kind == STEP_KERNEL && which[0] < s->nargs && which[1] < s->nargs &&
            a->kind == b->kind) {
            *a = *b;
            *b = spare;
        }
    }
}

bool experiment_plan(const struct experiment *x, const struct lab_case *c, struct sample *s)
{
    const struct verify *v = x->verify;
    char err[512];

    *s = (struct sample){.input = *c, .outputs = {.changed = -1}};
    if ((v->lab->applies && !v->lab->applies(x->variant, &s->input)) ||
        !plan_make(v->lab, x->variant, &s->input, &x->record, &v->machine->limits, &s->plan, err,
                   sizeof(err)))
        return false;
    exchange(&s->plan, x->exchanged);
    return true;
}

/* A launch record may be made of constants that a change of the file changes. */
bool experiment_replace(struct experiment *x, const char *source, bool quick, char **log)
{
    const struct module *m = x->verify->module;
    struct text note = {0}, why = {0};
    struct launch_record given = {0};
    bool ok = x->replace(x->user, source, quick, log);

    x->record = x->own;
    if (ok && x->variant->has_record && !x->variant->has_schedule &&
        module_given(m, x->variant->name, &given) == RECORD_GIVEN)
        ok = module_record(m, x->variant, &x->record, NULL, &note, &why);
    text_free(&note);
    text_free(&why);
    return ok;
}

void experiment_fresh(struct experiment *x)
{
    x->fresh(x->user);
    x->record = x->own;
}

static bool may_run(const struct experiment *x)
{
    return x->runs && x->instructions;
}

static void spend(struct experiment *x, const struct sample *s)
{
    uint64_t used = s->outputs.counted ? s->outputs.counters.inst_executed : 0;

    if (s->outputs.error == cudaErrorLaunchTimeout)
        used = x->steps;
    x->runs--;
    if (x->edits && x->edits->counts)
        x->edits->spent += used / PER_BYTE;
    x->instructions -= used < x->instructions ? used : x->instructions;
    if (s->outputs.error)
        x->recover(x->user, (cudaError_t)s->outputs.error);
}

static struct job_options options_of(const struct experiment *x, uint64_t seed, bool check)
{
    return (struct job_options){.check = check,
                                .any_status = x->any_status,
                                .disturb = x->disturb,
                                .want_lines = x->lines,
                                .fail = x->fail,
                                .poison = check      ? POISON_NONE
                                          : x->clear ? POISON_OUTPUTS
                                                     : POISON_ALL,
                                .steps = x->steps,
                                .seed = x->fill ? x->fill : seed};
}

static void make_infinite(const struct dataset *d, int b)
{
    enum { PARTS = 5 };
    uint64_t n = d->buffers[b].count;

    for (uint64_t i = 1; i < PARTS && dtype_is_float(d->buffers[b].dtype); i++) {
        if (i * n / PARTS < n)
            dtype_set(d->buffers[b].dtype, d->data[b], i * n / PARTS, INFINITY);
    }
}

enum run_end experiment_run(struct experiment *x, const struct lab_case *c, uint64_t seed,
                            bool check, struct sample *s)
{
    struct verify *v = x->verify;
    struct job_options o = options_of(x, seed, check);
    struct dataset d = {0};

    if (!experiment_plan(x, c, s))
        return s->end = RUN_RECORD;
    if (!may_run(x))
        return s->end = RUN_NOT_TRIED;
    dataset_make(&d, v->lab, &s->plan, &s->input, seed);
    if (x->infinite)
        make_infinite(&d, x->infinite - 1);
    struct job j = dataset_job(&d, &s->plan, &o);
    run_here(v->module, &j, &s->outputs);
    result_of(v->lab, x->variant, &s->input, seed, &x->record, &j, &s->outputs, &s->result);
    dataset_free(&d);
    spend(x, s);
    return s->end = s->result.end;
}

enum run_end experiment_with(struct experiment *x, void *const *data, struct sample *s)
{
    struct job j = {.plan = &s->plan, .options = options_of(x, x->verify->seed, false)};

    sample_reset(s);
    if (!may_run(x))
        return s->end = RUN_NOT_TRIED;
    for (int b = 0; b < s->plan.nbuffers; b++)
        j.inputs[b] = data[b];
    run_here(x->verify->module, &j, &s->outputs);
    spend(x, s);
    return s->end = s->outputs.stage == STAGE_DONE ? RUN_OK : RUN_ERROR;
}

bool tries_left(const struct tries *t)
{
    return t->left && t->spent < SPENT;
}

void tries_compiled(struct tries *t, size_t size, bool quick)
{
    t->spent += AT_LEAST + size / (quick ? QUICK : 1);
    t->compiled += size;
}

void tries_loaded(struct tries *t, size_t size)
{
    t->spent += size / TO_LOAD;
}

void sample_reset(struct sample *s)
{
    outputs_free(&s->outputs);
    result_free(&s->result);
    s->end = RUN_OK;
}

void sample_free(struct sample *s)
{
    sample_reset(s);
    *s = (struct sample){.outputs = {.changed = -1}};
}
