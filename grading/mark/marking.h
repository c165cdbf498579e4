/* marking.h - one row in hand, between the engine's parts: engine.c, checks.c, gates.c,
 * measure.c and others. */
#ifndef GRADING_MARKING_H
#define GRADING_MARKING_H

#include "engine.h"

struct marking {
    struct engine *e;
    struct session *s, **gpu; /* *gpu: made when first needed */
    struct draw draw;
    const struct rubric_row *row;
    struct verdict_row out;
    bool settled; /* out has a status */
    int done;     /* cases that were right, or clean, or kept to the gate */
};

/* Writes status and reason into the row; points follow from the status. */
void marking_settle(struct marking *m, enum row_status status, const char *why,
                    const char *case_name);
/* The row's variant on a case, on the emulator; `again` 1, 2, … with fresh inputs. */
struct run *marking_run(struct marking *m, const struct marked_case *c, int again, bool check);
/* The reference solution's, of the same case: on inputs of its own, so that one run serves a class,
 * where counts do not follow from them. */
struct run *marking_reference(struct marking *m, const struct run *r);
/* True, and settled, when its results are not right: a gate, a check or a time rests on them. */
bool marking_blocked(struct marking *m, const struct run *r, const struct marked_case *c);
/* True, and settled, when the run's failure was the grader's. */
bool marking_failed(struct marking *m, const struct run *r, const struct marked_case *c);
/* Settles as failed, with what was wrong in this run; prefix: a sentence before it. */
void marking_fail_on(struct marking *m, const struct run *r, const struct marked_case *c,
                     const char *prefix);
/* Settles as failed by a finding of this case. */
void marking_fail_finding(struct marking *m, json_t *finding, const struct marked_case *c);
/* Names the finding's source line, in the sentence unless it is there. */
void marking_set_line(struct marking *m, const json_t *finding, const struct marked_case *c);
const char *finding_member(const json_t *finding, const char *key); /* "": it is no text */
const char *marking_error(int32_t error); /* cudaError_t, in words that give nothing away */
struct session *engine_reference(struct engine *e);
/* "a hidden case (its kind)" or " the case NAME", for free(). */
char *marking_place(const struct marked_case *c);

/* A row of kind ROW_CHECKS (checks.c). */
void mark_checks(struct marking *m, struct marked_case *cases, int n);
/* Such a row, which has passed, once all runs of the submission are over: settles it as failed by
 * what runs of its kernels show that other rows asked for. */
void mark_elsewhere(struct marking *m);
/* A row of kind ROW_FAULTS (faults.c). */
void mark_faults(struct marking *m, struct marked_case *cases, int n);
/* A row of kind ROW_GATE (gates.c). */
void mark_gate(struct marking *m, struct marked_case *cases, int n);
/* A row's gate on one case, with its influences or without; false, and settled, when it does not
 * hold or cannot be judged. */
bool mark_gate_on(struct marking *m, const struct marked_case *c, bool influence);
/* Its totals on a case that it does not name, within a factor of what the reference needs there. */
bool mark_gate_elsewhere(struct marking *m, const struct marked_case *c);
bool gate_on_times(const char *gate);

/* Other cases that a row of checks looks at (others.c), into out, for as many as there are; their
 * number. */
int others_checked(struct marking *m, bool hidden, struct marked_case *out);
/* Holds the row's gate on others, too. */
void others_gated(struct marking *m, bool hidden);

/* Cases that the variant's own conditions single out (seek.c). Of a row of results, which it has
 * passed: finds them, and settles it as failed where it is wrong on one. */
void seek(struct marking *m);
/* What is told of them. */
struct marked_case sought_case(const struct marking *m, const struct sought *x);

/* On the GPU. Each settles the row, except measure_correct() when all is right: true. */
bool measure_correct(struct marking *m, struct marked_case *cases, int n);
/* r: right on the emulator, on the case c. */
void measure_speed(struct marking *m, const struct run *r, const struct marked_case *c);

#endif
