/* cmd_regrade.c - grade regrade: marks again from the sources that the gradebook keeps, and puts
 * each new verdict in the old one's place. What it replaced, who did it and why stay in the book.
 */
#include "args.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/digest.h"
#include "cmd_cluster.h"
#include "commands.h"
#include "grading/book/book.h"
#include "grading/mark/gpu.h"
#include "grading/mark/pool.h"
#include "grading/report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct regrade_args {
    const char *book, *lab, *why, *secret;
    bool no_secret, gpu, human, all;
    const char *const *who;
    int nwho, jobs;
    struct cluster_options cluster;
};

enum { KEY_NO_SECRET = 1000, KEY_GPU, KEY_HUMAN, KEY_ALL };
static const struct argp_option options[] = {
    BOOK_OPTION,
    {"lab", 'l', "LAB", 0, "The lab", 0},
    {"why", 'w', "TEXT", 0, "The reason, for the audit trail", 0},
    {"secret", 's', "FILE", 0, "The secret that the batch was marked with", 0},
    {"no-secret", KEY_NO_SECRET, 0, 0, "Mark without hidden cases, as the batch did", 0},
    {"needs-person", KEY_HUMAN, 0, 0, "All whose mark waits for a person", 0},
    {"all", KEY_ALL, 0, 0, "The whole class", 0},
    {"gpu", KEY_GPU, 0, 0, "Measure times on this machine's GPU", 0},
    JOBS_OPTION,
    {0}};

static const struct arg_field fields[] = {
    {'b', ARG_TEXT, offsetof(struct regrade_args, book)},
    {'l', ARG_TEXT, offsetof(struct regrade_args, lab)},
    {'w', ARG_TEXT, offsetof(struct regrade_args, why)},
    {'s', ARG_TEXT, offsetof(struct regrade_args, secret)},
    {'j', ARG_COUNT, offsetof(struct regrade_args, jobs)},
    {KEY_NO_SECRET, ARG_FLAG, offsetof(struct regrade_args, no_secret)},
    {KEY_GPU, ARG_FLAG, offsetof(struct regrade_args, gpu)},
    {KEY_HUMAN, ARG_FLAG, offsetof(struct regrade_args, human)},
    {KEY_ALL, ARG_FLAG, offsetof(struct regrade_args, all)},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct regrade_args *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->cluster;
        return 0;
    case ARGP_KEY_ARGS:
        a->who = (const char *const *)state->argv + state->next;
        a->nwho = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (!a->lab)
            argp_error(state, "say --lab LAB");
        if (!a->why || !*a->why)
            argp_error(state, "say --why \"the reason\": it is kept beside the new mark");
        if (!a->secret == !a->no_secret)
            argp_error(state, "say --secret FILE, or --no-secret, as the batch did");
        if (!a->nwho && !a->human && !a->all)
            argp_error(state, "whom? STUDENT…, --needs-person or --all");
        return 0;
    default:
        return arg_store(fields, key, arg, state);
    }
}

/* ---- whom ---- */

struct regrade {
    struct book *book;
    const struct regrade_args *a;
    struct mark *marks;         /* what counts, brief */
    int *of;                    /* pool item → marks */
    int changed, human, untold; /* untold: the same again, of those whom nobody named */
    bool delivered_again;       /* this verdict is in the book already */
};

static bool is_named(const struct regrade_args *a, const struct mark *m)
{
    for (int i = 0; i < a->nwho; i++)
        if (mark_is(m, a->who[i]))
            return true;
    return false;
}

static bool is_asked(const struct regrade_args *a, const struct mark *m)
{
    return a->all || (a->human && m->needs_human) || is_named(a, m);
}

static bool everyone_known(const struct regrade_args *a, const struct mark *v, int n)
{
    bool ok = true;
    for (int i = 0; i < a->nwho; i++)
        ok = find_mark(v, n, a->lab, a->who[i]) && ok;
    return ok;
}

/* Another secret draws other cases: the mark would not be comparable with the class's. */
static bool of_another_secret(struct regrade *r, const struct mark *m, const struct engine *e)
{
    char digest[DIGEST_HEX] = "none";
    struct verdict *v = book_verdict(r->book, m->run, m->student);
    const char *before = v && *or_empty(v->secret) ? v->secret : "none";
    if (e->o->secret)
        secret_digest(e->o->secret, digest);
    bool other = v && v->source && strcmp(before, digest);
    verdict_free(v);
    return other;
}

/* ---- marking ---- */

/* The same points for the same rows: counts and versions of tools may be others. */
static bool is_same(const struct verdict *a, const struct verdict *b)
{
    bool same = a->status == b->status && a->score == b->score && a->max == b->max &&
                a->needs_human == b->needs_human && a->nrows == b->nrows;
    for (int i = 0; same && i < a->nrows; i++)
        same = a->rows[i].status == b->rows[i].status && a->rows[i].points == b->rows[i].points &&
               !strcmp(or_empty(a->rows[i].id), or_empty(b->rows[i].id));
    return same;
}

/* Who was named or is marked otherwise has a line in the audit trail; all others have one
 * together, told_together(). */
static void replace(struct regrade *r, const struct mark *m, const struct verdict *v)
{
    struct verdict *before = book_verdict(r->book, m->run, m->student);
    bool same = before && is_same(before, v), told = !same || is_named(r->a, m);
    book_replace(r->book, m->run, m->student, v, r->a->why, told);
    r->changed += !same;
    r->untold += !told;
    verdict_free(before);
}

