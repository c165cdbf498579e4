/* run.c - carries a job out on a module (run.h). */
#include "run.h"
#include "base/alloc.h"
#include "emulator.h"
#include "lab/plan.h"
#include "look.h"
#include "machine.h"
#include "program.h"
#include "streams.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LATE_MS = 1, MAX_FINDINGS = 100, MAX_FINDINGS_BYTES = JOB_MAX_TEXT / 2 };

/* On the emulator and under checks buffers have their exact size, so that the fault itself is
 * seen; a GPU gets guards. */
struct exec_options run_memory(const struct job_options *o)
{
    return (struct exec_options){
        .guard_bytes = emulator_here() || o->check ? 0 : EXEC_GUARD_BYTES,
        .poison = o->poison,
        .seed = o->seed,
        .timeline = o->timeline,
        .blank = o->blank,
    };
}

bool run_fill(struct exec *e, const struct job *j)
{
    for (int b = 0; !j->options.blank && b < j->plan->nbuffers; b++) {
        if (j->plan->buffers[b].role == BUF_INPUT && !exec_upload(e, b, j->inputs[b]))
            return false;
    }
    return exec_poison(e);
}

/* ---- the launches ---- */

static bool launch_between(struct exec *e, cudaEvent_t events[3], float *ms, float *late)
{
    return cudaDeviceSynchronize() == cudaSuccess && cudaEventRecord(events[0], 0) == cudaSuccess &&
           exec_launch(e) && cudaEventRecord(events[1], 0) == cudaSuccess &&
           cudaDeviceSynchronize() == cudaSuccess && cudaEventRecord(events[2], 0) == cudaSuccess &&
           exec_finish(e) && cudaEventElapsedTime(ms, events[0], events[1]) == cudaSuccess &&
           cudaEventElapsedTime(late, events[0], events[2]) == cudaSuccess;
}

/* The launches with the clock around them. A third event comes after the whole device was
 * waited for: what goes on long after the second, wherever it was left, counts. Waiting before
 * the second would add the host's way there and back to kernels of a few microseconds. Each
 * timed run has inputs of its own, so there is no earlier answer to give again. */
static bool launch_timed(struct exec *e, struct outputs *o)
{
    cudaEvent_t events[3] = {NULL};
    float ms = 0, late = 0;
    bool ok = true;

    for (int i = 0; i < 3; i++)
        ok = ok && cudaEventCreate(&events[i]) == cudaSuccess;
    ok = ok && launch_between(e, events, &ms, &late);
    if (!ok && !e->message[0])
        exec_fail(e, cudaPeekAtLastError(), "timing");
    o->measured_ms = late > ms + LATE_MS ? late : ms;
    o->sm_mhz = machine_clock_now();
    for (int i = 0; i < 3; i++) {
        if (events[i])
            cudaEventDestroy(events[i]);
    }
    return ok;
}

static bool launch(struct exec *e, const struct job *j, struct outputs *o)
{
    struct trace *trace = NULL;

    if (j->options.timeline && !emulator_here() && !exec_launch(e)) /* the first one is slow */
        return false;
    if (!schedule_prepare(e))
        return false;
    emulator_reset();
    uint64_t before = emulator_steps();
    if (j->options.want_lines && j->plan->nsteps)
        trace = trace_begin(plan_kernel(j->plan));
    bool ok = j->options.timed && !emulator_here() ? launch_timed(e, o)
                                                   : exec_launch(e) && exec_finish(e);
    if (trace)
        o->trace = trace_end(trace, ok);
    o->steps = emulator_steps() - before;
    return ok;
}

/* ---- what came of them ---- */

/* The emulator counts and models every launch: the run that is checked is the run that is
 * reported, and nothing needs to be run twice. */
static void take_counts(struct exec *e, struct outputs *o)
{
    o->counted = emulator_here();
    emulator_counters(&o->counters);
    o->modelled_ms = e->plan->nops ? emulator_span_ms() : emulator_modelled_ms();
    if (e->times && (o->counted || e->options.timeline)) {
        o->times = e->times;
        e->times = NULL;
    }
    o->occupancy = emulator_occupancy();
    snprintf(o->bound, sizeof(o->bound), "%s", emulator_bound());
    snprintf(o->limiter, sizeof(o->limiter), "%s", emulator_limiter());
}

