/* session.c - compiles one source and runs its variants in boxes. See session.h. */
#include "session.h"

#include "boxes.h"
#include "lab/compare.h"
#include "lab/counter.h"
#include "lab/dtype.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/clock.h"
#include "lab/plan.h"
#include "lab/random.h"
#include "lab/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PLAN_BYTES_CAP = 1 << 30, /* of all buffers together */
    MAX_RESTARTS = 6,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_PTX_VERSION = 222,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
};

_Static_assert(sizeof(struct counters) <= 64 * sizeof(uint64_t), "msg_reply.counters holds 64");

void number_text(char out[40], double v)
{
    snprintf(out, 40, v < 1e15 && v > -1e15 && v == (double)(int64_t)v ? "%.0f" : "%.9g", v);
}

bool run_counter(const struct run *r, const char *name, double *value)
{
    int i = counter_index(name);
    if (i < 0)
        return false;
    *value = (double)r->reply.counters[i];
    return true;
}

/* ---- boxes ---- */

/* Why the box ended, for a person. */
static char *box_problem(const struct box *b, const char *what, double limit_s)
{
    switch (b->end) {
    case BOX_TIMEOUT:
        return xformat("%s took longer than %g s and was stopped", what, limit_s);
    case BOX_MEMORY:
        return xformat("%s used too much memory and was stopped", what);
    case BOX_NO_START:
        return xformat("the sandbox did not start: %.300s", text_str(&b->log));
    default:
        break;
    }
    bool cpu = b->exit_code == 128 + 24 || b->exit_code == 128 + 9;
    return cpu ? xformat("%s used too much processor time and was stopped", what)
               : xformat("%s ended with code %d: %.300s", what, b->exit_code, text_str(&b->log));
}

static void keep_log(struct session *s)
{
    size_t room = s->log.length < RUNNER_LOG_CAP ? RUNNER_LOG_CAP - s->log.length : 0;
    size_t keep = s->box.log.length < room ? s->box.log.length : room;
    text_bytes(&s->log, text_str(&s->box.log), keep);
    s->log_dropped += s->box.log_dropped + s->box.log.length - keep;
}

/* Ends the runner and keeps all that it said. */
static void close_box(struct session *s)
{
    if (!s->open)
        return;
    if (s->box.pid > 0 && s->box.end == BOX_RUNNING)
        box_deadline(&s->box, 5);
    box_finish(&s->box);
    keep_log(s);
    box_close(&s->box);
    s->open = false;
}

/* ---- compiling ---- */

static bool receive_image(struct session *s)
{
    struct cc_reply r;
    if (!box_receive(&s->box, &r, sizeof(r)) || r.magic != CC_MAGIC ||
        r.image_bytes > COMPILER_IMAGE_CAP || r.log_bytes > PROTO_MAX_TEXT)
        return false;
    s->image = xzalloc((size_t)r.image_bytes + 1);
    s->compile_log = xzalloc((size_t)r.log_bytes + 1);
    if (!box_receive(&s->box, s->image, r.image_bytes) ||
        !box_receive(&s->box, s->compile_log, r.log_bytes))
        return false;
    s->image_bytes = r.image_bytes;
    s->compiled = r.ok;
    return true;
}

static void compile(struct session *s)
{
    bool ok = compiler_start(&s->box, s->o, s->name) && box_send(&s->box, s->source, s->length);
    if (ok) {
        close(s->box.in);
        s->box.in = -1;
        ok = receive_image(s);
    }
    box_finish(&s->box);
    if (!ok) {
        s->compiled = false;
        s->problem = box_problem(&s->box, "compiling", s->o->compile_s);
        s->internal =
            s->box.end == BOX_NO_START || (s->box.end == BOX_EXITED && s->box.exit_code < 128);
    } else if (!s->compiled) {
        s->problem = xstrdup("it does not compile");
    }
    box_close(&s->box);
}

void session_start(struct session *s, const struct lab *lab, const struct engine_options *o,
                   const char *name, const char *source, size_t length)
{
    *s = (struct session){
        .lab = lab, .o = o, .name = xstrdup(name), .length = length, .started = now_s()};
    s->source = xzalloc(length + 1);
    memcpy(s->source, source, length);
    compile(s);
}

/* ---- the runner's box ---- */

