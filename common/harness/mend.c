/* mend.c - does what the checker advises mend it (diagnosing.h)? A barrier between two lines orders
 * them, but where one stores to the wrong place, or in the wrong round, all stays wrong: so it is
 * put into a copy of the file before it is asked for.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "diagnosing.h"
#include "edits.h"
#include "finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of shared memory that nobody wrote the checker asks for a store: not where a change of something
 * else has mended it, and not for that alone where none has. */
static const char asks_stored[] = "; does every element get stored before it is read?";
static const char asks_filled[] = "; cudaMemcpy, cudaMemset or a kernel that fills it missing?";

/* What else the checker asks for, where a barrier does not mend it. */
static const char asks_atomic[] = " Or, if any of the values will do,";

enum { PLACES = 16, NEAR = 8 }; /* of a barrier that are tried, and of two */

/* "; __syncthreads() missing between line 7 and line 9?", in a line of words. */
struct advice {
    const char *from, *end; /* of its text */
    char call[32];
    int lines[2];
};

static bool next_advice(const char *words, struct advice *a)
{
    static const char missing[] = " missing ";

    for (const char *p = words; (p = strstr(p, "; __sync")); p++) {
        const char *call = p + 2, *end = strstr(call, missing), *stop = strchr(call, '\n');
        size_t n = end ? (size_t)(end - call) : sizeof(a->call);

        if (n >= sizeof(a->call))
            continue;
        *a = (struct advice){p, stop ? stop : p + strlen(p), "", {0}};
        snprintf(a->call, sizeof(a->call), "%.*s", (int)n, call);
        end += strlen(missing);
        if (sscanf(end, "between line %d and line %d", &a->lines[0], &a->lines[1]) == 2)
            return true;
        if (sscanf(end, "before or after line %d", &a->lines[0]) == 1) {
            a->lines[1] = a->lines[0];
            return true;
        }
    }
    return false;
}

enum mending {
    RACES,
    STUCK, /* not all threads come there: nothing is known of the race */
    LESS,  /* no race is left, but it is not right */
    DEAR,  /* it is right, but no longer what the step is for */
    ALL
};

/* For who does not come to a barrier it orders nothing. */
static bool misses_barrier(const struct search *s, const char *found)
{
    struct text t = {0};
    const char *cause = findings_put(&t, found, s->path, 1, true);

    text_free(&t);
    return cause && !strcmp(cause, "barrier");
}

/* On the lab's other cases, too, all threads come to the barriers, as not all need to take a branch
 * that all take on one; and nothing else races on one of these lines. */
static bool holds_elsewhere(struct search *s, const struct advice *a)
{
    const struct lab *lab = s->x->verify->lab;
    struct experiment before = *s->x;
    bool holds = true;

    for (int i = 0; i < lab->ncases && holds; i++) {
        struct sample sample;
        int lines[2] = {0, 0};

        if (elements_of(s, &lab->cases[i]) > MOST)
            continue;
        edits_budget(s, STEPS);
        experiment_run(s->x, &lab->cases[i], s->x->verify->seed, true, &sample);
        const char *found = sample.outputs.findings ? sample.outputs.findings : "";
        bool races = findings_race(found) && findings_lines(found, s->path, lines);
        for (int k = 0; k < 2 && holds; k++)
            holds = !races || (lines[0] != a->lines[k] && lines[1] != a->lines[k]);
        holds &= !misses_barrier(s, found);
        sample_free(&sample);
    }
    *s->x = before;
    return holds;
}

/* left: what is, of LESS, in words. */
static enum mending mends(struct search *s, const struct lab_case *c, struct text *left)
{
    struct sample sample;

    s->x->runs = s->x->runs ? s->x->runs : 1;
    enum run_end end = experiment_run(s->x, c, s->x->verify->seed, true, &sample);
    const char *found = sample.outputs.findings ? sample.outputs.findings : "";
    bool race =
        end == RUN_NOT_TRIED || end == RUN_RECORD || end == RUN_NO_KERNEL || findings_race(found);
    enum mending m = race                                                    ? RACES
                     : strstr(found, "deadlock") || misses_barrier(s, found) ? STUCK
                     : end == RUN_OK && !*found                              ? ALL
                                                                             : LESS;
    text_free(left);
    if (m == LESS && *found)
        findings_put(left, found, s->path, 1, true);
    sample_free(&sample);
    return m;
}

