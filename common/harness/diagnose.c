/* diagnose.c - why is a kernel wrong? (diagnose.h) */
#include "diagnose.h"
#include "base/alloc.h"
#include "diagnosing.h"
#include "finding.h"
#include "lab/plan.h"
#include "run/emulator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A wrong kernel costs that much more, at most: seconds. */
enum { RUNS = 1500, FINDINGS = 2, STEPS_A_RUN = 1 << 22, STEPS_TO_FIND = 1 << 18 };
#define INSTRUCTIONS (128ull << 20)
/* Elements of a case that the probe likes: enough for a pattern in one block, in several; few
 * enough to be quick. */
#define SOME 600
#define MANY 8000
#define SIDE 130 /* of a square, several tiles wide */

/* ---- cases by size ---- */

/* Of its inputs; UINT64_MAX where the launch record cannot be used on it. */
uint64_t elements_of(const struct search *s, const struct lab_case *c)
{
    struct sample sample;
    uint64_t n = 0;

    if (!experiment_plan(s->x, c, &sample))
        return UINT64_MAX;
    for (int b = 0; b < sample.plan.nbuffers; b++) {
        if (sample.plan.buffers[b].role == BUF_INPUT)
            n += sample.plan.buffers[b].count;
    }
    sample_free(&sample);
    return n;
}

/* One of usual numbers, where there is one that is quick. */
static const struct lab_case *smallest_failed(const struct search *s, uint64_t least)
{
    const struct lab_case *best = NULL;

    for (int i = 0; i < s->nfailed; i++) {
        const struct lab_case *c = s->failed[i];
        uint64_t n = elements_of(s, c), of = best ? elements_of(s, best) : UINT64_MAX;
        bool special = c->flags & CASE_SPECIAL && !s->all_right,
             was = best && best->flags & CASE_SPECIAL && !s->all_right;

        if (n >= least && n < UINT64_MAX && (special == was ? n < of : was ? n <= MOST : of > MOST))
            best = c;
    }
    return best;
}

enum run_end how_it_ends(struct search *s, const struct lab_case *c)
{
    struct sample sample;
    enum run_end end = experiment_run(s->x, c, s->x->verify->seed, false, &sample);

    sample_free(&sample);
    return end;
}

bool is_failure(enum run_end end)
{
    return end != RUN_OK && end != RUN_RECORD && end != RUN_NOT_TRIED && end != RUN_INTERNAL;
}

bool fails(struct search *s, const struct lab_case *c)
{
    return is_failure(how_it_ends(s, c));
}

bool passes(struct search *s, const struct lab_case *c)
{
    return how_it_ends(s, c) == RUN_OK;
}

bool is_cause(const struct diagnosis *d, const char *cause)
{
    return d->cause && !strcmp(d->cause, cause);
}

uint64_t extent_of(const struct lab_case *c, char which)
{
    return which == 'n' ? c->n : which == 'm' ? c->m : which == 'k' ? c->k : (uint64_t)c->param;
}

void set_extent(struct lab_case *c, char which, uint64_t value)
{
    if (which == 'n')
        c->n = value;
    else if (which == 'm')
        c->m = value;
    else if (which == 'k')
        c->k = value;
    else
        c->param = (int64_t)value;
}

const char *extent_name(const struct lab *lab, char which)
{
    static const char *const names[] = {"n", "m", "k"};

    return which == 'p' ? lab->param_name : names[which == 'n' ? 0 : which == 'm' ? 1 : 2];
}

/* ---- which case it was seen on ---- */

static bool is_same(const struct lab_case *a, const struct lab_case *b)
{
    return a->n == b->n && a->m == b->m && a->k == b->k && a->param == b->param;
}

/* By its name, or one made smaller by its extents. */
static void put_case(struct text *t, const struct search *s, const struct lab_case *c)
{
    const struct lab *lab = s->x->verify->lab;
    const char *extents = lab->extents ? lab->extents : "";

    for (int i = 0; i < s->nfailed; i++) {
        if (c == s->failed[i] || !*extents) {
            text_add(t, c->name);
            return;
        }
    }
    put_sizes_of(s, c, t);
}