static bool hello(struct session *s)
{
    struct msg_hello h = {.magic = PROTO_MAGIC, .module_bytes = (uint32_t)s->image_bytes};
    snprintf(h.name, sizeof(h.name), "%s", s->name);
    struct msg_loaded *m = &s->loaded;
    if (!box_send(&s->box, &h, sizeof(h)) || !box_send(&s->box, s->image, s->image_bytes) ||
        !box_receive(&s->box, m, sizeof(*m)) || m->magic != PROTO_MAGIC ||
        m->text_bytes > PROTO_MAX_TEXT)
        return false;
    m->device[sizeof(m->device) - 1] = m->version[sizeof(m->version) - 1] = 0;
    char *text = xzalloc((size_t)m->text_bytes + 1);
    bool ok = box_receive(&s->box, text, m->text_bytes);
    if (ok && m->error) {
        s->problem = xformat("%s. %.500s", text, text_str(&s->box.log));
        s->compiled = false; /* nothing of it can run */
        s->load_failed = true;
    }
    free(text);
    return ok;
}

/* False with s->problem set when there is no runner to be had. */
static bool open_box(struct session *s)
{
    if (s->open)
        return true;
    if (!s->o->trusted && s->restarts++ > MAX_RESTARTS) {
        free(s->problem);
        s->problem = xstrdup("too many of its runs had to be stopped");
        return false;
    }
    bool ok = runner_start(&s->box, s->o, NULL, false) && hello(s);
    s->open = true;
    if (ok && s->compiled)
        return true;
    if (!ok) {
        box_finish(&s->box);
        s->problem = box_problem(&s->box, "loading it", s->o->run_s);
        s->internal = true;
    }
    close_box(s);
    return false;
}

static bool ask(struct session *s, const char *const *names, int n, struct msg_answer *answers)
{
    struct msg_ask q = {MSG_ASK, (uint32_t)n};
    if (!box_send(&s->box, &q, sizeof(q)))
        return false;
    for (int i = 0; i < n; i++) {
        char name[PROTO_NAME] = "";
        snprintf(name, sizeof(name), "%s", names[i]);
        if (!box_send(&s->box, name, sizeof(name)) ||
            !box_receive(&s->box, &answers[i], sizeof(answers[i])))
            return false;
    }
    return true;
}

/* ---- one run ---- */

static void set_end(struct run *r, enum run_end end, char *why)
{
    r->end = end;
    free(r->why);
    r->why = why;
}

static void box_ended(struct session *s, struct run *r)
{
    box_finish(&s->box);
    enum run_end end = s->box.end == BOX_TIMEOUT    ? RUN_ENDLESS
                       : s->box.end == BOX_NO_START ? RUN_INTERNAL
                                                    : RUN_DIED;
    set_end(r, end, box_problem(&s->box, "the run", s->o->run_s));
    close_box(s);
}

/* The plan for this run, checked: kernels present, record usable, sizes sane. */
static bool make_plan(struct session *s, struct run *r)
{
    const struct lab_variant *v = r->variant;
    char note[512] = "", err[512] = "";
    struct msg_answer a;
    r->record = v->record;
    if (!ask(s, &v->name, 1, &a)) {
        box_ended(s, r);
        return false;
    }
    if (v->has_record && a.has_record == RECORD_BAD) {
        set_end(r, RUN_RECORD,
                xformat("its launch record is not one: write LAUNCH(%s, block, ...)", v->name));
        return false;
    }
    if (v->has_record && a.has_record == RECORD_GIVEN)
        record_clamp(v, &a.record, &r->record, note, sizeof(note));
    r->note = xstrdup(note);
    r->plan = xzalloc(sizeof(*r->plan));
    if (!plan_make(s->lab, v, &r->c, &r->record, &s->loaded.limits, r->plan, err, sizeof(err))) {
        set_end(r, RUN_RECORD, xformat("its launch record cannot be used: %s", err));
        return false;
    }
    uint64_t bytes = plan_bytes(r->plan);
    if (bytes > PLAN_BYTES_CAP) {
        set_end(r, RUN_RECORD,
                xformat("its launch record asks for %llu MiB", (unsigned long long)(bytes >> 20)));
        return false;
    }
    return true;
}

/* The pattern differs with the seed, so that two runs of a case differ in it. */
static uint64_t poison_of(const struct run *r)
{
    return r->seed * 0x9e3779b97f4a7c15u + r->check;
}

