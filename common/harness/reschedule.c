/* reschedule.c - is a schedule that is refused right with one small change (diagnosing.h)? The list
 * of steps is made by the compiler and checked as data, so that nothing runs for a change that is
 * refused, too.
 */
#include "base/alloc.h"
#include "diagnosing.h"
#include "edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    A_SCHEDULE = 3000000, /* bytes (experiment.c) for the search */
    ANOTHER = 400000,     /* … for another line's change that does as well */
    LEAST_LIKELY = -1,
    MOST_LIKELY = 3
};

/* Of what is refused. */
struct complaint {
    char verb[32]; /* ".wait(" of "step 26, wait(stream 2, …"; "": it names none */
    bool early;    /* an event is recorded before what it should stand for */
};

/* Waits for an event of the same stream, which are for nothing. */
static unsigned idle_waits(const struct schedule *of)
{
    unsigned idle = 0;

    for (uint32_t i = 0; i < of->nsteps; i++) {
        const struct schedule_step *wait = &of->steps[i];
        uint32_t k = i;

        while (k > 0 && wait->what == DO_WAIT &&
               (of->steps[k - 1].what != DO_RECORD || of->steps[k - 1].first != wait->first))
            k--;
        idle += wait->what == DO_WAIT && k > 0 && of->steps[k - 1].stream == wait->stream;
    }
    return idle;
}

/* The text's schedule can be carried out on the case, and waits for nothing no more often than the
 * file's: its list is kept in *made. */
