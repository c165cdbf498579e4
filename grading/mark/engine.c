/* engine.c - from one source text to a verdict, row by row. See engine.h. */
#include "engine.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/file.h"
#include "base/digest.h"

#include "lab/schedule.h"
#include "marking.h"
#include "grading/intake/submissions.h"
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT_OUTPUT = 4096 };

/* ---- one marking: the submission, its row in hand ---- */

void marking_settle(struct marking *m, enum row_status status, const char *why,
                    const char *case_name)
{
    m->settled = true;
    m->out.status = status;
    verdict_put(&m->out.why, why);
    if (case_name)
        verdict_put(&m->out.case_name, case_name);
    m->out.points = status == STATUS_PASS ? m->row->points : 0;
    if (!status_loses_nothing(status) && status != STATUS_BLOCKED)
        verdict_put(&m->out.hint, m->row->hint);
}

/* What rows ask of this variant on this case: one run serves them all. */
static unsigned asked_of(const struct marking *m, const struct lab_variant *v,
                         const char *case_name)
{
    unsigned how = RUN_UNTIMED;
    for (int i = 0; i < m->e->rubric->nrows; i++) {
        const struct rubric_row *r = &m->e->rubric->rows[i];
        if (strcmp(r->variant, v->name) || (r->cases && !word_in(r->cases, case_name)))
            continue;
        how |= r->kind == ROW_CHECKS ? RUN_CHECKED : 0;
        how &= r->kind == ROW_SPEED || gate_on_times(r->gate) ? ~(unsigned)RUN_UNTIMED : ~0u;
        how |= r->gate && strstr(r->gate, "worst(") ? RUN_INSTRUCTIONS : 0;
    }
    return how;
}

/* Numbers of their own for a case that the row's checks look at and other rows compare: what those
 * have left behind is no help then. */
enum { OTHERS = 2 };

/* Gaps between shared variables tell a kernel that it is checked: there are none in about half of
 * the hidden cases, nor in any that the row does not name. */
static bool lies_as_is(const struct marking *m, const struct marked_case *c, int again,
                       uint64_t seed)
{
    return m->draw.secret && c->kind && (again == OTHERS || seed >> 32 & 1);
}

struct run *marking_run(struct marking *m, const struct marked_case *c, int again, bool check)
{
    const struct lab_variant *v = variant_named(m->e->lab, m->row->variant);

    if (check && m->row->cases && !word_in(m->row->cases, c->c.name))
        again = OTHERS;
    uint64_t seed = case_seed(m->e->lab, &c->c, v->name, &m->draw, again);
    unsigned how = again ? RUN_UNTIMED : asked_of(m, v, c->c.name);
    how |= again && again != OTHERS ? RUN_LATER : 0;
    how |= check && lies_as_is(m, c, again, seed) ? RUN_AS_IS : 0;
    struct run *r = session_run(m->s, v, &c->c, seed, how | (check ? RUN_CHECKED : 0));
    r->hidden = c->kind;
    return r;
}

/* ---- what is told of a case ---- */

char *marking_place(const struct marked_case *c)
{
    return c->kind ? xformat("a hidden case (%s)", c->kind) : xformat("the case %s", c->c.name);
}

/* A stop by a CUDA error, without the address, block and thread of it. */
const char *marking_error(int32_t error)
{
    switch (error) { /* cudaError_t */
    case 700:
        return "it stopped at an address out of bounds";
    case 716:
        return "it stopped at an address that is not aligned";
    case 710:
        return "an assertion in it failed";
    case 701:
        return "a block asks for more registers or shared memory than there are";
    default:
        return "it stopped with an error";
    }
}

/* The sort of failure, and no value of it: a kernel can put anything that it saw into what
 * comes back. */