/* The words name the case where it is not the one that is told: the first that is wrong. */
static void put_seen_on(struct text *t, const struct search *s, const struct lab_case *c,
                        const struct text *words)
{
    if (words->length && !is_same(c, s->failed[0])) {
        text_add(t, "  on ");
        put_case(t, s, c);
        text_addf(t, ": %s", words->s + strspn(words->s, " "));
    } else {
        text_add(t, text_str(words));
    }
}

static void adopt(struct search *s, struct diagnosis *from, const struct lab_case *c)
{
    s->d->cause = s->d->cause ? s->d->cause : from->cause;
    s->d->whole |= from->whole;
    s->d->example |= from->example;
    s->d->counted |= from->counted;
    put_seen_on(&s->d->words, s, c, &from->words);
    diagnosis_free(from);
}

typedef bool way(struct search *s, const struct lab_case *c);

static bool by(way *look, struct search *s, const struct lab_case *c)
{
    struct diagnosis seen = {0}, *all = s->d;

    s->d = &seen;
    bool told = look(s, c);
    s->d = all;
    adopt(s, &seen, c);
    return told;
}

/* The smallest case of at least so many elements, but not too many; NULL: none of them. */
static const struct lab_case *case_of(const struct search *s, uint64_t least)
{
    const struct lab_case *c = smallest_failed(s, least);

    return c && elements_of(s, c) <= MOST ? c : NULL;
}

static const struct lab_case *case_for_a_pattern(const struct search *s)
{
    const struct lab_case *c = case_of(s, FEW);

    return c ? c : case_of(s, 1);
}

/* ---- the checker ---- */

/* On fewer elements it comes to its end, is right, and stores its outputs several times over: who
 * leaves nothing to the others needs no endless loop to take too long. */
static void by_repeated(struct search *s, const struct lab_case *c)
{
    struct lab_case small = *c;
    struct sample r;
    uint64_t bytes = 0;

    small.n = 1 << 12;
    if (!s->x->verify->lab->extents || !strchr(s->x->verify->lab->extents, 'n') || c->n <= small.n)
        return;
    experiment_run(s->x, &small, s->x->verify->seed, false, &r);
    for (int b = 0; b < r.plan.nbuffers; b++)
        bytes += r.plan.buffers[b].role == BUF_INPUT ? 0 : plan_buffer_bytes(&r.plan, b);
    double times = bytes ? (double)r.outputs.counters.global_st_bytes / (double)bytes : 0;
    if (r.end == RUN_OK && r.outputs.counted && times >= 2) {
        diagnosis_add(s->d, "repeated",
                      "with n = %" PRIu64
                      " it comes to its end and is right, but stores each result "
                      "%.3g times on average: what one thread has done, others do again",
                      small.n, times);
        s->d->cause = "repeated";
    }
    sample_free(&r);
}

/* On the smallest case that is wrong it comes to its end. Who does too much is no endless loop. */
static bool ends(struct search *s)
{
    struct sample sample;

    experiment_run(s->x, smallest_failed(s, 0), s->x->verify->seed, false, &sample);
    bool done = sample.outputs.stage == STAGE_DONE;
    sample_free(&sample);
    return done;
}

/* What was read, in the checker's words, is of an output. */
static bool reads_output(const struct plan *p, const char *words)
{
    bool reads = false;

    for (int b = 0; b < p->nbuffers && !reads; b++) {
        char *name = xformat(", %s[", p->buffers[b].name);

        reads = p->buffers[b].role == BUF_OUTPUT && strstr(words, name);
        free(name);
    }
    return reads;
}

/* What is stored where nobody has stored before may look like what was there: that nothing is
 * written cannot be seen. On one of the cases it is something else. */
static void tell_unset(struct search *s, struct text *words)
{
    struct diagnosis seen = {0}, *all = s->d;
    bool told = false;

    s->d = &seen;
    for (int i = 0; i < s->nfailed && !told; i++)
        told = elements_of(s, s->failed[i]) <= MOST && by_added(s, s->failed[i]);
    s->d = all;
    if (told) {
        answer(words, true);
        text_add(words, seen.words.s);
    }
    diagnosis_free(&seen);
}

/* True when nothing more is to be looked for: what was read and never written may only follow
 * from what an earlier launch did not write. */
