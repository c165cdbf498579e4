/* verify.h - one variant on one case: plan → run → result, and an entry of the report. */
#ifndef HARNESS_VERIFY_H
#define HARNESS_VERIFY_H

#include "lab/dataset.h"
#include "lab/result.h"
#include "report.h"
#include "run/module.h"

enum { PARTS_MAX = 8 };
struct verify {
    const struct lab *lab;
    const struct machine *machine;
    const struct module *module;
    uint64_t seed, steps;
    bool check;            /* the checker watches: exact buffers, nothing poisoned */
    bool profile;          /* only launch: Nsight Compute counts, nothing is compared */
    struct text *timeline; /* gets a row a step of each schedule that is right (timeline.h) */
    struct dataset data;
    struct text message;       /* why the last one failed: several lines */
    cudaError_t error;         /* the CUDA error behind it, if any */
    double printed[PARTS_MAX]; /* of a program: the parts' times, by variant; NaN: none */
    struct text findings;      /* of the checks, since the start: JSON objects, one a line */
    uint64_t nfindings;        /* more of them may have been found than are kept */
};

/* Are the elements that its kernels take or make of another type than the case's? Several numbers
 * that are one to the kernel are another type. */
bool plan_has_other_type(const struct plan *p, const struct lab_case *c);
/* Fills x (all but the speedups). False with v->message when the variant fails. */
bool verify_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                    const struct launch_record *record, struct entry *x);
/* Times a variant that passed, on a GPU. False likewise: also when outputs are wrong after
 * the last timed run. */
bool time_variant(struct verify *v, const struct lab_variant *variant, const struct lab_case *c,
                  const struct launch_record *record, int reps, struct entry *x);
void verify_free(struct verify *v);

#endif
