/* job.c - jobs and their outputs over a pipe (job.h). */
#include "job.h"
#include "base/alloc.h"
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- jobs ---- */

struct packed_job {
    uint32_t check, want_lines, want_instructions, timed, launch_only, poison, plan_bytes, timeline;
    uint32_t untimed, any_status, check_some, as_is, blank, unused;
    uint64_t disturb, steps, seed, look, sample_at;
};

bool job_goes_on(const struct plan *p, const struct job_options *o, int32_t error)
{
    enum { LAUNCH_TIMEOUT = 702 }; /* cudaErrorLaunchTimeout */

    return !error || (error == LAUNCH_TIMEOUT && o->disturb & DISTURB_TRIALS && !p->nops);
}

bool job_gives_back(const char *call)
{
    static const char *const begins[] = {"cudaFree", "cudaEventDestroy", "cudaStreamDestroy",
                                         "cudaHostUnregister", "cudaDeviceReset"};
    bool gives = false;

    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        gives |= !strncmp(call, begins[i], strlen(begins[i]));
    return gives;
}

bool job_write(const struct wire *w, const struct job *j)
{
    const struct job_options *o = &j->options;
    unsigned char *plan;
    struct packed_job head = {o->check,
                              o->want_lines,
                              o->want_instructions,
                              o->timed,
                              o->launch_only,
                              o->poison,
                              (uint32_t)plan_write(j->plan, &plan),
                              o->timeline,
                              o->untimed,
                              o->any_status,
                              o->check_some,
                              o->as_is,
                              o->blank,
                              0,
                              o->disturb,
                              o->steps,
                              o->seed,
                              o->look,
                              o->sample_at};
    bool ok = wire_put(w, &head, sizeof(head)) && wire_put_text(w, o->fail) &&
              wire_put(w, plan, head.plan_bytes);

    free(plan);
    for (int b = 0; ok && !o->blank && b < j->plan->nbuffers; b++) {
        if (j->plan->buffers[b].role == BUF_INPUT)
            ok = wire_put(w, j->inputs[b], plan_buffer_bytes(j->plan, b));
    }
    return ok;
}

static bool read_plan(const struct wire *w, uint32_t bytes, struct plan *p)
{
    char err[200];

    if (bytes > PLAN_MAX_PACKED)
        return false;
    unsigned char *plan = xmalloc(bytes);
    bool ok = wire_get(w, plan, bytes) && plan_read(plan, bytes, p, err, sizeof(err));
    free(plan);
    return ok;
}

bool job_read(const struct wire *w, struct job *j, struct plan *p)
{
    struct packed_job head;
    char *fail;

    *j = (struct job){.plan = p};
    if (!wire_get(w, &head, sizeof(head)) || head.poison > POISON_ALL ||
        head.disturb >> DISTURB_COUNT || !(fail = wire_get_text(w, JOB_MAX_FAIL)))
        return false;
    j->fail = fail;
    if (!read_plan(w, head.plan_bytes, p))
        return false;
    j->options = (struct job_options){.check = head.check != 0,
                                      .check_some = head.check_some != 0,
                                      .want_lines = head.want_lines != 0,
                                      .want_instructions = head.want_instructions != 0,
                                      .timed = head.timed != 0,
                                      .untimed = head.untimed != 0,
                                      .any_status = head.any_status != 0,
                                      .blank = head.blank != 0,
                                      .launch_only = head.launch_only != 0,
                                      .timeline = head.timeline != 0,
                                      .poison = (enum poison)head.poison,
                                      .disturb = (unsigned)head.disturb,
                                      .fail = *fail ? fail : NULL,
                                      .steps = head.steps,
                                      .seed = head.seed,
                                      .look = head.look,
                                      .as_is = head.as_is != 0,
                                      .sample_at = head.sample_at};
    for (int b = 0; b < p->nbuffers; b++) {
        if (p->buffers[b].role != BUF_INPUT || head.blank)
            continue;
        void *data = xmalloc(plan_buffer_bytes(p, b));
        j->inputs[b] = data;
        if (!wire_get(w, data, plan_buffer_bytes(p, b)))
            return false;
    }
    return true;
}

