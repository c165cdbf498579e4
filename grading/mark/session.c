/* session.c - compiles one source and runs its variants in boxes. See session.h. */
#include "session.h"

#include "boxes.h"
#include "lab/counter.h"
#include "lab/dataset.h"
#include "base/alloc.h"
#include "run/look.h"
#include "base/digest.h"
#include "base/text.h"
#include "base/clock.h"
#include "lab/plan.h"
#include "lab/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PLAN_BYTES_CAP = 1 << 30, /* of all buffers together */
    LONGER = 4,               /* times the limit, when the wall clock ended the first try */
    COMPARED_STEPS = 1 << 20, /* of a run whose comparisons are kept: blocks one after the other */
    OUTCOMES_STEPS = 1 << 18, /* of one in which a few blocks run, as far as they come, */
    FEW_STEPS = 1 << 21,      /* and to their ends; */
    LARGE_STEPS = 1 << 19,    /* of a size that is too large to be run */
    CHECKED_WEIGHT = 4,       /* a step that is checked takes about as long as so many others */
    TO_SAY_WHY = 8,           /* part of a launch's steps that is enough for that */
};

void number_text(char out[40], double v)
{
    snprintf(out, 40, v < 1e15 && v > -1e15 && v == (double)(int64_t)v ? "%.0f" : "%.9g", v);
}

bool run_counter(const struct run *r, const char *name, double *value)
{
    int i = counter_index(name);
    if (i < 0)
        return false;
    *value = (double)counter_get(&r->outputs.counters, i);
    return true;
}

/* ---- boxes ---- */

/* Why the box ended, for a person. */
static char *box_problem(const struct box *b, const char *what, double limit_s)
{
    struct text t = {0};
    bool cpu = b->exit_code == 128 + 24 || b->exit_code == 128 + 9;
    if (b->end == BOX_TIMEOUT) {
        text_addf(&t, "%s took longer than %g s and was stopped", what, limit_s);
    } else if (b->end == BOX_MEMORY) {
        text_addf(&t, "%s used too much memory and was stopped", what);
    } else if (b->end == BOX_NO_START) {
        text_add(&t, "the sandbox did not start: ");
        text_cut(&t, text_str(&b->log), 300);
    } else if (cpu) {
        text_addf(&t, "%s used too much processor time and was stopped", what);
    } else {
        text_addf(&t, "%s ended with code %d: ", what, b->exit_code);
        text_cut(&t, text_str(&b->log), 300);
    }
    return text_take(&t);
}

/* An answer was not believed, though neither side closed the pipe nor passed a limit. */
static bool box_talks_nonsense(const struct box *b)
{
    return b->end == BOX_RUNNING && b->in >= 0 && b->out >= 0;
}

/* What will say nothing that is of use is not waited for. */
static void box_finish_now(struct box *b)
{
    if (box_talks_nonsense(b))
        box_deadline(b, 0);
    box_finish(b);
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
        r.image_bytes > COMPILER_IMAGE_CAP || r.log_bytes > COMPILER_TEXT_CAP)
        return false;
    s->image = xzalloc((size_t)r.image_bytes + 1);
    s->compile_log = xzalloc((size_t)r.log_bytes + 1);
    if (!box_receive(&s->box, s->image, r.image_bytes) ||
        !box_receive(&s->box, s->compile_log, r.log_bytes))
        return false;
    s->image_bytes = r.image_bytes;
    s->compiled = r.ok;
    s->internal = false;
    return true;
}

/* The compiler's answer, within so many seconds. False: the wall clock ended it. */
static bool try_compiling(struct session *s, double limit_s)
{
    bool ok = compiler_start(&s->box, s->o, s->name,
                             s->lab->program ? "program"
                             : s->counted    ? "registers"
                                             : NULL);
    box_deadline(&s->box, limit_s); /* processor time stays as it is */
    ok = ok && box_send(&s->box, s->source, s->length);
    if (ok) {
        box_end_input(&s->box);
        ok = receive_image(s);
    }
    box_finish(&s->box);
    bool late = !ok && s->box.end == BOX_TIMEOUT;
    if (!ok) {
        s->compiled = false;
        free(s->problem);
        s->problem = box_problem(&s->box, "compiling", limit_s);
        s->internal = late || s->box.end == BOX_NO_START ||
                      (s->box.end == BOX_EXITED && s->box.exit_code < 128);
    } else if (!s->compiled) {
        free(s->problem);
        s->problem = xstrdup("it does not compile");
        s->internal = false;
    }
    box_close(&s->box);
    return !late;
}

