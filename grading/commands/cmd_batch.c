/* cmd_batch.c - grade batch: a class's submissions into the gradebook. */
#include "cmd_cluster.h"
#include "cmd_policy.h"
#include "base/alloc.h"
#include "base/text.h"
#include "base/digest.h"
#include "base/clock.h"
#include "args.h"
#include "commands.h"
#include "grading/mark/pool.h"
#include "grading/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct batch_args {
    const char *lab, *input, *secret, *roster, *book;
    int jobs;
    bool fresh, gpu, no_secret, quiet;
    struct policy_args policy;
    struct cluster_options cluster;
};

enum { KEY_FRESH = 1000, KEY_NO_SECRET, KEY_GPU };
static const struct argp_option options[] = {
    {"lab", 'l', "LAB", 0, "The lab whose rubric to use", 0},
    BOOK_OPTION,
    {"secret", 's', "FILE", 0, "Your secret: hidden cases and seeds are drawn from it", 0},
    {"no-secret", KEY_NO_SECRET, 0, 0, "Mark without hidden cases", 0},
    {"roster", 'r', "CSV", 0, "Who is in the class; a Canvas or Moodle export will do", 0},
    JOBS_OPTION,
    {"gpu", KEY_GPU, 0, 0, "Measure times on this machine's GPU, in turns with the reference", 0},
    {"fresh", KEY_FRESH, 0, 0, "Mark again what is known by its content", 0},
    {"quiet", 'q', 0, 0, "No progress line", 0},
    {0}};

static const struct arg_field fields[] = {
    {'l', ARG_TEXT, offsetof(struct batch_args, lab)},
    {'b', ARG_TEXT, offsetof(struct batch_args, book)},
    {'s', ARG_TEXT, offsetof(struct batch_args, secret)},
    {'r', ARG_TEXT, offsetof(struct batch_args, roster)},
    {'j', ARG_COUNT, offsetof(struct batch_args, jobs)},
    {'q', ARG_FLAG, offsetof(struct batch_args, quiet)},
    {KEY_GPU, ARG_FLAG, offsetof(struct batch_args, gpu)},
    {KEY_FRESH, ARG_FLAG, offsetof(struct batch_args, fresh)},
    {KEY_NO_SECRET, ARG_FLAG, offsetof(struct batch_args, no_secret)},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct batch_args *a = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        arg_word(state, &a->input, arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->input || !a->lab)
            argp_usage(state);
        if (!a->secret == !a->no_secret)
            argp_error(state, "say --secret FILE, or --no-secret");
        return 0;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->policy;
        state->child_inputs[1] = &a->cluster;
        return 0;
    default:
        return arg_store(fields, key, arg, state);
    }
}

/* ---- one batch ---- */

struct batch {
    struct book *book;
    struct engine *e;
    int64_t run;
    struct book_item *items;
    int *todo; /* pool item → items */
    int total, done, cached, ntodo;
    double started, shown;
    bool quiet, cacheable; /* cacheable: a verdict is the same wherever it is made */
};

static void store(struct batch *b, const char *student, const struct verdict *v)
{
    book_result(b->book, b->run, student, v);
    b->done++;
}

static void show_progress(void *user)
{
    struct batch *b = user;
    double now = now_s(), spent = now - b->started;
    bool terminal = isatty(2);
    if (b->quiet || now - b->shown < (terminal ? 0.2 : 10))
        return;
    b->shown = now;
    int marked = b->done - b->cached;
    double rate = marked > 0 ? marked / spent : 0;
    char eta[48] = "";
    if (rate > 0)
        snprintf(eta, sizeof(eta), ", about %.0f s left", (b->total - b->done) / rate);
    fprintf(stderr, "%s%d of %d marked, %.1f a second%s%s", terminal ? "\r\033[K" : "", b->done,
            b->total, rate, eta, terminal ? "" : "\n");
}

static bool on_done(void *user, int item, const struct verdict *v)
{
    struct batch *b = user;
    struct book_item *x = &b->items[b->todo[item]];
    char key[DIGEST_HEX];
    store(b, x->student, v);
    if (!v->needs_human && b->cacheable) {
        engine_key(b->e, x->source, x->length, key);
        book_cache(b->book, key, v);
    }
    show_progress(b);
    return true;
}