static const char *failure_kind(const struct run *r)
{
    static const char *const kinds[RUN_ENDS] = {
        [RUN_WRONG] = "its results are wrong",
        [RUN_INPUT_CHANGED] = "it writes to its input",
        [RUN_NO_KERNEL] = "the file lacks a kernel or a variable that this case needs",
        [RUN_RECORD] = "its launch record cannot be used",
        [RUN_ENDLESS] = "it did not come to an end",
        [RUN_DIED] = "it was stopped",
        [RUN_NOT_TRIED] = "not tried, as runs before it did not come to an end or took all the "
                          "instructions that a submission has",
        [RUN_INTERNAL] = "the grader could not run it: a person has to look",
    };
    return kinds[r->result.end] ? kinds[r->result.end] : marking_error(r->outputs.error);
}

static void add_sentence(struct text *t, const char *s)
{
    size_t n = strlen(s);
    text_addf(t, "%s%s", s, n && strchr(".?!", s[n - 1]) ? "" : ".");
}

#define LOOKS " It looks like this: "

static char *on_case(const struct run *r, const struct marked_case *c)
{
    struct text t = {0};
    char *place = marking_place(c);
    const char *cause = r->result.outputs[0].cause;
    text_addf(&t, "On %s: ", place);
    free(place);
    if (c->kind) {
        add_sentence(&t, failure_kind(r));
        return t.s;
    }
    add_sentence(&t, r->why ? r->why : "it is right");
    if (cause && *cause) {
        text_add(&t, LOOKS);
        add_sentence(&t, cause);
    }
    if (r->note && *r->note)
        text_addf(&t, " %s", r->note);
    return t.s;
}

/* ---- correct ---- */

bool marking_failed(struct marking *m, const struct run *r, const struct marked_case *c)
{
    if (r->result.end != RUN_INTERNAL)
        return false;
    char *why = on_case(r, c);
    marking_settle(m, STATUS_ERROR, why, c->c.name);
    free(why);
    return true;
}

void marking_fail_on(struct marking *m, const struct run *r, const struct marked_case *c,
                     const char *prefix)
{
    char *why = on_case(r, c), *all = xformat("%s%s", prefix, why);
    marking_settle(m, STATUS_FAIL, all, c->c.name);
    marking_set_line(m, json_array_get(r->findings, 0), c);
    free(why);
    free(all);
}

/* Fresh inputs for a case already run: an answer kept from the first time shows. */
static bool right_again(struct marking *m, struct marked_case *cases, int n)
{
    for (int i = 0; i < n; i++) {
        if (cases[i].c.n < 2)
            continue;
        struct run *r = marking_run(m, &cases[i], 1, false);
        if (marking_failed(m, r, &cases[i]))
            return false;
        if (r->result.end == RUN_OK)
            return true;
        marking_fail_on(m, r, &cases[i],
                        "It was right the first time, and is wrong on new numbers of the same "
                        "size. ");
        return false;
    }
    return true;
}

/* What two kernels of a schedule do in one place of memory, and nothing orders them; or NULL. */
static json_t *launches_meet(const struct run *r)
{
    size_t i;
    json_t *f;
    json_array_foreach(r->findings, i,
                       f) if (!strcmp(finding_member(f, "distance"), "streams")) return f;
    return NULL;
}

/* Has it two kernels in no order? */
static bool overlaps(const struct run *r)
{
    const struct schedule *s = r->schedule;
    for (uint32_t a = 0; s && a < s->nsteps; a++)
        for (uint32_t b = a + 1; s->steps[a].what == DO_KERNEL && b < s->nsteps; b++)
            if (s->steps[b].what == DO_KERNEL && s->steps[a].stream != s->steps[b].stream &&
                schedule_overlap(s, a, b))
                return true;
    return false;
}

/* Right, as here kernels of several streams run one after the other: on a GPU they need not be. */
static bool fails_side_by_side(struct marking *m, struct marked_case *cases, int n)
{
    enum { MOST_STEPS = 1 << 22 };
    for (int i = 0; i < n; i++) {
        struct run *r = marking_run(m, &cases[i], 0, false);
        if (!overlaps(r) || r->outputs.counters.inst_executed > MOST_STEPS)
            continue;
        json_t *f = launches_meet(marking_run(m, &cases[i], 0, true));
        if (!f)
            continue;
        marking_fail_finding(m, f, &cases[i]);
        verdict_put(&m->out.hint, "Kernels of two streams may run at the same time: what do they "
                                  "share, and which of them comes first?");
        return true;
    }
    return false;
}

