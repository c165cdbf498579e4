/* timing.h - how long a plan takes. */
#ifndef HARNESS_TIMING_H
#define HARNESS_TIMING_H

#include "run/exec.h"
#include "run/machine.h"

struct spread {
    int reps;              /* samples; 0: not measured */
    double median, lo, hi; /* ms; 25 and 75 % quantiles */
};
struct timing {
    struct spread hot;  /* data as the last run left it in L2 */
    struct spread cold; /* L2 filled with other data before each sample */
};

/* Sorts samples; n > 0. Quantiles by linear interpolation between order statistics. */
struct spread spread_of(double *samples, int n);
/* The same with the bounds of the median's 95 % confidence interval in lo and hi, as order
 * statistics give it: the share of samples below the true median is binomial, which is near normal
 * from some ten samples on. Of five or fewer the least and the greatest. */
struct spread interval_of(double *samples, int n);

/* Times the plan on sets[0..nsets), each opened, uploaded and run once before: the sets hold
 * different inputs and take turns. False with a message in the failing set's message. */
bool time_gpu(struct exec *const *sets, int nsets, const struct machine *m, int reps,
              struct timing *out);

/* NULL, or why no such time can be true on this machine. */
const char *time_impossible(const struct machine *m, const struct plan *p, const struct timing *t);

#endif
