/* checks.c - rows of checks: what the checks find, and results that hang on an order that nothing
 * makes; on the row's cases, and in runs that other rows asked for.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "marking.h"
#include "seeking.h"

#include <stdlib.h>
#include <string.h>

enum {
    ORDERED_STEPS = 1 << 20, /* of runs that come in other orders; */
    CROWDED_STEPS = 1 << 22, /* with as many blocks as the GPU holds; */
    LONG_STEPS = 1 << 25,    /* of one of another row that does so, too; half of it of several */
};

/* ---- findings ---- */

static unsigned finding_class(const char *kind)
{
    static const struct {
        const char *part;
        unsigned class;
    } classes[] = {{"race", CHECK_RACE},
                   {"barrier", CHECK_BARRIER},
                   {"uninitialised", CHECK_UNINIT},
                   {"leak", 0}};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (strstr(kind, classes[i].part))
            return classes[i].class;
    return CHECK_MEMORY;
}

const char *finding_member(const json_t *finding, const char *key)
{
    const char *s = json_string_value(json_object_get(finding, key));
    return s ? s : "";
}

/* Of races in shared memory one between warps, where there is one: a barrier of the block is
 * missing then, and not one of a warp. */
static json_t *first_finding(const struct run *r, unsigned wanted)
{
    size_t i;
    json_t *f, *first = NULL;
    json_array_foreach(r->findings, i, f)
    {
        const char *kind = finding_member(f, "kind");
        if (!*kind || !(finding_class(kind) & wanted))
            continue;
        first = first ? first : f;
        if (strcmp(finding_member(first, "kind"), "shared-race") ||
            strcmp(finding_member(first, "distance"), "warp"))
            break;
        first = strcmp(kind, "shared-race") || !strcmp(finding_member(f, "distance"), "warp")
                    ? first
                    : f;
    }
    return first;
}

/* Names the finding's source line, in the sentence unless it is there. A kernel could choose it by
 * what it is called with. */
void marking_set_line(struct marking *m, const json_t *finding, const struct marked_case *c)
{
    json_int_t line = json_integer_value(json_object_get(finding, "line"));
    char where[40];
    if (line <= 0 || !m->out.why || c->pooled)
        return;
    m->out.line = line;
    snprintf(where, sizeof(where), ".cu:%lld", (long long)line);
    if (strstr(m->out.why, where))
        return;
    char *longer = xformat("%s (line %lld)", m->out.why, (long long)line);
    verdict_put(&m->out.why, longer);
    free(longer);
}

void marking_fail_finding(struct marking *m, json_t *f, const struct marked_case *c)
{
    const char *kind = json_string_value(json_object_get(f, "kind")),
               *message = json_string_value(json_object_get(f, "message"));
    char *place = marking_place(c),
         *why = c->kind ? xformat("%s on %s.", kind, place)
                        : xformat("%s on %s: %s", kind, place, message ? message : "(no message)");
    marking_settle(m, STATUS_FAIL, why, c->c.name);
    free(why);
    free(place);
    marking_set_line(m, f, c);
    if (!c->kind)
        m->out.finding = json_incref(f);
}

/* The row's gate, without influences; false, and settled, where it does not hold. */
static bool gate_on_all(struct marking *m, const struct marked_case *cases, int n)
{
    for (int i = 0; i < n; i++)
        if (!mark_gate_on(m, &cases[i], false))
            return false;
    return true;
}

/* Is the run, which is right, wrong when blocks, warps and lanes come in another order, and what
 * they store comes later? `class` has all of that: settles the row as failed by the first part of
 * it with which it is. where: "the case x1" or the like. */
static bool fails_in_order(struct marking *m, struct run *r, enum disturbance class,
                           const char *where, const char *name)
{
    static const struct {
        enum disturbance class;
        const char *words;
    } parts[] = {
        {DISTURB_backwards, "the last block and each block's last warp come first"},
        {DISTURB_reordered, "blocks, and each block's warps, come in another order"},
        {DISTURB_parted, "lanes of a warp do not go in step"},
        {DISTURB_late, "what a block leaves comes late to others, as on a GPU it may where no "
                       "fence is between it and the news of it"},
        {DISTURB_crowded, "as many blocks run at once as the GPU holds"},
    };
    const struct influence *x = session_influence(m->s, r, class);
    if (x->unwaited) {
        char *why = xformat("On %s what a copy brings is used before it is there, when that takes "
                            "longer: who asks the mbarrier goes on only when it says yes.",
                            where);
        marking_settle(m, STATUS_FAIL, why, name);
        free(why);
        return true;
    }
    for (size_t i = class != DISTURB_backwards; x->share > 0 || x->broke; i++) {
        const struct influence *part = session_influence(m->s, r, parts[i].class);
        if (!(part->share > 0) && !part->broke)
            continue;
        char *why =
            xformat("On %s results are wrong when %s: what orders them?", where, parts[i].words);
        marking_settle(m, STATUS_FAIL, why, name);
        free(why);
        return true;
    }
    return false;
}