/* A row of results failed by that: so do the others, whose runs are too long to be checked. */
static bool blocked_side_by_side(struct marking *m)
{
    for (int i = 0; i < m->s->nruns; i++) {
        const struct run *r = m->s->runs[i];
        if (strcmp(r->variant->name, m->row->variant) || !launches_meet(r))
            continue;
        marking_settle(m, STATUS_BLOCKED,
                       "Not looked at: first it must be right, also where kernels of two streams "
                       "run at the same time.",
                       NULL);
        return true;
    }
    return false;
}

static void fail_late(struct marking *m, const struct run *r, const struct marked_case *c)
{
    char *what = r->result.end != RUN_OK
                     ? on_case(r, c)
                     : xformat("It ended with status %d then.", r->outputs.status);
    char *why = xformat("It was right when all was done at once, and is wrong when copies and "
                        "kernels are done only where something waits for them. %s",
                        what);
    marking_settle(m, STATUS_FAIL, why, c->c.name);
    verdict_put(&m->out.hint,
                "Launches and cudaMemcpyAsync() return before they are done. What waits for each "
                "before the host reads or changes its memory, or another stream uses it? Try "
                "build/bin/warprun --fail late.");
    free(why);
    free(what);
}

/* A program's copies and launches are over here when their calls return, and on a GPU they need not
 * be: who does not wait for them is wrong where they are done at what waits for them, and no
 * sooner. */
static bool right_late(struct marking *m, struct marked_case *cases, int n)
{
    bool ok = true;
    for (int i = 0; i < n && ok && m->e->lab->program; i++) {
        struct run *first = marking_run(m, &cases[i], 0, false);
        struct job_options late = {.steps = first->steps, .fail = JOB_LATE};
        struct run *r = session_again(m->s, first, late);
        bool internal = marking_failed(m, r, &cases[i]);
        bool right = r->result.end == RUN_OK && r->outputs.status == 0;
        if (!internal && !right)
            fail_late(m, r, &cases[i]);
        ok = !internal && right;
        session_again_free(r);
    }
    return ok;
}

static void mark_correct(struct marking *m, struct marked_case *cases, int n)
{
    for (int i = 0; i < n; i++) {
        struct run *r = marking_run(m, &cases[i], 0, false);
        if (marking_failed(m, r, &cases[i]))
            return;
        if (r->result.end != RUN_OK) {
            marking_fail_on(m, r, &cases[i], "");
            return;
        }
    }
    if (!m->done && m->row->points > 0 && !right_again(m, cases, n))
        return;
    if (fails_side_by_side(m, cases, n) || !right_late(m, cases, n))
        return;
    m->done += n;
    if (m->e->gpu) {
        m->out.evidence = EVIDENCE_BOTH;
        if (!measure_correct(m, cases, n))
            return;
    }
    char *why = xformat("Right on %d case%s%s.", m->done, m->done == 1 ? "" : "s",
                        m->e->gpu ? ", and on the GPU" : "");
    marking_settle(m, STATUS_PASS, why, NULL);
    free(why);
}

bool marking_blocked(struct marking *m, const struct run *r, const struct marked_case *c)
{
    if (marking_failed(m, r, c))
        return true;
    if (r->result.end == RUN_OK)
        return false;
    char *why = on_case(r, c), *all = xformat("Not looked at: first it must be right. %s", why);
    marking_settle(m, STATUS_BLOCKED, all, c->c.name);
    free(why);
    free(all);
    return true;
}

/* ---- the reference solution ---- */

struct session *engine_reference(struct engine *e)
{
    if (!e->reference) {
        e->reference = xzalloc(sizeof(*e->reference));
        char *name = xformat("%s.cu", e->lab->name);
        session_start(e->reference, e->lab, &e->reference_options, name,
                      e->solution ? e->solution : "", e->solution_length);
        free(name);
    }
    return e->reference;
}

