/* report.h - what a run found out, and the forms it is told in: table, records, predictions. */
#ifndef HARNESS_REPORT_H
#define HARNESS_REPORT_H

#include "lab/amounts.h"
#include "lab/counter.h"
#include "run/machine.h"
#include "timing.h"

#include <stdio.h>

enum verdict { VERDICT_SKIP, VERDICT_PASS, VERDICT_FAIL };

/* One variant on one case: a row of the table and of the records. */
struct entry {
    const struct lab_variant *variant;
    const struct lab_case *input;
    uint64_t seed;
    enum verdict verdict;
    bool wrong;                 /* the variant is, on this case or another */
    uint32_t block[3], grid[3]; /* of the first step */
    uint32_t items;
    struct amounts amounts;
    struct timing time;               /* on the emulator: modelled, one sample, hot */
    double step, cumulative;          /* 0: not available */
    bool counted;                     /* counters hold something */
    bool metric_given[COUNTER_COUNT]; /* which of them, when they come from Nsight Compute */
    struct counters counters;
    double error_l1, error_max; /* lab/result.h */
    double occupancy;           /* 0: not known */
    char bound[32];             /* "" likewise */
    bool alone;                 /* one launch is all that the time is of, so the bound is its */
    bool other_type;            /* its elements are not of the case's type */
    /* Alone, with fewer blocks than the machine has SMs: a larger case of the lab that brings as
     * many; NULL: none does. */
    const struct lab_case *filled_by;
    char warning[128]; /* printed under the table */
};

struct report {
    const struct lab *lab;
    const struct machine *machine;
    const char *command, *source; /* how it was called; the .cu or module that ran */
    uint64_t seed;
    double clock_mhz;              /* seen at the end; 0: unknown */
    bool brief;                    /* a part is told, at most four cases of a sweep */
    bool kernels_left, cases_left; /* there are more: that are wrong, of those that are right */
    struct entry *results;
    int n;
};

/* Seconds the harness goes by: the cold time if there is one, else the hot one. 0: none. */
double entry_ms(const struct entry *r);
/* Fills step and cumulative of every result: over the previous timed variant of the same
 * case that does as much work, and over the first. */
void report_speedups(struct report *p);

/* Is a as b, but for the lab's extents, of which none is smaller and one is larger? */
bool case_is_larger(const struct lab *lab, const struct lab_case *a, const struct lab_case *b);

/* A counter expression ("global_ld_sectors / global_ld_requests") for one result. NaN with
 * a reason in err. Other names: ms, occupancy, error_l1, error_max, and those of amounts.h. */
double entry_value(const struct entry *r, const char *expression, char *err, size_t errsize);
/* Of one name. */
bool entry_named(const struct entry *r, const char *name, double *value);

/* Of steps whose results are right, those that do not do what they are for (lab.goals): a line
 * each. Returns how many. */
int goals_print(FILE *out, const struct report *p);
/* Of one result, counted: the goals of its variant and case that say that it does not do what it is
 * for, a bit each (of the first 64). Those that compare it with another step are not asked. */
uint64_t goals_missed(const struct lab *lab, const struct entry *e);
/* What a goal says of a miss goes on with where it was missed: "…: on", or "…? On". */
const char *goal_on(const struct lab_goal *g);
/* What a goal that is not met comes to, in words where it is a usual quantity: "12 of a warp's 32
 * lanes are active on average (…), and at least 16 is asked for". */
struct gate_result;
void goal_put(struct text *t, const struct gate_result *r);

/* At most 100 columns a line; colours when out is a terminal and NO_COLOR is not set. */
void table_print(FILE *out, const struct report *p);
bool colours(FILE *out);

/* Both as RECORDS.md says; false with a reason. */
bool records_csv(const struct report *p, const char *path, struct text *why);
bool records_json(const struct report *p, const char *path, struct text *why);

/* Predictions of `path` (lines "key = number") beside the facts. Returns how many were
 * answered, -1 when a line cannot be understood (said on out). A kernel that is wrong has no facts.
 * A file that is not there has no answers. */
int predict_print(FILE *out, const struct report *p, const char *path);

#endif
