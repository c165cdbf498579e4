/* kept.c - what a small change of a file has to keep: other kernels that are right, the goals of
 * its own, and what its lines do at all (diagnosing.h).
 */
#include "base/alloc.h"
#include "diagnosing.h"
#include "lab/plan.h"

#include <stdlib.h>
#include <string.h>

enum { A_VARIANT = 3, GOAL_STEPS = 1 << 28, SEVERAL_BLOCKS = 16, FEW_BLOCKS = 4 };

/* Another of the file's kernels, with its own launch record and schedule, in place of the one that
 * is looked at: until *s->x is set back. */
static bool become(struct search *s, const struct lab_variant *v, struct schedule *schedule)
{
    struct experiment *x = s->x;
    struct text note = {0}, why = {0};

    x->variant = v;
    bool can = module_record(x->verify->module, v, &x->record, schedule, &note, &why);
    text_free(&note);
    text_free(&why);
    return can;
}

/* 1: right, 0: wrong, -1: it was not tried. */
static int right_as(struct search *s, const struct lab_variant *v, const struct lab_case *c)
{
    struct experiment *x = s->x;
    const struct lab_variant *own = x->variant;
    struct launch_record record = x->record;
    struct schedule schedule;
    int right = -1;

    edits_budget(s, STEPS);
    if (become(s, v, &schedule) && elements_of(s, c) <= MOST) {
        enum run_end end = how_it_ends(s, c);

        right = end == RUN_OK ? 1 : is_failure(end) ? 0 : -1;
    }
    x->variant = own;
    x->record = record;
    return right;
}

/* Of kernels, with spaces between them: is one among both? */
static bool shares(const char *a, const char *b)
{
    char *all = xformat(" %s ", b ? b : ""), *names = xstrdup(a ? a : "");
    bool shared = false;

    for (char *save = NULL, *name = strtok_r(names, " ", &save); name && !shared;
         name = strtok_r(NULL, " ", &save)) {
        char *word = xformat(" %s ", name);

        shared = strstr(all, word) != NULL;
        free(word);
    }
    free(all);
    free(names);
    return shared;
}

struct rich_case {
    const struct lab_case *c;
    uint64_t elements;
};

static int by_richness(const void *a, const void *b)
{
    const struct rich_case *x = a, *y = b;

    return x->elements != y->elements ? (x->elements < y->elements ? 1 : -1)
                                      : (x->c > y->c) - (x->c < y->c);
}

/* The quick cases of another kernel, those of most elements first, as on few of them much that is
 * wrong does not show. For free(). */
static struct rich_case *rich_cases(struct search *s, const struct lab_variant *v, int *n)
{
    const struct lab *lab = s->x->verify->lab;
    struct rich_case *rich = xcalloc((size_t)lab->ncases + 1, sizeof(*rich));
    struct experiment before = *s->x;
    struct schedule schedule;

    *n = 0;
    for (int c = 0; c < lab->ncases && become(s, v, &schedule); c++) {
        uint64_t elements = elements_of(s, &lab->cases[c]);

        if (elements <= MOST)
            rich[(*n)++] = (struct rich_case){&lab->cases[c], elements};
    }
    *s->x = before;
    qsort(rich, (size_t)*n, sizeof(*rich), by_richness);
    return rich;
}

/* The file as it is must be loaded. */
static void find_others(struct search *s, struct others *o)
{
    const struct lab *lab = s->x->verify->lab;

    for (int v = 0; v < lab->nvariants; v++) {
        const struct lab_variant *of = &lab->variants[v];
        char *lacks = of == s->x->variant ? NULL : module_lacks(s->x->verify->module, of);
        bool out = lacks || of == s->x->variant,
             beside = shares(of->kernels, s->x->variant->kernels);
        int ncases = 0;
        struct rich_case *rich = out ? NULL : rich_cases(s, of, &ncases);

        for (int c = 0, n = 0, wrong = 0; c < ncases && n < A_VARIANT; c++) {
            int right = right_as(s, of, rich[c].c);

            if (right == 1 && o->n < OTHERS) {
                o->v[o->n] = of;
                o->c[o->n++] = rich[c].c;
                n++;
            } else if (right == 0 && beside && !wrong++ && o->nwrong < OTHERS) {
                o->wrong[o->nwrong] = of;
                o->wrong_on[o->nwrong++] = rich[c].c;
            }
        }
        free(rich);
        free(lacks);
    }
}

/* All that were right are. The file with the change must be loaded. */
static bool others_are_right(struct search *s, const struct others *o)
{
    bool right = true;

    for (int i = 0; i < o->n && right; i++)
        right = right_as(s, o->v[i], o->c[i]) == 1;
    return right;
}