/* How long it takes by the clock is the machine's doing: no mark follows from that. */
static void compile(struct session *s)
{
    if (!try_compiling(s, s->o->compile_s))
        try_compiling(s, LONGER * s->o->compile_s);
}

void session_start(struct session *s, const struct lab *lab, const struct engine_options *o,
                   const char *name, const char *source, size_t length)
{
    *s = (struct session){.lab = lab,
                          .o = o,
                          .name = xstrdup(name),
                          .length = length,
                          .limit_s = o->run_s,
                          .started = now_s()};
    s->source = xzalloc(length + 1);
    memcpy(s->source, source, length);
    compile(s);
}

/* ---- the runner's box ---- */

static bool get(void *box, void *data, size_t n)
{
    return box_receive(box, data, n);
}

static bool put(void *box, const void *data, size_t n)
{
    return box_send(box, data, n);
}

struct wire box_wire(struct box *b)
{
    return (struct wire){get, put, b};
}

static bool hello(struct session *s)
{
    struct wire w = box_wire(&s->box);
    free(s->loaded.why);
    s->loaded.why = NULL;
    if (!hello_write(&w, s->name, s->image, s->image_bytes) || !loaded_read(&w, &s->loaded) ||
        s->loaded.state == LOAD_NO_DEVICE)
        return false;
    if (s->loaded.state == LOAD_REFUSED) {
        char *log = cut_copy(text_str(&s->box.log), 500);
        free(s->problem); /* of the box before this one, which was refused it, too */
        s->problem = xformat("%s. %s", s->loaded.why, log);
        free(log);
        s->compiled = false; /* nothing of it can run */
        s->load_failed = true;
    }
    return true;
}

static bool start_runner(struct session *s)
{
    s->open = true;
    return runner_start(&s->box, s->o, s->lab->program ? "program" : NULL, false) && hello(s);
}
/* It may ask for more registers than there are, or hold PTX of which no machine code comes:
 * compiled again, to know. The runner ends. */
static bool count_registers(struct session *s)
{
    close_box(s);
    free(s->image);
    free(s->compile_log);
    s->image = s->compile_log = NULL;
    s->counted = true;
    compile(s);
    return s->compiled;
}

/* False with s->problem set when there is no runner to be had. */
static bool open_box(struct session *s)
{
    if (s->open || !s->compiled)
        return s->compiled;
    bool ok = start_runner(s);
    if (ok && s->compiled && s->loaded.tight && !s->counted && !count_registers(s))
        return false;
    if (s->counted && !s->open)
        ok = start_runner(s);
    if (ok && s->compiled)
        return true;
    if (!ok) {
        box_finish_now(&s->box);
        bool said = s->loaded.why && *s->loaded.why;
        free(s->problem);
        s->problem =
            said ? xstrdup(s->loaded.why) : box_problem(&s->box, "loading it", s->o->run_s);
        s->internal = true;
    }
    close_box(s);
    return false;
}

/* ---- one run ---- */

static void set_end(struct run *r, enum run_end end, char *why)
{
    r->result.end = end;
    free(r->why);
    r->why = why;
}

static void box_ended(struct session *s, struct run *r)
{
    if (box_talks_nonsense(&s->box)) {
        set_end(r, RUN_INTERNAL, xstrdup("what the runner answered makes no sense"));
        box_finish_now(&s->box);
        close_box(s);
        return;
    }
    box_finish(&s->box);
    bool late = s->box.end == BOX_TIMEOUT;
    /* On a GPU nothing counts steps, and the emulator has run it to its end before. */
    enum run_end end = late && s->o->gpu                    ? RUN_ENDLESS
                       : late || s->box.end == BOX_NO_START ? RUN_INTERNAL
                                                            : RUN_DIED;
    r->late = late && !s->o->gpu;
    set_end(r, end, box_problem(&s->box, "the run", s->limit_s));
    close_box(s);
}

