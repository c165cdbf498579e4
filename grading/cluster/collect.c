/* collect.c - the submitting host's part of cluster.h: jobs go out, bundles come in. */
#include "cluster.h"
#include "slurm.h"
#include "spool.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    TASK_SECONDS = 120, /* a task is minutes long: what Slurm adds to it is little; the last are */
    LEAST_SECONDS = 60, /* shorter, so that all nodes end at about one time */
    STARTS = 5,         /* rounds that Slurm cannot start whole, then a person must look */
    ATTEMPTS = 3,       /* then what is left has no verdict but "a person must" */
    QUEUE_EVERY = 2,    /* seconds between questions to Slurm */
    LOOK = 300,         /* milliseconds between looks for bundles */
    LOOK_OFTEN = 50,
    LATE = 20, /* seconds a shared folder may take to show what a task wrote */
};

struct wanted {
    char id[SPOOL_ID];
    int item; /* several may have one id */
    bool taken;
};

struct collector {
    const struct engine *e;
    const struct cluster_options *o;
    const struct pool_item *items;
    cluster_done *done;
    void *user;
    struct spool spool;
    struct spool_settings settings;
    char *name;      /* of the jobs */
    char *job;       /* the last one's number, as far as is known */
    char *why_waits; /* the last reason that was told; or NULL */
    bool begun;      /* there is a job of ours, of this process or an earlier one */
    struct wanted *wanted;
    int n, taken, round;
    int attempts;       /* rounds that failed by the work, not by a node that refused */
    int refused_before; /* nodes, when the round began */
    int unstarted;      /* rounds of which Slurm could not start all */
    int unstarted_before;
    char *refused; /* nodes, with commas; all have been told */
    int nrefused;
    double seconds; /* a submission takes, as far as is known */
    double started, shown, asked, empty_since, slowest;
    char *slowest_name;
    int first_taken;
    struct slurm_queue queue;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

static int by_id(const void *a, const void *b)
{
    const struct wanted *x = a, *y = b;
    int order = strcmp(x->id, y->id);

    return order ? order : x->item - y->item;
}

static struct wanted *first_of(struct collector *c, const char *id)
{
    int from = 0, to = c->n;

