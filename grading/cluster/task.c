/* task.c - what a task of the job array does on a node: the part of cluster.h that marks. */
#include "cluster.h"
#include "slurm.h"
#include "spool.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "grading/mark/gpu.h"
#include "grading/sandbox/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    CLOCK_SLACK = 60, /* seconds */
    CANNOT_WRITE = 3,
    REFUSES = 4,
};

/* The headers are of the toolkit whose library this is. It has 100 MB, often under both names:
 * one file is read once. */
void cluster_tools(const struct engine *e, char out[DIGEST_HEX])
{
    static const char *const folders[] = {"lib64", "lib"};
    char digest[DIGEST_HEX] = "none";
    struct stat now, before = {0};
    struct text t = {0};

    text_add(&t, e->tools);
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        char *path = xformat("%s/%s/libnvrtc.so.13", e->o->cuda, folders[i]);
        bool there = !stat(path, &now);
        if (!there || now.st_dev != before.st_dev || now.st_ino != before.st_ino)
            if (!there || !digest_file(path, digest))
                strcpy(digest, "none");
        before = there ? now : before;
        text_addf(&t, " %s", digest);
        free(path);
    }
    digest_hex(t.s, t.length, out);
    text_free(&t);
}

struct task {
    struct spool spool;
    struct spool_settings settings;
    const char *node, *number;
    char *place; /* the node, and its GPU where one is measured on */
    char **ids;
    int n, error;
    double last;
    int jobs;
};

static const char *node_name(void)
{
    static char host[256];
    const char *name = getenv("SLURMD_NODENAME");

    gethostname(host, sizeof(host) - 1);
    return name && *name ? name : host;
}

/* ---- may this node mark? ---- */

/* The file server's clock writes the time of a new file: what all nodes have in common. */
static void look_at_clock(const struct task *t, struct text *why)
{
    char *name = xformat("seen/%s.%s", t->number, t->node),
         *path = spool_path(&t->spool, "%s", name);
    struct stat st;
    int e = spool_write(&t->spool, name, "", 0);

    if (e)
        text_addf(why, "it cannot write to %s: %s", t->spool.dir, strerror(e));
    else if (!stat(path, &st)) {
        long ahead = (long)(time(NULL) - st.st_mtime);
        if (ahead > CLOCK_SLACK || ahead < -CLOCK_SLACK)
            text_addf(why, "its clock is %ld s %s the shared folder's: set it (NTP)", labs(ahead),
                      ahead > 0 ? "ahead of" : "behind");
    }
    free(name);
    free(path);
}

static void look_at_tools(const struct task *t, const struct engine *e, struct text *why)
{
    char digest[DIGEST_HEX];

    cluster_tools(e, digest);
    if (strcmp(digest, t->settings.tools))
        text_addf(why,
                  "its grader, rubric or toolkit is another than the submitting host's (%.12s, not "
                  "%.12s): is %s shared, and built once?",
                  digest, t->settings.tools, e->o->root);
}

/* The engine, open; else why this node cannot mark. */
static bool node_is_fit(struct task *t, struct engine_options *o, struct engine *e,
                        struct text *why)
{
    const char *refused = sandbox_refused();

    look_at_clock(t, why);
    if (!why->length && refused)
        text_addf(why, "it cannot make the sandbox: %s", refused);
    if (!why->length && t->settings.gpu && !getenv("SLURM_JOB_GPUS"))
        text_add(why, "Slurm gives its tasks no GPU of their own (SLURM_JOB_GPUS is not set): "
                      "gres.conf has to name the devices, File=/dev/nvidia[0-3], and --gres to ask "
                      "for one");
    if (!why->length && t->settings.gpu && !gpu_use(o, why))
        text_add(why, " (a GPU is needed: --gres=gpu:1)");
    if (why->length || !engine_open(e, t->settings.lab, o, why))
        return false;
    look_at_tools(t, e, why);
    if (why->length)
        engine_close(e);
    return !why->length;
}

/* Says so in the spool, and that no other task is to come here: they would all be refused, and this
 * node is the first to be free again. The collector submits what was refused once more. */