static bool ask(struct session *s, struct said_record *x)
{
    const struct lab_variant *v = x->variant;
    struct wire w = box_wire(&s->box);
    if (!record_ask(&w, v->name, &x->state, &x->given))
        return false;
    if (!v->has_schedule)
        return true;
    x->schedule = xzalloc(sizeof(*x->schedule));
    if (schedule_ask(&w, v->name, &x->schedule_state, x->schedule))
        return true;
    free(x->schedule);
    return false;
}

/* NULL: the box has ended. */
static const struct said_record *said_record(struct session *s, const struct lab_variant *v)
{
    struct said_record x = {.variant = v};
    for (int k = 0; k < s->nsaid; k++)
        if (s->said[k].variant == v)
            return &s->said[k];
    if (!ask(s, &x))
        return NULL;
    s->said = xrealloc(s->said, (size_t)(s->nsaid + 1) * sizeof(*s->said));
    s->said[s->nsaid] = x;
    return &s->said[s->nsaid++];
}

/* The variant's schedule; false when the run is over. */
static bool use_schedule(const struct said_record *x, struct run *r)
{
    r->schedule = xzalloc(sizeof(*r->schedule));
    *r->schedule = *x->schedule;
    r->record.schedule = r->schedule;
    if (x->schedule_state == RECORD_GIVEN)
        return true;
    set_end(
        r, RUN_RECORD,
        xformat("%s: write SCHEDULE(%s) { … };",
                x->schedule_state == RECORD_NONE ? "it has no schedule" : "its schedule is not one",
                r->variant->name));
    return false;
}

/* The variant's launch record; false when the run is over. */
static bool use_record(struct session *s, struct run *r)
{
    const struct lab_variant *v = r->variant;
    const struct said_record *x = said_record(s, v);
    struct text note = {0};
    r->record = v->record;
    if (!x) {
        box_ended(s, r);
        return false;
    }
    if (v->has_schedule && !use_schedule(x, r))
        return false;
    if (v->has_record && x->state == RECORD_BAD) {
        set_end(r, RUN_RECORD,
                xformat("its launch record is not one: write LAUNCH(%s, block, ...)", v->name));
        return false;
    }
    if (v->has_record && x->state == RECORD_GIVEN)
        record_clamp(v, &x->given, &r->record, &note);
    r->note = text_take(&note);
    return true;
}