static uint64_t executed(const struct run *r)
{
    return r->outputs.counters.inst_executed;
}
static uint64_t blocks_of(const struct run *r)
{
    uint64_t most = 0;
    for (int i = 0; r->plan && i < r->plan->nsteps; i++) {
        const uint32_t *g = r->plan->steps[i].grid;
        uint64_t blocks = (uint64_t)g[0] * g[1] * g[2];
        most = blocks > most ? blocks : most;
    }
    return most;
}
/* By what may blocks that run at once meet? Where they share memory otherwise, or by the bytes of a
 * bulk copy, they race, which the checks tell. */
static bool blocks_may_meet(const struct run *r)
{
    const struct counters *c = &r->outputs.counters;
    return c->strong_accesses || c->clock_reads || c->async_sends || c->surface_st_requests;
}
/* Of the variant's runs that this row, or another, asked for, the one with most blocks that is not
 * too long; NULL: all are, or blocks do not meet. */
static struct run *run_crowded(const struct marking *m)
{
    struct run *most = NULL;
    for (int i = 0; i < m->s->nruns; i++) {
        struct run *r = m->s->runs[i];
        if (r->result.end == RUN_OK && !strcmp(r->variant->name, m->row->variant) &&
            executed(r) <= CROWDED_STEPS && blocks_may_meet(r) &&
            (!most || blocks_of(r) > blocks_of(most)))
            most = r;
    }
    return most;
}
/* Cases that are run in other orders are no longer than this: the shortest of those that are right
 * is tried where all are longer. */
static uint64_t most_ordered(struct marking *m, struct marked_case *cases, int n)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < n; i++) {
        const struct run *r = marking_run(m, &cases[i], 0, true);
        if (r->result.end == RUN_OK && executed(r) < shortest)
            shortest = executed(r);
    }
    return shortest > ORDERED_STEPS ? shortest : ORDERED_STEPS;
}

/* What has to put blocks, or warps, in order is missing, however the words are read that go from
 * one to the other. Each case draws an order of its own; the opposite one is tried on every second
 * case, and many blocks at once on one. */
static bool fails_out_of_order(struct marking *m, struct marked_case *cases, int n)
{
    uint64_t most = most_ordered(m, cases, n);
    for (int i = 0, tried = 0; i < n; i++) {
        struct run *r = marking_run(m, &cases[i], 0, true);
        if (r->result.end != RUN_OK || executed(r) > most)
            continue;
        char *place = marking_place(&cases[i]);
        bool fails =
            (tried++ % 2 == 0 && fails_in_order(m, r, DISTURB_backwards, place, cases[i].c.name)) ||
            fails_in_order(m, r, DISTURB_late, place, cases[i].c.name);
        free(place);
        if (fails)
            return true;
    }
    struct run *r = run_crowded(m);
    return r && fails_in_order(m, r, DISTURB_crowded, "one of its cases", NULL);
}

static unsigned checks_of(const struct rubric_row *row)
{
    return row->checks ? row->checks : CHECK_MEMORY | CHECK_UNINIT | CHECK_RACE | CHECK_BARRIER;
}

void mark_checks(struct marking *m, struct marked_case *cases, int n)
{
    unsigned wanted = checks_of(m->row);
    const struct run *stopped = NULL;
    const struct marked_case *at = NULL;
    for (int i = 0; i < n; i++) {
        struct run *r = marking_run(m, &cases[i], 0, true);
        if (marking_failed(m, r, &cases[i]))
            return;
        json_t *f = first_finding(r, wanted);
        if (f) {
            bool fault = cases[i].kind && !strcmp(finding_member(f, "kind"), "fault");
            if (fault) /* more may be told of what the run ended with */
                marking_fail_on(m, r, &cases[i], "");
            else
                marking_fail_finding(m, f, &cases[i]);
            return;
        }
        if (r->result.end != RUN_OK && !stopped) {
            stopped = r;
            at = &cases[i];
        }
    }
    if (stopped && stopped->result.end == RUN_ERROR && !m->e->lab->program)
        marking_fail_on(m, stopped, at, "");
    else if (stopped) /* a kernel that does nothing has no races, and earns nothing by it */
        marking_blocked(m, stopped, at);
    else if (wanted & CHECK_RACE && !m->e->lab->program && fails_out_of_order(m, cases, n))
        return;
    else if (!m->row->gate || gate_on_all(m, cases, n))
        marking_settle(m, STATUS_PASS, "Nothing found.", NULL);
}

static bool went_astray(const struct run *r)
{
    return r->result.end == RUN_ERROR && (r->outputs.error == 700 || r->outputs.error == 716);
}

static bool has_checks(const struct rubric *all, const struct lab_variant *v)
{
    bool has = false;
    for (int i = 0; i < all->nrows; i++)
        has |= all->rows[i].kind == ROW_CHECKS && !strcmp(all->rows[i].variant, v->name);
    return has;
}

