/* slurm.c - see slurm.h. Programs are called without a shell, so that no name is a command. */
#include "slurm.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int slurm_call(char *const argv[], struct text *out, struct text *err)
{
    int code = call_program(argv, true, out, err);

    if (code < 0)
        die("%s cannot be started: %s", argv[0], strerror(errno));
    return code;
}

/* Its standard output; NULL when it failed. */
static char *answer(char *const argv[])
{
    struct text out = {0}, err = {0};
    bool ok = !slurm_call(argv, &out, &err);

    text_free(&err);
    text_add(&out, "");
    if (ok)
        return text_take(&out);
    text_free(&out);
    return NULL;
}

static char *field(char **line)
{
    char *f = strsep(line, "|");

    return f ? f : "";
}

void slurm_queue_free(struct slurm_queue *q)
{
    free(q->reason);
    free(q->job);
    *q = (struct slurm_queue){0};
}

/* "%T|%F|%r" a task. Completing ones have ended, but their node has not said so to the controller.
 */
struct slurm_queue slurm_queue(const char *name)
{
    char *of = xformat("--name=%s", name);
    char *lines = answer((char *[]){"squeue", "--me", "-h", "-r", of, "-o", "%T|%F|%r", NULL});
    struct slurm_queue q = {.known = lines};

    for (char *save, *line = lines ? strtok_r(lines, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        bool waits = !strncmp(line, "PENDING", 7) || !strncmp(line, "REQUEUE", 7) ||
                     !strncmp(line, "SPECIAL_EXIT", 12) || !strncmp(line, "SUSPENDED", 9);

        field(&line);
        char *job = field(&line);
        q.waiting += waits;
        q.running += !waits;
        if (!q.job)
            q.job = xstrdup(job);
        q.held += waits && line && strstr(line, "launch failed");
        if (waits && line && !q.reason)
            q.reason = xstrdup(line);
    }
    free(lines);
    free(of);
    return q;
}

static char *without_end(struct text *said)
{
    while (said->length && said->s[said->length - 1] == '\n')
        said->s[--said->length] = 0;
    return said->s;
}

/* sbatch reads the script from a file: the standard input is not ours to give. */
static bool put_script(const char *path, const char *program, const char *dir, int round,
                       struct text *why)
{
    struct text t = {0};

    text_add(&t, "#!/bin/sh\nexec ");
    text_shell(&t, program);
    text_add(&t, " task ");
    text_shell(&t, dir);
    text_addf(&t, " %d\n", round);
    bool ok = file_save(path, t.s, t.length, why);
    text_free(&t);
    return ok;
}

/* The name of a task's log; a % in the folder's name is none of Slurm's. */
static char *log_pattern(const char *dir)
{
    struct text t = {0};

    for (const char *p = dir; *p; p++)
        text_bytes(&t, *p == '%' ? "%%" : p, *p == '%' ? 2 : 1);
    text_add(&t, "/log/%A_%a.txt");
    return text_take(&t);
}

/* "123" or "123;cluster". */
static char *job_number(const char *said)
{
    return xformat("%.*s", (int)strspn(said, "0123456789"), said);
}

struct command {
    char **v;
    int n;
};

static void add_word(struct command *c, const char *word)
{
    c->v = xrealloc(c->v, (size_t)(c->n + 2) * sizeof(*c->v));
    c->v[c->n++] = xstrdup(word);
    c->v[c->n] = NULL;
}

/* NAME=VALUE, where there is a value. */
static void add_option(struct command *c, const char *name, const char *value)
{
    char *word = value && *value ? xformat("%s=%s", name, value) : NULL;

    if (word)
        add_word(c, word);
    free(word);
}

/* A task gets what sbatch has: of ours, what finds programs and libraries, and Slurm's. Where
 * sbatch is to choose itself (--export=PATH), Slurm starts the person's login shell on each node
 * for the rest, which takes a second, and what it reads may fail there. */
static void add_environment(struct command *c)
{
    static const char *const kept[] = {"PATH=", "LD_LIBRARY_PATH=", "WARPLAB_CUDA=", "HOME=",
                                       "USER=", "LOGNAME=",         "SLURM_",        "SBATCH_"};

    add_word(c, "env");
    add_word(c, "-i");
    for (char **e = environ; *e; e++)
        for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
            if (!strncmp(*e, kept[i], strlen(kept[i])))
                add_word(c, *e);
}

char *slurm_submit(const struct cluster_options *o, const char *name, const char *dir,
                   const char *program, int round, int n, int minutes, const char *refused,
                   struct text *why)
{
    struct text out = {0}, err = {0};
    struct command c = {0};
    char *script = xformat("%s/round-%d.sh", dir, round), *log = log_pattern(dir);
    char *most = xformat("%%%d", o->at_once);
    char *array = xformat("0-%d%s", n - 1, o->at_once ? most : "");
    char *limit = o->time_limit ? xstrdup(o->time_limit) : xformat("%d", minutes);
    int code = -1;