bool mends_others(struct search *s, const struct others *o)
{
    bool right = true;

    for (int i = 0; i < o->nwrong && right; i++)
        right = right_as(s, o->wrong[i], o->wrong_on[i]) == 1;
    return right;
}

/* Bytes that it stores on a case, or that its outputs have, where these are more; 0: it was stopped
 * on its way. *done: warp instructions. */
static uint64_t stored_on(struct search *s, const struct lab_case *c, uint64_t *done)
{
    struct sample sample;
    uint64_t bytes = 0;

    *done = 0;
    edits_budget(s, STEPS);
    enum run_end end = experiment_run(s->x, c, s->x->verify->seed, false, &sample);
    if (end == RUN_ERROR || end == RUN_ENDLESS) {
        sample_free(&sample);
        return 0;
    }
    for (int b = 0; b < sample.plan.nbuffers; b++)
        bytes += sample.plan.buffers[b].role == BUF_INPUT ? 0 : plan_buffer_bytes(&sample.plan, b);
    uint64_t stored = sample.outputs.counted ? sample.outputs.counters.global_st_bytes : 0;
    *done = sample.outputs.counted ? sample.outputs.counters.inst_executed : 0;
    sample_free(&sample);
    return stored > bytes ? stored : bytes;
}

/* Extents doubled until several blocks take part: with two it is hardly seen what each does again.
 */
static struct lab_case with_blocks(const struct search *s, const struct lab_case *c)
{
    const char *extents = s->x->verify->lab->extents;
    struct lab_case many = *c;

    while (extents && *extents && blocks_of(s, &many, false) < SEVERAL_BLOCKS) {
        struct lab_case next = many;

        for (const char *e = extents; *e; e++) {
            if (*e != 'p')
                set_extent(&next, *e, 2 * extent_of(&many, *e));
        }
        if (elements_of(s, &next) > MOST / 2 || elements_of(s, &next) <= elements_of(s, &many))
            break;
        many = next;
    }
    return many;
}

/* What the kernel that is loaded stores on this case, and on one of several blocks, and how much
 * more it does there with twice of each extent. */
static struct effort effort_on(struct search *s, const struct lab_case *first,
                               const struct lab_case *many)
{
    const char *extents = s->x->verify->lab->extents;
    uint64_t done, twice;
    struct effort w = {.stored = stored_on(s, first, &done)};

    w.stored_many = stored_on(s, many, &done);
    if (!done || blocks_of(s, many, false) < FEW_BLOCKS)
        return w;
    for (int k = 0; extents && extents[k] && k < EXTENTS; k++) {
        struct lab_case large = *many;

        set_extent(&large, extents[k], 2 * extent_of(many, extents[k]));
        if (extents[k] == 'p' || !extent_of(many, extents[k]) || elements_of(s, &large) > MOST)
            continue;
        stored_on(s, &large, &twice);
        w.times[k] = (double)twice / (double)done;
    }
    return w;
}

bool serves_others(struct search *s, const struct edits *e, int i, const struct lab_case *c,
                   struct others *o)
{
    struct edits whole = {(char *)(uintptr_t)s->x->source, NULL, e->v, e->n};
    char *text = edits_apply(&whole, i);

    if (!o->known) {
        experiment_fresh(s->x);
        find_others(s, o);
        o->missed = missed_goals(s, &o->arithmetic);
        o->many = with_blocks(s, c);
        o->effort = effort_on(s, c, &o->many);
        o->known = true;
    }
    bool right = experiment_replace(s->x, text, false, NULL) && others_are_right(s, o);
    free(text);
    return right;
}

/* A goal of the variant, about a case that none before it is about. */
static bool is_first(const struct lab *lab, const struct lab_goal *g, const struct lab_variant *v)
{
    bool first = !strcmp(g->variant, v->name);

    for (const struct lab_goal *h = lab->goals; h < g && first; h++)
        first = strcmp(h->variant, v->name) != 0 || strcmp(h->case_name, g->case_name) != 0;
    return first;
}

/* One run, on the first case of these that a goal of the variant is about; *from goes on. */
static bool run_goal(struct search *s, const struct lab_goal **from, struct sample *sample)
{
    struct experiment *x = s->x;
    const struct lab *lab = x->verify->lab;

    for (; *from && (*from)->variant; ++*from) {
        for (int c = 0; c < lab->ncases && is_first(lab, *from, x->variant); c++) {
            if (strcmp(lab->cases[c].name, (*from)->case_name) != 0)
                continue;
            ++*from;
            edits_budget(s, GOAL_STEPS);
            x->instructions = GOAL_STEPS;
            experiment_run(x, &lab->cases[c], x->verify->seed, false, sample);
            return true;
        }
    }
    return false;
}

