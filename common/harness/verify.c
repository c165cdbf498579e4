/* verify.c - makes a case's data, runs a variant on it, says what is wrong, times (verify.h). */
#include "verify.h"
#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "run/run.h"
#include "timeline.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETS 3 /* inputs that take turns while timing */

/* What is run: all that the stages hand on. */
struct task {
    const struct lab_variant *variant;
    const struct lab_case *input;
    const struct launch_record *record;
    struct plan plan;
};

/* ---- messages ---- */

static bool say(struct verify *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool say(struct verify *v, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    text_vaddf(&v->message, format, ap);
    va_end(ap);
    return false;
}

static bool blame(struct verify *v, const struct exec *e)
{
    v->error = e->error;
    return say(v, "%s\n", e->message);
}

/* Of large outputs a sample alone is compared: how many elements. */
static uint64_t compared_of(const struct lab *lab, const struct lab_case *c, uint64_t seed,
                            uint64_t count)
{
    struct lab_case seeded = *c;
    uint64_t n = 0;

    seeded.seed = seed;
    for (uint64_t i = 0; lab->compares && i < count; i++)
        n += lab->compares(&seeded, i);
    return lab->compares ? n : count;
}

static void say_wrong(struct verify *v, const struct task *t, uint64_t seed,
                      const struct wrong_output *w)
{
    const struct lab_buffer *b = &t->plan.buffers[w->buffer];
    uint64_t wrong = w->comparison.nwrong, count = w->comparison.count,
             n = compared_of(v->lab, t->input, seed, count);
    int digits = b->dtype == DT_F64 ? 17 : dtype_is_float(b->dtype) ? 9 : 20;

    if (n < count && wrong <= n)
        say(v, "%s: %llu of %llu elements %s wrong, a sample of %llu: no others are compared\n",
            b->name, (unsigned long long)wrong, (unsigned long long)n, wrong == 1 ? "is" : "are",
            (unsigned long long)count);
    else if (count == 1)
        say(v, "%s: its only element is wrong\n", b->name);
    else
        say(v, "%s: %llu of %llu elements %s wrong%s\n", b->name, (unsigned long long)wrong,
            (unsigned long long)count, wrong == 1 ? "is" : "are",
            n < count ? " at least: of most it is only seen whether a right one could be so" : "");
    for (int i = 0; i < w->comparison.nshown; i++) {
        const struct lab_mismatch *m = &w->comparison.shown[i];

        if (b->dtype == DT_I64)
            say(v, "  %s[%llu]: expected %lld, got %lld\n", b->name, (unsigned long long)m->index,
                (long long)m->expected_i64, (long long)m->got_i64);
        else
            say(v, "  %s[%llu]: expected %.*g, got %.*g%s\n", b->name, (unsigned long long)m->index,
                digits, m->expected, digits, m->got,
                isnan(m->expected) && isnan(m->got) ? " of other bits" : "");
    }
}

static bool say_result(struct verify *v, const struct task *t, uint64_t seed,
                       const struct outputs *o, const struct result *r)
{
    v->error = (cudaError_t)o->error;
    if (r->end == RUN_OK)
        return true;
    if (o->stage != STAGE_DONE)
        say(v, "%s\n", o->message);
    if (r->end == RUN_INPUT_CHANGED)
        say(v, "a kernel changed its input %s at index %llu\n", t->plan.buffers[o->changed].name,
            (unsigned long long)o->changed_at);
    for (int i = 0; i < r->noutputs; i++)
        say_wrong(v, t, seed, &r->outputs[i]);
    return false;
}

/* ---- running ---- */

static struct job_options options_of(const struct verify *v, uint64_t seed)
{
    return (struct job_options){
        .check = v->check,
        .launch_only = v->profile,
        .timeline = v->timeline != NULL,
        .poison = v->check ? POISON_NONE : POISON_ALL,
        .steps = v->steps,
        .seed = seed,
    };
}

static bool begin(struct verify *v, struct task *t)
{
    char err[512] = "";

    text_free(&v->message);
    v->error = cudaSuccess;
    return plan_make(v->lab, t->variant, t->input, t->record, &v->machine->limits, &t->plan, err,
                     sizeof(err)) ||
           say(v, "%s\n", err);
}

bool plan_has_other_type(const struct plan *p, const struct lab_case *c)
{
    bool other = true;

    for (int b = 0; b < p->nbuffers; b++) {
        if (p->buffers[b].role != BUF_SCRATCH && p->parts[b] > 1)
            return true;
        other &= p->buffers[b].role == BUF_SCRATCH || p->buffers[b].dtype != c->dtype;
    }
    return other;
}

static bool fills(const struct verify *v, const struct task *t, const struct lab_case *c)
{
    struct plan *p = xzalloc(sizeof(*p));
    char err[512];
    bool ok = plan_make(v->lab, t->variant, c, t->record, &v->machine->limits, p, err, sizeof(err));
    const uint32_t *grid = p->steps[0].grid;

    ok = ok && p->nsteps == 1 && !p->nops &&
         (uint64_t)grid[0] * grid[1] * grid[2] >= v->machine->limits.sms;
    free(p);
    return ok;
}

/* The first of the lab's timed cases that are larger than a timed one and have a block for each SM,
 * where it has not. */
static const struct lab_case *filled_by(const struct verify *v, const struct task *t)
{
    const struct lab *lab = v->lab;

    for (int i = 0; i < lab->ncases && t->input->flags & CASE_TIME; i++) {
        const struct lab_case *c = &lab->cases[i];

        if (c->flags & CASE_TIME && case_is_larger(lab, c, t->input) &&
            (!lab->applies || lab->applies(t->variant, c)) && fills(v, t, c))
            return c;
    }
    return NULL;
}

static void describe(const struct verify *v, const struct task *t, struct entry *x)
{
    const struct plan *p = &t->plan;

    x->items = t->record->items;
    x->amounts = amounts_of(t->input, p);
    x->alone = p->nsteps == 1 && !p->nops;
    x->other_type = plan_has_other_type(p, t->input);
    for (int axis = 0; axis < 3 && p->nsteps; axis++) {
        x->block[axis] = p->steps[0].block[axis];
        x->grid[axis] = p->steps[0].grid[axis];
    }
    if (x->alone && (uint64_t)x->grid[0] * x->grid[1] * x->grid[2] < v->machine->limits.sms)
        x->filled_by = filled_by(v, t);
}

static void take_counts(const struct outputs *o, struct entry *x)
{
    x->counters = o->counters;
    x->counted = true;
    memset(x->metric_given, true, sizeof(x->metric_given));
    x->occupancy = o->occupancy;
    memcpy(x->bound, o->bound, sizeof(x->bound));
    if (o->modelled_ms > 0)
        x->time.hot = (struct spread){1, o->modelled_ms, o->modelled_ms, o->modelled_ms};
}

/* A program's first variant is its kernel; a GPU's time of it is what the program says. */
static void take_printed(struct verify *v, const struct outputs *o, struct entry *x)
{
    for (int i = 0; i < PARTS_MAX; i++) {
        bool there = i < v->lab->nvariants &&
                     printed_ms(o, i ? v->lab->variants[i].name : "kernel", &v->printed[i]);
        v->printed[i] = there ? v->printed[i] : NAN;
    }
    if (v->lab->program && !v->machine->emulator && v->printed[0] > 0)
        x->time.hot = (struct spread){1, v->printed[0], v->printed[0], v->printed[0]};
}

static bool judge(struct verify *v, const struct task *t, const struct job *j,
                  const struct outputs *o, struct entry *x)
{
    struct result r;

    if (v->profile && o->stage == STAGE_DONE)
        return true;
    result_of(v->lab, t->variant, t->input, j->options.seed, t->record, j, o, &r);
    bool ok = say_result(v, t, j->options.seed, o, &r);
    x->error_l1 = r.error_l1;
    x->error_max = r.error_max;
    result_free(&r);
    return ok;
}

bool verify_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                    const struct launch_record *record, struct entry *x)
{
    uint64_t seed = c->seed ? c->seed : v->seed;
    struct job_options options = options_of(v, seed);
    struct task t = {variant, c, record, {0}};
    struct outputs o;

    *x = (struct entry){.variant = variant,
                        .input = c,
                        .seed = seed,
                        .verdict = VERDICT_FAIL,
                        .error_l1 = NAN,
                        .error_max = NAN};
    if (!begin(v, &t))
        return false;
    describe(v, &t, x);
    dataset_make(&v->data, v->lab, &t.plan, c, seed);
    struct job j = dataset_job(&v->data, &t.plan, &options);
    run_here(v->module, &j, &o);
    if (o.counted && o.stage == STAGE_DONE)
        take_counts(&o, x);
    take_printed(v, &o, x);
    text_add(&v->findings, o.findings);
    v->nfindings += o.nfindings;
    if (judge(v, &t, &j, &o, x))
        x->verdict = VERDICT_PASS;
    if (x->verdict == VERDICT_PASS && v->timeline && (c->flags & CASE_TIME))
        timeline_add(v->timeline, v->lab, v->machine, x, &t.plan, &o);
    outputs_free(&o);
    return x->verdict == VERDICT_PASS;
}