static void told_together(const struct regrade *r)
{
    if (!r->untold)
        return;
    char *what = xformat("regrade: %d marked again, the same", r->untold);
    book_audit(r->book, what, r->a->lab, NULL, r->a->why);
    free(what);
}

static bool on_done(void *user, int item, const struct verdict *v)
{
    struct regrade *r = user;
    const struct mark *m = &r->marks[r->of[item]];
    struct text line = {0}, safe = {0};
    if (!r->delivered_again)
        replace(r, m, v);
    text_addf(&line, "%s: %s %.4g -> %s %.4g of %.4g%s\n", m->student, verdict_word(m->status),
              m->score, verdict_word(v->status), v->score, v->max,
              v->needs_human ? "  (needs a person)" : "");
    text_printable(&safe, line.s, line.length, true);
    fputs(safe.s, stdout);
    r->human += v->needs_human;
    text_free(&line);
    text_free(&safe);
    return true;
}

static bool is_in_book(struct regrade *r, const struct mark *m, const struct verdict *v)
{
    struct verdict *now = book_verdict(r->book, m->run, m->student);
    char *a = now ? verdict_text(now, 0) : xstrdup(""), *b = verdict_text(v, 0);
    bool same = !strcmp(a, b);
    verdict_free(now);
    free(a);
    free(b);
    return same;
}

/* Gone on with after being killed, it may get again what it has put into the book. */
static void on_cluster_done(void *user, int item, const struct verdict *v,
                            const struct cluster_place *at)
{
    struct regrade *r = user;
    const struct mark *m = &r->marks[r->of[item]];
    r->delivered_again =
        !book_made_on(r->book, m->run, m->student, at->node, at->seconds) && is_in_book(r, m, v);
    on_done(r, item, v);
}

/* The same texts for the same reason are the same job, so that it can be gone on with. */
static void job_key(const struct regrade_args *a, const struct pool_item *items, int n,
                    char out[DIGEST_HEX])
{
    struct text t = {0};
    text_addf(&t, "regrade %s %s %d\n", a->lab, a->why, a->gpu);
    for (int i = 0; i < n; i++) {
        digest_hex(items[i].source, items[i].length, out);
        text_addf(&t, "%s %s\n", items[i].name, out);
    }
    digest_hex(t.s, t.length, out);
    text_free(&t);
}

static enum cluster_end mark_items(struct regrade *r, struct engine *e,
                                   const struct engine_options *o, const struct pool_item *items,
                                   int n)
{
    const struct regrade_args *a = r->a;
    char key[DIGEST_HEX];
    if (!a->cluster.on) {
        pool_run(a->lab, o, items, n, a->jobs, on_done, NULL, r);
        return CLUSTER_DONE;
    }
    job_key(a, items, n, key);
    return cluster_run(e, &a->cluster, key, items, n, cluster_seconds(r->book, e), on_cluster_done,
                       r);
}

/* The source of the mark's submission, when it can be marked again; else said why. */
static char *source_of(struct regrade *r, const struct mark *m, size_t *length)
{
    char *source = m->verdict ? book_source(r->book, m->run, m->student, length) : NULL;
    if (!source)
        printf("%s: %s\n", m->student,
               m->verdict ? "there is no text to mark" : "not marked yet: start the batch");
    return source;
}

static int regrade(const struct regrade_args *a, const struct engine_options *o, struct engine *e)
{
    int n, nitems = 0, others = 0;
    struct regrade r = {.a = a, .book = open_book(a->book)};
    r.marks = book_marks(r.book, a->lab, 0, true, &n);
    bool ok = everyone_known(a, r.marks, n);
    struct pool_item *items = xzalloc((size_t)(n + 1) * sizeof(*items));
    r.of = xzalloc((size_t)(n + 1) * sizeof(*r.of));
    for (int i = 0; ok && i < n; i++) {
        const struct mark *m = &r.marks[i];
        size_t length;
        char *source = is_asked(a, m) ? source_of(&r, m, &length) : NULL;
        if (!source)
            continue;
        others += of_another_secret(&r, m, e);
        r.of[nitems] = i;
        items[nitems++] = (struct pool_item){m->original, source, length};
    }
    if (others)
        fprintf(stderr,
                "grade: warning: %d of these %d were marked with another secret: other hidden "
                "cases\n",
                others, nitems);
    enum cluster_end end = nitems ? mark_items(&r, e, o, items, nitems) : CLUSTER_DONE;
    told_together(&r);
    if (ok && end == CLUSTER_DONE)
        printf("%d marked again, %d changed, %d need a person\n", nitems, r.changed, r.human);
    for (int i = 0; i < nitems; i++)
        free((char *)items[i].source);
    free(items);
    free(r.of);
    book_marks_free(r.marks, n);
    book_close(r.book);
    return !ok || !nitems || end == CLUSTER_STOPPED ? 2 : r.human ? 1 : 0;
}

int cmd_regrade(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cluster_argp, 0, 0, 0}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "[STUDENT…]",
                                     "Marks again what the gradebook keeps of these students and "
                                     "replaces their verdicts; the old ones are kept.",
                                     children,
                                     0,
                                     0};
    struct regrade_args a = {.book = "grades.db", .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    struct engine_options o;
    struct engine e;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    if (!cluster_options_ready(&a.cluster, a.book, a.gpu) || !sandbox_or_refuse(&o, false) ||
        (a.gpu && !a.cluster.on && !gpu_or_refuse(&o)))
        return 2;
    if (a.secret)
        o.secret = read_secret(a.secret);
    open_engine(&e, a.lab, &o);
    int code = regrade(&a, &o, &e);
    engine_close(&e);
    free((char *)o.secret);
    return code;
}