static bool by_checker(struct search *s, const struct lab_case *c)
{
    struct sample sample;
    struct text t = {0};

    if (experiment_run(s->x, c, s->x->verify->seed, true, &sample) == RUN_NO_KERNEL)
        s->d->cause = "name"; /* which the failure's message says */
    const char *cause = findings_put(&t, sample.outputs.findings, s->path, FINDINGS, true);
    findings_lines(sample.outputs.findings, s->path, s->lines);
    bool left = cause && !strcmp(cause, "left");
    /* Where there was no earlier launch, nobody else's omission lets it read its own output. */
    bool early = cause && !strcmp(cause, "unfilled"), alone = sample.plan.nsteps == 1;
    if (sample.end == RUN_INPUT_CHANGED)
        diagnosis_add(s->d, "input-changed", "it writes to %s[%" PRIu64 "], an input",
                      sample.plan.buffers[sample.outputs.changed].name, sample.outputs.changed_at);
    if (cause && !early) {
        s->d->cause = s->d->cause ? s->d->cause : left ? "async" : cause;
        try_advice(s, c, &t);
        try_atomic(s, c, &t);
        put_seen_on(&s->found, s, c, &t);
    }
    if (left) /* what came was for something that nobody does */
        by_unwritten(s, c);
    if (early) /* who should have written it is elsewhere */
        s->lines[0] = s->lines[1] = 0;
    bool own = early && reads_output(&sample.plan, t.s);
    if (own)
        tell_unset(s, &t);
    if (early && (alone || own || !by_unwritten(s, c))) {
        s->d->cause = "uninitialised";
        put_seen_on(&s->found, s, c, &t);
        tell_filler(s, &sample.plan, t.s);
    }
    if (sample.outputs.error == cudaErrorLaunchTimeout && !cause && s->x->stopped && !ends(s)) {
        cause = s->d->cause = "endless"; /* the emulator has said where it is */
        by_repeated(s, c);
    }
    text_free(&t);
    sample_free(&sample);
    return cause;
}

/* ---- what it is made of ---- */

/* Looks at the first wrong element, of each output that is wrong, until one has something to say.
 */
typedef bool look_into(struct experiment *x, const struct lab_case *c, int out, uint64_t o,
                       struct diagnosis *d);

static bool probe_by(look_into *look, struct search *s, const struct lab_case *c,
                     struct diagnosis *d)
{
    struct sample r;
    bool told = false;

    experiment_run(s->x, c, s->x->verify->seed, false, &r);
    for (int i = 0; r.outputs.stage == STAGE_DONE && i < r.result.noutputs && !told; i++) {
        const struct wrong_output *w = &r.result.outputs[i];

        told = w->comparison.nshown && look(s->x, c, w->buffer, w->comparison.shown[0].index, d);
    }
    sample_free(&r);
    return told;
}

static bool probe_case(struct search *s, const struct lab_case *c, struct diagnosis *d, bool *whole)
{
    bool told = probe_by(probe, s, c, d);

    *whole = told && d->whole;
    return told;
}

static bool by_inputs(struct search *s, const struct lab_case *c)
{
    return probe_by(probe_inputs, s, c, s->d);
}

static bool by_any_numbers(struct search *s, const struct lab_case *c)
{
    return probe_by(probe_any_numbers, s, c, s->d);
}

/* The last, where a key makes all numbers, that leaves a budget for the looks behind. */
static const struct lab_case *last_of_a_key(const struct search *s)
{
    for (int i = s->nfailed - 1; i >= 0; i--) {
        const struct lab_case *c = s->failed[i];
        uint64_t made = c->n * (c->m ? c->m : 1) * (c->k ? c->k : 1);

        if (elements_of(s, c) < FEW && made <= 1 << 18)
            return c;
    }
    return NULL;
}

static int lines_in(const struct text *words)
{
    int n = 0;

    for (const char *p = text_str(words); *p; p++)
        n += *p == '\n';
    return n;
}

/* With an element for each thread: what those beyond the end bring changes nothing, so that it is
 * not seen how often it is taken. False: there is no such, or it is many. */
static bool fill_blocks(const struct search *s, const struct lab_case *c, struct lab_case *full)
{
    const struct launch_record *r = &s->x->record;
    const uint64_t block = (uint64_t)r->block_x * (r->items ? r->items : 1);
    const char *extents = s->x->verify->lab->extents;

    *full = *c;
    if (!extents || !strchr(extents, 'n') || !block || c->block)
        return false;
    full->n = (c->n + block - 1) / block * block;
    return full->n > c->n && elements_of(s, full) <= MANY;
}