void job_free(struct job *j)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++)
        free((void *)j->inputs[b]);
    free(j->fail);
    *j = (struct job){0};
}

/* ---- outputs ---- */

double outputs_overlap(const struct outputs *o, const struct plan *p)
{
    double busy = 0, first = INFINITY, last = -INFINITY;

    for (int i = 0; o->times && i < p->nops; i++) {
        if (p->ops[i].kind > OP_COPY_OUT)
            continue;
        busy += o->times[i].end - o->times[i].start;
        first = fmin(first, o->times[i].start);
        last = fmax(last, o->times[i].end);
    }
    return last > first ? busy / (last - first) : 0;
}

static int by_start(const void *a, const void *b)
{
    const struct op_time *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

double outputs_beside(const struct outputs *o, const struct plan *p)
{
    struct op_time copies[LAB_MAX_OPS] = {0};
    double all = 0, beside = 0;
    int n = 0;

    for (int i = 0; o->times && i < p->nops; i++)
        if (p->ops[i].kind == OP_COPY_IN || p->ops[i].kind == OP_COPY_OUT)
            copies[n++] = o->times[i];
    qsort(copies, (size_t)n, sizeof(copies[0]), by_start);
    for (int i = 0; o->times && i < p->nops; i++) {
        if (p->ops[i].kind != OP_LAUNCH)
            continue;
        double at = o->times[i].start, end = o->times[i].end;
        all += end - at;
        for (int k = 0; k < n && at < end; k++) {
            double from = fmax(at, copies[k].start), to = fmin(end, copies[k].end);
            beside += fmax(to - from, 0);
            at = fmax(at, to);
        }
    }
    return all > 0 ? beside / all : 0;
}

/* Of each rank's part; 0 where there is nothing. */
static double skew_of(const double *part, int ranks)
{
    double most = 0, all = 0;

    for (int r = 0; r < ranks; r++) {
        most = fmax(most, part[r]);
        all += part[r];
    }
    return all > 0 ? most * ranks / all : 0;
}

double outputs_skew(const struct outputs *o, const struct plan *p, bool of_loads)
{
    double part[LAB_MAX_RANKS] = {0};
    int ranks = p->ranks > 1 ? p->ranks : 1;

    for (int i = 0; o->times && i < p->nops; i++) {
        if (p->ops[i].kind != OP_LAUNCH)
            continue;
        part[p->ops[i].rank] += of_loads ? o->times[i].loaded : o->times[i].work;
    }
    double skew = skew_of(part, ranks);
    return skew > 0 ? skew : INFINITY;
}

struct packed_outputs {
    uint32_t stage, counted, sm_mhz, has_lines, has_instructions, has_trace, has_times, is_program;
    uint32_t wrote, has_compared;
    int32_t error, changed, status, late;
    uint64_t changed_at, nfindings, steps;
    double modelled_ms, occupancy, measured_ms;
    struct counters counters;
    char bound[32], limiter[32];
};

void outputs_drop_data(struct outputs *o)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++) {
        large_free(o->data[b]);
        o->data[b] = NULL;
    }
}

void outputs_free(struct outputs *o)
{
    outputs_drop_data(o);
    free(o->message);
    free(o->findings);
    free(o->printed);
    free(o->said);
    free(o->record);
    free(o->lines);
    free(o->instructions);
    free(o->trace);
    free(o->compared);
    free(o->times);
    *o = (struct outputs){.changed = -1};
}

static bool put_data(const struct wire *w, const struct plan *p, const struct outputs *o)
{
    for (int b = 0; o->stage == STAGE_DONE && b < p->nbuffers; b++) {
        if (p->buffers[b].role == BUF_OUTPUT && o->data[b] &&
            !wire_put(w, o->data[b], plan_buffer_bytes(p, b)))
            return false;
    }
    return true;
}