struct run *marking_reference(struct marking *m, const struct run *r)
{
    uint64_t seed =
        r->c.flags & CASE_DATA ? r->seed : reference_seed(m->e->lab, &r->c, r->variant->name);
    unsigned how = asked_of(m, r->variant, r->c.name) & RUN_UNTIMED;
    return session_run(engine_reference(m->e), r->variant, &r->c, seed, how);
}

/* ---- speed ---- */

static unsigned default_evidence(enum row_kind k)
{
    return k == ROW_SPEED ? EV_MODELLED | EV_MEASURED : EV_COUNTED;
}

static void settle_hidden_speed(struct marking *m, bool ok, const struct marked_case *c)
{
    char *place = marking_place(c),
         *why = xformat("On %s it is %s %.2f of the reference's speed.", place,
                        ok ? "at least" : "slower than", m->row->ratio);
    if (!ok || !m->settled)
        marking_settle(m, ok ? STATUS_PASS : STATUS_FAIL, why, c->c.name);
    free(why);
    free(place);
}

/* Modelled times are exact: the same counts give the same time, so there is no interval. */
static void speed_modelled(struct marking *m, const struct run *r, const struct marked_case *c)
{
    const struct run *ref = marking_reference(m, r);
    double own = r->outputs.modelled_ms, theirs = ref->outputs.modelled_ms;
    if (ref->result.end != RUN_OK) {
        char *why = xformat("The reference solution did not run: %s",
                            ref->why ? ref->why : "no reason given");
        marking_settle(m, STATUS_ERROR, why, c->c.name);
        free(why);
        return;
    }
    if (!(own > 0) || !(theirs > 0) || !isfinite(own) || !isfinite(theirs)) {
        marking_settle(m, STATUS_INCONCLUSIVE, "There is no modelled time for this run.",
                       c->c.name);
        return;
    }
    double ratio = theirs / own;
    bool ok = ratio >= m->row->ratio * (1 - m->row->tolerance);
    if (c->kind) {
        settle_hidden_speed(m, ok, c);
        return;
    }
    char *why = xformat("Modelled %.4g ms, the reference %.4g ms: %.2f of its speed, expected at "
                        "least %.2f. Bound by %s.",
                        own, theirs, ratio, m->row->ratio, r->outputs.bound);
    marking_settle(m, ok ? STATUS_PASS : STATUS_FAIL, why, c->c.name);
    m->out.counted = ratio;
    m->out.limit = m->row->ratio;
    free(why);
}

static void mark_speed(struct marking *m, struct marked_case *cases, int n)
{
    bool measured = m->e->gpu && row_measured(m->row);
    for (int i = 0; i < n; i++) {
        struct run *r = marking_run(m, &cases[i], 0, false);
        if (marking_blocked(m, r, &cases[i]) || (m->row->gate && !mark_gate_on(m, &cases[i], true)))
            return;
        if (measured && m->row->gpu_cases && i + 1 < n)
            continue; /* timed once all of these are right */
        if (measured)
            measure_speed(m, r, &cases[i]);
        else
            speed_modelled(m, r, &cases[i]);
        if (m->out.status != STATUS_PASS)
            return;
    }
}

/* ---- rows ---- */

/* What a program did is told by the runtime in its own address space. */
static enum evidence evidence_used(const struct lab *lab, enum row_kind k)
{
    return k == ROW_SPEED     ? EVIDENCE_MODELLED
           : k == ROW_CORRECT ? EVIDENCE_EMULATOR
           : lab->program     ? EVIDENCE_RECORD
                              : EVIDENCE_COUNTED;
}

static void row_begin(struct marking *m)
{
    m->out = verdict_row_new();
    verdict_put(&m->out.id, m->row->id);
    verdict_put(&m->out.title, m->row->title);
    verdict_put(&m->out.variant, m->row->variant);
    verdict_put(&m->out.expression, m->row->gate);
    m->out.kind = m->row->kind;
    m->out.max = m->row->points;
    m->out.evidence = evidence_used(m->e->lab, m->row->kind);
}

