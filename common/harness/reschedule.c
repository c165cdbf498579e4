/* reschedule.c - is a schedule that is refused right with one small change (diagnosing.h)? The list
 * of steps is made by the compiler and checked as data, so that nothing runs for a change that is
 * refused, too.
 */
#include "diagnosing.h"
#include "edits.h"

#include <stdlib.h>
#include <string.h>

enum {
    A_SCHEDULE = 3000000, /* bytes (experiment.c) for the search */
    ANOTHER = 400000      /* … for another line's change that does as well */
};

/* The text's schedule can be carried out on the case: its list is kept in *made. */
static bool is_accepted(struct search *s, const char *text, bool quick, struct schedule *made)
{
    struct experiment *x = s->x;
    struct sample sample;

    if (!experiment_replace(x, text, quick, NULL) ||
        module_schedule(x->verify->module, x->variant->name, made) != RECORD_GIVEN)
        return false;
    x->record.schedule = made;
    bool can = experiment_plan(x, s->failed[0], &sample);
    sample_free(&sample);
    return can;
}

/* The least text that its schedule can be made from. */
static const char *least_of(struct search *s, const struct edits *e, struct schedule *made)
{
    struct experiment *x = s->x;

    return experiment_replace(x, e->lean, true, NULL) &&
                   module_schedule(x->verify->module, x->variant->name, made) == RECORD_GIVEN
               ? e->lean
               : x->source;
}

/* How many cases the file is right on with the change; 0: it is not, or not what the step is for.
 */
static int right_with(struct search *s, const struct edits *e, int i, struct schedule *made)
{
    struct arithmetic does;
    char *text = edits_apply_to(s->x->source, e, i);
    bool can = is_accepted(s, text, false, made);
    int cases = can ? right_on(s, s->failed[0], STEPS) : 0;

    free(text);
    return cases && !missed_goals(s, &does) ? cases : 0;
}

/* The message has what makes it right. */
static bool is_said(const struct schedule *of)
{
    char err[512] = "";

    return !schedule_check(of, err, sizeof(err)) && strstr(err, "it is right");
}

bool by_schedule(struct search *s)
{
    struct experiment *x = s->x, before = *x;
    struct edits e = {0};
    struct schedule made;
    int found = -1, other = -1, cases = 0;

    if (!x->replace || !x->source || !x->variant->has_schedule || !x->own.schedule ||
        is_said(x->own.schedule) || !edits_schedule(&e, x->source, x->variant->name))
        return false;
    const char *least = least_of(s, &e, &made);
    uint64_t enough = x->edits->spent + A_SCHEDULE;
    for (int i = 0; i < e.n && other < 0 && x->edits->spent < enough && tries_left(x->edits); i++) {
        char *text = edits_apply_to(least, &e, i);
        bool same = found >= 0 && edits_line(&e, i) == edits_line(&e, found);
        int n = !same && is_accepted(s, text, true, &made) ? right_with(s, &e, i, &made) : 0;

        free(text);
        if (n && found < 0) {
            found = i;
            cases = n;
            enough = x->edits->spent + ANOTHER;
        } else if (n) {
            other = i;
        }
    }
    *x = before;
    experiment_fresh(x);
    if (found >= 0)
        tell_edit(s, &e, found, other, cases);
    edits_free(&e);
    return found >= 0;
}