    add_environment(&c);
    add_word(&c, "sbatch");
    add_option(&c, "--job-name", name);
    add_option(&c, "--array", array);
    add_option(&c, "--partition", o->partition);
    add_option(&c, "--account", o->account);
    add_option(&c, "--qos", o->qos);
    add_option(&c, "--gres", o->gres);
    add_option(&c, "--time", limit);
    add_option(&c, "--exclude", refused);
    add_option(&c, "--output", log);
    add_option(&c, "--chdir", dir);
    add_option(&c, "--export", "ALL");
    add_option(&c, "--open-mode", "append");
    add_option(&c, "--ntasks", "1");
    add_word(&c, "--parsable");
    add_word(&c, "--requeue");
    add_word(&c, script);
    if (put_script(script, program, dir, round, why))
        code = slurm_call(c.v, &out, &err);
    if (code > 0)
        text_addf(why, "Slurm does not take the job: %s%s",
                  err.length           ? without_end(&err)
                  : code == NO_PROGRAM ? "there is no sbatch"
                                       : "no word",
                  strstr(text_str(&err), "QOS") ? ". Fewer tasks: --per-task; shorter: --time-limit"
                                                : "");
    char *job = code ? NULL : job_number(text_str(&out));
    for (int i = 0; i < c.n; i++)
        free(c.v[i]);
    free(c.v), free(script), free(log), free(most), free(array), free(limit);
    text_free(&out);
    text_free(&err);
    return job;
}

/* The numbers of the jobs with this name, with commas; for free(). */
static char *jobs_of(const char *name, const char *format)
{
    char *of = xformat("--name=%s", name);
    char *lines = answer((char *[]){"squeue", "--me", "-h", of, "-o", (char *)format, NULL});

    free(of);
    return lines;
}

void slurm_exclude(const char *name, const char *nodes)
{
    char *jobs = jobs_of(name, "%F");

    for (char *save, *last = "", *j = jobs ? strtok_r(jobs, "\n", &save) : NULL; j;
         j = strtok_r(NULL, "\n", &save)) {
        if (!strcmp(j, last))
            continue;
        char *id = xformat("JobId=%s", j), *exclude = xformat("ExcNodeList=%s", nodes);
        free(answer((char *[]){"scontrol", "update", id, exclude, NULL}));
        free(id), free(exclude);
        last = j;
    }
    free(jobs);
}

void slurm_cancel(const char *name)
{
    char *of = xformat("--name=%s", name);

    free(answer((char *[]){"scancel", "--me", of, NULL}));
    free(of);
}

static int number_after(const char *s, const char *name, int otherwise)
{
    const char *at = s ? strstr(s, name) : NULL;

    at = at ? strchr(at, '=') : NULL;
    int value = at ? atoi(at + 1) : 0;
    return value > 0 ? value : otherwise;
}

int slurm_array_max(void)
{
    char *config = answer((char *[]){"scontrol", "show", "config", NULL});
    int most = number_after(config, "MaxArraySize", 1001) - 1;

    free(config);
    return most > 1 ? most : 1;
}

/* The default partition has a star behind its name; for free(). */
static char *partition_of(const struct cluster_options *o)
{
    const char *own = getenv("SBATCH_PARTITION");
    char *found = NULL;

    if (o->partition || (own && *own))
        return xstrdup(o->partition ? o->partition : own);
    char *lines = answer((char *[]){"sinfo", "-h", "-o", "%P", NULL});
    for (char *save, *p = lines ? strtok_r(lines, "\n", &save) : NULL; p && !found;
         p = strtok_r(NULL, "\n", &save)) {
        char *star = strchr(p, '*');
        found = star ? xformat("%.*s", (int)(star - p), p) : NULL;
    }
    free(lines);
    return found ? found : xstrdup("");
}

/* A node of two partitions is named twice, one line behind the other. */
int slurm_nodes(const struct cluster_options *o)
{
    char *partition = partition_of(o), *of = xformat("--partition=%s", partition);
    char *lines = answer((char *[]){"sinfo", "-h", "-N", "-o", "%N", *partition ? of : NULL, NULL});
    int n = 0;

    for (char *save, *last = "", *p = lines ? strtok_r(lines, "\n", &save) : NULL; p;
         p = strtok_r(NULL, "\n", &save)) {
        n += strcmp(p, last) != 0;
        last = p;
    }
    free(lines);
    free(of);
    free(partition);
    return n;
}

static int by_state(const void *a, const void *b)
{
    const struct slurm_end *x = a, *y = b;
    int order = strcmp(x->state, y->state);

    return order ? order : strcmp(x->node, y->node);
}

struct slurm_end *slurm_ends(const char *job, int *n)
{
    char *lines = answer((char *[]){"squeue", "-h", "-r", "-t", "all", "-j", (char *)job, "-o",
                                    "%T|%N|%F_%K.txt", NULL});
    struct slurm_end *ends = NULL;