/* Elements are left out, and nothing is said of others: of full blocks there may be more to say. */
static bool by_full_blocks(struct search *s, const struct lab_case *c, struct diagnosis *d,
                           struct lab_case *full)
{
    struct diagnosis less = *d, more = {0};
    bool whole;

    if (!less.cause || strcmp(less.cause, "left-out") != 0 || !fill_blocks(s, c, full))
        return false;
    bool better = probe_case(s, full, &more, &whole) && more.cause &&
                  !strcmp(more.cause, "left-out") && lines_in(&more.words) > lines_in(&less.words);
    *d = better ? more : less;
    diagnosis_free(better ? &less : &more);
    return better;
}

/* The smallest case on which less than all is missing. */
static bool by_probe(struct search *s, const struct lab_case *few)
{
    /* The last: where inputs say nothing of the size, a key for all of it. */
    const struct lab_case *last = last_of_a_key(s);
    const struct lab_case *tries[] = {few, case_of(s, SOME), case_of(s, MANY), last};
    const struct lab_case *of = few;
    struct diagnosis best = {0};
    bool told = false;

    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        struct diagnosis d = {0};
        bool whole = false;

        if (!tries[i] || (i && tries[i] == tries[i - 1]) || (told && tries[i] == last))
            continue;
        if (probe_case(s, tries[i], &d, &whole) && (!told || !whole)) {
            diagnosis_free(&best);
            best = d;
            of = tries[i];
            told = true;
        } else {
            diagnosis_free(&d);
        }
        if (told && !whole)
            break;
    }
    struct lab_case full;
    if (told && !s->d->cause && by_full_blocks(s, of, &best, &full))
        of = &full;
    adopt(s, &best, of);
    return told;
}

/* All of an input counts as nothing, but from some size on it does not: what is left out next to
 * that is the least. */
static void by_edge(struct search *s)
{
    struct diagnosis d = {0};
    bool whole;

    if (s->sharp && elements_of(s, &s->edge) <= MOST && probe_case(s, &s->edge, &d, &whole) &&
        !whole)
        adopt(s, &d, &s->edge);
    diagnosis_free(&d);
}

/* ---- what is told ---- */

void tell_change(struct search *s, const char *cause, const char *format, ...)
{
    va_list ap;

    s->d->cause = s->d->cause ? s->d->cause : cause;
    text_add(&s->change, "  ");
    va_start(ap, format);
    text_vaddf(&s->change, format, ap);
    va_end(ap);
    text_add(&s->change, "\n");
}

/* A change with which it is right says what is wrong. Beside it only what needs no reading is told:
 * what the checker found, without what it asks, how often elements are taken, and two sizes. All
 * else was seen on a case or two, and may be so for another reason. */
static void put_words(struct search *s)
{
    struct diagnosis *d = s->d;
    const bool mends = s->change.length;
    const struct text *sizes = mends ? &s->bounds : &s->sizes;
    struct text all = {0};

    if (mends) {
        text_add(&d->unsaid, text_str(&s->found));
        findings_drop_questions(&s->found);
        text_addf(&d->unsaid, s->sizes.length ? "  %s\n" : "%s", text_str(&s->sizes));
    }
    text_add(&all, text_str(&s->found));
    text_add(mends && !d->counted ? &d->unsaid : &all, text_str(&d->words));
    text_add(&all, text_str(&s->change));
    if (sizes->length)
        text_addf(&all, "  %s\n", sizes->s);
    text_free(&d->words);
    d->words = all;
    text_free(&s->found);
    text_free(&s->change);
    forget_sizes(s);
}

/* ---- all of it ---- */

static void budget(struct experiment *x)
{
    x->runs = RUNS;
    x->instructions = INSTRUCTIONS;
    x->steps = STEPS_A_RUN;
}

/* Where a block does not fit its tile or its grid. Races inside a block, and reads of what nobody
 * stored there, go with its threads, so that sizes without them say nothing. */
static bool depends_on_record(const char *cause)
{
    static const char *const causes[] = {"out-of-bounds", "collision", "unwritten"};

    for (size_t i = 0; cause && i < sizeof(causes) / sizeof(causes[0]); i++) {
        if (!strcmp(cause, causes[i]))
            return true;
    }
    return false;
}

/* Where nothing in shared memory was written for what is read, something else was read than meant:
 * which, the outputs say. */
