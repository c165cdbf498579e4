/* rehearse.c - what a whole program does when something goes wrong (diagnosing.h). Its results are
 * right: then its calls are made to fail, one in a run (emulator/runtime/inject.c), and numbers
 * come back wrong, or all that is asked for late; and the lab's goals are held against the
 * runtime's record of a run without faults.
 */
#include "base/alloc.h"
#include "diagnosing.h"
#include "lab/amounts.h"
#include "lab/counter.h"
#include "lab/gate.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* Of a function, the first calls. */
enum { CALLS = 8 };

/* What is seen of a run that had to end otherwise; the first of each sort is told. */
enum trouble {
    NOTHING,
    UNENDED,
    CRASHED,
    WENT_ON,
    SILENT,
    WROTE,
    LAUNCHED,
    LEFT,
    MISSED,
    KEPT,
    TROUBLES
};

struct rehearsal {
    struct search *s;
    const struct lab_case *c;
    struct outputs base;           /* without a fault; without its data */
    unsigned told, more[TROUBLES]; /* 1 << trouble; runs that had the same */
    struct text words[TROUBLES];
};

static double fact(const struct outputs *o, const char *name)
{
    double value = 0;

    return record_value(o, name, &value) ? value : 0;
}

/* ---- calls that fail ---- */

static const char *const calls[] = {
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaMallocManaged",
    "cudaMallocHost",
    "cudaMallocPitch",
    "cudaHostAlloc",
    "cudaHostRegister",
    "cudaStreamCreate",
    "cudaStreamCreateWithFlags",
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpy2D",
    "cudaMemcpy2DAsync",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaEventCreate",
    "cudaEventCreateWithFlags",
    "cudaEventRecord",
    "cudaEventRecordWithFlags",
    "cudaEventSynchronize",
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventElapsedTime",
    "cudaFree",
    "cudaFreeAsync",
    "cudaFreeHost",
    "cudaHostUnregister",
    "cudaEventDestroy",
    "cudaStreamDestroy",
    "cudaDeviceReset",
};

