/* slurm.h - Slurm's own programs, asked. */
#ifndef GRADING_SLURM_H
#define GRADING_SLURM_H

#include "cluster.h"

struct slurm_queue {
    bool known; /* the controller answered */
    int running, waiting;
    int held;     /* of those that wait: Slurm could not start them, and waits for a person */
    char *reason; /* why the first that waits does, as Slurm says it; or NULL */
    char *job;    /* the number of one of them; or NULL */
};
/* The tasks of the jobs with this name. */
struct slurm_queue slurm_queue(const char *name);
void slurm_queue_free(struct slurm_queue *q);
/* Submits tasks 0 … n-1 of a round: the job's number, for free(); NULL with Slurm's words.
 * refused: nodes not to use, with commas; may be "". */
char *slurm_submit(const struct cluster_options *o, const char *name, const char *dir,
                   const char *program, int round, int n, int minutes, const char *refused,
                   struct text *why);
/* Tasks of that name that wait will not start on these nodes. */
void slurm_exclude(const char *name, const char *nodes);
void slurm_cancel(const char *name);
/* The most tasks an array may have here. */
int slurm_array_max(void);
/* Nodes that the options' partition has; 0: not known. */
int slurm_nodes(const struct cluster_options *o);
/* A task that ended otherwise than by itself and well. */
struct slurm_end {
    char *state;      /* Slurm's word: FAILED, TIMEOUT … */
    char *node, *log; /* log: its name in the folder log/ */
};
/* Those of a job, as long as Slurm remembers them, by state and node; for slurm_ends_free(). */
struct slurm_end *slurm_ends(const char *job, int *n);
void slurm_ends_free(struct slurm_end *ends, int n);
/* What a state means, and what may help. */
const char *slurm_state_words(const char *state);
/* What may help where tasks wait for this reason; NULL: time. */
const char *slurm_reason_advice(const char *reason);

#endif
