/* cmd_cluster.c - the options of --slurm, and grade task, which a cluster's nodes run. */
#include "cmd_cluster.h"
#include "args.h"
#include "commands.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_SLURM = 3000,
    KEY_PARTITION,
    KEY_ACCOUNT,
    KEY_QOS,
    KEY_TIME,
    KEY_GRES,
    KEY_SHARED,
    KEY_PER_TASK,
    KEY_AT_ONCE,
    KEY_DETACH,
    KEY_SETTINGS
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "On a Slurm cluster (grading/cluster/README.md):", 2},
    {"slurm", KEY_SLURM, 0, 0, "Mark on the cluster's nodes, not here", 2},
    {"shared", KEY_SHARED, "DIR", 0, "A folder that all nodes see (default: beside the gradebook)",
     2},
    {"partition", KEY_PARTITION, "NAME", 0, "As sbatch takes it", 2},
    {"account", KEY_ACCOUNT, "NAME", 0, "As sbatch takes it", 2},
    {"qos", KEY_QOS, "NAME", 0, "As sbatch takes it", 2},
    {"time-limit", KEY_TIME, "TIME", 0, "Of a task, as sbatch takes it (default: by its size)", 2},
    {"gres", KEY_GRES, "LIST", 0, "As sbatch takes it: gpu:1 (the default with --gpu)", 2},
    {"per-task", KEY_PER_TASK, "N", 0, "Submissions a task (default: two minutes' worth)", 2},
    {"at-once", KEY_AT_ONCE, "N", 0, "Most tasks at a time", 2},
    {"detach", KEY_DETACH, 0, 0, "Submit and leave; the same command later takes in the verdicts",
     2},
    {"settings", KEY_SETTINGS, "FILE", 0,
     "Lines \"partition = gpu\" for what is not said here: any of these options", 2},
    {0}};

static const struct arg_field fields[] = {
    {KEY_SLURM, ARG_FLAG, offsetof(struct cluster_options, on)},
    {KEY_PARTITION, ARG_TEXT, offsetof(struct cluster_options, partition)},
    {KEY_ACCOUNT, ARG_TEXT, offsetof(struct cluster_options, account)},
    {KEY_QOS, ARG_TEXT, offsetof(struct cluster_options, qos)},
    {KEY_TIME, ARG_TEXT, offsetof(struct cluster_options, time_limit)},
    {KEY_GRES, ARG_TEXT, offsetof(struct cluster_options, gres)},
    {KEY_SHARED, ARG_TEXT, offsetof(struct cluster_options, shared)},
    {KEY_PER_TASK, ARG_COUNT, offsetof(struct cluster_options, per_task)},
    {KEY_AT_ONCE, ARG_COUNT, offsetof(struct cluster_options, at_once)},
    {KEY_DETACH, ARG_FLAG, offsetof(struct cluster_options, detach)},
    {KEY_SETTINGS, ARG_TEXT, offsetof(struct cluster_options, settings)},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    return arg_store(fields, key, arg, state);
}

const struct argp cluster_argp = {options, parse, 0, 0, 0, 0, 0};

/* ---- the settings file ---- */

static char *trimmed(char *s)
{
    size_t n = strlen(s);

    while (n && isspace((unsigned char)s[n - 1]))
        s[--n] = 0;
    return s + strspn(s, " \t\r");
}

static const struct argp_option *option_named(const char *name)
{
    for (const struct argp_option *x = options + 1; x->name; x++)
        if (!strcmp(x->name, name) && x->key != KEY_SETTINGS)
            return x;
    return NULL;
}

static int count_of(const char *path, int line, const char *value)
{
    char *end;
    long v = strtol(value, &end, 10);

    if (end == value || *end || v < 0 || v > 1000000)
        die("%s:%d: not a number: %s", path, line, value);
    return (int)v;
}

