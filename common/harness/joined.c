/* joined.c - which of many changes of a file are right on one case? (diagnosing.h) They are
 * compiled as one text (edits_join()), and each is run alone. What no such text has, or what runs
 * otherwise in it, is left to be tried by itself.
 */
#include "base/alloc.h"
#include "diagnosing.h"

#include <stdlib.h>
#include <string.h>

/* The questions take steps, too. */
enum { STEPS_MORE = 2 };

struct joined {
    struct search *s;
    const struct edits *e;
    const char *text;
    const struct lab_case *first;
    uint64_t steps;
    enum run_end was;
    unsigned char *verdicts; /* of all of e */
};

static enum run_end run_number(const struct joined *j, int number)
{
    struct sample sample;

    if (!j->s->x->choose(j->s->x->user, number))
        return RUN_NO_KERNEL;
    edits_budget(j->s, STEPS_MORE * j->steps);
    enum run_end end = experiment_run(j->s->x, j->first, j->s->x->verify->seed, false, &sample);
    sample_free(&sample);
    return end;
}

/* The text is loaded, and the same as before as long as none is chosen. */
static void run_all(const struct joined *j, const int *which, int n, const bool *in)
{
    if (run_number(j, 0) != j->was)
        return;
    for (int i = 0; i < n; i++) {
        if (in[i])
            j->verdicts[which[i]] = run_number(j, i + 1) == RUN_OK ? EDIT_RIGHT : EDIT_WRONG;
    }
}

static void try_these(const struct joined *j, const int *which, int n, bool again);

/* Without those that the compiler refuses, which are wrong; or, where it does not say which they
 * are, in two halves. Behind one that it refused it may not have found its way: such are tried
 * again, once, by themselves. */
static void try_less(const struct joined *j, const int *which, int n, const bool *refused,
                     bool again)
{
    int *left = xcalloc((size_t)n, sizeof(*left)), *lost = xcalloc((size_t)n, sizeof(*lost));
    int k = 0, nlost = 0;

    for (int i = 0; i < n; i++) {
        if (!refused[i])
            left[k++] = which[i];
        else if (i && refused[i - 1] && !again)
            lost[nlost++] = which[i];
        else
            j->verdicts[which[i]] = EDIT_WRONG;
    }
    if (k < n) {
        try_these(j, left, k, again);
        if (nlost)
            try_these(j, lost, nlost, true);
    } else if (n > 1) {
        try_these(j, left, n / 2, again);
        try_these(j, left + n / 2, n - n / 2, again);
    }
    free(left);
    free(lost);
}

static void try_these(const struct joined *j, const int *which, int n, bool again)
{
    struct experiment *x = j->s->x;
    bool *in = xcalloc((size_t)n + 1, sizeof(*in)), *refused = xcalloc((size_t)n + 1, sizeof(*in));
    int *those = xcalloc((size_t)n + 1, sizeof(*those)), k = 0;
    char *log = NULL, *text = edits_join(j->text, j->e, which, n, in);

    for (int i = 0; i < n; i++) {
        if (in[i])
            those[k++] = which[i];
    }
    if (k < n) { /* what is not in it has no number */
        free(text);
        text = edits_join(j->text, j->e, those, k, in);
    }
    if (k && tries_left(x->edits)) {
        if (edits_replace(j->s, text, &log)) {
            run_all(j, those, k, in);
        } else {
            edits_refused(log ? log : "", refused, k);
            try_less(j, those, k, refused, again);
        }
    }
    free(log);
    free(text);
    free(those);
    free(refused);
    free(in);
}

void edits_try(struct search *s, const struct edits *e, const char *text, int from, int n,
               const struct lab_case *first, uint64_t steps, enum run_end was,
               unsigned char *verdicts)
{
    struct joined j = {s, e, text, first, steps, was, verdicts};
    int *which = xcalloc((size_t)n + 1, sizeof(*which));

    for (int i = 0; i < n; i++)
        which[i] = from + i;
    try_these(&j, which, n, false);
    free(which);
}