static const char *kernels_of(const struct lab_variant *v)
{
    return v->kernels ? v->kernels : v->name;
}

/* Is the row about what this run launches: its own variant, or one that has no row on races and no
 * kernel that is not among its own? */
static bool answers_for(const struct marking *m, const struct run *r)
{
    const struct lab_variant *own = variant_named(m->e->lab, m->row->variant);
    bool all = *kernels_of(r->variant);
    if (r->variant == own || has_checks(m->e->rubric, r->variant))
        return r->variant == own;
    char *words = xstrdup(kernels_of(r->variant)), *rest = NULL;
    for (char *k = strtok_r(words, " ", &rest); k; k = strtok_r(NULL, " ", &rest))
        all &= word_in(kernels_of(own), k);
    free(words);
    return all;
}

/* Of such runs, in which values may go from thread to thread by strong accesses, so that no checks
 * tell enough: the next in an order that is drawn; NULL: there is none. */
static struct run *run_unordered(const struct marking *m, const struct run *before)
{
    struct run *next = NULL;
    for (int i = 0; i < m->s->nruns; i++) {
        struct run *r = m->s->runs[i];
        if (r->result.end == RUN_OK && answers_for(m, r) && executed(r) <= LONG_STEPS &&
            blocks_may_meet(r) && (!before || r->seed > before->seed) &&
            (!next || r->seed < next->seed))
            next = r;
    }
    return next;
}

/* Those come in other orders, too, as many as do not take too long. */
static void look_at_orders(struct marking *m)
{
    uint64_t taken = 0;
    for (struct run *r = NULL; taken < LONG_STEPS / 2 && (r = run_unordered(m, r)) != NULL;) {
        taken += executed(r);
        if (fails_in_order(m, r, DISTURB_late, "a case of another row", NULL))
            return;
    }
}

static bool uses_shared(const struct run *r)
{
    const struct counters *c = &r->outputs.counters;
    return c->shared_st_requests || c->async_sends;
}

/* A size that was sought, and of which all is as small as may be but what makes it odd. */
static bool was_shrunk(const struct session *s, const struct run *r)
{
    bool shrunk = false;
    for (int i = 0; i < s->nsought; i++)
        shrunk |= s->sought[i].larger && session_same_size(&s->sought[i].c, &r->c);
    return shrunk;
}

/* The longest that was right, of one of the kernels that the row is about: of two that are as large
 * in all but one extent, the larger. */
static const struct run *run_longest(const struct marking *m)
{
    const struct run *largest = NULL;
    for (int i = 0; i < m->s->nruns; i++) {
        const struct run *r = m->s->runs[i];
        if (r->result.end == RUN_OK && answers_for(m, r) && uses_shared(r) &&
            !was_shrunk(m->s, r) && (!largest || executed(r) > executed(largest)))
            largest = r;
    }
    return largest;
}

/* A race in the shared memory of sizes that nothing has run, and that the lab's program may. */
static void look_at_large(struct marking *m, unsigned wanted)
{
    const struct run *largest = run_longest(m);
    for (int i = 0; largest && i < PARAM && m->out.status == STATUS_PASS; i++) {
        struct lab_case c;
        if (!seek_larger(m->s, largest->variant, &largest->c, 1u << i, LARGER, &c))
            continue;
        struct run *r = session_large(m->s, largest->variant, &c, largest->seed);
        json_t *f = first_finding(r, wanted);
        if (f && strcmp(finding_member(f, "kind"), "fault")) {
            char *why = m->e->o->secret ? xformat("%s on a size larger than any that is marked.",
                                                  finding_member(f, "kind"))
                                        : xformat("On a size larger than any that is marked: %s",
                                                  finding_member(f, "message"));
            marking_settle(m, STATUS_FAIL, why, NULL);
            free(why);
        }
        session_again_free(r);
    }
}

/* What runs that other rows asked for show: a bad address, what the checks of some blocks find
 * (session.h), or in another order other results. All runs are over. */
void mark_elsewhere(struct marking *m)
{
    unsigned wanted = checks_of(m->row);
    for (int i = 0; i < m->s->nruns && m->out.status == STATUS_PASS; i++) {
        const struct run *r = m->s->runs[i];
        if (!answers_for(m, r))
            continue;
        json_t *f = first_finding(r, wanted);
        bool astray = wanted & CHECK_MEMORY && went_astray(r);
        if (!f && !astray)
            continue;
        char *why = astray
                        ? xformat("On a case of another row %s.", marking_error(r->outputs.error))
                    : m->e->o->secret
                        ? xformat("%s on a case of another row.", finding_member(f, "kind"))
                        : xformat("On a case of another row: %s", finding_member(f, "message"));
        marking_settle(m, STATUS_FAIL, why, NULL);
        free(why);
    }
    if (wanted & CHECK_RACE && !m->e->lab->program)
        look_at_large(m, wanted);
    if (wanted & CHECK_RACE && !m->e->lab->program && m->out.status == STATUS_PASS)
        look_at_orders(m);
}