static bool yes(const char *path, int line, const char *value)
{
    if (!strcmp(value, "yes") || !strcmp(value, "no"))
        return *value == 'y';
    die("%s:%d: say yes or no, not \"%s\"", path, line, value);
}

/* What the command line has said stays. */
static void set(struct cluster_options *o, const char *path, int line, const char *name,
                const char *value)
{
    const struct argp_option *x = option_named(name);

    if (!x)
        die("%s:%d: there is no option \"%s\" for a cluster; grade batch --help lists them", path,
            line, name);
    for (const struct arg_field *f = fields; f->as != ARG_END; f++) {
        void *at = (char *)o + f->at;
        if (f->key != x->key)
            continue;
        if (f->as == ARG_TEXT) {
            const char **text = at;
            *text = *text ? *text : xstrdup(value);
        } else if (f->as == ARG_COUNT) {
            int *count = at, given = count_of(path, line, value);
            *count = *count ? *count : given;
        } else {
            bool *flag = at, given = yes(path, line, value);
            *flag = *flag || given;
        }
    }
}

static void read_settings(struct cluster_options *o)
{
    struct text why = {0};
    size_t n;
    char *text = file_load(o->settings, 65536, &n, &why), *next;

    if (!text)
        die("settings %s", text_str(&why));
    int number = 1;
    for (char *line = text; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        line[strcspn(line, "#")] = 0;
        char *name = trimmed(line), *equals = strchr(name, '=');
        if (!*name)
            continue;
        if (!equals)
            die("%s:%d: a line is \"name = value\", not \"%s\"", o->settings, number, name);
        *equals = 0;
        set(o, o->settings, number, trimmed(name), trimmed(equals + 1));
    }
    free(text);
}

/* ---- what a command needs before it begins ---- */

static char *beside(const char *book)
{
    const char *slash = strrchr(book, '/');

    return xformat("%.*swarplab-cluster", slash ? (int)(slash - book) + 1 : 0, book);
}

static bool refused(const char *format, const char *what)
{
    fprintf(stderr, "grade: ");
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return false;
}

bool cluster_options_ready(struct cluster_options *o, const char *book, bool gpu)
{
    struct text why = {0};

    if (o->settings)
        read_settings(o);
    if (!o->on)
        return true;
    if (!o->shared)
        o->shared = beside(book);
    o->gpu = gpu;
    if (gpu && !o->gres)
        o->gres = "gpu:1";
    if (gpu && (strncmp(o->gres, "gpu", 3) || strstr(o->gres, "shard") || strstr(o->gres, "mps")))
        return refused("times need a GPU that is one task's alone: --gres=gpu:1, not %s", o->gres);
    if (cluster_ready(o, &why))
        return true;
    refused("%s", text_str(&why));
    text_free(&why);
    return false;
}

double cluster_seconds(struct book *b, struct engine *e)
{
    double seconds = book_pace(b, e->lab->name), from = now_s();

    if (seconds > 0 || !e->solution)
        return seconds > 0 ? seconds : 1;
    verdict_free(engine_mark(e, e->lab->name, e->solution, e->solution_length));
    return now_s() - from;
}

/* ---- grade task ---- */

struct task_args {
    const char *dir;
    int round;
};

static error_t parse_task(int key, char *arg, struct argp_state *state)
{
    struct task_args *a = state->input;

    if (key == ARGP_KEY_ARG && !a->dir) {
        a->dir = arg;
        return 0;
    }
    if (key == ARGP_KEY_ARG && !a->round) {
        a->round = arg_count(state, arg);
        return 0;
    }
    if (key == ARGP_KEY_ARG || (key == ARGP_KEY_END && !a->round))
        argp_usage(state);
    return ARGP_ERR_UNKNOWN;
}

int cmd_task(int argc, char **argv)
{
    static const struct argp argp = {
        0, parse_task, "FOLDER ROUND", "What a job of grade batch --slurm runs on a node.", 0,
        0, 0};
    struct task_args a = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    return cluster_task(a.dir, a.round);
}