static int refuse(struct task *t, const char *why)
{
    const char *of = getenv("SLURM_JOB_NAME");
    int n;

    fprintf(stderr, "grade: node %s: %s\n", t->node, why);
    spool_refuse(&t->spool, t->node, why);
    char *nodes = spool_refused(&t->spool, &n);
    if (n && of)
        slurm_exclude(of, nodes);
    free(nodes);
    return REFUSES;
}

/* ---- marking ---- */

/* What a verdict says is the collector's to read. */
static bool on_done(void *user, int item, const char *verdict, size_t length)
{
    struct task *t = user;
    double now = now_s();
    struct bundle b = {t->place, t->settings.tools, (now - t->last) * t->jobs, NULL};

    t->error = spool_save_bundle(&t->spool, t->ids[item], &b, verdict, length);
    t->last = now;
    return !t->error;
}

/* The task's submissions that have no bundle. */
static bool load(struct task *t, int round, struct pool_item **items, struct text *why)
{
    char *path = spool_path(&t->spool, "round-%d/%s", round, t->number);
    size_t size;
    char *lines = file_load(path, 64 << 20, &size, why);

    for (char *save, *id = lines ? strtok_r(lines, "\n", &save) : NULL; id && !why->length;
         id = strtok_r(NULL, "\n", &save)) {
        char *name, *source;
        size_t length;

        if (spool_has_bundle(&t->spool, id) ||
            !spool_get_work(&t->spool, id, &name, &source, &length, why))
            continue;
        *items = xrealloc(*items, (size_t)(t->n + 1) * sizeof(**items));
        t->ids = xrealloc(t->ids, (size_t)(t->n + 1) * sizeof(*t->ids));
        (*items)[t->n] = (struct pool_item){name, source, length};
        t->ids[t->n++] = xstrdup(id);
    }
    free(lines);
    free(path);
    return !why->length;
}

static int mark(struct task *t, int round, const struct engine_options *o, struct text *why)
{
    struct pool_item *items = NULL;
    bool ok = load(t, round, &items, why);

    t->last = now_s();
    if (ok && t->n)
        pool_run_unread(t->settings.lab, o, items, t->n, t->jobs, on_done, NULL, t);
    if (t->error)
        text_addf(why, "no bundle can be written to %s: %s", t->spool.dir, strerror(t->error));
    for (int i = 0; i < t->n; i++) {
        free((char *)items[i].name);
        free((char *)items[i].source);
        free(t->ids[i]);
    }
    free(items);
    free(t->ids);
    return !why->length ? 0 : t->error ? CANNOT_WRITE : 2;
}

static int number_of(const char *name, int otherwise)
{
    const char *value = getenv(name);
    int n = value ? atoi(value) : 0;

    return n > 0 ? n : otherwise;
}

int cluster_task(const char *dir, int round)
{
    struct task t = {
        .spool = spool_at(dir), .node = node_name(), .number = getenv("SLURM_ARRAY_TASK_ID")};
    struct engine_options o;
    struct engine e;
    struct text why = {0};
    int code = 2;

    engine_defaults(&o);
    if (!t.number) {
        text_add(&why, "this is a task of a job that grade batch --slurm submits (there is no "
                       "SLURM_ARRAY_TASK_ID)");
    } else if (spool_load_settings(&t.spool, &t.settings, &why)) {
        o.secret = t.settings.secret;
        /* times are measured one submission after the other, on the GPU that Slurm gave */
        o.gpu_index = number_of("SLURM_JOB_GPUS", 0); /* counted over those of gres.conf */
        t.jobs = t.settings.gpu ? 1 : number_of("SLURM_CPUS_PER_TASK", 1);
        t.place =
            t.settings.gpu ? xformat("%s, %s", t.node, gpu_device(o.gpu_index)) : xstrdup(t.node);
        if (node_is_fit(&t, &o, &e, &why)) {
            code = mark(&t, round, &o, &why);
            engine_close(&e);
        } else {
            code = refuse(&t, text_str(&why));
            text_free(&why);
        }
    }
    if (why.length)
        fprintf(stderr, "grade: %s\n", why.s);
    text_free(&why);
    free(t.place);
    spool_settings_free(&t.settings);
    spool_free(&t.spool);
    return code;
}