static void on_cluster_done(void *user, int item, const struct verdict *v,
                            const struct cluster_place *at)
{
    struct batch *b = user;
    book_made_on(b->book, b->run, b->items[b->todo[item]].student, at->node, at->seconds);
    on_done(b, item, v);
}

/* What needs no marking: unreadable, missing, or known by its content. */
static bool settle_at_once(struct batch *b, const struct book_item *x, bool fresh)
{
    char key[DIGEST_HEX];
    if (!x->source) {
        bool missing = x->problem && !strcmp(x->problem, "nothing was handed in");
        struct verdict *v =
            engine_no_mark(b->e, x->original, missing ? VERDICT_MISSING : VERDICT_UNREADABLE,
                           x->problem ? x->problem : "no file");
        store(b, x->student, v);
        verdict_free(v);
        return true;
    }
    if (fresh)
        return false;
    engine_key(b->e, x->source, x->length, key);
    struct verdict *v = book_cached(b->book, key);
    if (!v)
        return false;
    store(b, x->student, v);
    b->cached++;
    verdict_free(v);
    return true;
}

/* Where it was made is kept before the verdict: killed between the two, it is done again. */
static enum cluster_end mark_items(struct batch *b, const struct batch_args *a, const char *key,
                                   const struct engine_options *o, const struct pool_item *items)
{
    const char *lab = b->e->lab->name;
    enum { SEVERAL = 3 };

    b->started = now_s();
    if (a->cluster.on && b->ntodo)
        return cluster_run(b->e, &a->cluster, key, items, b->ntodo, cluster_seconds(b->book, b->e),
                           on_cluster_done, b);
    pool_run(lab, o, items, b->ntodo, a->jobs, on_done, show_progress, b);
    if (b->ntodo >= SEVERAL && !a->gpu) {
        int jobs = a->jobs < b->ntodo ? a->jobs : b->ntodo;
        book_pace_set(b->book, lab, (now_s() - b->started) * jobs / b->ntodo);
    }
    return CLUSTER_DONE;
}

static enum cluster_end mark_pending(struct batch *b, const struct batch_args *a, const char *key,
                                     const struct engine_options *o)
{
    int n;
    b->items = book_pending(b->book, b->run, &n);
    struct pool_item *items = xzalloc((size_t)(n + 1) * sizeof(*items));
    b->todo = xzalloc((size_t)(n + 1) * sizeof(int));
    for (int i = 0; i < n; i++) {
        struct book_item *x = &b->items[i];
        if (settle_at_once(b, x, a->fresh || !b->cacheable))
            continue;
        b->todo[b->ntodo] = i;
        items[b->ntodo++] =
            (struct pool_item){*x->original ? x->original : "submission", x->source, x->length};
    }
    enum cluster_end end = mark_items(b, a, key, o, items);
    book_items_free(b->items, n);
    free(items);
    free(b->todo);
    return end;
}

static void run_key(const struct engine *e, const struct submissions *s, bool cluster_gpu,
                    char out[DIGEST_HEX])
{
    struct text t = {0};
    char digest[DIGEST_HEX];
    engine_key(e, "", 0, digest);
    text_addf(&t, "%s %s%s\n", e->lab->name, digest, cluster_gpu ? " GPUs of a cluster" : "");
    for (int i = 0; i < s->n; i++) {
        digest_hex(s->v[i].source ? s->v[i].source : "", s->v[i].length, digest);
        text_addf(&t, "%s %s %s\n", s->v[i].student, digest,
                  s->v[i].problem ? s->v[i].problem : "");
    }
    digest_hex(t.s, t.length, out);
    text_free(&t);
}

static void add_score(struct text *t, const struct mark *m)
{
    text_column(t, m->student, 14);
    text_add(t, " ");
    text_column(t, m->person, 24);
    text_add(t, " ");
    if (!m->verdict)
        text_add(t, "not marked yet");
    else if (!m->overridden && (m->missing || m->status == VERDICT_UNREADABLE))
        text_addf(t, "%7s  %s", "-", verdict_word(m->status));
    else if (m->status != VERDICT_GRADED)
        text_addf(t, "%7.4g  %s", m->mark, verdict_word(m->status));
    else
        text_addf(t, "%7.4g of %.4g", m->mark, m->max);
    text_addf(t, "%s%s%s\n", !m->rule || !strcmp(m->rule, "as marked") ? "" : "  ",
              m->rule && strcmp(m->rule, "as marked") ? m->rule : "",
              m->needs_human ? "  (needs a person)" : "");
}