/* Its hidden cases, or its others. */
static void mark_row(struct marking *m, bool hidden)
{
    static void (*const by_kind[])(struct marking *, struct marked_case *,
                                   int) = {[ROW_CORRECT] = mark_correct,
                                           [ROW_GATE] = mark_gate,
                                           [ROW_CHECKS] = mark_checks,
                                           [ROW_SPEED] = mark_speed,
                                           [ROW_FAULTS] = mark_faults};
    const struct rubric_row *row = m->row;
    unsigned accepted = row->evidence ? row->evidence : default_evidence(row->kind);
    bool rests = row->kind == ROW_GATE || row->kind == ROW_SPEED; /* on right results */
    int n, kept = 0;
    struct marked_case *cases = row_cases(m->e->lab, m->e->rubric, row, &m->draw, &n);
    for (int i = 0; i < n; i++)
        if (!cases[i].kind == !hidden)
            cases[kept++] = cases[i];
    cases = xrealloc(cases, (size_t)(kept + m->e->rubric->nhidden + m->e->rubric->ncases +
                                     m->e->lab->ncases + m->s->nsought) *
                                    sizeof(*cases) +
                                sizeof(*cases));
    kept += others_checked(m, hidden, cases + kept);
    if (row->kind != ROW_CORRECT && !(accepted & (EV_COUNTED | EV_MODELLED)) && !m->e->gpu)
        marking_settle(m, STATUS_SKIPPED, "This row needs times measured on a GPU.", NULL);
    else if (kept && !(rests && blocked_side_by_side(m)))
        by_kind[row->kind](m, cases, kept);
    free(cases);
    if (m->settled)
        others_gated(m, hidden);
    if (hidden && m->settled && m->out.status == STATUS_PASS && row->kind == ROW_CORRECT)
        seek(m);
}

/* ---- the verdict ---- */

void secret_digest(const char *secret, char out[DIGEST_HEX])
{
    digest_hex(secret, strlen(secret), out);
    out[12] = 0;
}

static struct verdict *new_verdict(const struct engine *e, const char *name,
                                   enum verdict_status status)
{
    struct verdict *v = xzalloc(sizeof(*v));
    char digest[DIGEST_HEX];
    verdict_put(&v->lab, e->lab->name);
    verdict_put(&v->title, e->lab->title);
    verdict_put(&v->file, name);
    verdict_put(&v->backend, "emulator");
    verdict_put(&v->tools, e->tools);
    v->status = status;
    v->max = rubric_points(e->rubric);
    if (e->o->secret) {
        secret_digest(e->o->secret, digest);
        verdict_put(&v->secret, digest);
    }
    return v;
}

struct verdict *engine_no_mark(const struct engine *e, const char *name, enum verdict_status status,
                               const char *message)
{
    struct verdict *v = new_verdict(e, name, status);
    verdict_put(&v->message, message);
    v->needs_human = status == VERDICT_FAILED || status == VERDICT_UNREADABLE;
    return v;
}