/* Where calls were put in: the lines of the statements behind them, and what came of it. */
struct places {
    int line[2];    /* 0: none */
    char told[160]; /* … or where it is, in words */
    bool branch;    /* … the first is an "if" */
    enum mending m;
    struct text left;
    bool apart; /* between the two lines it was met by some threads alone */
    bool all;   /* every place was tried */
    bool wider; /* a block's barrier, where a warp's was asked for */
    uint64_t missed,
        misses; /* goals: of the file, and of it with the barrier, where that is DEAR */
};

/* For free(). */
static char *names_tried(const struct experiment *x)
{
    return xformat("%s %s", x->variant->name, x->variant->kernels ? x->variant->kernels : "");
}

static bool begins_with_if(const char *text)
{
    return !strncmp(text, "if", 2) && strchr(" (", text[2]);
}

static void try_places(struct search *s, const struct lab_case *c, const struct edits *e,
                       const struct advice *a, const int *which, struct places *best)
{
    char *text = edits_apply_all(e, which, which[0] == which[1] ? 1 : 2);
    struct text left = {0};
    bool loaded = experiment_replace(s->x, text, false, NULL);
    enum mending m = loaded ? mends(s, c, &left) : RACES;

    int line = edits_line(e, which[0]);
    bool apart = best->apart ||
                 (m == STUCK && which[0] == which[1] && line > a->lines[0] && line <= a->lines[1]);
    if (m == ALL && !holds_elsewhere(s, a))
        m = STUCK;
    struct arithmetic does;
    uint64_t misses = m == ALL ? missed_goals(s, &does) & ~best->missed : 0;
    m = misses ? DEAR : m;
    s->x->edits->left--;
    free(text);
    if (m > best->m) {
        text_free(&best->left);
        *best = (struct places){.line = {edits_line(e, which[0])},
                                .m = m,
                                .left = left,
                                .missed = best->missed,
                                .misses = misses};
        best->line[1] = which[0] == which[1] ? 0 : edits_line(e, which[1]);
        best->branch = begins_with_if(e->text + e->v[which[0]].at);
        if (e->v[which[0]].told)
            snprintf(best->told, sizeof(best->told), "%s", e->v[which[0]].told);
    } else {
        text_free(&left);
    }
    best->apart = apart;
}

/* One barrier, or two where one is not enough: each near the lines. */
static struct places find_places(struct search *s, const struct lab_case *c, const struct advice *a)
{
    struct experiment *x = s->x, spent = *x;
    char *names = names_tried(x);
    struct arithmetic does;
    struct places best = {.m = RACES};
    struct edits e;
    int i, k;

    edits_calls(&e, x->source, names, a->lines, a->call);
    if (e.n && tries_left(x->edits)) {
        best.missed = missed_goals(s, &does);
        edits_make_lean(s, &e);
    }
    int ones = e.n < PLACES ? e.n : PLACES, twos = e.n < NEAR ? e.n : NEAR;
    for (i = 0; i < ones && tries_left(x->edits) && best.m < ALL; i++)
        try_places(s, c, &e, a, (int[]){i, i}, &best);
    for (i = 0; i < twos && best.m < LESS; i++) {
        for (k = i + 1; k < twos && tries_left(x->edits) && best.m < ALL; k++) {
            if (!e.v[i].told && !e.v[k].told)
                try_places(s, c, &e, a, (int[]){i, k}, &best);
        }
    }
    best.all = tries_left(x->edits);
    x->runs = spent.runs;
    x->instructions = spent.instructions;
    if (e.n)
        experiment_fresh(x);
    edits_free(&e);
    free(names);
    return best;
}

/* Two lanes of one warp were seen; where a block's barrier mends what a warp's does not, others
 * share the data, too. */
static void try_a_block(struct search *s, const struct lab_case *c, struct advice *a,
                        struct places *warp)
{
    struct advice wider = *a;

    snprintf(wider.call, sizeof(wider.call), "__syncthreads()");
    struct places p = find_places(s, c, &wider);
    if (p.m != ALL) {
        text_free(&p.left);
        return;
    }
    text_free(&warp->left);
    *warp = p;
    warp->wider = true;
    *a = wider;
}