void print_marks(struct book *book, const char *lab, FILE *f)
{
    int n;
    struct mark *v = marks_of(book, lab, true, &n);
    struct text t = {0}, safe = {0};
    for (int i = 0; i < n; i++)
        add_score(&t, &v[i]);
    text_printable(&safe, text_str(&t), t.length, true);
    fputs(text_str(&safe), f);
    text_free(&t);
    text_free(&safe);
    book_marks_free(v, n);
}

/* Of the whole run, as one that was killed and gone on with has some of earlier. */
static int waiting(const struct batch *b)
{
    int n, human = 0;
    struct mark *v = book_marks(b->book, b->e->lab->name, b->run, true, &n);
    for (int i = 0; i < n; i++)
        human += v[i].needs_human && !v[i].overridden;
    book_marks_free(v, n);
    return human;
}

static int run_batch(const struct batch_args *a, const struct engine_options *o, struct engine *e,
                     struct submissions *s)
{
    char key[DIGEST_HEX];
    int resumed;
    struct batch b = {.e = e,
                      .total = s->n,
                      .quiet = a->quiet || a->cluster.on,
                      .cacheable = !(a->cluster.on && a->gpu)};
    b.book = make_book(a->book);
    policy_apply(b.book, a->lab, &a->policy);
    run_key(e, s, a->cluster.on && a->gpu, key);
    json_t *set = json_pack("{s:s,s:s,s:b}", "tools", e->tools, "system",
                            name_system_text(s->system), "hidden", o->secret != NULL);
    char *settings = json_dumps(set, JSON_COMPACT | JSON_PRESERVE_ORDER);
    b.run = book_run(b.book, a->lab, key, settings, s, &resumed);
    free(settings);
    json_decref(set);
    b.done = b.cached = resumed;
    if (resumed)
        fprintf(stderr, "going on with run %lld: %d of %d are done\n", (long long)b.run, resumed,
                s->n);
    double from = now_s();
    enum cluster_end end = mark_pending(&b, a, key, o);
    if (end != CLUSTER_DONE) {
        book_close(b.book);
        return end == CLUSTER_LEFT ? 0 : 2;
    }
    book_run_done(b.book, b.run);
    if (!a->quiet && isatty(2)) /* the progress line */
        fputs("\r\033[K", stderr);
    print_marks(b.book, a->lab, stdout);
    int human = waiting(&b);
    if (s->notes.length)
        printf("to look at:\n%s", s->notes.s);
    printf("run %lld: %d submissions, %d marked now in %.1f s, %d known by content, %d need a "
           "person\n",
           (long long)b.run, s->n, b.ntodo, now_s() - from, b.cached - resumed, human);
    book_close(b.book);
    return human ? 1 : 0;
}

int cmd_batch(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&policy_argp, 0, 0, 0}, {&cluster_argp, 0, 0, 0}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "SUBMISSIONS",
        "Marks a folder or archive: Canvas, Moodle and Gradescope downloads as they come, or "
        "STUDENT.cu, or STUDENT/FILE. Killed, it goes on where it was when started again.",
        children,
        0,
        0};
    struct batch_args a = {.book = "grades.db", .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    struct engine_options o;
    struct engine e;
    struct submissions s;
    struct text why = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    engine_defaults(&o);
    a.cluster.quiet = a.quiet;
    if (!cluster_options_ready(&a.cluster, a.book, a.gpu) || !sandbox_or_refuse(&o, false) ||
        (a.gpu && !a.cluster.on && !gpu_or_refuse(&o)))
        return 2;
    if (a.secret)
        o.secret = read_secret(a.secret);
    open_engine(&e, a.lab, &o);
    if (!submissions_read(a.input, a.lab, &s, &why) ||
        (a.roster && !submissions_roster(&s, a.roster, &why)))
        die("%s%s%s", text_str(&why), s.notes.length ? "\nto look at:\n" : "", text_str(&s.notes));
    int code = run_batch(&a, &o, &e, &s);
    submissions_free(&s);
    text_free(&why);
    engine_close(&e);
    free((char *)o.secret);
    return code;
}