static const char *not_markable(const char *source, size_t length, enum verdict_status *status)
{
    const char *encoding = text_encoding(source, length);
    size_t blank = length >= 3 && !memcmp(source, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (blank < length && strchr(" \t\r\n\f\v", source[blank]) && source[blank])
        blank++;
    if (blank == length) {
        *status = VERDICT_EMPTY;
        return "The file is empty.";
    }
    if (length > SUBMISSION_MAX_BYTES) {
        *status = VERDICT_TOO_LARGE;
        return "The file is larger than 256 KiB.";
    }
    if (encoding) {
        bool wide = strstr(encoding, "32");
        *status = wide ? VERDICT_UTF32 : VERDICT_UTF16;
        return wide ? "The file is UTF-32, which no CUDA compiler reads: save it as UTF-8."
                    : "The file is UTF-16, which no CUDA compiler reads: save it as UTF-8.";
    }
    if (memchr(source, 0, length)) {
        *status = VERDICT_NOT_TEXT;
        return "The file holds NUL bytes: it is not a source text.";
    }
    return NULL;
}

/* In practice alone: in a marked run it could tell of hidden cases. */
static void add_output(struct verdict *v, const struct session *s)
{
    size_t n = s->log.length < KEPT_OUTPUT ? s->log.length : KEPT_OUTPUT;
    struct text t = {0};
    if (!s->log.length || s->o->secret)
        return;
    text_printable(&t, s->log.s, n, true);
    v->output = text_take(&t);
    v->output_dropped = (int64_t)(s->log.length - n + s->log_dropped);
}

static bool is_lost(const struct marking *m)
{
    return m->settled && !status_loses_nothing(m->out.status);
}

/* All public cases first, then the hidden ones: a module's variables live on from run to run,
 * and what is shown of a public run cannot hold what was seen in a hidden one that comes after
 * it. Returns how many rows were begun. */
static int mark_rows(struct marking *rows, int n)
{
    for (int i = 0; i < n; i++) {
        row_begin(&rows[i]);
        mark_row(&rows[i], false);
        if (rows[i].e->o->first_failure && is_lost(&rows[i]))
            return i + 1;
    }
    for (int i = 0; i < n; i++) {
        if (!rows[i].settled || rows[i].out.status == STATUS_PASS)
            mark_row(&rows[i], true);
        if (!rows[i].settled)
            marking_settle(&rows[i], STATUS_ERROR, "The rubric names no case for it.", NULL);
        if (rows[i].e->o->first_failure && is_lost(&rows[i]))
            break;
    }
    return n;
}

/* What the checker finds comes before what the numbers look like; of a race, NaN is no cause, and
 * the hint that all get whose results are wrong may be about something else. */
static void tell_finding(struct verdict_row *correct, const struct verdict_row *checks)
{
    const char *look = strstr(correct->why, LOOKS), *rest = look ? look : "";
    size_t n = look ? (size_t)(look - correct->why) : strlen(correct->why);
    bool race = strstr(checks->why, "race") || strstr(checks->why, "barrier");
    if (race && look && !strncmp(look + strlen(LOOKS), "NaN", 3)) {
        verdict_put(&correct->hint, "");
        rest = "";
    }
    char *why = xformat("%.*s The checker finds %s%s", (int)n, correct->why, checks->why, rest);
    verdict_put(&correct->why, why);
    free(why);
}

static void tell_findings(struct marking *rows, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            struct verdict_row *a = &rows[i].out, *b = &rows[k].out;
            if (rows[i].row->kind == ROW_CORRECT && rows[k].row->kind == ROW_CHECKS &&
                a->status == STATUS_FAIL && b->status == STATUS_FAIL && a->why && b->why &&
                !strcmp(rows[i].row->variant, rows[k].row->variant))
                tell_finding(a, b);
        }
}

static void add_rows(struct verdict *v, struct marking *rows, int n)
{
    v->max = 0;
    v->ran = true;
    for (int i = 0; i < n; i++) {
        struct verdict_row *out = &rows[i].out;
        verdict_add_row(v, *out);
        v->score += out->points;
        v->max += out->status == STATUS_SKIPPED ? 0 : rows[i].row->points;
        v->needs_human =
            v->needs_human || out->status == STATUS_INCONCLUSIVE || out->status == STATUS_ERROR;
    }
}

static void mark_all_rows(struct engine *e, struct session *s, const struct draw *d,
                          struct verdict *v)
{
    struct session *gpu = NULL;
    struct marking *rows = xcalloc((size_t)e->rubric->nrows, sizeof(*rows));
    int n = 0;
    for (int i = 0; i < e->rubric->nrows; i++)
        if (!e->o->only || word_in(e->o->only, e->rubric->rows[i].variant))
            rows[n++] = (struct marking){
                .e = e, .s = s, .gpu = &gpu, .draw = *d, .row = &e->rubric->rows[i]};
    int begun = mark_rows(rows, n);
    for (int i = 0; i < begun; i++)
        if (rows[i].row->kind == ROW_CHECKS)
            mark_elsewhere(&rows[i]);
    tell_findings(rows, begun);
    add_rows(v, rows, begun);
    free(rows);
    for (int i = 0; i < s->nruns; i++)
        verdict_add_run(v, s->runs[i]);
    if (gpu) {
        verdict_put(&v->gpu, gpu->loaded.machine.device);
        verdict_put(&v->gpu_version, gpu->loaded.machine.version);
        session_end(gpu);
        free(gpu);
    }
    verdict_put(&v->device, s->loaded.machine.device);
    verdict_put(&v->version, s->loaded.machine.version);
}