struct host_data {
    void *input[LAB_MAX_BUFFERS], *expected[LAB_MAX_BUFFERS], *got[LAB_MAX_BUFFERS];
    double *tolerance[LAB_MAX_BUFFERS], *allocated[LAB_MAX_BUFFERS]; /* a lab may set NULL: exact */
    uint64_t input_sum;
};

static void make_inputs(struct session *s, struct run *r, struct host_data *d)
{
    for (int i = 0; i < r->plan->nbuffers; i++) {
        if (r->plan->buffers[i].role != BUF_INPUT)
            continue;
        d->input[i] = xzalloc(plan_buffer_bytes(r->plan, i));
        s->lab->make_input(r->plan, i, &r->c, r->seed, d->input[i]);
        d->input_sum = data_sum(d->input_sum, d->input[i], plan_buffer_bytes(r->plan, i));
    }
}

static void make_expected(struct session *s, struct run *r, struct host_data *d)
{
    for (int i = 0; i < r->plan->nbuffers; i++) {
        if (r->plan->buffers[i].role != BUF_OUTPUT)
            continue;
        d->expected[i] = xzalloc(plan_buffer_bytes(r->plan, i));
        if (dtype_is_float(r->plan->buffers[i].dtype))
            d->tolerance[i] = d->allocated[i] = xzalloc(r->plan->buffers[i].count * sizeof(double));
    }
    s->lab->reference(r->plan, r->variant, &r->c, (const void *const *)d->input, d->expected,
                      d->tolerance);
}

static void host_data_free(struct host_data *d)
{
    for (int i = 0; i < LAB_MAX_BUFFERS; i++) {
        free(d->input[i]);
        free(d->expected[i]);
        free(d->got[i]);
        free(d->allocated[i]);
    }
}

static void compare_output(struct session *s, struct run *r, const struct host_data *d, int b)
{
    const struct lab_buffer *buffer = &r->plan->buffers[b];
    const struct plan_step *last = &r->plan->steps[r->plan->nsteps ? r->plan->nsteps - 1 : 0];
    struct compare_hints hints = {.poison = poison_byte(poison_of(r)),
                                  .items = r->record.items,
                                  .block_threads =
                                      last->block[0] * last->block[1] * last->block[2]};
    uint64_t n = s->lab->output_count ? s->lab->output_count(r->plan, &r->c, b) : buffer->count;
    n = n < buffer->count ? n : buffer->count;
    struct comparison c =
        compare(buffer->dtype, d->expected[b], d->got[b], d->tolerance[b], n, &hints);
    r->compared += n;
    r->wrong += c.nwrong;
    if (!c.nwrong || r->output)
        return;
    r->output = buffer->name;
    r->nfirst = c.nshown;
    memcpy(r->first, c.shown, sizeof(r->first));
    const char *guess =
        s->lab->diagnose ? s->lab->diagnose(r->plan, &r->c, b, c.shown, c.nshown, c.nwrong) : NULL;
    r->diagnosis = guess ? xstrdup(guess) : c.cause[0] ? xstrdup(c.cause) : NULL;
}

static char *mismatch_text(const struct run *r)
{
    const struct lab_mismatch *x = &r->first[0];
    char want[40], got[40];
    number_text(want, x->expected);
    number_text(got, x->got);
    return xformat("%llu of %llu results are wrong; first %s[%llu]: expected %s, got %s",
                   (unsigned long long)r->wrong, (unsigned long long)r->compared, r->output,
                   (unsigned long long)x->index, want, got);
}

static void compare_all(struct session *s, struct run *r, const struct host_data *d)
{
    for (int b = 0; b < r->plan->nbuffers; b++)
        if (r->plan->buffers[b].role == BUF_OUTPUT)
            compare_output(s, r, d, b);
    r->correct = r->wrong == 0 && !r->inputs_changed;
    if (r->inputs_changed)
        set_end(r, RUN_OK, xstrdup("the kernel wrote to its input"));
    else if (r->wrong)
        set_end(r, RUN_OK, mismatch_text(r));
}

static bool send_run(struct session *s, struct run *r, const struct host_data *d, bool lines,
                     bool timed)
{
    struct msg_run q = {.kind = MSG_RUN,
                        .check = r->check,
                        .want_lines = lines,
                        .timed = timed,
                        .steps = s->o->steps,
                        .poison = poison_of(r)};
    unsigned char *packed;
    q.plan_bytes = (uint32_t)plan_write(r->plan, &packed);
    bool sent = box_send(&s->box, &q, sizeof(q)) && box_send(&s->box, packed, q.plan_bytes);
    free(packed);
    if (!sent)
        return false;
    for (int i = 0; i < r->plan->nbuffers; i++)
        if (r->plan->buffers[i].role == BUF_INPUT &&
            !box_send(&s->box, d->input[i], plan_buffer_bytes(r->plan, i)))
            return false;
    return true;
}

