/* influence.c - steps whose results are right, and do not come the way that they are for
 * (diagnosing.h): goals with an influence(), each of which takes a run with what it names disturbed
 * (grading/mark/EVIDENCE.md). What a run's counts tell is goals.c's.
 */
#include "diagnosing.h"
#include "lab/counter.h"
#include "lab/gate.h"
#include "report.h"

#include <math.h>
#include <string.h>

struct asked {
    struct search *s;
    const struct lab_case *c;
};

/* A run that does not come to its end, of an index or a bound that was disturbed, tells nothing. */
static bool influence(void *user, bool ref, const char *what, double *share)
{
    const struct asked *a = user;
    struct experiment *x = a->s->x;
    struct sample sample;
    int class = disturb_index(what);
    unsigned before = x->disturb;

    if (ref || class < 0)
        return false;
    x->disturb = 1u << class;
    bool ran = experiment_run(x, a->c, x->verify->seed, false, &sample) == RUN_OK ||
               sample.end == RUN_WRONG;
    x->disturb = before;
    *share = ran && sample.result.compared
                 ? (double)sample.result.wrong / (double)sample.result.compared
                 : NAN;
    sample_free(&sample);
    return !isnan(*share);
}

/* A name would be a count's; which count is no goal's of this kind. */
static bool nothing(void *user, const char *name, double *value)
{
    (void)user, (void)name, (void)value;
    return false;
}

static bool is_missed(struct search *s, const struct lab_goal *g, const struct lab_case *c)
{
    struct asked a = {s, c};
    struct gate_world world = {.lookup = nothing, .influence = influence, .user = &a};
    struct gate_result r = gate_eval(g->goal, &world);
    bool missed = !r.ok && !r.error && !isnan(r.left);

    if (missed) {
        char class[32] = "";
        sscanf(r.left_text, "influence(%31[a-z_])", class);
        int i = disturb_index(class);
        text_addf(&s->d->beside,
                  "%s%s %s, %.0f %% of them depend on %s, and %s %.0f %% is asked for", g->says,
                  goal_on(g), c->name, 100 * r.left, i < 0 ? class : disturb_infos[i].text,
                  gate_op_words(r.op), 100 * r.right);
    }
    gate_free(&r);
    return missed;
}

void by_influence(struct search *s)
{
    const struct lab *lab = s->x->verify->lab;

    for (const struct lab_goal *g = lab->goals; g && g->variant; g++) {
        for (int i = 0; i < s->nfailed && !strcmp(g->variant, s->x->variant->name); i++) {
            const struct lab_case *c = s->failed[i];

            if (strstr(g->goal, "influence(") && !strcmp(c->name, g->case_name) &&
                is_missed(s, g, c))
                return;
        }
    }
}