/* There is no module: of what was marked before that showed, nothing counts. */
static void not_compiled(const struct engine *e, const struct session *s, struct verdict *v)
{
    v->status = s->internal ? VERDICT_FAILED : VERDICT_NOT_COMPILED;
    v->score = 0;
    v->max = rubric_points(e->rubric);
    v->needs_human = s->internal || s->load_failed;
    verdict_drop_rows(v);
    verdict_put(&v->message, s->problem);
}

struct verdict *engine_mark(struct engine *e, const char *name, const char *source, size_t length)
{
    enum verdict_status status;
    const char *why = not_markable(source, length, &status);
    char digest[DIGEST_HEX];
    if (why)
        return engine_no_mark(e, name, status, why);
    char *own_name = xformat("%s.cu", e->lab->name);
    struct session s;
    session_start(&s, e->lab, e->o, own_name, source, length);
    struct verdict *v = new_verdict(e, name, VERDICT_GRADED);
    digest_hex(source, length, digest);
    struct draw d = {e->o->secret, digest};
    verdict_put(&v->source, digest);
    v->length = (int64_t)length;
    if (s.compiled)
        mark_all_rows(e, &s, &d, v);
    if (!s.compiled) /* it may also turn out so when the module is loaded, or run */
        not_compiled(e, &s, v);
    verdict_put(&v->log, or_empty(s.compile_log));
    v->compiled = s.compiled;
    v->steps = s.taken;
    v->dearest = s.dearest;
    session_rest(&s);
    add_output(v, &s);
    session_end(&s);
    free(own_name);
    return v;
}

/* ---- opening ---- */

static void add_file_digest(struct text *t, const char *folder, const char *name)
{
    char *path = xformat("%s/%s", folder, name), digest[DIGEST_HEX];
    if (digest_file(path, digest))
        text_addf(t, "%s %s\n", name, digest);
    free(path);
}

static void digest_one_of(struct text *t, const struct one_of *o)
{
    for (int i = 0; i < o->n; i++)
        text_addf(t, " %lld", (long long)o->v[i]);
    text_add(t, "|");
}

static void digest_case(struct text *t, const struct lab_case *c)
{
    text_addf(t, "%s|%llu|%llu|%llu|%lld|%d|%d|%llu|%u|%u\n", c->name, (unsigned long long)c->n,
              (unsigned long long)c->m, (unsigned long long)c->k, (long long)c->param,
              (int)c->dtype, c->op, (unsigned long long)c->seed, c->flags, c->block);
}

static void digest_hidden(struct text *t, const struct hidden_case *h)
{
    text_addf(t, "%s|%s|%s|%d|%llu|%llu|%llu|%llu|%llu|%llu|%llu|%llu|%llu|%lld|%lld|%llu|%d|",
              h->name, h->kind, h->like, h->any_scale, (unsigned long long)h->n_min,
              (unsigned long long)h->n_max, (unsigned long long)h->m_min,
              (unsigned long long)h->m_max, (unsigned long long)h->k_min,
              (unsigned long long)h->k_max, (unsigned long long)h->multiple,
              (unsigned long long)h->m_multiple, (unsigned long long)h->k_multiple,
              (long long)h->param_min, (long long)h->param_max, (unsigned long long)h->work_max,
              h->prime);
    digest_one_of(t, &h->params);
    digest_one_of(t, &h->dtypes);
    digest_one_of(t, &h->ops);
    digest_one_of(t, &h->blocks);
    text_add(t, "\n");
}

