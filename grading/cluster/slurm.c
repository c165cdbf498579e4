/* slurm.c - see slurm.h. Programs are called without a shell, so that no name is a command. */
#include "slurm.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 32 };

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

/* "%T|%r" a task. Completing ones have ended, but their node has not said so to the controller. */
struct slurm_queue slurm_queue(const char *name)
{
    char *of = xformat("--name=%s", name);
    char *lines = answer((char *[]){"squeue", "--me", "-h", "-r", of, "-o", "%T|%r", NULL});
    struct slurm_queue q = {.known = lines};

    for (char *save, *line = lines ? strtok_r(lines, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        bool waits = !strncmp(line, "PENDING", 7) || !strncmp(line, "REQUEUE", 7) ||
                     !strncmp(line, "SPECIAL_EXIT", 12) || !strncmp(line, "SUSPENDED", 9);
        const char *reason = strchr(line, '|');

        q.waiting += waits;
        q.running += !waits;
        q.held += waits && strstr(line, "launch failed");
        if (waits && reason && !q.reason)
            q.reason = xstrdup(reason + 1);
    }
    free(lines);
    free(of);
    return q;
}

static void add_option(char **argv, int *n, const char *name, const char *value)
{
    if (value && *value)
        argv[(*n)++] = xformat("--%s=%s", name, value);
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

bool slurm_submit(const struct cluster_options *o, const char *name, const char *dir,
                  const char *program, int round, int n, int minutes, const char *refused,
                  struct text *why)
{
    struct text out = {0}, err = {0};
    char *argv[MAX_ARGS] = {"sbatch"}, *script = xformat("%s/round-%d.sh", dir, round);
    char *log = xformat("%s/log/%%A_%%a.txt", dir), *most = xformat("%%%d", o->at_once);
    char *array = xformat("0-%d%s", n - 1, o->at_once ? most : "");
    char *limit = o->time_limit ? xstrdup(o->time_limit) : xformat("%d", minutes);
    int at = 1, code = -1;

    add_option(argv, &at, "job-name", name);
    add_option(argv, &at, "array", array);
    add_option(argv, &at, "partition", o->partition);
    add_option(argv, &at, "account", o->account);
    add_option(argv, &at, "qos", o->qos);
    add_option(argv, &at, "gres", o->gres);
    add_option(argv, &at, "time", limit);
    add_option(argv, &at, "exclude", refused);
    add_option(argv, &at, "output", log);
    add_option(argv, &at, "chdir", dir);
    add_option(argv, &at, "export", "PATH");
    int made = at;
    argv[at++] = "--parsable", argv[at++] = "--requeue", argv[at++] = "--open-mode=append";
    argv[at++] = "--ntasks=1", argv[at++] = script;
    if (put_script(script, program, dir, round, why))
        code = slurm_call(argv, &out, &err);
    if (code > 0)
        text_addf(why, "Slurm does not take the job: %s",
                  err.length           ? err.s
                  : code == NO_PROGRAM ? "there is no sbatch"
                                       : "no word");
    while (why->length && why->s[why->length - 1] == '\n')
        why->s[--why->length] = 0;
    while (made > 1)
        free(argv[--made]);
    free(script), free(log), free(most), free(array), free(limit);
    text_free(&out);
    text_free(&err);
    return !code;
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

static char *nodes_of(const struct cluster_options *o)
{
    char *partition = xformat("--partition=%s", o->partition ? o->partition : "");
    char *plain[] = {"sinfo", "-h", "-N", "-o", "%N", NULL};
    char *named[] = {"sinfo", "-h", "-N", "-o", "%N", partition, NULL};
    char *lines = answer(o->partition ? named : plain);

    free(partition);
    return lines;
}

int slurm_nodes(const struct cluster_options *o)
{
    char *lines = nodes_of(o);
    int n = 0;

    for (const char *p = lines; p && (p = strchr(p, '\n')); p++)
        n++;
    free(lines);
    return n;
}

char *slurm_endings(const char *name)
{
    char *jobs = answer((char *[]){"scontrol", "-o", "show", "jobs", NULL});
    char *of = xformat(" JobName=%s ", name);
    struct text t = {0};

    for (char *save, *line = jobs ? strtok_r(jobs, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        static const char *const parts[] = {" JobState=", " Reason=", " NodeList=", " ExitCode="};

        if (!strstr(line, of) || strstr(line, " JobState=COMPLETED ") || t.length > 400)
            continue;
        text_addf(&t, "%stask %d:", t.length ? "; " : "", number_after(line, "ArrayTaskId", 0));
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
            const char *at = strstr(line, parts[i]);
            if (at)
                text_addf(&t, "%.*s", 1 + (int)strcspn(at + 1, " "), at);
        }
    }
    free(jobs);
    free(of);
    text_add(&t, "");
    return text_take(&t);
}

bool cluster_ready(const struct cluster_options *o, struct text *why)
{
    struct text out = {0}, err = {0};
    char *partition = o->partition ? xformat("--partition=%s", o->partition) : NULL;
    char *argv[] = {"sinfo", "-h", "-o", "%P", partition, NULL};
    int code = slurm_call(argv, &out, &err);

    if (code == NO_PROGRAM)
        text_add(why, "there is no Slurm here: sinfo is not in PATH. Log in to the cluster's own "
                      "host, or leave --slurm out to mark on this machine");
    else if (code)
        text_addf(why, "Slurm does not answer: %s", text_str(&err));
    else if (!out.length && o->partition)
        text_addf(why, "Slurm has no partition %s; sinfo lists those there are", o->partition);
    else if (!out.length)
        text_add(why, "Slurm has no partition that you may use (sinfo)");
    free(partition);
    text_free(&out);
    text_free(&err);
    return !why->length;
}
