/* slurm.h - Slurm's own programs, asked. */
#ifndef GRADING_SLURM_H
#define GRADING_SLURM_H

#include "cluster.h"

struct slurm_queue {
    bool known; /* the controller answered */
    int running, waiting;
    int held;     /* of those that wait: Slurm could not start them, and waits for a person */
    char *reason; /* why the first that waits does, as Slurm says it; or NULL */
};
/* The tasks of the jobs with this name. */
struct slurm_queue slurm_queue(const char *name);
/* Submits tasks 0 … n-1 of a round; false with Slurm's words. refused: nodes not to use, with
 * commas; may be "". */
bool slurm_submit(const struct cluster_options *o, const char *name, const char *dir,
                  const char *program, int round, int n, int minutes, const char *refused,
                  struct text *why);
/* Tasks of that name that wait will not start on these nodes. */
void slurm_exclude(const char *name, const char *nodes);
void slurm_cancel(const char *name);
/* The most tasks an array may have here. */
int slurm_array_max(void);
/* Nodes that the options' partition has; 0: not known. */
int slurm_nodes(const struct cluster_options *o);
/* How the job's tasks ended that have no bundle, as Slurm remembers it: a line; for free(). */
char *slurm_endings(const char *name);

#endif