bool outputs_write(const struct wire *w, const struct plan *p, const struct outputs *o)
{
    struct packed_outputs head;

    memset(&head, 0, sizeof(head));
    head.stage = o->stage;
    head.counted = o->counted;
    head.sm_mhz = o->sm_mhz;
    head.has_lines = o->lines != NULL;
    head.has_instructions = o->instructions != NULL;
    head.has_trace = o->trace != NULL;
    head.has_compared = o->compared != NULL;
    head.has_times = o->times != NULL;
    head.is_program = o->record != NULL;
    head.wrote = o->wrote;
    head.status = o->status;
    head.late = o->late;
    head.error = o->error;
    head.changed = o->changed;
    head.changed_at = o->changed_at;
    head.nfindings = o->nfindings;
    head.modelled_ms = o->modelled_ms;
    head.occupancy = o->occupancy;
    head.measured_ms = o->measured_ms;
    head.counters = o->counters;
    head.steps = o->steps;
    memcpy(head.bound, o->bound, sizeof(head.bound));
    memcpy(head.limiter, o->limiter, sizeof(head.limiter));
    return wire_put(w, &head, sizeof(head)) && wire_put_text(w, o->message) &&
           wire_put_text(w, o->findings) && wire_put_text(w, o->printed) &&
           wire_put_text(w, o->said) && wire_put_text(w, o->record) && wire_put_text(w, o->lines) &&
           wire_put_text(w, o->instructions) && wire_put_text(w, o->trace) &&
           wire_put_text(w, o->compared) &&
           (!o->times || wire_put(w, o->times, (size_t)p->nops * sizeof(*o->times))) &&
           put_data(w, p, o);
}

/* An input's element, or none: whoever says anything else is not believed. */
static bool changed_is_possible(const struct plan *p, int32_t b, uint64_t at)
{
    return b == -1 || (b >= 0 && b < p->nbuffers && p->buffers[b].role == BUF_INPUT &&
                       at < p->buffers[b].count);
}

static bool read_head(const struct wire *w, const struct plan *p, struct outputs *o,
                      struct packed_outputs *head)
{
    if (!wire_get(w, head, sizeof(*head)) || head->stage > STAGE_DONE ||
        !changed_is_possible(p, head->changed, head->changed_at))
        return false;
    o->stage = (enum stage)head->stage;
    o->counted = head->counted != 0;
    o->sm_mhz = head->sm_mhz;
    o->wrote = head->wrote != 0;
    o->status = head->status;
    o->late = head->late != 0;
    o->error = head->error;
    o->changed = head->changed;
    o->changed_at = head->changed_at;
    o->nfindings = head->nfindings;
    o->modelled_ms = head->modelled_ms;
    o->occupancy = head->occupancy;
    o->measured_ms = head->measured_ms;
    o->counters = head->counters;
    o->steps = head->steps;
    memcpy(o->bound, head->bound, sizeof(o->bound) - 1);
    memcpy(o->limiter, head->limiter, sizeof(o->limiter) - 1);
    return true;
}

/* A text that may be missing: it is sent empty. False when the pipe ends. */
static bool read_text(const struct wire *w, bool there, size_t max, char **text)
{
    char *sent = wire_get_text(w, max);

    bool ok = sent;
    *text = there ? sent : NULL;
    if (!there)
        free(sent);
    return ok;
}

static bool read_texts(const struct wire *w, struct outputs *o, const struct packed_outputs *head)
{
    return (o->message = wire_get_text(w, JOB_MAX_TEXT)) &&
           (o->findings = wire_get_text(w, JOB_MAX_TEXT)) &&
           read_text(w, head->is_program, JOB_MAX_SAID, &o->printed) &&
           read_text(w, head->is_program, JOB_MAX_SAID, &o->said) &&
           read_text(w, head->is_program, JOB_MAX_TEXT, &o->record) &&
           read_text(w, head->has_lines, JOB_MAX_TEXT, &o->lines) &&
           read_text(w, head->has_instructions, JOB_MAX_INSTRUCTIONS, &o->instructions) &&
           read_text(w, head->has_trace, JOB_MAX_TRACE, &o->trace) &&
           read_text(w, head->has_compared, JOB_MAX_TEXT, &o->compared);
}