static bool is_accepted(struct search *s, const char *text, bool quick, struct schedule *made)
{
    struct experiment *x = s->x;
    struct sample sample;

    if (!experiment_replace(x, text, quick, NULL) ||
        module_schedule(x->verify->module, x->variant->name, made) != RECORD_GIVEN ||
        idle_waits(made) > idle_waits(x->own.schedule))
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

static bool is_of_chunks(const struct edits *e, int i)
{
    const char *line = e->text + edits_line_begin(e->text, e->v[i].at), *end = strchr(line, '\n'),
               *chunks = strstr(line, ".chunks =");

    return chunks && (!end || chunks < end);
}

/* Of "s.chunks = 4;", the last before `end` and of the same schedule, the number; NULL: there is no
 * such line, or another expression. */
static const char *chunks_before(const char *text, const char *end)
{
    static const char chunks[] = ".chunks = ", begins[] = "SCHEDULE(";
    const char *number = NULL;

    for (const char *p = text; p < end; p++) {
        if (!strncmp(p, begins, strlen(begins)))
            number = NULL;
        else if (!strncmp(p, chunks, strlen(chunks)))
            number = p + strlen(chunks);
    }
    return number && number[strspn(number, "0123456789")] == ';' ? number : NULL;
}

/* Right with twice as many chunks, too? A change of their number or of a step is more than that
 * number's luck then. */
static bool suits_more_chunks(struct search *s, const struct edits *e, int i, struct schedule *made)
{
    char *text = edits_apply_to(s->x->source, e, i);
    const char *number = chunks_before(text, text + e->v[i].at + 1);
    unsigned long chunks = number ? strtoul(number, NULL, 10) : 0;
    bool suits = true;

    if (chunks && 2 * chunks <= SCHEDULE_CHUNKS) {
        char *twice = xformat("%.*s%lu%s", (int)(number - text), text, 2 * chunks,
                              number + strspn(number, "0123456789"));

        suits = is_accepted(s, twice, false, made) && right_on(s, s->failed[0], STEPS);
        free(twice);
    }
    free(text);
    return suits;
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

/* The line of what change i makes, for free(). */
static char *line_with(const struct edits *e, int i)
{
    char *all = edits_apply(e, i);
    const char *from = all + edits_line_begin(all, e->v[i].at);
    char *line = xformat("%.*s", (int)strcspn(from, "\n"), from);
    free(all);
    return line;
}

/* "t - 2" of "s.copy_out(2, t - 2);" for free(), when it is a step of a chunk; else NULL. */
static char *chunk_of(const char *line, size_t length)
{
    char *step = xformat("%.*s", (int)length, line), *comma = strstr(step, ", "),
         *end = strrchr(step, ')');
    bool is = comma && end > comma && (strstr(step, ".kernel(") || strstr(step, ".copy_"));
    char *chunk = is ? xformat("%.*s", (int)(end - comma - 2), comma + 2) : NULL;

    free(step);
    return chunk;
}

/* The line's event is numbered as the chunk of the step next to it: "done + t - 2" beside "t - 2".
 */
static bool is_of_chunk_beside(const struct edits *e, int i, const char *line)
{
    const size_t begin = edits_line_begin(e->text, e->v[i].at),
                 before = begin ? edits_line_begin(e->text, begin - 1) : 0;
    const char *next = e->text + e->v[i].at + e->v[i].length;
    bool is = false;

    next += strcspn(next, "\n");
    next += *next == '\n';
    char *chunks[] = {chunk_of(e->text + before, begin - before),
                      chunk_of(next, strcspn(next, "\n"))};
    for (int k = 0; k < 2; k++) {
        char *event = chunks[k] ? xformat(" %s)", chunks[k]) : NULL;

        is |= event && strstr(line, event);
        free(event);
        free(chunks[k]);
    }
    return is;
}

/* Of changes that are right the likelier has more: its step is one such as the message complains
 * of, and agrees with the step beside it. Another number of chunks may make right what is wrong in
 * its steps. */
static int likeliness(const struct edits *e, int i, const struct complaint *about)
{
    const char *verb = about->verb;

    if (!strcmp(e->v[i].with, ";") || !*e->v[i].with) /* one less */
        return MOST_LIKELY;
    if (strchr(e->v[i].with, ';')) /* one step more, or in another order */
        return about->early && strstr(e->v[i].with, ".record(") ? MOST_LIKELY : 0;
    char *line = line_with(e, i);
    bool event = strstr(line, ".wait(") || strstr(line, ".record(");
    int likely = strstr(line, ".chunks =") != NULL ? -1 : 0;

    likely += *verb && strstr(line, verb) ? 1 : 0;
    likely += event && is_of_chunk_beside(e, i, line) ? 2 : 0;
    free(line);
    return likely;
}

static struct complaint complaint_of(const struct schedule *of)
{
    struct complaint about = {.early = false};
    char err[512] = "", name[16];

    if (schedule_check(of, err, sizeof(err)))
        return about;
    if (sscanf(err, "step %*d, %15[a-z_](", name) == 1)
        snprintf(about.verb, sizeof(about.verb), ".%s(", name);
    about.early = strstr(err, ", record(") && strstr(err, " comes before it");
    return about;
}

/* The likelier first, else as they were. */
static void likelier_first(struct edits *e, const struct complaint *about)
{
    struct edit *v = xcalloc((size_t)e->n + 1, sizeof(*v));
    int *likely = xcalloc((size_t)e->n + 1, sizeof(*likely)), n = 0;

    for (int i = 0; i < e->n; i++)
        likely[i] = likeliness(e, i, about);
    for (int level = MOST_LIKELY; level >= LEAST_LIKELY; level--) {
        for (int i = 0; i < e->n; i++) {
            if (likely[i] == level)
                v[n++] = e->v[i];
        }
    }
    free(likely);
    free(e->v);
    e->v = v;
}

bool by_schedule(struct search *s)
{
    struct experiment *x = s->x, before = *x;
    struct edits e = {0};
    struct schedule made;
    int found = -1, other = -1, cases = 0, best = 0;
    bool suits = false;

    if (!x->replace || !x->source || !x->variant->has_schedule || !x->own.schedule ||
        is_said(x->own.schedule) || !edits_schedule(&e, x->source, x->variant->name))
        return false;
    const char *least = least_of(s, &e, &made);
    uint64_t enough = x->edits->spent + A_SCHEDULE;
    char *given = given_text(s);

    const struct complaint about = complaint_of(x->own.schedule);
    likelier_first(&e, &about);
    for (int i = 0; i < e.n && other < 0 && x->edits->spent < enough && tries_left(x->edits); i++) {
        char *text = edits_apply_to(least, &e, i);
        bool same = found >= 0 && suits && edits_line(&e, i) == edits_line(&e, found);
        int n = !same && !is_given(&e, i, given) && is_accepted(s, text, true, &made)
                    ? right_with(s, &e, i, &made)
                    : 0;

        free(text);
        bool more = n && suits_more_chunks(s, &e, i, &made);
        if (n && !more && is_of_chunks(&e, i))
            continue;
        if (n && (found < 0 || (more && !suits))) {
            found = i;
            cases = n;
            suits = more;
            best = likeliness(&e, i, &about);
            enough = x->edits->spent + (suits ? ANOTHER : A_SCHEDULE);
        } else if (n && more == suits && likeliness(&e, i, &about) == best) {
            other = i;
        }
    }
    free(given);
    *x = before;
    experiment_fresh(x);
    if (found >= 0)
        tell_edit(s, &e, found, other, cases);
    edits_free(&e);
    return found >= 0;
}