static bool beside_unwritten(struct search *s, const struct lab_case *c)
{
    const struct lab_case *tries[] = {c, s->failed[0], case_of(s, SOME)};

    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        struct diagnosis d = {0};
        bool whole, other = tries[i] && probe_case(s, tries[i], &d, &whole) && d.cause &&
                            (!strcmp(d.cause, "wrong-element") || !strcmp(d.cause, "wrong-pair"));

        if (other) {
            adopt(s, &d, tries[i]);
            return true;
        }
        diagnosis_free(&d);
    }
    return false;
}

/* Where it is when it has not ended. */
static void find_loop(struct search *s, const struct lab_case *c)
{
    struct sample sample;
    uint64_t steps = s->x->steps;

    s->x->steps = STEPS_TO_FIND;
    s->x->lines = true;
    experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    s->x->lines = false;
    s->x->steps = steps;
    alive_busiest(s, &sample, s->lines);
    sample_free(&sample);
}

/* Right and clean when nothing ran before: what the checker saw otherwise comes of what an earlier
 * run left, and is not told. */
static bool by_state_alone(struct search *s, const struct lab_case *c)
{
    bool told = by_state(s, c);

    if (told && s->found.length) {
        experiment_fresh(s->x);
        if (is_clean(s, c))
            text_free(&s->found);
    }
    return told;
}

static bool told_by_checker(struct search *s, const struct lab_case *c)
{
    if (!by(by_checker, s, c))
        return false;
    const char *cause = s->d->cause ? s->d->cause : "";
    bool race = !strcmp(cause, "race") || !strcmp(cause, "atomic") || s->misplaced;
    /* what a variable keeps goes with the grids before, and would make any record right or wrong */
    if (depends_on_record(cause) && !by_state_alone(s, c) && !by_exchange(s)) {
        bool collide = !strcmp(cause, "collision"), unwritten = !strcmp(cause, "unwritten");

        by_record_or_edit(s, unwritten ? NULL : s->lines);
        if (collide)
            by_edit_of(s, OF_PLACES, s->lines);
    } else if (!strcmp(cause, "uninitialised") && !by_exchange(s)) {
        bool other = beside_unwritten(s, c);
        answer(&s->found, by_edit_of(s, OF_PLACES, s->lines));
        if (!s->edited && !other) {
            by_record(s);
            s->d->cause = cause;
        }
    } else if (race && !s->mended) {
        bool found = by_edit_of(s, OF_ORDER, s->lines) || by_edit_of(s, OF_PLACES, s->lines);
        if (!found && s->misplaced)
            by_probe(s, c); /* what comes of a wrong index, though it be by the order seen here */
    } else if (!strcmp(cause, "endless")) {
        find_loop(s, c);
        by_edit_of(s, OF_LOOPS, s->lines);
    } else if (!strcmp(cause, "barrier")) {
        if (by_edit_of(s, OF_LEAVING, s->lines))
            s->d->cause = cause;
    } else if (!strcmp(cause, "misaligned")) {
        by_edit_of(s, OF_PLACES, s->lines);
    } else if (!strcmp(cause, "fault") && strstr(text_str(&s->found), "deadlock")) {
        by_edit_of(s, OF_WAITS, s->lines);
    }
    return true;
}

/* Whatever it was loaded for before. */
static bool is_watched_clean(struct search *s, const struct lab_case *c)
{
    struct sample sample;

    experiment_fresh(s->x);
    experiment_run(s->x, c, s->x->verify->seed, true, &sample);
    bool clean = !sample.outputs.findings || !*sample.outputs.findings;
    sample_free(&sample);
    return clean;
}

/* It failed where there is nothing; where there is something it may be wrong for the same reason,
 * and says more: not what comes of a race, or of memory that nobody wrote. */
static void beside_nothing(struct search *s, const struct lab_case *c)
{
    const struct lab *lab = s->x->verify->lab;
    const struct lab_case *best = NULL;

    for (int i = 0; i < lab->ncases && !s->edited && !elements_of(s, c); i++) {
        const struct lab_case *k = &lab->cases[i];
        uint64_t n = elements_of(s, k);

        if (n && n <= MOST && (!best || n < elements_of(s, best)) && how_it_ends(s, k) == RUN_WRONG)
            best = k;
    }
    if (best && is_watched_clean(s, best))
        by_probe(s, best);
}