/* Which calls are meant, where the lines are in what a kernel calls. */
static void put_callers(struct search *s, struct text *t, const struct advice *a)
{
    const struct experiment *x = s->x;
    char *names = names_tried(x), *called = edits_callers(x->source, names, a->lines);

    if (called)
        text_addf(t, ". %s", called);
    free(called);
    free(names);
}

static void put_places(struct text *t, const struct places *p)
{
    if (*p->told) {
        text_addf(t, " %s", p->told);
        return;
    }
    text_addf(t, p->branch ? " before the \"if\" on line %d" : " before the statement on line %d",
              p->line[0]);
    if (p->line[1])
        text_addf(t, ", and one on line %d,", p->line[1]);
}

/* The first finding, without what it may come from: that is of the file with the barrier. */
static void put_left(struct text *t, const struct text *left)
{
    const char *from = text_str(left) + strspn(text_str(left), " "), *end = strchr(from, '\n'),
               *stop = strstr(from, "; a GPU would");

    stop = stop && end && stop < end ? stop : end;
    if (stop)
        text_addf(t, ": %.*s", (int)(stop - from), from);
}

/* Shared memory is read before it is stored, or may be: with a barrier before, by the others, all
 * is right. What came of it is not told, then. */
static bool try_early(struct search *s, const struct lab_case *c, struct text *words)
{
    const char *asks = strstr(words->s, asks_stored),
               *later = strstr(words->s, finding_stored_later);
    struct advice a = {.from = asks ? asks : later,
                       .call = "__syncthreads()",
                       .lines = {s->lines[0], s->lines[0]}};

    if (!a.from || !s->lines[0] || memchr(words->s, '\n', (size_t)(a.from - words->s)))
        return false;
    struct places p = find_places(s, c, &a);
    if (p.m == ALL) {
        struct text t = {0};

        text_bytes(&t, words->s, (size_t)(a.from - words->s));
        text_addf(&t, "; it is stored later, so a __syncthreads() is missing. With one");
        put_places(&t, &p);
        text_add(&t, " it is right\n");
        text_free(words);
        *words = t;
        s->mended = true;
        s->d->cause = "race";
    }
    text_free(&p.left);
    return p.m == ALL;
}

/* The barrier that is asked for would not be met by all. */
static void advise_split(struct text *words, const struct advice *a)
{
    struct text t = {0};

    text_bytes(&t, words->s, (size_t)(a->from - words->s));
    text_addf(&t,
              "; line %d and line %d need a %s between them, but put in there it is not met by all "
              "threads of the block: it has to stand outside the \"if\" or loop that only some of "
              "them enter, which is split in two by it. Or is an index wrong?%s",
              a->lines[0], a->lines[1], a->call, a->end);
    text_free(words);
    *words = t;
}

void try_advice(struct search *s, const struct lab_case *c, struct text *words)
{
    struct experiment *x = s->x;
    struct text t = {0};
    struct advice a;

    if (!x->replace || !x->source || x->verify->lab->program || !words->length ||
        try_early(s, c, words) || !next_advice(words->s, &a))
        return;
    struct places p = find_places(s, c, &a);
    if (p.m != ALL && !strcmp(a.call, "__syncwarp()"))
        try_a_block(s, c, &a, &p);
    if (p.m == STUCK || (p.m == RACES && !p.all)) { /* who knows */
        if (p.apart && p.all)
            advise_split(words, &a);
        text_free(&p.left);
        return;
    }
    s->misplaced = p.m < DEAR;
    s->mended = p.m == ALL;
    const char *atomic = strstr(a.from, asks_atomic),
               *asked = atomic && atomic < a.end ? atomic : a.end;
    text_bytes(&t, words->s, (size_t)((p.m == ALL && !p.wider ? asked : a.from) - words->s));
    if (p.wider)
        text_addf(&t, "; %s is missing, not __syncwarp(): several warps share the data.", a.call);
    if (p.m == ALL) {
        text_add(&t, strchr(".?", t.s[t.length - 1]) ? " With one" : ". With one");
        put_places(&t, &p);
        text_add(&t, " the race is gone");
        put_callers(s, &t, &a);
    } else if (p.m == DEAR) {
        const struct lab_goal *g = x->verify->lab->goals + __builtin_ctzll(p.misses);

        text_addf(&t, "; with %s", a.call);
        put_places(&t, &p);
        text_addf(&t, " the race is gone, but %s: is there another way?", g->says);
    } else if (p.m == LESS) {
        text_addf(&t, "; with %s", a.call);
        put_places(&t, &p);
        text_add(&t, " the race is gone, but it is not right");
        put_left(&t, &p.left);
    } else {
        text_addf(
            &t,
            "; no %s put in there, nor two, takes it away. Is an index wrong? Do more threads "
            "take part than should? Are two statements in the wrong order?",
            a.call);
    }
    text_add(&t, a.end);
    text_free(&p.left);
    text_free(words);
    *words = t;
}