    *n = 0;
    for (char *save, *line = lines ? strtok_r(lines, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        char *state = field(&line), *node = field(&line), *log = field(&line);

        if (!slurm_state_words(state))
            continue;
        ends = xrealloc(ends, (size_t)(*n + 1) * sizeof(*ends));
        ends[(*n)++] = (struct slurm_end){xstrdup(state), xstrdup(node), xstrdup(log)};
    }
    if (ends)
        qsort(ends, (size_t)*n, sizeof(*ends), by_state);
    free(lines);
    return ends;
}

void slurm_ends_free(struct slurm_end *ends, int n)
{
    for (int i = 0; i < n; i++)
        free(ends[i].state), free(ends[i].node), free(ends[i].log);
    free(ends);
}

struct words {
    const char *word, *said;
};

static const char *said_of(const struct words *w, const char *word)
{
    while (w->word && strcmp(w->word, word))
        w++;
    return w->said;
}

const char *slurm_state_words(const char *state)
{
    static const struct words words[] = {
        {"FAILED", "failed"},
        {"TIMEOUT", "past the time limit (--time-limit gives more)"},
        {"OUT_OF_MEMORY", "out of memory (SBATCH_MEM_PER_CPU=4G in the environment gives more)"},
        {"NODE_FAIL", "lost with the node"},
        {"BOOT_FAIL", "the node did not start"},
        {"CANCELLED", "cancelled"},
        {"PREEMPTED", "gave way to other work"},
        {"DEADLINE", "past a deadline"},
        {0},
    };
    return said_of(words, state);
}

const char *slurm_reason_advice(const char *reason)
{
    static const struct words words[] = {
        {"PartitionTimeLimit", "no task may take so long here: ask for less with --time-limit"},
        {"PartitionNodeLimit", "the partition gives no node for it: choose another, --partition"},
        {"PartitionDown", "the partition is closed: wait, or choose another with --partition"},
        {"PartitionInactive", "the partition is closed: wait, or choose another with --partition"},
        {"InvalidAccount", "that account may not submit: --account"},
        {"InvalidQOS", "that quality of service is not yours: --qos"},
        {0},
    };
    return said_of(words, reason);
}

/* Within a job of somebody's own, sbatch would take over what that job has, and the tasks with it;
 * and what squeue and sinfo show is ours to say. */
static void forget_own_job(void)
{
    static const char *const kept[] = {
        "SLURM_CONF=", "SLURM_CONF_SERVER=", "SLURM_JWT=", "SLURM_CLUSTERS="};

    for (char **e = environ; *e;) {
        bool ours =
            !strncmp(*e, "SLURM_", 6) || !strncmp(*e, "SQUEUE_", 7) || !strncmp(*e, "SINFO_", 6);
        for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
            ours = ours && strncmp(*e, kept[i], strlen(kept[i]));
        char *name = xformat("%.*s", (int)strcspn(*e, "="), *e);
        if (!ours || unsetenv(name))
            e++;
        free(name);
    }
}

bool cluster_ready(const struct cluster_options *o, struct text *why)
{
    struct text out = {0}, err = {0};
    char *partition = o->partition ? xformat("--partition=%s", o->partition) : NULL;
    char *argv[] = {"sinfo", "-h", "-o", "%P", partition, NULL};

    forget_own_job();
    int code = slurm_call(argv, &out, &err);
    if (code == NO_PROGRAM)
        text_add(why, "there is no Slurm here: sinfo is not in PATH. Log in to the cluster's own "
                      "host, or leave --slurm out to mark on this machine");
    else if (code)
        text_addf(why,
                  "Slurm does not answer: %s (scontrol ping tells whether its controller runs; "
                  "ask who runs the cluster)",
                  err.length ? without_end(&err) : "no word");
    else if (!out.length && o->partition)
        text_addf(why, "Slurm has no partition %s; sinfo lists those there are", o->partition);
    else if (!out.length)
        text_add(why, "Slurm has no partition that you may use (sinfo)");
    free(partition);
    text_free(&out);
    text_free(&err);
    return !why->length;
}