static void take_findings(struct outputs *o, size_t from)
{
    size_t n = emulator_findings();
    struct text t = {0};

    o->nfindings = n - from;
    for (size_t i = from; i < n && i < from + MAX_FINDINGS; i++) {
        const char *one = emulator_finding(i);

        if (t.length + strlen(one) > MAX_FINDINGS_BYTES)
            break;
        text_addf(&t, "%s\n", one);
    }
    o->findings = text_take(&t);
}

/* What is too long for the wire is not known. */
static char *not_longer(char *text, size_t most)
{
    if (!text || strlen(text) <= most)
        return text;
    free(text);
    return NULL;
}

static void take_lines(const struct job_options *j, struct outputs *o)
{
    if (j->want_lines)
        o->lines = not_longer(emulator_lines(), JOB_MAX_TEXT);
    if (j->want_instructions)
        o->instructions = not_longer(emulator_instructions(), JOB_MAX_INSTRUCTIONS);
    if (j->disturb >> DISTURB_compared & 1)
        o->compared = not_longer(emulator_compared(), JOB_MAX_TEXT);
    if (j->disturb >> DISTURB_outcomes & 1)
        o->compared = not_longer(emulator_outcomes(), JOB_MAX_TEXT);
}

bool run_collect(struct exec *e, const struct job *j, struct outputs *o)
{
    const struct plan *p = j->plan;

    for (int b = 0; b < p->nbuffers; b++) {
        uint64_t at;

        if (p->buffers[b].role == BUF_OUTPUT) {
            o->data[b] = large_alloc(plan_buffer_bytes(p, b));
            if (!exec_download(e, b, o->data[b]))
                return false;
        } else if (p->buffers[b].role == BUF_INPUT && o->changed < 0 &&
                   !exec_unchanged(e, b, j->inputs[b], &at)) {
            if (at == UINT64_MAX)
                return false;
            o->changed = b;
            o->changed_at = at;
        }
    }
    return true;
}

static bool carry_out(struct exec *e, const struct module *m, const struct job *j,
                      struct outputs *o)
{
    struct exec_options memory = run_memory(&j->options);

    o->stage = STAGE_OPEN;
    if (!exec_open(e, j->plan, m, &memory) || !run_fill(e, j))
        return false;
    o->stage = STAGE_RUN;
    bool ok = launch(e, j, o);
    take_counts(e, o);
    if (!ok || (!j->options.launch_only && !run_collect(e, j, o)))
        return false;
    o->stage = STAGE_DONE;
    return true;
}

void run_here(const struct module *m, const struct job *j, struct outputs *o)
{
    size_t from = emulator_findings();
    struct exec e;

    if (m->program) {
        program_run(m, j, o);
        return;
    }
    *o = (struct outputs){.changed = -1};
    emulator_set_check(j->options.check ? 1 : j->options.check_some ? 2 : 0);
    emulator_set_side_by_side(j->options.as_is);
    emulator_set_sample(!j->options.untimed);
    emulator_set_sample_at(j->options.sample_at);
    emulator_set_disturb(j->options.disturb);
    emulator_set_turns(j->options.seed);
    emulator_set_steps(j->options.steps);
    if (!look_begin(j->options.look)) {
        o->error = cudaErrorMemoryAllocation;
        o->message = xstrdup("the module's variables hold too much, or change too often, to be "
                             "kept");
        return;
    }
    bool ok = carry_out(&e, m, j, o);
    o->error = ok ? 0 : (int32_t)e.error;
    o->message = xstrdup(ok ? "" : e.message);
    take_findings(o, from);
    take_lines(&j->options, o);
    if (o->error && job_goes_on(j->plan, &j->options, o->error))
        emulator_forgive();
    exec_close(&e);
    look_end();
}
