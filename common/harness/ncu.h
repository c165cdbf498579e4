/* ncu.h - hardware counters, from Nsight Compute's CSV (ncu --csv --page raw). */
#ifndef HARNESS_NCU_H
#define HARNESS_NCU_H

#include "report.h"

/* The metrics of counters.h that hardware has, separated by commas, on one line. */
void ncu_print_metrics(FILE *out);
/* Adds the launches of a --profile-pass, in order, to the report's results that passed. False
 * with a reason, also when the file is about other launches. */
bool ncu_merge(struct report *p, const char *path, struct text *why);

#endif