/* The first line on stderr beside what the emulator's runtime says; NULL: there is none. */
static const char *own_line(const char *said)
{
    for (const char *p = said; *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (strncmp(p, "warplab: ", 9) != 0 && p[strspn(p, " \t\r\n")])
            return p;
    return NULL;
}

static bool said_something(const char *said)
{
    return own_line(said) != NULL;
}

/* Less came to the device, and kernels ran all the same. The failed call's error is told by
 * cudaGetLastError() behind the launch, too: such a program may end as it should. */
static bool launched_on(const struct rehearsal *r, const struct outputs *o)
{
    double launches = fact(o, "launches");

    return launches > 0 && launches >= fact(&r->base, "launches") &&
           fact(o, "in_ns") < fact(&r->base, "in_ns");
}

static enum trouble trouble_of(const struct rehearsal *r, const struct outputs *o, bool late)
{
    double left = fact(o, "left") - (late ? fact(o, "made_to_fail") : 0);

    return o->error == cudaErrorLaunchTimeout ? UNENDED
           : o->status >= 128                 ? CRASHED
           : o->status == 0                   ? WENT_ON
           : o->wrote && !late                ? WROTE
           : !said_something(o->said)         ? SILENT
           : launched_on(r, o)                ? LAUNCHED
           : left > fact(&r->base, "left")    ? LEFT
                                              : NOTHING;
}

static void put_trouble(struct text *t, enum trouble what, const struct outputs *o)
{
    static const char *const words[TROUBLES] = {
        [UNENDED] = "it does not come to an end",
        [WENT_ON] = "it ends with status 0: is what that call returned looked at, and is it not "
                    "lost on the way to what main returns?",
        [SILENT] = "it says nothing of it on stderr",
        [WROTE] = "it writes a result all the same",
        [LAUNCHED] = "the kernel is launched all the same, on what was not copied: is each call's "
                     "error looked at before the next call?",
    };

    if (what == CRASHED)
        text_addf(t, "it crashes (signal %d)", o->status - 128);
    else if (what == LEFT)
        text_addf(t, "%.0f allocation%s, %.0f bytes in all, %s not freed on that way out",
                  fact(o, "left"), fact(o, "left") == 1 ? "" : "s", fact(o, "left_bytes"),
                  fact(o, "left") == 1 ? "is" : "are");
    else
        text_add(t, words[what]);
}

/* The first of each sort is told, the others are counted. */
static void note(struct rehearsal *r, enum trouble what, const char *when, const char *says)
{
    if (r->told & 1u << what)
        r->more[what]++;
    else
        text_addf(&r->words[what], "when %s, %s", when, says);
    r->told |= 1u << what;
}

static bool is_launch(const char *name)
{
    return !strncmp(name, "cudaLaunch", 10);
}

static char *when_fails(const struct rehearsal *r, const char *name, unsigned which)
{
    bool asked = fact(&r->base, "calls.cudaGetLastError") > 0 ||
                 fact(&r->base, "calls.cudaPeekAtLastError") > 0;

    if (is_launch(name))
        return xformat("the launch (<<<…>>>) fails, %s",
                       asked ? "which cudaGetLastError() tells"
                             : "which only cudaGetLastError() tells and nobody asks it");
    return xformat("call %u of %s fails", which, name);
}

/* A run with this fault. False: it was not tried. */
static bool run_with(struct rehearsal *r, const char *fail, unsigned disturb, struct sample *sample)
{
    struct experiment *x = r->s->x;

    x->fail = fail;
    x->disturb = disturb;
    enum run_end end = experiment_run(x, r->c, x->verify->seed, false, sample);
    x->fail = NULL;
    x->disturb = 0;
    return end != RUN_NOT_TRIED && end != RUN_RECORD && end != RUN_INTERNAL;
}

static void fail_call(struct rehearsal *r, const char *call, unsigned which)
{
    char *fail = xformat("%s:%u", call, which), *when = when_fails(r, call, which);
    struct sample sample;

    if (run_with(r, fail, 0, &sample) && fact(&sample.outputs, "made_to_fail") > 0) {
        enum trouble what = trouble_of(r, &sample.outputs, job_gives_back(call));
        struct text says = {0};

        if (what) {
            put_trouble(&says, what, &sample.outputs);
            if (what == LEFT && job_gives_back(call))
                text_add(&says, ": is each of these calls made, whatever the one before it gives "
                                "(what is behind && is skipped where that before it is false)?");
            note(r, what, when, text_str(&says));
        }
        text_free(&says);
    }
    sample_free(&sample);
    free(fail);
    free(when);
}

static void fail_calls(struct rehearsal *r)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        char *name = xformat("calls.%s", calls[i]);
        double made = fact(&r->base, name);

        for (unsigned k = 1; k <= made && k <= CALLS; k++)
            fail_call(r, calls[i], k);
        free(name);
    }
}

/* ---- wrong numbers ---- */

static bool is_missed(const struct sample *s)
{
    return s->outputs.status == 0 && s->end == RUN_WRONG;
}

/* Does it go on with status 0 when a number comes back so? */
static bool misses(struct rehearsal *r, const char *fail)
{
    struct sample sample;
    bool missed = run_with(r, fail, 0, &sample) && is_missed(&sample);

    sample_free(&sample);
    return missed;
}

/* The difference may be held against a bound with its sign. */
static void spoil_one_side(struct rehearsal *r)
{
    bool more = misses(r, "back:small"), less = misses(r, "back:below");

    if (more == less)
        return;
    char *when = xformat("an element comes back 1 too %s", more ? "large" : "small");
    char *says =
        xformat("the program notices nothing, and ends with status 0; one that is 1 too %s it does "
                "notice: is it the difference's absolute value that is compared?",
                more ? "small" : "large");
    note(r, MISSED, when, says);
    free(when);
    free(says);
}