/* What stopped it on the last case that was run is the checker's to say. */
static void told_by_last(struct search *s, const struct lab_case *first,
                         const struct lab_case *rich)
{
    const struct lab_case *last = s->failed[s->nfailed - 1];

    if (last != first && last != rich && elements_of(s, last) <= MOST)
        told_by_checker(s, last);
}

/* A rule that explains the smallest case and not what was looked at before it is another one, which
 * comes to the same there. */
static bool by_smallest(struct search *s)
{
    struct diagnosis seen = {0}, *all = s->d;

    s->d = &seen;
    bool told = by_probe(s, &s->smallest);
    s->d = all;
    told &= !strstr(text_str(&seen.words), "what it would be if");
    if (told) {
        all->cause = all->cause ? all->cause : seen.cause;
        all->whole |= seen.whole;
        all->example |= seen.example;
        text_add(&all->words, text_str(&seen.words));
        text_add(&all->beside, text_str(&seen.beside));
    }
    diagnosis_free(&seen);
    return told;
}

/* That the output is the same for all inputs says less than what would mend it. */
static bool by_a_change(struct search *s, const struct lab_case *first, const struct lab_case *c)
{
    struct diagnosis seen = {0}, *all = s->d;

    s->d = &seen;
    bool constant = by_constant(s, c);
    s->d = all;
    bool told = !constant && (by(by_place, s, c) || by(by_distance, s, c));
    if (!told)
        told_by_last(s, first, c); /* a launch that failed comes before a wrong result */
    if (told || s->d->cause || by_edit(s)) {
        diagnosis_free(&seen);
        return true;
    }
    adopt(s, &seen, c);
    return constant;
}

/* What of a matrix is never written may go elsewhere, past an end: in a square it is all there. */
static void by_square(struct search *s, const struct lab_case *c)
{
    const char *extents = s->x->verify->lab->extents;
    struct lab_case square = *c;
    uint64_t most = c->n > c->m ? c->n : c->m;

    if (!extents || !strchr(extents, 'n') || !strchr(extents, 'm') || !c->n || !c->m)
        return;
    square.n = square.m = most < SIDE ? most : SIDE;
    if (elements_of(s, &square) <= MOST)
        by(by_transposed, s, &square);
}

static bool is_fold(const struct search *s, const struct lab_case *c)
{
    const struct lab *lab = s->x->verify->lab;

    return lab->made && lab->made(s->x->variant, c) == MADE_FOLD;
}

bool is_of_products(const struct search *s, const struct lab_case *c)
{
    const struct lab *lab = s->x->verify->lab;
    struct lab_term t = {0};
    struct sample sample;
    bool two = lab->term && experiment_plan(s->x, c, &sample) &&
               lab->term(&sample.plan, s->x->variant, &sample.input, 0, 0, &t) && t.nfactors == 2;

    if (lab->term)
        sample_free(&sample);
    return two;
}

/* Its kernel has no type of less than 32 bits. */
static bool is_wide(const struct search *s)
{
    return module_is_wide(s->x->verify->module, s->x->variant->name);
}

/* Of those that are quick, the one of most outputs. */
static const struct lab_case *of_most_outputs(const struct search *s)
{
    const struct lab_case *best = NULL;
    uint64_t most = 0;

    for (int i = 0; i < s->nfailed; i++) {
        struct sample sample;
        uint64_t n = 0;

        if (!experiment_plan(s->x, s->failed[i], &sample))
            continue;
        for (int b = 0; b < sample.plan.nbuffers; b++)
            n += sample.plan.buffers[b].role == BUF_OUTPUT ? sample.plan.buffers[b].count : 0;
        sample_free(&sample);
        if (n > most && n <= MOST && elements_of(s, s->failed[i]) <= MOST) {
            best = s->failed[i];
            most = n;
        }
    }
    return best;
}