static void rubric_digest(const struct rubric *all, struct text *t)
{
    for (int i = 0; i < all->nrows; i++) {
        const struct rubric_row *r = &all->rows[i];
        text_addf(t, "%s|%g|%d|%s|%s|%s|%s|%u|%u|%g|%g|%g|%s|%s|%s|%s|%s|%g|%g|%d|%s\n", r->id,
                  r->points, (int)r->kind, r->variant, r->cases ? r->cases : "",
                  r->gpu_cases ? r->gpu_cases : "", r->gate ? r->gate : "", r->checks, r->evidence,
                  r->ratio, r->gpu_ratio, r->tolerance, r->title, r->hint,
                  r->line_of ? r->line_of : "", r->faults ? r->faults : "",
                  r->if_right ? r->if_right : "", r->elsewhere, r->larger, r->influence_on_each,
                  r->asks ? r->asks : "");
    }
    for (int i = 0; i < all->ncases; i++)
        digest_case(t, &all->cases[i]);
    for (int i = 0; i < all->nhidden; i++)
        digest_hidden(t, &all->hidden[i]);
}

static bool has_header(const struct engine_options *o)
{
    char *header = xformat("%s/common/device/warplab.cuh", o->root);
    bool found = !access(header, R_OK);
    free(header);
    return found;
}

static void no_such_lab(const struct engine *e, const char *lab, struct text *why)
{
    text_addf(why, "there is no %s \"%s\"; there are:", e->lab ? "rubric for the lab" : "lab", lab);
    for (int i = 0; i < all_rubrics_count; i++)
        text_addf(why, " %s", all_rubrics[i]->lab);
}

static bool can_mark(const struct engine *e, const char *lab, struct text *why)
{
    if (!e->lab || !e->rubric)
        no_such_lab(e, lab, why);
    else if (!rubric_problems(e->lab, e->rubric, why) && !has_header(e->o))
        text_addf(why,
                  "there is no common/device above %s: the program belongs into the repository's "
                  "build folder",
                  e->o->bin);
    return !why->length;
}

/* Of everything that marks. */
static void digest_tools(struct engine *e)
{
    struct text t = {0};
    add_file_digest(&t, e->o->bin, "grade-cc");
    add_file_digest(&t, e->o->bin, "grade-runner");
    add_file_digest(&t, e->o->bin, "grade");
    add_file_digest(&t, e->o->lib, "libcudart.so.13");
    add_file_digest(&t, e->o->lib, "libcufft.so.12");
    rubric_digest(e->rubric, &t);
    text_bytes(&t, e->solution ? e->solution : "", e->solution_length);
    digest_hex(t.s, t.length, e->tools);
    text_free(&t);
}

bool engine_open(struct engine *e, const char *lab, const struct engine_options *o,
                 struct text *why)
{
    *e = (struct engine){.lab = lab_named(lab),
                         .rubric = rubric_of(lab),
                         .o = o,
                         .gpu = o->measure,
                         .gpu_options = *o,
                         .reference_options = *o,
                         .gpu_reference_options = *o};
    e->gpu_options.gpu = e->gpu_reference_options.gpu = true;
    e->reference_options.trusted = e->gpu_reference_options.trusted = true;
    if (!can_mark(e, lab, why))
        return false;
    char *path = xformat("%s/solutions/%s/%s.cu", o->root, lab, lab);
    file_read_no_link(path, SUBMISSION_MAX_BYTES, &e->solution, &e->solution_length);
    free(path);
    digest_tools(e);
    return true;
}

void engine_key(const struct engine *e, const char *source, size_t length, char out[DIGEST_HEX])
{
    struct text t = {0};
    text_addf(&t, "%s\n%s\n%s\n%s\n%llu %llu %s\n", e->lab->name, e->tools,
              e->o->secret ? e->o->secret : "", e->o->only ? e->o->only : "",
              (unsigned long long)e->o->steps, (unsigned long long)e->o->steps_all,
              e->gpu ? e->o->gpu_name : "");
    text_bytes(&t, source, length);
    digest_hex(t.s, t.length, out);
    text_free(&t);
}

void engine_close(struct engine *e)
{
    if (e->gpu_reference) {
        session_end(e->gpu_reference);
        free(e->gpu_reference);
    }
    if (e->reference) {
        session_end(e->reference);
        free(e->reference);
    }
    free(e->solution);
    *e = (struct engine){0};
}