/* Its own comparison is to find them, in a result that is written. */
static void spoil(struct rehearsal *r, const char *fail, unsigned disturb, const char *when)
{
    struct sample sample;

    if (run_with(r, fail, disturb, &sample)) {
        const struct outputs *o = &sample.outputs;

        if (is_missed(&sample))
            note(r, MISSED, when,
                 said_something(o->said)
                     ? "it says so, and ends with status 0 all the same: does main() return what "
                       "the comparison finds, of all elements and not of the last one alone?"
                     : "the program notices nothing, and ends with status 0: is each element "
                       "compared with "
                       "the CPU's, and by how much may it be off?");
        if (o->status > 0 && o->status < 128 && !o->wrote && r->base.wrote)
            note(r, KEPT, when,
                 "there is no result: it is to be written as it came from the device, and "
                 "compared then");
    }
    sample_free(&sample);
}

/* Nothing that is asked of NaN is true, so that a difference from it is never too large. */
static void spoil_nan(struct rehearsal *r)
{
    static const char when[] = "one element comes back as NaN";

    if (misses(r, "back:nan") && !misses(r, "back:1"))
        note(r, MISSED, when,
             "the program notices nothing, and ends with status 0, though it does notice a wrong "
             "number: "
             "NaN is neither less nor greater than anything, and fmax() of it is the other "
             "number; is it asked whether all are near enough, and not whether one is too far?");
    else
        spoil(r, "back:nan", 0, when);
}

static void spoil_numbers(struct rehearsal *r)
{
    char *last = xformat("back:%llu", (unsigned long long)r->c->n);

    spoil_one_side(r);
    spoil(r, NULL, 1u << DISTURB_global_ld, "the kernel computes with wrong numbers");
    spoil(r, "back:1", 0, "the first element comes back wrong");
    spoil(r, last, 0, "the last element comes back wrong");
    spoil_nan(r);
    spoil(r, "back:infinite", 0, "one element comes back infinite");
    spoil(r, "back:huge", 0, "one element comes back as 1e30");
    spoil(r, "back:sign", 0, "one element comes back with the other sign");
    spoil(r, "back:many", 0, "many elements come back wrong");
    spoil(r, "back:zero", 0, "all elements come back as 0");
    spoil(r, "back:slight", 0, "one element comes back a thousandth off");
    spoil(r, "back:small", 0, "the element nearest to 0 comes back 1 off");
    spoil(r, "back:swapped", 0, "two elements come back in each other's place");
    spoil(r, "back:1=evened", 0,
          "eight elements come back wrong by errors that make each other up");
    if (r->c->n > 1)
        spoil(r, "back:1=2", 0, "two neighbours come back in each other's place");
    free(last);
}

/* ---- late work ---- */

/* Who does not wait has other results. */
static void be_late(struct rehearsal *r)
{
    struct sample sample;

    if (run_with(r, JOB_LATE, 0, &sample) && (sample.end != RUN_OK || sample.outputs.status)) {
        const char *own = own_line(sample.outputs.said);
        char *says = own ? xformat(" (it says: %.*s)", (int)strcspn(own, "\n"), own) : xstrdup("");

        diagnosis_add(r->s->d, "late",
                      "when copies and kernels are done only where something waits for them, as "
                      "late as a GPU may be, it is no longer right%s: what waits for each launch "
                      "and cudaMemcpyAsync before the host reads or changes its memory, or another "
                      "stream uses it? (build/bin/warprun --fail late)",
                      says);
        free(says);
    }
    sample_free(&sample);
}

/* ---- goals ---- */

static bool lookup(void *user, const char *name, double *value)
{
    const struct sample *r = user;
    struct amounts a = amounts_of(&r->input, &r->plan);
    int i = counter_index(name);

    if (i >= 0)
        *value = (double)counter_get(&r->outputs.counters, i);
    return i >= 0 || program_fact(&r->outputs, name, value) || amount_named(&a, name, value);
}

static void put_goal(struct diagnosis *d, const struct lab_goal *g, struct sample *sample)
{
    struct gate_world world = {.lookup = lookup, .user = sample};
    struct gate_result r = gate_eval(g->goal, &world);

    if (!r.ok && !r.error) {
        struct text what = {0};
        goal_put(&what, &r);
        diagnosis_add(d, "goal", "%s%s %s, %s", g->says, goal_on(g), g->case_name, text_str(&what));
        text_free(&what);
    }
    gate_free(&r);
}

