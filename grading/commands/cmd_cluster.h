/* cmd_cluster.h - the options for marking on a cluster, which batch and regrade share. */
#ifndef GRADING_CMD_CLUSTER_H
#define GRADING_CMD_CLUSTER_H

#include "grading/book/book.h"
#include "grading/cluster/cluster.h"

#include <argp.h>

extern const struct argp cluster_argp; /* a child parser; its input is a struct cluster_options */

/* What is not said comes from the settings file, then from this host. False, said why: the
 * options do not fit, or there is no such Slurm. */
bool cluster_options_ready(struct cluster_options *o, const char *book, bool gpu);
/* Seconds that one submission of the lab takes: as the gradebook has seen, else as the reference
 * solution takes here, now. */
double cluster_seconds(struct book *b, struct engine *e);

#endif