static void look(struct search *s)
{
    const struct lab_case *first = smallest_failed(s, 0), *rich = case_for_a_pattern(s), *large;
    struct diagnosis *d = s->d;

    budget(s->x);
    if (!first) {
        d->cause = "record"; /* which the failure's message says */
        d->refused = true;
        by_schedule(s);
    }
    if (!first || by_parameters(s) || by_no_return(s) || by_known(s))
        return;
    bool all_large = !rich && elements_of(s, first) > MOST;
    if (all_large) {
        s->smallest = *first;
        find_sizes(s);
        first = rich = &s->smallest;
    }
    bool checked = told_by_checker(s, first);
    if (checked)
        beside_nothing(s, first);
    if (checked || (rich && rich != first && told_by_checker(s, rich))) {
        s->smallest = checked ? *first : *rich;
        s->watched = s->told = true;
        forget_sizes(s);
        if (elements_of(s, &s->smallest))
            find_sizes(s);
        return;
    }
    if (by_exchange(s) || by_state(s, rich ? rich : first)) {
        forget_sizes(s);
        return;
    }
    if (by(by_rest, s, rich ? rich : first)) {
        by_edit(s);
        return;
    }
    /* What comes of such a variable says nothing of the rest. */
    if (rich && !by(by_absent, s, rich) && by(by_unset, s, rich)) {
        forget_sizes(s);
        return;
    }
    if (!all_large) {
        large = rich ? rich : smallest_failed(s, 1); /* which is made smaller */
        s->smallest = large ? *large : *first;
        find_sizes(s);
    }
    if (!rich && told_by_checker(s, &s->smallest)) /* but for one of nothing, all were large */
        return;
    if (!rich)
        rich = &s->smallest;
    if (by(by_unwritten, s, rich)) {
        by_square(s, rich);
    } else {
        /* A fold that is wrong of nothing: what it starts with may look like a narrow type. */
        bool start = is_fold(s, rich) && is_wide(s) && !elements_of(s, first);
        bool nan = by(by_nan, s, rich);
        bool told = by(by_transposed, s, rich) || by(by_storage, s, rich) ||
                    (!start && by(by_width, s, rich)) ||
                    (is_of_products(s, rich) && by(by_astray, s, rich)) || by_probe(s, rich) ||
                    (!is_same(rich, &s->smallest) && by_smallest(s));
        if (told && d->whole)
            by_edge(s);
        if (!told || d->whole || start) /* what it starts with, that may come from */
            told |= by(by_empty, s, first);
        if (nan && !told) {
            by_edit(s);
            told = true;
        }
        told = told || by_a_change(s, first, rich);
        if (!told)
            told = by(by_inputs, s, rich);
        if (!told && !d->cause)
            told_by_last(s, first, rich);
        if (!told && !d->cause)
            by(by_any_numbers, s, rich);
        const struct lab_case *many = told || d->cause ? NULL : of_most_outputs(s);
        if (many)
            by(by_bits, s, many);
        if (nan && !d->cause)
            d->cause = "function";
        if (is_cause(d, "wrong-element"))
            (void)(by_edit_of(s, OF_LIKELY, NULL) || by_edit_of(s, OF_ELEMENTS, NULL));
        else if (told)
            by_edit(s);
    }
    by_record_or_edit(s, is_cause(d, "unwritten") ? s->lines : NULL);
}

/* What refuses a launch on the way (a block that does not fit) is no news. */
void diagnose(struct experiment *x, const struct lab_case *const *failed, int nfailed,
              const char *path, struct diagnosis *d)
{
    struct search s = {.x = x, .failed = failed, .nfailed = nfailed, .path = path, .d = d};

    emulator_set_quiet(2);
    look(&s);
    put_words(&s);
    emulator_set_quiet(1);
}

/* ---- whole programs ---- */

/* What was refused on one input may be all right on another, whose result is wrong all the same: a
 * guard alone would not mend it. */
static void by_another(struct search *s)
{
    const struct lab_case *c;

    for (uint64_t n = 1; (c = case_of(s, n)); n = elements_of(s, c) + 1) {
        struct diagnosis refused = {0}, *all = s->d;

        s->d = &refused;
        bool call = by_conduct(s, c);
        s->d = all;
        diagnosis_free(&refused);
        if (call)
            continue;
        s->x->any_status = true;
        by_probe(s, c);
        s->x->any_status = false;
        return;
    }
}

/* This case, or the first, whose result is wrong; NULL: all are right, and only how the program
 * ends is not. */
static const struct lab_case *wrong_result(struct search *s, const struct lab_case *c)
{
    if (!passes(s, c))
        return c;
    for (int i = 0; i < s->nfailed; i++) {
        const struct lab_case *k = s->failed[i];

        if (fails(s, k))
            return elements_of(s, k) <= MOST ? k : c;
    }
    return NULL;
}

