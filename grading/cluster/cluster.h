/* cluster.h - marks submissions on a Slurm cluster: what pool.h does here, on many hosts.
 *
 * cluster_run() puts them into a folder that the nodes share (spool.h), submits a job array whose
 * tasks are `grade task`, and takes in bundles as they come; it alone calls `done`, so that only
 * this host writes the gradebook. What ended without a bundle is submitted again. Killed at any
 * moment, the same call finds the same folder and job and goes on.
 */
#ifndef GRADING_CLUSTER_H
#define GRADING_CLUSTER_H

#include "grading/mark/pool.h"

struct cluster_options {
    bool on, detach, quiet, gpu;
    const char *partition, *account, *qos, *time_limit, *gres; /* as sbatch takes them; or NULL */
    const char *shared;                                        /* the folder that nodes see, too */
    const char *settings;  /* a file with more of these; the commands read it */
    int per_task, at_once; /* submissions a task, most tasks at a time; 0: as is best, no limit */
};

/* A digest of everything that marks: the engine's, and the compiler's library. */
void cluster_tools(const struct engine *e, char out[DIGEST_HEX]);
/* Whether there is a Slurm here that has what the options name; else the reason. */
bool cluster_ready(const struct cluster_options *o, struct text *why);

enum cluster_end {
    CLUSTER_DONE,    /* every item has its verdict */
    CLUSTER_LEFT,    /* detached, or left by Ctrl-C: the job goes on */
    CLUSTER_STOPPED, /* cancelled, or it cannot go on: the reason has been said on stderr */
};
/* What is told of a finished submission beside its verdict. */
struct cluster_place {
    const char *node; /* its name, and its GPU where times were measured there */
    double seconds;
};
typedef void cluster_done(void *user, int item, const struct verdict *v,
                          const struct cluster_place *at);
/* key: of the run, the same when it is gone on with. seconds: what one submission takes, roughly.
 */
enum cluster_end cluster_run(const struct engine *e, const struct cluster_options *o,
                             const char *key, const struct pool_item *items, int n, double seconds,
                             cluster_done *done, void *user);

/* What a task of the array does on a node: marks the submissions of round-ROUND/TASK in `dir`.
 * 0: all have a bundle; else it said why on stderr. */
int cluster_task(const char *dir, int round);

#endif
