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

/* Usual quantities, without their blanks; # is where the number goes. */
static const struct {
    const char *quantity, *words;
} in_words[] = {
    {"thread_inst_executed/inst_executed", "# of a warp's 32 lanes are active on average"},
    {"thread_inst_executed_pred_on/inst_executed", "# of a warp's 32 lanes work on average"},
    {"shared_ld_bank_conflicts/shared_ld_requests",
     "bank conflicts of a load from shared memory: # on average"},
    {"shared_st_bank_conflicts/shared_st_requests",
     "bank conflicts of a store to shared memory: # on average"},
    {"32*global_ld_sectors/global_ld_bytes", "# times the bytes that lanes load are moved"},
    {"32*global_st_sectors/global_st_bytes", "# times the bytes that lanes store are moved"},
    {"(global_ld_bytes+global_st_bytes)/bytes", "# times the bytes that have to be are moved"},
    {"global_ld_sectors/global_ld_requests", "a load moves # sectors on average"},
    {"global_st_sectors/global_st_requests", "a store moves # sectors on average"},
    {"global_ld_bytes/global_ld_requests", "a warp's load brings # bytes on average"},
    {"global_st_bytes/global_st_requests", "a warp's store takes # bytes on average"},
    {"global_ld_bytes/flops", "# bytes are loaded an operation"},
    {"shared_ld_bytes/flops", "# bytes are loaded from shared memory an operation"},
    {"shared_ld_bytes/(flop_fp32+flop_fp64)",
     "# bytes are loaded from shared memory an operation that is made"},
    {"global_ld_requests/warps", "a warp loads # times on average"},
    {"barriers/warps", "a warp waits at # barriers on average"},
    {"thread_inst_fp64", "# operations are in double precision"},
    {"printed.kernel", "# ms are printed for the kernel"},
    {"printed.to_device", "# ms are printed for the copy to the device"},
    {"printed.to_host", "# ms are printed for the copy to the host"},
};

static const char *words_of(const char *quantity)
{
    char closed[80] = "";
    size_t n = 0;
    for (const char *c = quantity; *c && n < sizeof(closed) - 1; c++)
        if (*c != ' ')
            closed[n++] = *c;
    for (size_t i = 0; i < sizeof(in_words) / sizeof(in_words[0]); i++)
        if (!strcmp(in_words[i].quantity, closed))
            return in_words[i].words;
    return NULL;
}

void goal_put(struct text *t, const struct gate_result *r)
{
    const char *words = words_of(r->left_text), *hash = words ? strchr(words, '#') : NULL;
    char other[24];
    int end = 0;
    if (words)
        text_addf(t, "%.*s%.4g%s (%s)", (int)(hash - words), words, r->left, hash + 1,
                  r->left_text);
    else if (sscanf(r->left_text, "ms / %23[a-z0-9_].ms%n", other, &end) == 1 &&
             !r->left_text[end] && end)
        text_addf(t, "it takes %.4g times as long as %s", r->left, other);
    else
        text_addf(t, "%s is %.4g", r->left_text, r->left);
    if (r->right_text[strspn(r->right_text, "0123456789.e")])
        text_addf(t, ", and %s %.4g (%s) is asked for", gate_op_words(r->op), r->right,
                  r->right_text);
    else
        text_addf(t, ", and %s %s is asked for", gate_op_words(r->op), r->right_text);
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
    if (missed) {
        struct text what = {0};
        goal_put(&what, &r);
        fprintf(out, "%s's results are right, but %s%s %s, %s\n", g->variant, g->says, goal_on(g),
                g->case_name, text_str(&what));
        text_free(&what);
    }
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