    while (from < to) {
        int middle = (from + to) / 2;
        if (strcmp(c->wanted[middle].id, id) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < c->n && !strcmp(c->wanted[from].id, id) ? &c->wanted[from] : NULL;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list ap;
    struct text t = {0}, safe = {0};

    va_start(ap, format);
    text_vaddf(&t, format, ap);
    va_end(ap);
    text_printable(&safe, t.s, t.length, true);
    fprintf(stderr, "%sgrade: %s\n", isatty(2) ? "\r\033[K" : "", safe.s);
    text_free(&t);
    text_free(&safe);
}

/* ---- bundles ---- */

/* To every item of that id: the same text handed in twice under one name is marked once. */
static void deliver(struct collector *c, struct wanted *w, const struct verdict *v,
                    const struct cluster_place *at)
{
    for (const char *id = w->id; w < c->wanted + c->n && !strcmp(w->id, id); w++) {
        w->taken = true;
        c->taken++;
        c->done(c->user, w->item, v, at);
    }
}

static void take_bundle(struct collector *c, const char *id)
{
    struct wanted *w = first_of(c, id);
    struct bundle b;
    struct text why = {0};

    if (!w || w->taken) { /* delivered twice, or in the book when we were killed */
        spool_bundle_taken(&c->spool, id);
        return;
    }
    if (!spool_load_bundle(&c->spool, id, &b, &why)) {
        say("%s; it is marked again", text_str(&why));
        text_free(&why);
        return;
    }
    if (strcmp(b.tools, c->settings.tools)) {
        say("node %s marked with another grader, rubric or toolkit; it is marked again", b.node);
        spool_bundle_bad(&c->spool, id);
    } else {
        struct cluster_place at = {b.node, b.seconds};
        c->seconds = c->first_taken ? c->seconds + (b.seconds - c->seconds) / ++c->first_taken
                                    : (c->first_taken = 1, b.seconds);
        if (b.seconds > c->slowest) {
            c->slowest = b.seconds;
            free(c->slowest_name);
            c->slowest_name = xstrdup(c->items[w->item].name);
        }
        deliver(c, w, b.verdict, &at);
        spool_bundle_taken(&c->spool, id);
    }
    bundle_free(&b);
}

static void take_bundles(struct collector *c)
{
    int n;
    char **names = spool_names(&c->spool, "done", &n);

    for (int i = 0; i < n; i++) {
        char *dot = strrchr(names[i], '.');
        if (!dot || strcmp(dot, ".jsonl"))
            continue;
        *dot = 0;
        take_bundle(c, names[i]);
    }
    spool_names_free(names, n);
}

/* ---- jobs ---- */

/* Submissions a task: of what is left, half is dealt to all nodes, within these. */
struct sizes {
    int least, most, nodes;
};

static int size_of_next(const struct sizes *s, int left)
{
    int share = s->nodes ? (left + 2 * s->nodes - 1) / (2 * s->nodes) : s->most;

    return share > s->most ? s->most : share < s->least ? s->least : share;
}

static bool write_task(const struct collector *c, int number, struct text *ids, struct text *why)
{
    char *name = xformat("round-%d/%d", c->round, number);
    bool ok = spool_put(&c->spool, name, ids->s, ids->length, why);

    free(name);
    text_free(ids);
    return ok;
}

/* Several items may have one text and name: the first is marked. */
static bool is_left(const struct collector *c, int i)
{
    return !c->wanted[i].taken && (!i || strcmp(c->wanted[i].id, c->wanted[i - 1].id));
}

static int distinct_left(const struct collector *c)
{
    int n = 0;

    for (int i = 0; i < c->n; i++)
        n += is_left(c, i);
    return n;
}

static bool write_tasks(struct collector *c, const struct sizes *s, int *tasks, struct text *why)
{
    struct text t = {0};
    char *folder = spool_path(&c->spool, "round-%d", c->round);
    int in = 0, left = distinct_left(c), size = size_of_next(s, left);
    int e = make_dirs(folder);

    *tasks = 0;
    if (e)
        text_addf(why, "%s cannot be made: %s", folder, strerror(e));
    free(folder);
    for (int i = 0; i < c->n && !why->length; i++) {
        if (!is_left(c, i))
            continue;
        text_addf(&t, "%s\n", c->wanted[i].id);
        left--;
        if (++in < size && left)
            continue;
        write_task(c, (*tasks)++, &t, why);
        size = size_of_next(s, left);
        in = 0;
    }
    text_free(&t);
    return !why->length;
}

static int by_seconds(const struct collector *c, double seconds)
{
    double n = seconds / (c->seconds > 0.001 ? c->seconds : 0.001);

    return n < 1 ? 1 : n > c->n ? c->n : (int)n;
}

/* Later attempts find what breaks a task: in the last each submission is one of its own. */
static struct sizes sizes_of_tasks(const struct collector *c)
{
    int left = distinct_left(c), most = slurm_array_max();
    struct sizes s = {c->o->per_task, c->o->per_task, 0};

    if (!c->o->per_task)
        s = (struct sizes){by_seconds(c, LEAST_SECONDS), by_seconds(c, TASK_SECONDS),
                           slurm_nodes(c->o)};
    if (c->attempts == 1)
        s = (struct sizes){(s.least + 7) / 8, (s.most + 7) / 8, 0};
    if (c->attempts >= ATTEMPTS - 1)
        s = (struct sizes){1, 1, 0};
    int least = (left + most - 1) / most;
    s.least = s.least > least ? s.least : least;
    s.most = s.most > least ? s.most : least;
    return s;
}

static bool submit(struct collector *c, struct text *why)
{
    int tasks;

    c->round++;
    c->refused_before = c->nrefused;
    c->unstarted_before = c->unstarted;
    struct sizes sizes = sizes_of_tasks(c);
    if (!write_tasks(c, &sizes, &tasks, why))
        return false;
    int minutes = 10 + (int)(4 * sizes.most * c->seconds / 60);
    char *program = xformat("%s/grade", c->e->o->bin);
    char *job = slurm_submit(c->o, c->name, c->spool.dir, program, c->round, tasks, minutes,
                             c->refused, why);
    free(program);
    if (!job)
        return false;
    free(c->job);
    c->job = job;
    int left = c->n - c->taken;
    say("%d submission%s in %d task%s of at most %d, job %s, named %s%s", left,
        left == 1 ? "" : "s", tasks, tasks == 1 ? "" : "s", sizes.most, job, c->name,
        c->round > 1 ? " (what has no verdict yet, again)" : "");
    c->empty_since = 0;
    c->asked = now_s();
    slurm_queue_free(&c->queue); /* until it is asked */
    c->queue = (struct slurm_queue){.known = true, .waiting = tasks};
    return true;
}

/* Rounds that were submitted before we were killed. */
static int rounds_there(struct collector *c)
{
    int round = 0;
    char *path = spool_path(&c->spool, "round-%d", round + 1);

    while (!access(path, F_OK)) {
        free(path);
        path = spool_path(&c->spool, "round-%d", ++round + 1);
    }
    free(path);
    return round;
}

static void say_refusal(const struct collector *c, const char *node)
{
    char *path = spool_path(&c->spool, "refused/%s", node);
    struct text why = {0};
    size_t size;
    char *said = file_load(path, 65536, &size, &why);

    say("node %s does not mark, its work goes elsewhere: %s", node, said ? said : text_str(&why));
    text_free(&why);
    free(said);
    free(path);
}

static bool is_in_list(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && !strncmp(p, name, n))
            return true;
    return false;
}

/* Each is told once. */
static void look_at_refusals(struct collector *c)
{
    int n;
    char *all = spool_refused(&c->spool, &n), *nodes = xstrdup(all);

    for (char *save, *node = strtok_r(nodes, ",", &save); node; node = strtok_r(NULL, ",", &save))
        if (!is_in_list(c->refused, node))
            say_refusal(c, node);
    if (n > c->nrefused)
        slurm_exclude(c->name, all);
    c->nrefused = n;
    free(nodes);
    free(c->refused);
    c->refused = all;
}

/* ---- tasks that ended before their work was done ---- */

/* What a task said last; "" for nothing. For free(). */
static char *last_words(const struct collector *c, const char *log)
{
    char *path = spool_path(&c->spool, "log/%s", log), *said = NULL;
    size_t n;

    file_read_no_link(path, 1 << 20, &said, &n);
    free(path);
    while (said && n && said[n - 1] == '\n')
        said[--n] = 0;
    const char *line = said ? strrchr(said, '\n') : NULL;
    char *words = xformat("%.300s", line ? line + 1 : said ? said : "");
    free(said);
    return words;
}

/* A task's first act is to write that it began there. */
static bool has_begun_on(char **seen, int n, const char *node)
{
    for (int i = 0; i < n; i++) {
        const char *dot = strchr(seen[i], '.');
        if (dot && !strcmp(dot + 1, node))
            return true;
    }
    return false;
}

/* Such a node is free again at once, and would take all the work there is. */
static void refuse_for(const struct collector *c, const char *node, const char *log)
{
    char *words = last_words(c, log);
    char *why = xformat("its tasks fail before they begin (%s). Does it see %s under this name, "
                        "may it write there, and does it see %s? Another folder: --shared",
                        *words ? words : "they say nothing", c->spool.dir, c->e->o->bin);

    spool_refuse(&c->spool, node, why);
    free(why);
    free(words);
}

static void look_at_ends(struct collector *c)
{
    int n = 0, nseen;
    struct slurm_end *ends = c->job ? slurm_ends(c->job, &n) : NULL;
    char **seen = spool_names(&c->spool, "seen", &nseen);

    for (int i = 0; i < n; i++) {
        if (!strcmp(ends[i].state, "FAILED") && *ends[i].node &&
            !has_begun_on(seen, nseen, ends[i].node))
            refuse_for(c, ends[i].node, ends[i].log);
    }
    look_at_refusals(c);
    for (int i = 0, same; i < n; i += same) {
        const struct slurm_end *x = &ends[i];
        for (same = 1; i + same < n && !strcmp(x->state, x[same].state); same++)
            if (strcmp(x->node, x[same].node))
                break;
        bool by_us = !*x->node && c->nrefused > c->refused_before; /* no node was left for it */
        if (by_us || is_in_list(c->refused, x->node))
            continue;
        char *words = last_words(c, x->log);
        say("%d task%s of job %s ended early%s%s: %s%s%s", same, same == 1 ? "" : "s", c->job,
            *x->node ? " on " : ", before it began", x->node, slurm_state_words(x->state),
            *words ? ": " : "", words);
        free(words);
    }
    spool_names_free(seen, nseen);
    slurm_ends_free(ends, n);
}

/* ---- what is seen meanwhile ---- */

/* What fits on a line: a longer one could not be written over. */
static size_t columns(void)
{
    struct winsize w = {0};

    return ioctl(2, TIOCGWINSZ, &w) || w.ws_col < 20 ? 79 : w.ws_col - 1u;
}

static void show_progress(struct collector *c)
{
    double now = now_s(), spent = now - c->started;
    bool terminal = isatty(2);

    if (c->o->quiet || now - c->shown < (terminal ? 1 : 10))
        return;
    c->shown = now;
    struct text t = {0};
    text_addf(&t, "%d of %d marked", c->taken, c->n);
    if (c->queue.known)
        text_addf(&t, ", tasks: %d running, %d waiting", c->queue.running, c->queue.waiting);
    else
        text_add(&t, ", Slurm's controller does not answer");
    if (c->queue.known && !c->queue.running && c->queue.reason)
        text_addf(&t, " (%s)", c->queue.reason);
    if (c->first_taken > 1)
        text_addf(&t, ", about %.0f s left", (c->n - c->taken) * spent / c->first_taken);
    if (c->slowest_name)
        text_addf(&t, ", slowest: %s (%.1f s)", c->slowest_name, c->slowest);
    struct text safe = {0};
    text_printable(&safe, t.s, t.length, false);
    struct text line = {0};
    text_cut(&line, safe.s, terminal ? columns() : safe.length);
    fprintf(stderr, "%s%s%s", terminal ? "\r\033[K" : "", line.s, terminal ? "" : "\n");
    text_free(&line);
    text_free(&t);
    text_free(&safe);
}

/* What passes by itself is told by the progress line alone. */
static void say_why_it_waits(struct collector *c)
{
    static const char *const passes[] = {"None",      "Priority",       "Resources",
                                         "BeginTime", "BadConstraints", "JobArrayTaskLimit"};
    const char *reason = c->queue.reason, *advice = reason ? slurm_reason_advice(reason) : NULL;

    for (size_t i = 0; reason && i < sizeof(passes) / sizeof(*passes); i++)
        reason = strcmp(reason, passes[i]) ? reason : NULL;
    if (!reason || c->queue.running || (c->why_waits && !strcmp(c->why_waits, reason)))
        return;
    say("tasks wait: %s%s%s", reason, advice ? ": " : "", advice ? advice : "");
    free(c->why_waits);
    c->why_waits = xstrdup(reason);
}

static void ask_slurm(struct collector *c)
{
    if (c->asked > 0 && now_s() - c->asked < QUEUE_EVERY)
        return;
    c->asked = now_s();
    slurm_queue_free(&c->queue);
    c->queue = slurm_queue(c->name);
    if (c->queue.job) {
        free(c->job);
        c->job = xstrdup(c->queue.job);
    }
    if (c->queue.held && c->queue.waiting == c->queue.held && !c->queue.running) {
        say("Slurm could not start %d task%s, which %s submitted again", c->queue.held,
            c->queue.held == 1 ? "" : "s", c->queue.held == 1 ? "is" : "are");
        slurm_cancel(c->name);
        c->unstarted++;
    }
    if (!c->queue.running && c->queue.reason && !strcmp(c->queue.reason, "BadConstraints")) {
        slurm_cancel(c->name); /* every node it may have has refused: it would wait for ever */
        c->queue.waiting = 0;
    }
    if (c->queue.known && !c->queue.running && !c->queue.waiting)
        c->empty_since = c->empty_since > 0 ? c->empty_since : now_s();
    else
        c->empty_since = 0;
    if (c->begun)
        look_at_refusals(c);
    say_why_it_waits(c);
}

/* Nothing of ours is in the queue, and what it wrote has had time to be seen. */
static bool job_is_over(struct collector *c)
{
    return c->begun && c->empty_since > 0 &&
           now_s() - c->empty_since >
               (c->nrefused || spool_count(&c->spool, "seen") ? QUEUE_EVERY : LATE);
}

/* Why it makes no sense to submit what is left once more: false, with the reason. */
static bool can_go_on(struct collector *c, struct text *why)
{
    static const char *const again = "then start the same command again: it goes on";

    if (!spool_has_room(&c->spool, why)) {
        text_addf(why, ". Mend that, %s", again);
        return false;
    }
    look_at_ends(c);
    int nodes = slurm_nodes(c->o);
    if (c->unstarted >= STARTS)
        text_addf(why,
                  "Slurm could not start tasks, %d times (sinfo -R and slurmd's log tell why). "
                  "Mend or drain that node, %s",
                  c->unstarted, again);
    else if (nodes && c->nrefused >= nodes)
        text_addf(why, "no node is left that can mark (each has said why). Mend one, %s", again);
    else if (!c->nrefused && !spool_count(&c->spool, "seen"))
        text_addf(why,
                  "the job ended and no task of it has been seen in %s. Was it cancelled? Do the "
                  "nodes see that folder under this name, and %s? Another folder: --shared",
                  c->spool.dir, c->e->o->bin);
    return !why->length;
}

/* What broke three tasks is no mark of a student's: a person must. */
static void give_up(struct collector *c)
{
    say("what is left (%d) ended %d tasks each: it has no mark, and waits for a person. What they "
        "said is above; grade regrade marks it again",
        c->n - c->taken, ATTEMPTS);
    for (int i = 0; i < c->n; i++) {
        struct wanted *w = &c->wanted[i];
        if (w->taken)
            continue;
        struct verdict *v =
            engine_no_mark(c->e, c->items[w->item].name, VERDICT_FAILED,
                           "The cluster's tasks ended while marking this; mark it again.");
        w->taken = true;
        c->taken++;
        c->done(c->user, w->item, v, &(struct cluster_place){"", 0});
        verdict_free(v);
    }
}

/* ---- leaving ---- */

/* Ctrl-C asks; SIGTERM and the like only leave. */
static bool cancels(void)
{
    char line[16] = "";

    if (interrupted != SIGINT || !isatty(0))
        return false;
    fputs("\ncancel the job? [y: cancel it; anything else leaves it running] ", stderr);
    return fgets(line, sizeof(line), stdin) && (*line == 'y' || *line == 'Y');
}

static enum cluster_end leave(struct collector *c)
{
    if (cancels()) {
        slurm_cancel(c->name);
        say("cancelled; %d of %d are marked and kept. The same command goes on", c->taken, c->n);
        return CLUSTER_STOPPED;
    }
    if (!c->begun) {
        say("left before anything was submitted; the same command begins again");
        return CLUSTER_LEFT;
    }
    say("left: the job goes on without us. The same command takes in what it finished; "
        "scancel --name=%s ends it",
        c->name);
    return CLUSTER_LEFT;
}

/* ---- all of it ---- */

static bool put_all(struct collector *c, struct text *why)
{
    bool ok = spool_save_settings(&c->spool, &c->settings, why);
    int begun = ok ? spool_begin_work(&c->spool, why) : -1;

    for (int i = 0; i < c->n && begun >= 0 && ok; i++) {
        const struct pool_item *x = &c->items[c->wanted[i].item];

        spool_bundle_again(&c->spool, c->wanted[i].id);
        ok = spool_put_work(&c->spool, c->wanted[i].id, x->name, x->source, x->length, why);
    }
    return begun >= 0 && spool_end_work(&c->spool, begun, why) && ok;
}

/* What is left to be marked has a job after this, an earlier process's or a new one. Nodes that
 * refused may have been mended since. */
static bool begin(struct collector *c, struct text *why)
{
    c->begun = true;
    if (c->queue.running + c->queue.waiting) {
        say("job %s, named %s, is there: going on with it", c->job, c->name);
        look_at_refusals(c);
        return true;
    }
    spool_ask_anew(&c->spool);
    return submit(c, why);
}

/* The job is over, and some have no verdict. */
static bool go_on(struct collector *c, struct text *why)
{
    if (!can_go_on(c, why))
        return false;
    c->attempts += c->nrefused == c->refused_before && c->unstarted == c->unstarted_before;
    if (c->attempts < ATTEMPTS)
        return submit(c, why);
    give_up(c);
    return true;
}

/* Tasks are with their last submissions. */
static bool is_near_its_end(const struct collector *c)
{
    return c->n - c->taken <= c->queue.running;
}

static enum cluster_end collect(struct collector *c)
{
    struct text why = {0};