static char *receive_text(struct session *s, uint32_t n)
{
    char *t = n <= PROTO_MAX_TEXT ? xzalloc((size_t)n + 1) : NULL;
    if (t && box_receive(&s->box, t, n))
        return t;
    free(t);
    return NULL;
}

static bool receive_reply(struct session *s, struct run *r, struct host_data *d, char **error,
                          char **findings, char **lines)
{
    struct msg_reply *m = &r->reply;
    *error = *findings = *lines = NULL;
    free(r->trace);
    r->trace = NULL;
    if (!box_receive(&s->box, m, sizeof(*m)))
        return false;
    m->bound[sizeof(m->bound) - 1] = m->limiter[sizeof(m->limiter) - 1] = 0;
    if (!(*error = receive_text(s, m->error_bytes)) ||
        !(*findings = receive_text(s, m->findings_bytes)) ||
        !(*lines = receive_text(s, m->lines_bytes)) ||
        !(r->trace = receive_text(s, m->trace_bytes)))
        return false;
    for (int i = 0; m->stage == STAGE_DONE && i < r->plan->nbuffers; i++) {
        if (r->plan->buffers[i].role != BUF_OUTPUT)
            continue;
        d->got[i] = xzalloc(plan_buffer_bytes(r->plan, i));
        if (!box_receive(&s->box, d->got[i], plan_buffer_bytes(r->plan, i)))
            return false;
    }
    return true;
}

/* The last line of what the emulator said: it is about this error. */
static char *last_log_line(const struct box *b)
{
    size_t n = b->log.length;
    while (n && b->log.s[n - 1] == '\n')
        n--;
    size_t from = n;
    while (from && b->log.s[from - 1] != '\n')
        from--;
    return xformat("%.*s", (int)(n - from < 400 ? n - from : 400), text_str(&b->log) + from);
}

/* What the emulator cannot run is not the student's mistake: a person has to look. */
static enum run_end end_of(const struct msg_reply *m)
{
    switch (m->error) {
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_PTX_VERSION:
    case CUDA_ERROR_NOT_SUPPORTED:
        return RUN_INTERNAL;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
        return RUN_ENDLESS;
    case 0:
        return m->stage == STAGE_OPEN ? RUN_NO_KERNEL : RUN_ERROR;
    default:
        return RUN_ERROR;
    }
}

static void judge(struct session *s, struct run *r, struct host_data *d, const char *error,
                  const char *findings)
{
    json_error_t bad;
    json_decref(r->findings);
    r->findings = json_loads(findings, JSON_REJECT_DUPLICATES, &bad);
    if (!json_is_array(r->findings)) {
        json_decref(r->findings);
        r->findings = json_array();
        set_end(r, RUN_INTERNAL, xformat("the checks' findings cannot be read: %s", bad.text));
        return;
    }
    if (r->reply.stage != STAGE_DONE) {
        json_t *finding = json_array_get(r->findings, json_array_size(r->findings) - 1);
        const char *message = json_string_value(json_object_get(finding, "message"));
        char *said = message          ? xstrdup(message)
                     : r->reply.error ? last_log_line(&s->box)
                                      : xstrdup("");
        char *text = xformat("%s%s%s", error, *said ? ". " : "", said);
        set_end(r, end_of(&r->reply), text);
        if (r->end == RUN_ENDLESS)
            set_end(r, RUN_ENDLESS,
                    xformat("%s did not finish within %llu warp instructions",
                            r->plan->steps[0].kernel, (unsigned long long)s->o->steps));
        free(said);
        return;
    }
    make_expected(s, r, d);
    r->inputs_changed = r->reply.input_sum != d->input_sum;
    compare_all(s, r, d);
}