/* ---- timing ---- */

struct set {
    struct exec exec;
    struct dataset data;
    struct job job;
};
struct sets {
    struct set set[MAX_SETS];
    int n, opened;
};

static bool open_set(struct verify *v, struct set *s, const struct task *t, uint64_t seed)
{
    struct job_options options = options_of(v, seed);
    struct exec_options memory = run_memory(&options);

    dataset_make(&s->data, v->lab, &t->plan, t->input, seed);
    s->job = dataset_job(&s->data, &t->plan, &options);
    if (exec_open(&s->exec, &t->plan, v->module, &memory) && run_fill(&s->exec, &s->job) &&
        exec_launch(&s->exec) && exec_finish(&s->exec))
        return true;
    return blame(v, &s->exec);
}

/* Seeds differ from the checked one: nothing a kernel kept from then is of use. Inputs of
 * several times the L2 need no turns: no cache keeps them, and making them takes long. */
static bool open_sets(struct verify *v, struct sets *s, const struct task *t, uint64_t seed)
{
    uint64_t room = v->machine->memory_bytes / 4, bytes = plan_bytes(&t->plan);

    s->n = bytes > 2 * v->machine->l2_bytes || room < MAX_SETS * bytes ? 1 : MAX_SETS;
    for (int i = 0; i < s->n; i++) {
        s->opened = i + 1;
        if (!open_set(v, &s->set[i], t, seed + 1 + (uint64_t)i))
            return false;
    }
    return true;
}

