/* speed.h - whether a submission is as fast as it has to be, from times taken in turns.
 *
 * Round i times the submission and the reference once each, on fresh inputs, one after the
 * other, so that a machine that slows down slows both. What is judged is the median of the
 * rounds' ratios (reference / submission), with a confidence interval from order statistics:
 * no distribution is assumed, and two evaluations of the same numbers agree.
 */
#ifndef GRADING_SPEED_H
#define GRADING_SPEED_H

#include <stdbool.h>

enum speed_end {
    SPEED_PASS,         /* the whole interval is at or above the threshold */
    SPEED_FAIL,         /* the whole interval is below it */
    SPEED_INCONCLUSIVE, /* it straddles the threshold, or there are too few rounds */
    SPEED_IMPOSSIBLE,   /* a time is not positive, or below what the memory allows */
};

struct speed {
    enum speed_end end;
    double ratio, low, high; /* median and 95 % interval */
    int worst;               /* SPEED_IMPOSSIBLE: the round */
};

enum { SPEED_LEAST_ROUNDS = 8 };

/* own, reference: ms of n rounds. floor_ms: no run can take less (0: not known). */
struct speed speed_judge(const double *own, const double *reference, int n, double threshold,
                         double floor_ms);
/* The least time in ms for moving `bytes` once, with all of it in a cache that is CACHE_FACTOR
 * times as fast as DRAM; 0 when either is not known. */
double speed_floor_ms(double bytes, double dram_gbps);

#endif