/* The box's standard error is read for this run alone while it goes on. */
static void carry_out(struct session *s, struct run *r, bool want_lines, bool timed)
{
    struct host_data d = {.input_sum = 0};
    char *error, *findings, *lines;
    if (!s->lab->applies || s->lab->applies(r->variant, &r->c)) {
        if (!make_plan(s, r))
            return;
    } else {
        set_end(r, RUN_INTERNAL,
                xformat("%s does not apply to the case %s", r->variant->name, r->c.name));
        return;
    }
    make_inputs(s, r, &d);
    box_deadline(&s->box, s->o->run_s);
    if (send_run(s, r, &d, want_lines, timed) &&
        receive_reply(s, r, &d, &error, &findings, &lines)) {
        judge(s, r, &d, error, findings);
        free(error);
        free(findings);
        free(r->lines);
        r->lines = want_lines ? lines : NULL;
        if (!want_lines)
            free(lines);
        if (r->reply.error)
            close_box(s); /* a sticky error spoils what follows */
    } else {
        box_ended(s, r);
    }
    host_data_free(&d);
}

static struct run *find_run(struct session *s, const struct lab_variant *v,
                            const struct lab_case *c, uint64_t seed, bool check)
{
    for (int i = 0; i < s->nruns; i++) {
        struct run *r = s->runs[i];
        if (r->variant == v && !strcmp(r->c.name, c->name) && r->c.n == c->n && r->seed == seed &&
            (r->check || !check))
            return r;
    }
    return NULL;
}

/* Checked runs are tried even so: they may say why. */
static const struct run *stopped_before(const struct session *s, const struct lab_variant *v,
                                        bool check)
{
    for (int i = 0; i < s->nruns; i++)
        if (s->runs[i]->variant == v && (s->runs[i]->check || !check) &&
            (s->runs[i]->end == RUN_ENDLESS || s->runs[i]->end == RUN_DIED))
            return s->runs[i];
    return NULL;
}

struct run *session_run(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                        uint64_t seed, bool check)
{
    struct run *r = find_run(s, v, c, seed, check);
    if (r)
        return r;
    r = xzalloc(sizeof(*r));
    *r =
        (struct run){.variant = v, .c = *c, .check = check, .seed = seed, .findings = json_array()};
    const struct run *stopped = stopped_before(s, v, check);
    s->runs = xrealloc(s->runs, (size_t)(s->nruns + 1) * sizeof(*s->runs));
    s->runs[s->nruns++] = r;
    if (stopped)
        set_end(r, RUN_NOT_TRIED, xformat("not tried: on %s, %s", stopped->c.name, stopped->why));
    else if (!open_box(s))
        set_end(r, s->internal ? RUN_INTERNAL : RUN_DIED, xstrdup(s->problem));
    else
        carry_out(s, r, false, false);
    return r;
}

static void run_clear(struct run *r)
{
    free(r->why);
    free(r->note);
    free(r->plan);
    free(r->lines);
    free(r->trace);
    free(r->diagnosis);
    json_decref(r->findings);
}

static struct run again(const struct run *r)
{
    return (struct run){.variant = r->variant,
                        .c = r->c,
                        .check = r->check,
                        .seed = r->seed,
                        .findings = json_array()};
}

const char *session_lines(struct session *s, struct run *r)
{
    if (!r->lines && r->plan && open_box(s)) {
        struct run second = again(r);
        second.check = false;
        carry_out(s, &second, true, false);
        free(r->trace);
        r->lines = second.lines;
        r->trace = second.trace;
        second.lines = second.trace = NULL;
        run_clear(&second);
    }
    return r->lines;
}

bool session_time(struct session *s, const struct run *like, uint64_t seed, struct timed *t,
                  char **why)
{
    struct run r = again(like);
    r.seed = seed;
    r.check = false;
    *why = NULL;
    if (!s->compiled || !open_box(s)) {
        *why = xstrdup(s->problem ? s->problem : "it could not be started");
    } else {
        carry_out(s, &r, false, true);
        *t = (struct timed){r.reply.measured_ms, r.reply.sm_mhz, r.plan ? r.plan->bytes : 0};
        if (!r.correct)
            *why = xstrdup(r.why ? r.why : "it is wrong");
    }
    run_clear(&r);
    return !*why;
}

void session_rest(struct session *s)
{
    close_box(s);
}

void session_end(struct session *s)
{
    close_box(s);
    for (int i = 0; i < s->nruns; i++) {
        run_clear(s->runs[i]);
        free(s->runs[i]);
    }
    free(s->runs);
    free(s->name);
    free(s->source);
    free(s->problem);
    free(s->image);
    free(s->compile_log);
    text_free(&s->log);
}