    c->started = c->shown = now_s();
    while (c->taken < c->n) {
        if (interrupted || (c->o->detach && c->begun))
            return leave(c);
        take_bundles(c);
        ask_slurm(c);
        if (!c->begun && c->queue.known && c->taken < c->n && !begin(c, &why))
            break;
        show_progress(c);
        if (c->taken < c->n && job_is_over(c)) {
            take_bundles(c); /* what came while Slurm was asked */
            if (c->taken < c->n && !go_on(c, &why))
                break;
        }
        if (c->taken < c->n)
            poll(NULL, 0, is_near_its_end(c) ? LOOK_OFTEN : LOOK);
    }
    if (!why.length)
        return CLUSTER_DONE;
    take_bundles(c);
    say("%s", why.s);
    text_free(&why);
    return CLUSTER_STOPPED;
}

/* The job's name: of the run's folder, since the same class can be marked into two gradebooks. */
static char *job_name(const char *dir)
{
    char digest[DIGEST_HEX];

    digest_hex(dir, strlen(dir), digest);
    return xformat("warplab-%.16s", digest);
}

static void want(struct collector *c, int n)
{
    c->wanted = xcalloc((size_t)n + 1, sizeof(*c->wanted));
    c->n = n;
    for (int i = 0; i < n; i++) {
        const struct pool_item *x = &c->items[i];
        c->wanted[i].item = i;
        spool_id(x->name, x->source, x->length, c->wanted[i].id);
    }
    qsort(c->wanted, (size_t)n, sizeof(*c->wanted), by_id);
}

enum cluster_end cluster_run(const struct engine *e, const struct cluster_options *o,
                             const char *key, const struct pool_item *items, int n, double seconds,
                             cluster_done *done, void *user)
{
    struct collector c = {.e = e,
                          .o = o,
                          .items = items,
                          .done = done,
                          .user = user,
                          .seconds = seconds,
                          .refused = xstrdup("")};
    struct sigaction catch = {.sa_handler = on_signal}, before[3];
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char tools[DIGEST_HEX];
    struct text why = {0};
    enum cluster_end end = CLUSTER_STOPPED;

    cluster_tools(e, tools);
    c.settings = (struct spool_settings){(char *)e->lab->name, tools, (char *)e->o->secret, o->gpu};
    want(&c, n);
    interrupted = 0;
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &catch, &before[i]);
    char *folder = xformat("warplab-%.16s", key);
    if (spool_make(&c.spool, o->shared, folder, &why) && spool_lock(&c.spool, &why) &&
        put_all(&c, &why)) {
        c.name = job_name(c.spool.dir);
        c.round = rounds_there(&c);
        end = collect(&c);
        if (end == CLUSTER_DONE && !spool_remove(&c.spool))
            say("%s, where your secret is, cannot be removed (%s): do that yourself", c.spool.dir,
                strerror(errno));
    } else {
        say("%s", text_str(&why));
    }
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &before[i], NULL);
    text_free(&why);
    spool_free(&c.spool);
    slurm_queue_free(&c.queue);
    free(folder), free(c.wanted), free(c.name), free(c.job), free(c.refused), free(c.slowest_name),
        free(c.why_waits);
    return end;
}