/* ---- an atomic ---- */

/* Where the checker's advice about what is read, changed and written back begins; NULL: none. */
static char *update_advice(struct text *words)
{
    static const char *const starts[] = {"; several blocks read this word",
                                         "; several threads read this word",
                                         "; the same thread of several blocks reads"};
    char *first = NULL;

    for (size_t i = 0; words->length && i < sizeof(starts) / sizeof(starts[0]); i++) {
        char *at = strstr(words->s, starts[i]);

        first = at && (!first || at < first) ? at : first;
    }
    return first;
}

/* The first that is right, with nothing found; for free(). */
static char *atomic_that_mends(struct search *s, const struct lab_case *c)
{
    struct experiment *x = s->x, spent = *x;
    char *names = names_tried(x), *told = NULL;
    struct text left = {0};
    struct edits e;

    edits_atomics(&e, x->source, names, s->lines);
    if (e.n && tries_left(x->edits))
        edits_make_lean(s, &e);
    for (int i = 0; i < e.n && tries_left(x->edits) && !told; i++) {
        char *text = edits_apply(&e, i), *is = edits_words(&e, i);

        x->edits->left--;
        if (experiment_replace(x, text, false, NULL) && mends(s, c, &left) == ALL)
            told = xformat("On line %d, %s", edits_line(&e, i), is);
        free(text);
        free(is);
    }
    x->runs = spent.runs;
    x->instructions = spent.instructions;
    if (e.n)
        experiment_fresh(x);
    text_free(&left);
    edits_free(&e);
    free(names);
    return told;
}

void try_atomic(struct search *s, const struct lab_case *c, struct text *words)
{
    char *from = update_advice(words), *end;
    struct text t = {0};

    if (!from || !s->lines[0] || !s->x->replace || !s->x->source || s->x->verify->lab->program)
        return;
    char *told = atomic_that_mends(s, c);
    if (!told)
        return;
    s->mended = true;
    s->d->cause = "atomic";
    end = strchr(from, '\n');
    text_bytes(&t, words->s, (size_t)(from - words->s));
    text_addf(&t,
              "; several %s read this word, change it and write it back: updates get lost without "
              "an atomic. %s the race is gone%s",
              strstr(from, "several blocks") ? "blocks" : "threads", told, end ? end : "");
    free(told);
    text_free(words);
    *words = t;
}

/* One of these is to go, and what is said in its place. */
static const char *without(const char *at, bool answered, const char **instead)
{
    *instead = "";
    if (!strncmp(at, asks_filled, strlen(asks_filled)))
        return answered ? asks_filled : NULL;
    if (!strncmp(at, finding_never_stored, strlen(finding_never_stored)))
        return answered ? finding_never_stored : NULL;
    if (strncmp(at, asks_stored, strlen(asks_stored)) != 0)
        return NULL;
    *instead = answered ? "" : "; is it read too early, or never stored?";
    return asks_stored;
}

void answer(struct text *words, bool answered)
{
    struct text t = {0};
    const char *from = text_str(words), *at = from, *instead;

    while (*at) {
        const char *gone = without(at, answered, &instead);

        if (!gone) {
            at++;
            continue;
        }
        text_bytes(&t, from, (size_t)(at - from));
        text_add(&t, instead);
        from = at += strlen(gone);
    }
    text_add(&t, from);
    text_free(words);
    *words = t;
}