/* Those of one case stand together: it is run once for them. */
static void hold_against_goals(struct search *s)
{
    const struct lab *lab = s->x->verify->lab;
    struct sample sample = {.outputs = {.changed = -1}};
    const char *on = "";

    for (const struct lab_goal *g = lab->goals; g && g->variant; g++) {
        for (int i = 0; i < lab->ncases && strcmp(on, g->case_name) != 0; i++) {
            if (strcmp(lab->cases[i].name, g->case_name) != 0)
                continue;
            on = g->case_name;
            sample_free(&sample);
            experiment_run(s->x, &lab->cases[i], s->x->verify->seed, false, &sample);
        }
        if (sample.end == RUN_OK && *sample.outputs.record &&
            !strcmp(g->variant, s->x->variant->name))
            put_goal(s->d, g, &sample);
    }
    sample_free(&sample);
}

/* ---- all of it ---- */

/* n: runs that had the same trouble. */
static void put_more(struct text *t, enum trouble what, unsigned n)
{
    if (n && what >= MISSED)
        text_addf(t, " (so in %u other such run%s)", n, n > 1 ? "s" : "");
    else if (n == 1)
        text_add(t, " (the same when another call fails)");
    else if (n)
        text_addf(t, " (the same when any of %u other calls fails)", n);
}

static void tell(struct rehearsal *r)
{
    static const char *const causes[TROUBLES] = {
        [UNENDED] = "goes-on", [CRASHED] = "goes-on", [WENT_ON] = "goes-on",
        [SILENT] = "goes-on",  [WROTE] = "goes-on",   [LAUNCHED] = "goes-on",
        [LEFT] = "leak",       [MISSED] = "compared", [KEPT] = "compared"};

    for (int i = 1; i < TROUBLES; i++) {
        put_more(&r->words[i], i, r->more[i]);
        if (r->words[i].length)
            diagnosis_add(r->s->d, causes[i], "%s", r->words[i].s);
        text_free(&r->words[i]);
    }
}

/* True when something is left, and was told. */
static bool look_at_the_end(struct search *s, const struct lab_case *c, const struct outputs *o)
{
    double left = fact(o, "left"), reset = fact(o, "left_at_reset"),
           events = fact(o, "calls.cudaEventCreate") + fact(o, "calls.cudaEventCreateWithFlags"),
           destroyed = fact(o, "calls.cudaEventDestroy");

    if (left > 0)
        diagnosis_add(s->d, "leak", "on %s, %.0f allocation%s, %.0f bytes in all, %s never freed",
                      c->name, left, left == 1 ? "" : "s", fact(o, "left_bytes"),
                      left == 1 ? "is" : "are");
    if (reset > 0)
        diagnosis_add(s->d, "leak",
                      "on %s, %.0f allocation%s freed by cudaDeviceReset() alone: who allocates "
                      "frees, too",
                      c->name, reset, reset == 1 ? " is" : "s are");
    if (destroyed < events)
        diagnosis_add(s->d, "leak", "on %s it creates %.0f events, and destroys %.0f", c->name,
                      events, destroyed);
    return left > 0 || reset > 0 || destroyed < events;
}

/* Of all cases that are quick, as the one of no elements, which takes a way of its own. */
static void look_at_ends(struct search *s)
{
    bool told = false;

    for (int i = 0; i < s->nfailed && !told; i++) {
        struct sample sample;

        if (elements_of(s, s->failed[i]) > MOST)
            continue;
        if (experiment_run(s->x, s->failed[i], s->x->verify->seed, false, &sample) == RUN_OK)
            told = look_at_the_end(s, s->failed[i], &sample.outputs);
        sample_free(&sample);
    }
}

void by_rehearsal(struct search *s, const struct lab_case *c)
{
    struct rehearsal r = {.s = s, .c = c};
    struct sample sample;

    hold_against_goals(s);
    bool right = experiment_run(s->x, c, s->x->verify->seed, false, &sample) == RUN_OK;
    if (right && sample.outputs.record && *sample.outputs.record) {
        r.base = sample.outputs;
        look_at_ends(s);
        be_late(&r);
        fail_calls(&r);
        spoil_numbers(&r);
        tell(&r);
    }
    sample_free(&sample);
}