static bool time_sets(struct verify *v, struct sets *s, const struct plan *p, int reps,
                      struct entry *x)
{
    struct exec *turns[MAX_SETS];

    for (int i = 0; i < s->n; i++) {
        turns[i] = &s->set[i].exec;
        if (!exec_poison(turns[i]))
            return blame(v, turns[i]);
    }
    if (!time_gpu(turns, s->n, v->machine, reps, &x->time)) {
        for (int i = 0; i < s->n; i++) {
            if (turns[i]->message[0])
                return blame(v, turns[i]);
        }
        return say(v, "timing failed\n");
    }
    const char *impossible = time_impossible(v->machine, p, &x->time);
    if (impossible) {
        say(v, "%.5f ms is %s: the timing or the kernel is not what it seems\n", x->time.hot.median,
            impossible);
        x->time = (struct timing){0};
        return false;
    }
    return true;
}

/* What the last timed run of a set left. */
static bool judge_set(struct verify *v, struct set *s, const struct task *t, struct entry *x)
{
    struct outputs o = {.stage = STAGE_DONE, .changed = -1};
    bool ok =
        (exec_finish(&s->exec) && exec_refill(&s->exec) && run_collect(&s->exec, &s->job, &o)) ||
        blame(v, &s->exec);

    if (ok && !judge(v, t, &s->job, &o, x))
        ok = say(v, "the first run was right, a later one on other data was not\n");
    outputs_free(&o);
    return ok;
}

static void warn_about_spread(struct entry *x)
{
    const struct spread *s = x->time.cold.reps ? &x->time.cold : &x->time.hot;

    if (s->reps > 2 && s->hi - s->lo > 0.2 * s->median)
        snprintf(x->warning, sizeof(x->warning),
                 "times spread from %.5f to %.5f ms: is something else using the GPU?", s->lo,
                 s->hi);
}

bool time_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                  const struct launch_record *record, int reps, struct entry *x)
{
    struct sets *s = xzalloc(sizeof(*s));
    struct task t = {variant, c, record, {0}};
    bool ok = begin(v, &t) && open_sets(v, s, &t, c->seed ? c->seed : v->seed) &&
              time_sets(v, s, &t.plan, reps, x);

    for (int i = 0; ok && i < s->n; i++)
        ok = judge_set(v, &s->set[i], &t, x);
    for (int i = 0; i < s->opened; i++) {
        exec_close(&s->set[i].exec);
        dataset_free(&s->set[i].data);
    }
    free(s);
    if (!ok)
        x->verdict = VERDICT_FAIL;
    warn_about_spread(x);
    return ok;
}

void verify_free(struct verify *v)
{
    dataset_free(&v->data);
    text_free(&v->message);
    text_free(&v->findings);
}
