/* run.h - carries a job out on a module: run(plan, inputs, options) → outputs.
 *
 * The harness calls it; so does the runner in the grader's box (grading/mark/runner_main.c), which
 * has the job from a pipe and sends the outputs back. Each job has memory of its own, and the
 * whole device is waited for before anything is read back.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "exec.h"
#include "lab/job.h"
#include "module.h"

/* *o is to be freed with outputs_free(). */
void run_here(const struct module *m, const struct job *j, struct outputs *o);

/* The parts of it, for who launches in another way (harness/verify.c times): how memory is laid
 * out for a job, what is in it before, what came of it. All but the first return false with
 * e->message set. */
struct exec_options run_memory(const struct job_options *o);
bool run_fill(struct exec *e, const struct job *j); /* inputs and poison */
bool run_collect(struct exec *e, const struct job *j, struct outputs *o);

#endif
