/* rubric.h - what a lab's grader.c says: the rows of its mark sheet, and nothing else.
 *
 * A lab defines one `const struct rubric rubric_NAME` (NAME is its folder's). It is data:
 * the engine (engine.c) knows no lab, and grader.c holds no code. README.md shows one.
 */
#ifndef GRADING_RUBRIC_H
#define GRADING_RUBRIC_H

#include "lab/lab.h"

enum row_kind {
    ROW_CORRECT, /* right results on every case named */
    ROW_GATE,    /* a condition on counters, summed over the case's launches */
    ROW_CHECKS,  /* no finding of the emulator's checks (memory, races, barriers) */
    ROW_SPEED,   /* time against the reference solution's, same variant and case */
};

/* ROW_CHECKS: which findings count. 0 means all of them. */
enum { CHECK_MEMORY = 1, CHECK_UNINIT = 2, CHECK_RACE = 4, CHECK_BARRIER = 8 };

/* Which evidence a row accepts; 0 means the kind's own default: GATE and CHECKS counted,
 * SPEED modelled or measured, CORRECT either machine. */
enum { EV_COUNTED = 1, EV_MODELLED = 2, EV_MEASURED = 4 };

struct rubric_row {
    const char *id; /* short, stable, unique: "r3-banks"; exports and `expect:` lines use it */
    double points;
    const char *title; /* what a student reads: "Step 3 has no bank conflicts" */
    enum row_kind kind;
    const char *variant; /* a lab_variant's name */
    /* Names of cases, separated by spaces: the rubric's own, the hidden ones, the lab's.
     * NULL: CORRECT and CHECKS take every CASE_CHECK case of the lab that applies. GATE
     * and SPEED must name theirs. Every case must hold. */
    const char *cases;
    /* ROW_GATE: a comparison, or several joined by "&&". Names: counters.h's; the case's n,
     * m, k, param; bytes and flops of the plan; elem (bytes of the case's dtype); threads,
     * warps, blocks, launches of the run; ref.COUNTER for the reference solution's count on
     * the same case. Operators + - * / ( ) and <= >= < > ==. A division by zero fails.
     * "global_ld_sectors / global_ld_requests <= 4.1" */
    const char *gate;
    unsigned checks;   /* ROW_CHECKS: CHECK_*, 0 for all */
    unsigned evidence; /* EV_*, 0 for the kind's default */
    /* ROW_SPEED: least (reference time / student's time); 0.8 lets them be 1.25 times slower. */
    double ratio;
    /* ROW_SPEED, on a GPU: the cases that are timed there, in place of `cases`: large enough to
     * take more than a launch does. The emulator never runs them. NULL: `cases`. */
    const char *gpu_cases;
    double tolerance;    /* ROW_SPEED: relative slack on ratio. Others: unused */
    const char *hint;    /* shown on failure; one or two sentences; never the answer */
    const char *line_of; /* ROW_GATE: counter whose heaviest line is named; NULL: gate's first */
};

/* A case drawn at marking time from the instructor's secret: like `like`, with n (and m, k
 * where max is not 0) uniform in min..max and a seed of its own. Practice runs skip it. */
struct hidden_case {
    const char *name; /* "hidden-odd" */
    const char *like; /* a case of this rubric or the lab: dtype, op, param, and m, k if fixed */
    uint64_t n_min, n_max, m_min, m_max, k_min, k_max;
    uint64_t multiple; /* n is rounded up to a multiple of this; 0 or 1: any */
};

struct rubric {
    const char *lab;
    const struct rubric_row *rows;
    int nrows;
    const struct lab_case *cases; /* cases used in marking only, looked up first; may be NULL */
    int ncases;
    const struct hidden_case *hidden;
    int nhidden;
};

/* Made by grading.mk from labs/<lab>/grader.c. */
extern const struct rubric *const all_rubrics[];
extern const int all_rubrics_count;

#endif