static void look_at_program(struct search *s)
{
    struct experiment *x = s->x;
    struct diagnosis *d = s->d;
    const struct lab_case *c = case_for_a_pattern(s);

    budget(x);
    c = c ? c : smallest_failed(s, 0);
    bool checked = c && by(by_checker, s, c);
    /* Whose elements others work on, the result shows. */
    bool shared = checked && !strcmp(d->cause, "collision");
    if (checked && is_cause(d, "uninitialised") && by_short_copy(s, c))
        answer(&s->found, true);
    if (!c || (checked && !shared))
        return;
    if (!checked && by(by_crash, s, c))
        return;
    if (!checked && by(by_conduct, s, c)) {
        if (is_cause(d, "call"))
            by_another(s);
        return;
    }
    x->any_status = true;
    const struct lab_case *wrong = checked ? c : wrong_result(s, c);
    if (!wrong)
        by_own_check(s, c);
    else if (by_probe(s, wrong) && !checked)
        by_other_array(s, wrong);
    x->any_status = false;
}

void diagnose_program(struct experiment *x, const struct lab_case *const *failed, int nfailed,
                      const char *path, struct diagnosis *d)
{
    struct search s = {.x = x, .failed = failed, .nfailed = nfailed, .path = path, .d = d};

    look_at_program(&s);
    put_words(&s);
}

/* The smallest of several warps and, if there is one, of several blocks: what is missing between
 * blocks shows in no other. */
static const struct lab_case *case_of_blocks(const struct search *s, bool layers)
{
    const struct lab_case *c = case_of(s, SEVERAL_WARPS);

    for (const struct lab_case *next = c; next; next = case_of(s, elements_of(s, next) + 1)) {
        if (blocks_of(s, next, layers) > 1)
            return next;
    }
    return layers ? NULL : c;
}

static void check_right(struct search *s, const struct lab_case *c)
{
    struct sample sample;

    experiment_run(s->x, c, s->x->verify->seed, true, &sample);
    const char *cause = findings_put(&s->d->words, sample.outputs.findings, s->path, 1, true);
    findings_lines(sample.outputs.findings, s->path, s->lines);
    try_advice(s, c, &s->d->words);
    s->d->cause = cause && !strcmp(cause, "left") ? "async" : cause;
    try_atomic(s, c, &s->d->words);
    sample_free(&sample);
    if (!s->d->cause && !s->x->verify->lab->program && !by_absent(s, c))
        by_unset(s, c);
}

static void look_at_right_program(struct search *s)
{
    const struct lab_case *c = case_for_a_pattern(s);

    if (!c)
        return;
    check_right(s, c);
    if (!s->d->cause)
        by_rehearsal(s, c);
}

static void look_at_right(struct search *s)
{
    const struct lab_case *c = case_of_blocks(s, false);
    /* Blocks that share an output, as slices of a sum do, have other work than those that do not.
     */
    const struct lab_case *deep = case_of_blocks(s, true);

    if (c)
        check_right(s, c);
    if (deep && deep != c && !s->d->cause)
        check_right(s, deep);
    if (s->d->cause)
        return;
    by_influence(s);
    if (!s->d->beside.length)
        by_idle(s);
}

/* That a launch is given up for the limit on its steps is no news. */
void diagnose_right(struct experiment *x, const struct lab_case *const *cases, int ncases,
                    const char *path, struct diagnosis *d)
{
    struct search s = {
        .x = x, .failed = cases, .nfailed = ncases, .all_right = true, .path = path, .d = d};

    budget(x);
    if (x->verify->lab->program) {
        look_at_right_program(&s);
        return;
    }
    emulator_set_quiet(2);
    look_at_right(&s);
    emulator_set_quiet(1);
}

bool diagnose_nothing(struct experiment *x, const struct lab_case *const *failed, int nfailed)
{
    struct search s = {.x = x, .failed = failed, .nfailed = nfailed};
    const struct lab_case *c = case_for_a_pattern(&s);

    budget(x);
    emulator_set_quiet(2);
    bool nothing = c && writes_nothing(&s, c);
    emulator_set_quiet(1);
    return nothing;
}

void diagnosis_free(struct diagnosis *d)
{
    text_free(&d->words);
    text_free(&d->unsaid);
    text_free(&d->beside);
    *d = (struct diagnosis){0};
}