bool outputs_read(const struct wire *w, const struct plan *p, bool launch_only, struct outputs *o)
{
    struct packed_outputs head;

    *o = (struct outputs){.changed = -1};
    if (!read_head(w, p, o, &head) || !read_texts(w, o, &head))
        return false;
    if (head.has_times) {
        o->times = xcalloc((size_t)p->nops + 1, sizeof(*o->times));
        if (!wire_get(w, o->times, (size_t)p->nops * sizeof(*o->times)))
            return false;
    }
    for (int b = 0; o->stage == STAGE_DONE && !launch_only && b < p->nbuffers; b++) {
        if (p->buffers[b].role != BUF_OUTPUT)
            continue;
        o->data[b] = large_alloc(plan_buffer_bytes(p, b));
        if (!wire_get(w, o->data[b], plan_buffer_bytes(p, b)))
            return false;
    }
    return true;
}

/* ---- what a program left ---- */

/* The rest of the line that begins with NAME and a blank; NULL: there is none. */
static const char *line_of(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        if (!strncmp(p, name, n) && p[n] == ' ')
            return p + n + 1;
    }
    return NULL;
}

bool record_value(const struct outputs *o, const char *name, double *value)
{
    if (!o->record || !*o->record)
        return false;
    const char *line = line_of(o->record, name);
    *value = line ? strtod(line, NULL) : 0;
    return true;
}

/* Behind "NAME 0.125 ms"; NULL: there is no such line. */
static const char *behind_ms(const struct outputs *o, const char *name, double *ms)
{
    const char *line = line_of(o->printed ? o->printed : "", name);
    char *end;

    if (!line)
        return NULL;
    *ms = strtod(line, &end);
    return end != line && *ms >= 0 && !strncmp(end, " ms", 3) ? end + 3 : NULL;
}

bool printed_ms(const struct outputs *o, const char *name, double *ms)
{
    return behind_ms(o, name, ms);
}

bool printed_rate(const struct outputs *o, const char *name, double *gbps)
{
    double ms;
    const char *rest = behind_ms(o, name, &ms);
    char *end;

    if (!rest)
        return false;
    *gbps = strtod(rest, &end);
    return end != rest && *gbps >= 0 && !strncmp(end, " GB/s", 5);
}

bool told_ms(const struct outputs *o, const char *name, double *ms)
{
    static const char word[] = "told_ms ";
    enum { MOST = 16, ONE = 1 };
    double printed, told[ONE + MOST] = {0}; /* the first: none */
    int n = ONE;

    if (!o->record || !printed_ms(o, name, &printed))
        return false;
    for (const char *p = o->record; n < ONE + MOST && *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (!strncmp(p, word, strlen(word)))
            told[n++] = strtod(p + strlen(word), NULL);
    *ms = INFINITY;
    for (int i = ONE; i < n; i++)
        for (int k = 0; k < i; k++) {
            double both = told[i] + told[k];
            if (fabs(both - printed) < fabs(*ms - printed))
                *ms = both;
        }
    return n > ONE;
}

bool program_fact(const struct outputs *o, const char *name, double *value)
{
    bool there;

    if (!strncmp(name, "calls.", 6))
        there = record_value(o, name, value);
    else if (!strncmp(name, "record.", 7))
        there = record_value(o, name + 7, value);
    else if (!strncmp(name, "printed.", 8))
        there = printed_ms(o, name + 8, value);
    else if (!strncmp(name, "told.", 5))
        there = told_ms(o, name + 5, value);
    else if (!strncmp(name, "rate.", 5))
        there = printed_rate(o, name + 5, value);
    else
        return false;
    if (!there)
        *value = NAN;
    return true;
}