/* The plan for this run, checked: record usable, sizes sane. */
static bool make_plan(struct session *s, struct run *r)
{
    char err[512] = "";
    if (s->lab->applies && !s->lab->applies(r->variant, &r->c)) {
        set_end(r, RUN_INTERNAL,
                xformat("%s does not apply to the case %s", r->variant->name, r->c.name));
        return false;
    }
    if (!use_record(s, r))
        return false;
    r->plan = xzalloc(sizeof(*r->plan));
    if (!plan_make(s->lab, r->variant, &r->c, &r->record, &s->loaded.machine.limits, r->plan, err,
                   sizeof(err))) {
        set_end(r, RUN_RECORD,
                xformat("its %s cannot be %s: %s",
                        r->variant->has_schedule ? "schedule" : "launch record",
                        r->variant->has_schedule ? "carried out" : "used", err));
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

static char *mismatch_text(const struct run *r)
{
    const struct wrong_output *w = &r->result.outputs[0];
    const struct lab_mismatch *x = &w->comparison.shown[0];
    char want[40], got[40];
    number_text(want, x->expected);
    number_text(got, x->got);
    return xformat("%llu of %llu results are wrong; first %s[%llu]: expected %s, got %s%s",
                   (unsigned long long)r->result.wrong, (unsigned long long)r->result.compared,
                   r->plan->buffers[w->buffer].name, (unsigned long long)x->index, want, got,
                   strcmp(want, got) ? "" : " of other bits");
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

static uint64_t weight_of(const struct run *r)
{
    return r->check ? CHECKED_WEIGHT : 1;
}

static const struct run *stopped_before(const struct session *s, const struct lab_variant *v,
                                        bool check);

/* What a launch of this run may take, were it the only one. A checked one of a kernel that is known
 * to have no end is only to say why, and honest kernels of its file are to be marked, too. */
static uint64_t steps_alone(const struct session *s, const struct run *r)
{
    bool known = r->check && !s->o->trusted && !s->o->gpu && stopped_before(s, r->variant, false);
    return known ? s->o->steps / TO_SAY_WHY : s->o->steps;
}

/* Why a run that did not come to its end stopped: the message, and what the emulator says. */
static char *stopped_text(struct session *s, const struct run *r)
{
    const struct outputs *o = &r->outputs;
    const char *kernel = r->plan->nsteps ? r->plan->steps[0].kernel : r->variant->name;
    json_t *finding = json_array_get(r->findings, json_array_size(r->findings) - 1);
    const char *message = json_string_value(json_object_get(finding, "message"));
    if (r->result.end == RUN_ENDLESS && s->lab->program)
        return xstrdup(o->message);
    if (r->result.end == RUN_ENDLESS)
        return r->steps < steps_alone(s, r)
                   ? xformat("%s did not finish: all runs of a submission have %llu warp "
                             "instructions together, and they are used up",
                             kernel, (unsigned long long)s->o->steps_all)
                   : xformat("%s did not finish within %llu steps", kernel,
                             (unsigned long long)r->steps);
    char *said = message ? xstrdup(message) : o->error ? last_log_line(&s->box) : xstrdup("");
    bool silent = !*o->message && !*said;
    char *text = xformat("%s%s%s", silent ? "it stopped without a word" : o->message,
                         *said ? ". " : "", said);
    free(said);
    return text;
}

static char *why_text(struct session *s, const struct run *r)
{
    const struct outputs *o = &r->outputs;
    if (o->stage != STAGE_DONE)
        return stopped_text(s, r);
    if (r->result.end == RUN_INPUT_CHANGED)
        return xformat("the kernel wrote to its input %s, at index %llu",
                       r->plan->buffers[o->changed].name, (unsigned long long)o->changed_at);
    return r->result.end == RUN_WRONG ? mismatch_text(r) : NULL;
}

/* JSON objects, one a line. False when one is none. */
static bool read_findings(struct run *r, char *why, size_t size)
{
    json_error_t bad;
    for (const char *p = r->outputs.findings; *p;) {
        size_t n = strcspn(p, "\n");
        json_t *finding = json_loadb(p, n, JSON_REJECT_DUPLICATES, &bad);
        if (!json_is_object(finding)) {
            json_decref(finding);
            snprintf(why, size, "%s", bad.text);
            return false;
        }
        json_array_append_new(r->findings, finding);
        p += n + (p[n] == '\n');
    }
    return true;
}

/* The reference's kernel has been right in this session: that it is on other inputs is the
 * affair of its own marking (grade selftest), not of each submission's. */
static bool is_believed(const struct session *s, const struct run *r, const struct job *j)
{
    if (!s->o->trusted || s->o->gpu || j->options.disturb || r->outputs.stage != STAGE_DONE)
        return false;
    for (int i = 0; i < s->nruns; i++)
        if (s->runs[i]->variant == r->variant && s->runs[i]->result.end == RUN_OK)
            return true;
    return false;
}

static void judge(struct session *s, struct run *r, const struct job *j)
{
    char why[JSON_ERROR_TEXT_LENGTH];
    if (!read_findings(r, why, sizeof(why))) {
        set_end(r, RUN_INTERNAL, xformat("the checks' findings cannot be read: %s", why));
        return;
    }
    if (is_believed(s, r, j))
        r->result = (struct result){.end = r->outputs.changed < 0 ? RUN_OK : RUN_INPUT_CHANGED,
                                    .error_l1 = NAN,
                                    .error_max = NAN};
    else
        result_of(s->lab, r->variant, &r->c, r->seed, &r->record, j, &r->outputs, &r->result);
    set_end(r, r->result.end, why_text(s, r));
}

static bool run_in_box(struct session *s, const struct job *j, struct outputs *o)
{
    struct wire w = box_wire(&s->box);
    uint32_t kind = MSG_RUN;
    box_deadline(&s->box, s->limit_s);
    return wire_put(&w, &kind, sizeof(kind)) && job_write(&w, j) &&
           outputs_read(&w, j->plan, j->options.launch_only, o);
}

/* What it may take; 0: everything is used up. */
static uint64_t steps_for(const struct session *s, const struct run *r)
{
    uint64_t left = s->taken < s->o->steps_all ? s->o->steps_all - s->taken : 0,
             most = steps_alone(s, r);
    if (s->o->trusted || s->o->gpu || !s->o->steps_all || left / weight_of(r) >= most)
        return most;
    return left / weight_of(r);
}

/* In a program's own process nobody asks for its steps: products of matrices aside (exec/ops/mma.c)
 * they are its instructions. */
static uint64_t steps_taken(const struct outputs *o)
{
    return o->steps ? o->steps : o->counters.inst_executed + o->counters.tensor_flop / 32;
}

/* One that does not end is charged what it may take. */
static void charge(struct session *s, const struct run *r)
{
    uint64_t taken = r->result.end == RUN_ENDLESS ? r->steps : steps_taken(&r->outputs);
    s->taken += taken * weight_of(r);
    s->dearest = taken > s->dearest ? taken : s->dearest;
}

/* plan → run in the box → result. The box's standard error is read for this run alone while it
 * goes on. */
static void carry_out(struct session *s, struct run *r, struct job_options options)
{
    struct dataset data = {0};
    options.check = r->check;
    options.poison = options.launch_only && !options.timed ? POISON_NONE
                     : r->check                            ? POISON_OUTPUTS
                                                           : POISON_ALL;
    r->steps = options.steps ? options.steps : s->o->steps;
    options.steps = r->steps;
    options.seed = poison_of(r);
    options.look = r->look;
    options.as_is = r->as_is;
    box_deadline(&s->box, s->limit_s); /* it may have waited long for this run */
    if (!make_plan(s, r))
        return;
    if (!options.blank)
        dataset_make(&data, s->lab, r->plan, &r->c, r->seed);
    struct job j = dataset_job(&data, r->plan, &options);
    if (run_in_box(s, &j, &r->outputs)) {
        judge(s, r, &j);
        charge(s, r);
        if (!job_goes_on(r->plan, &options, r->outputs.error) || s->lab->program)
            close_box(s); /* a sticky error spoils what follows; a program could leave files */
    } else {
        box_ended(s, r);
    }
    enum { INVALID_PTX = 218 }; /* cudaError_t */
    if (r->outputs.error == INVALID_PTX && !s->counted && !s->lab->program)
        count_registers(s);
    outputs_drop_data(&r->outputs);
    dataset_free(&data);
}

bool session_same_size(const struct lab_case *a, const struct lab_case *b)
{
    return a->n == b->n && a->m == b->m && a->k == b->k && a->param == b->param &&
           a->dtype == b->dtype && a->op == b->op && a->block == b->block;
}

static bool same_case(const struct lab_case *a, const struct lab_case *b)
{
    return !strcmp(a->name, b->name) && session_same_size(a, b);
}

static struct run *find_run(struct session *s, const struct lab_variant *v,
                            const struct lab_case *c, uint64_t seed, bool check)
{
    for (int i = 0; i < s->nruns; i++) {
        struct run *r = s->runs[i];
        if (r->variant == v && same_case(&r->c, c) && r->seed == seed && (r->check || !check))
            return r;
    }
    return NULL;
}

/* Checked runs of a kernel are tried even so: they may say why. */
static const struct run *stopped_before(const struct session *s, const struct lab_variant *v,
                                        bool check)
{
    for (int i = 0; i < s->nruns; i++)
        if (s->runs[i]->variant == v && (s->runs[i]->check || !check || s->lab->program) &&
            (s->runs[i]->result.end == RUN_ENDLESS || s->runs[i]->result.end == RUN_DIED))
            return s->runs[i];
    return NULL;
}

static struct run run_new(const struct lab_variant *v, const struct lab_case *c, uint64_t seed,
                          bool check)
{
    return (struct run){.variant = v,
                        .c = *c,
                        .check = check,
                        .seed = seed,
                        .findings = json_array(),
                        .outputs.changed = -1};
}

/* The same without checks. */
static struct run run_again(const struct run *r)
{
    struct run again = run_new(r->variant, &r->c, r->seed, false);
    again.look = r->look;
    return again;
}

static void run_clear(struct run *r);

/* Of a class the same blocks are watched, of the reference's runs, too. */
static uint64_t sample_of(const struct session *s)
{
    return s->o->secret ? secret_draw(s->o->secret, "sample") | 1 : 0;
}

/* Tried once more, with more time: what the wall clock ends twice, and the steps did not, is
 * for a person. */
static void carry_out_in_time(struct session *s, struct run *r, unsigned how)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        struct run again = run_new(r->variant, &r->c, r->seed, r->check);
        again.steps = r->steps;
        again.look = r->look;
        again.as_is = r->as_is;
        again.untimed = r->untimed;
        run_clear(r);
        *r = again;
        s->limit_s = attempt ? LONGER * s->o->run_s : s->o->run_s;
        if (!open_box(s)) {
            set_end(r, s->internal ? RUN_INTERNAL : RUN_DIED, xstrdup(s->problem));
            return;
        }
        carry_out(s, r,
                  (struct job_options){.want_instructions = how & RUN_INSTRUCTIONS,
                                       .untimed = r->untimed,
                                       .check_some = !r->check && !s->o->trusted,
                                       .steps = r->steps,
                                       .sample_at = sample_of(s)});
        r->instructions = r->outputs.instructions;
        r->outputs.instructions = NULL;
        if (r->outputs.late) { /* a program that waits, or was not let go on: no mark follows */
            r->late = true;
            set_end(r, RUN_INTERNAL, xstrdup(r->outputs.message));
        }
        if (!r->late)
            break;
    }
    s->limit_s = s->o->run_s;
    s->late = r->late;
}

/* The number of the first run of this case, which is this one's where it is that. */
static uint64_t look_of(const struct session *s, const struct run *r)
{
    if (s->o->trusted)
        return 0;
    for (int i = 0; i < s->nruns; i++)
        if (s->runs[i]->look && s->runs[i]->variant == r->variant &&
            same_case(&s->runs[i]->c, &r->c))
            return s->runs[i]->look;
    return (uint64_t)s->nruns + 1;
}

/* False when it ended without being tried. */
static bool may_run(struct session *s, struct run *r)
{
    const struct run *stopped = stopped_before(s, r->variant, r->check);
    r->steps = steps_for(s, r);
    if (s->late)
        set_end(r, RUN_INTERNAL, xstrdup("not tried: the clock ended a run before, twice"));
    else if (stopped)
        set_end(r, RUN_NOT_TRIED, xformat("not tried: on %s, %s", stopped->c.name, stopped->why));
    else if (!r->steps)
        set_end(r, RUN_NOT_TRIED,
                xformat("not tried: all runs of a submission have %llu warp instructions "
                        "together, and they are used up",
                        (unsigned long long)s->o->steps_all));
    else
        return true;
    return false;
}

struct run *session_run(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                        uint64_t seed, unsigned how)
{
    bool check = how & RUN_CHECKED;
    struct run *r = find_run(s, v, c, seed, check);
    if (r)
        return r;
    r = xzalloc(sizeof(*r));
    *r = run_new(v, c, seed, check);
    r->as_is = how & RUN_AS_IS;
    r->untimed = how & RUN_UNTIMED;
    r->look = how & RUN_LATER ? 0 : look_of(s, r);
    s->runs = xrealloc(s->runs, (size_t)(s->nruns + 1) * sizeof(*s->runs));
    s->runs[s->nruns] = r;
    if (may_run(s, r))
        carry_out_in_time(s, r, how);
    s->nruns++;
    return r;
}

static void run_clear(struct run *r)
{
    free(r->why);
    free(r->note);
    free(r->plan);
    free(r->schedule);
    free(r->lines);
    free(r->instructions);
    for (int k = 0; k < DISTURB_COUNT; k++)
        free(r->influence[k].why);
    free(r->trace);
    result_free(&r->result);
    outputs_free(&r->outputs);
    json_decref(r->findings);
}

const char *session_lines(struct session *s, struct run *r)
{
    if (!r->lines && r->plan && !s->lab->program && open_box(s)) {
        struct run second = run_again(r);
        carry_out(s, &second,
                  (struct job_options){.want_lines = true, .untimed = true, .steps = r->steps});
        r->lines = second.outputs.lines;
        r->trace = second.outputs.trace;
        second.outputs.lines = second.outputs.trace = NULL;
        run_clear(&second);
    }
    return r->lines;
}

const char *session_instructions(struct session *s, struct run *r)
{
    if (!r->instructions && r->plan && !s->lab->program && open_box(s)) {
        struct run second = run_again(r);
        carry_out(
            s, &second,
            (struct job_options){.want_instructions = true, .untimed = true, .steps = r->steps});
        r->instructions = second.outputs.instructions;
        second.outputs.instructions = NULL;
        run_clear(&second);
    }
    return r->instructions;
}

struct run *session_again(struct session *s, const struct run *r, struct job_options options)
{
    struct run *again = xzalloc(sizeof(*again));
    *again = run_new(r->variant, &r->c, r->seed, r->check);
    again->look = r->look;
    if (open_box(s))
        carry_out(s, again, options);
    else
        set_end(again, RUN_INTERNAL, xstrdup(s->problem));
    return again;
}

void session_again_free(struct run *r)
{
    run_clear(r);
    free(r);
}

/* So many, and no more than any run may take. */
static uint64_t steps_of(const struct session *s, uint64_t enough)
{
    return s->o->steps && s->o->steps < enough ? s->o->steps : enough;
}

/* A loop may have lost its end: a run that takes several times the steps is stopped. */
static uint64_t disturbed_steps(const struct session *s, const struct run *r)
{
    return steps_of(s, 8 * steps_taken(&r->outputs) + 1000000);
}

static bool has_finding(const struct run *r, const char *kind)
{
    size_t i;
    json_t *f;
    json_array_foreach(r->findings, i, f)
    {
        if (!strcmp(json_string_value(json_object_get(f, "kind")), kind))
            return true;
    }
    return false;
}

const struct influence *session_influence(struct session *s, struct run *r, int class)
{
    struct influence *x = &r->influence[class];
    if (x->asked)
        return x;
    struct run second = run_again(r);
    /* what it waits for may come late, which checks alone see: here copies are there at once */
    second.check = class == DISTURB_late && r->check && r->outputs.counters.mbarrier_arrivals > 0;
    x->asked = true;
    x->share = NAN;
    if (open_box(s))
        carry_out(s, &second,
                  (struct job_options){
                      .disturb = 1u << class, .untimed = true, .steps = disturbed_steps(s, r)});
    if (second.outputs.stage == STAGE_DONE && second.result.compared)
        x->share = (double)second.result.wrong / (double)second.result.compared;
    else
        x->why = xstrdup(second.why ? second.why : "it could not be run");
    x->broke = second.result.end == RUN_ERROR;
    x->unwaited = has_finding(&second, "async-unwaited");
    run_clear(&second);
    return x;
}

/* Of inputs; a transform goes through all that there is. */
static uint64_t bytes_touched(const struct plan *p)
{
    uint64_t bytes = 0;
    for (int b = 0; b < p->nbuffers; b++)
        if (p->buffers[b].role == BUF_INPUT)
            bytes += plan_buffer_bytes(p, b);
    for (int i = 0; i < p->nsteps; i++)
        bytes += p->steps[i].kind == STEP_FFT ? plan_bytes(p) : 0;
    return bytes;
}

/* A run of its own, which no row sees: for run_clear(). */
static struct run run_alone(struct session *s, const struct lab_variant *v,
                            const struct lab_case *c, uint64_t seed, struct job_options options)
{
    struct run r = run_new(v, c, seed, false);
    r.look = options.look;
    options.untimed = true;
    if (open_box(s))
        carry_out(s, &r, options);
    return r;
}

static char *noted(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                   uint64_t seed, struct job_options options)
{
    options.steps = steps_of(s, options.steps);
    struct run r = run_alone(s, v, c, seed, options);
    char *text = NULL;
    if (options.launch_only || r.outputs.stage == STAGE_DONE) {
        text = r.outputs.compared;
        r.outputs.compared = NULL;
    }
    run_clear(&r);
    return text;
}

char *session_compared(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       uint64_t seed)
{
    return noted(s, v, c, seed,
                 (struct job_options){.disturb = 1u << DISTURB_compared, .steps = COMPARED_STEPS});
}

char *session_outcomes(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       uint64_t seed, bool blank)
{
    return noted(s, v, c, seed,
                 (struct job_options){.disturb = 1u << DISTURB_outcomes,
                                      .blank = blank,
                                      .launch_only = true,
                                      .look = LOOK_APART,
                                      .steps = OUTCOMES_STEPS});
}

bool session_few_wrong(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       uint64_t seed)
{
    struct run r = run_alone(s, v, c, seed,
                             (struct job_options){.disturb = 1u << DISTURB_few,
                                                  .check_some = true,
                                                  .look = LOOK_APART,
                                                  .steps = steps_of(s, FEW_STEPS)});
    bool wrong = r.outputs.stage == STAGE_DONE && r.result.wrong > r.result.unwritten &&
                 r.plan->ranks < 2; /* others add what nobody wrote */
    wrong |= json_array_size(r.findings) > 0;
    run_clear(&r);
    return wrong;
}

struct run *session_large(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                          uint64_t seed)
{
    struct run *r = xzalloc(sizeof(*r));
    *r = run_alone(s, v, c, seed,
                   (struct job_options){.disturb = 1u << DISTURB_few,
                                        .check_some = true,
                                        .blank = true,
                                        .launch_only = true,
                                        .look = LOOK_APART,
                                        .steps = steps_of(s, LARGE_STEPS)});
    return r;
}

uint64_t session_bytes(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       bool all)
{
    struct run r = run_new(v, c, 0, false);
    uint64_t bytes = open_box(s) && make_plan(s, &r)
                         ? all ? plan_bytes(r.plan) : bytes_touched(r.plan)
                         : UINT64_MAX;
    run_clear(&r);
    return bytes;
}

const char *session_keeps(struct session *s, char *name)
{
    s->names = xrealloc(s->names, (size_t)(s->nnames + 1) * sizeof(*s->names));
    return s->names[s->nnames++] = name;
}

void session_sought(struct session *s, const struct lab_variant *v, const struct lab_case *c)
{
    s->sought = xrealloc(s->sought, (size_t)(s->nsought + 1) * sizeof(*s->sought));
    s->sought[s->nsought++] = (struct sought){v, *c, false};
}

bool session_time(struct session *s, const struct run *like, uint64_t seed, bool compared,
                  struct timed *t, char **why)
{
    struct run r = run_new(like->variant, &like->c, seed, false);
    *why = NULL;
    if (!s->compiled || !open_box(s)) {
        *why = xstrdup(s->problem ? s->problem : "it could not be started");
    } else {
        carry_out(s, &r, (struct job_options){.timed = true, .launch_only = !compared});
        *t = (struct timed){r.outputs.measured_ms, r.outputs.sm_mhz, r.plan ? r.plan->bytes : 0};
        if (r.result.end != RUN_OK)
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
    for (int i = 0; i < s->nsaid; i++)
        free(s->said[i].schedule);
    free(s->said);
    for (int i = 0; i < s->nnames; i++)
        free(s->names[i]);
    free(s->names);
    free(s->sought);
    free(s->name);
    free(s->source);
    free(s->problem);
    free(s->image);
    free(s->compile_log);
    free(s->loaded.why);
    text_free(&s->log);
}
