/* goals.c - steps that are right, and do not do what they are for (report.h). A result says nothing
 * of how it came about; where a lab's counts do for certain, that is told. What takes runs of its
 * own is influence.c's.
 */
#include "base/alloc.h"
#include "lab/gate.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *goal_on(const struct lab_goal *g)
{
    size_t n = strlen(g->says);

    return n && g->says[n - 1] == '?' ? " On" : ": on";
}

const char *goal_asks(const char *op)
{
    return !strcmp(op, "<=")   ? "at most "
           : !strcmp(op, ">=") ? "at least "
           : !strcmp(op, "<")  ? "less than "
           : !strcmp(op, ">")  ? "more than "
                               : "";
}

struct looked_up {
    const struct report *report;
    const struct entry *entry;
};

/* NULL: it was not run, or is wrong. */
static const struct entry *entry_of(const struct report *p, const char *variant, size_t length,
                                    const char *case_name)
{
    for (int i = 0; i < p->n; i++) {
        const struct entry *e = &p->results[i];

        if (!strncmp(e->variant->name, variant, length) && !e->variant->name[length] &&
            !strcmp(e->input->name, case_name))
            return e->counted && !e->wrong && e->verdict == VERDICT_PASS ? e : NULL;
    }
    return NULL;
}

static bool lookup(void *user, const char *name, double *value)
{
    const struct looked_up *l = user;
    const struct entry *e = l->entry;
    const char *point = strchr(name, '.');

    if (point)
        e = entry_of(l->report, name, (size_t)(point - name), e->input->name);
    return e && entry_named(e, point ? point + 1 : name, value);
}

/* Not met; another step that was not run, or nothing to divide by (a count of what is not there),
 * tells nothing. */
static bool is_missed(const struct gate_result *r)
{
    return !r->ok && !r->error && !isnan(r->left);
}

static bool print_goal(FILE *out, const struct report *p, const struct lab_goal *g)
{
    struct looked_up l = {p, entry_of(p, g->variant, strlen(g->variant), g->case_name)};
    struct gate_world world = {.lookup = lookup, .without_influence = true, .user = &l};

    if (!l.entry)
        return false;
    struct gate_result r = gate_eval(g->goal, &world);
    bool missed = is_missed(&r);
    if (missed)
        fprintf(out, "%s's results are right, but %s%s %s, %s is %.4g, and %s%s is asked for\n",
                g->variant, g->says, goal_on(g), g->case_name, r.left_text, r.left, goal_asks(r.op),
                r.right_text);
    gate_free(&r);
    return missed;
}

static bool asks_of(const struct lab_goal *g, const struct entry *e)
{
    return !strcmp(g->variant, e->variant->name) && !strcmp(g->case_name, e->input->name);
}

uint64_t goals_missed(const struct lab *lab, const struct entry *e)
{
    struct report none = {.lab = lab};
    struct looked_up l = {&none, e};
    struct gate_world world = {.lookup = lookup, .without_influence = true, .user = &l};
    uint64_t missed = 0;

    for (const struct lab_goal *g = lab->goals; g && g->variant && g < lab->goals + 64; g++) {
        if (!asks_of(g, e))
            continue;
        struct gate_result r = gate_eval(g->goal, &world);
        missed |= (uint64_t)is_missed(&r) << (g - lab->goals);
        gate_free(&r);
    }
    return missed;
}

int goals_print(FILE *out, const struct report *p)
{
    int n = 0;

    if (!p->machine->emulator || p->lab->program) /* a program's: rehearse.c */
        return 0;
    for (const struct lab_goal *g = p->lab->goals; g && g->variant; g++)
        n += print_goal(out, p, g);
    return n;
}