uint64_t missed_goals(struct search *s, struct arithmetic *a)
{
    const struct lab *lab = s->x->verify->lab;
    const struct lab_goal *g = lab->goals;
    struct sample sample;
    uint64_t missed = 0;

    *a = (struct arithmetic){0};
    while (run_goal(s, &g, &sample)) {
        struct entry e = {.variant = s->x->variant, .input = &sample.input, .counted = true};

        if (sample.outputs.stage == STAGE_DONE && sample.outputs.counted) {
            e.counters = sample.outputs.counters;
            e.amounts = amounts_of(&sample.input, &sample.plan);
            memset(e.metric_given, true, sizeof(e.metric_given));
            missed |= goals_missed(lab, &e);
            a->done += (double)(e.counters.flop_fp32 + e.counters.flop_fp64);
            a->asked += e.amounts.flops;
        }
        sample_free(&sample);
    }
    return missed;
}

bool adds_arithmetic(const struct arithmetic *was, const struct arithmetic *is)
{
    const double a_little = 1.02; /* what is beside the formula, or past an edge */
    bool all = was->asked > 0 && was->done >= was->asked && was->done <= a_little * was->asked;

    return all && is->asked == was->asked && is->done > a_little * was->done;
}

/* Half as much again: guards and rests differ. */
static bool is_alike(double is, double was)
{
    return was == 0 || 2 * is <= 3 * was;
}

/* With twice of an extent twice is done, and a little more; or as much more as was done. */
bool works_once(struct search *s, const struct others *o, const struct lab_case *c, bool ends)
{
    struct effort is = effort_on(s, c, &o->many);
    const struct effort *was = &o->effort;
    bool once = (is.stored_many || !(ends || was->stored_many)) &&
                is_alike((double)is.stored, (double)was->stored) &&
                is_alike((double)is.stored_many, (double)was->stored_many);

    for (int k = 0; k < EXTENTS && once; k++)
        once = is_alike(is.times[k], was->times[k] > 2 ? was->times[k] : 2);
    return once;
}

/* The line of what is set once more by what is put in, which may take its place; 0: none. */
static int line_again(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];
    const char *value = x->length ? NULL : strchr(x->with, '=');
    int line = 1;

    if (!value)
        return 0;
    char *set = xformat("%.*s", (int)strcspn(value, ";"), value);
    const char *at = strstr(e->text, set);
    for (const char *p = e->text; p < at; p++)
        line += *p == '\n';
    free(set);
    return at ? line : 0;
}

bool keeps_alive(struct search *s, const struct edits *e, int i, const struct alive *was)
{
    const struct lab *lab = s->x->verify->lab;
    const struct edit *edit = &e->v[i];
    int from = edits_line(e, i), to = from;
    struct alive is = {0};

    if (!edit->length)
        from = to = line_again(e, i);
    for (size_t k = 0; k < edit->length; k++)
        to += e->text[edit->at + k] == '\n';
    edits_budget(s, STEPS);
    s->x->lines = true;
    for (int c = 0; c < lab->ncases && !alive_all(was, &is, from, to); c++) {
        struct sample sample;

        if (elements_of(s, &lab->cases[c]) > MOST)
            continue;
        experiment_run(s->x, &lab->cases[c], s->x->verify->seed, false, &sample);
        alive_add(&is, s, &sample);
        sample_free(&sample);
    }
    s->x->lines = false;
    bool kept = alive_all(was, &is, from, to);
    alive_free(&is);
    return kept;
}

char *sound_names(struct search *s)
{
    struct experiment before = *s->x;
    const struct lab *lab = before.verify->lab;
    struct text names = {0};

    for (int v = 0; v < lab->nvariants; v++) {
        const struct lab_variant *of = &lab->variants[v];
        char *lacks = module_lacks(before.verify->module, of);
        int n = 0;
        struct schedule schedule;
        bool right = !lacks && of != before.variant && become(s, of, &schedule);

        for (int c = 0; c < lab->ncases && n < A_VARIANT && right; c++) {
            bool quick = elements_of(s, &lab->cases[c]) <= MOST;

            edits_budget(s, STEPS);
            right = !quick || passes(s, &lab->cases[c]);
            n += quick;
        }
        *s->x = before;
        if (right && n)
            text_addf(&names, "%s %s ", of->name, of->kernels ? of->kernels : "");
        free(lacks);
    }
    return names.s ? names.s : xstrdup("");
}
