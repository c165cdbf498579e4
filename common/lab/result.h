/* result.h - what a run of a variant on a case came to: lab.verify of design's
 * plan → run → verify → result. The harness prints it, the grader marks by it.
 */
#ifndef LAB_RESULT_H
#define LAB_RESULT_H

#include "compare.h"
#include "job.h"
#include "lab.h"

enum run_end {
    RUN_OK,            /* ran to its end, and all of it is right */
    RUN_WRONG,         /* ran to its end; outputs differ */
    RUN_INPUT_CHANGED, /* ran to its end; a kernel wrote to its input */
    RUN_NO_KERNEL,     /* the module lacks a kernel of the plan */
    RUN_RECORD,        /* its launch record cannot be used */
    RUN_ERROR,         /* a CUDA error, or a write outside of a buffer */
    RUN_ENDLESS,       /* step or time budget spent */
    RUN_DIED,          /* the runner ended: memory limit, crash */
    RUN_NOT_TRIED,     /* an earlier run of the variant was endless or died */
    RUN_INTERNAL,      /* our fault: needs a person */
    RUN_ENDS
};
extern const char *const run_end_words[RUN_ENDS]; /* "ok", "wrong", "input changed" … */

/* An output that is wrong. */
struct wrong_output {
    int buffer;
    struct comparison comparison;
    char *cause; /* what the errors look like; NULL: nothing in common */
};
struct result {
    enum run_end end;
    uint64_t wrong, compared; /* elements, of all outputs */
    uint64_t unwritten;       /* of the wrong ones, where outputs were filled before */
    /* Of floating-point outputs: the sum of all errors in parts of the sum of all that is expected
     * (the L1 norm), and the greatest error. NaN: there is none. */
    double error_l1, error_max;
    int noutputs;
    struct wrong_output outputs[LAB_MAX_BUFFERS];
};

/* Compares what came back with the CPU reference; seed: of the inputs. A run that is not done says
 * how it ended by its error, one of which nothing is read back is right. An input that changed
 * comes before outputs that are wrong, which are there too. */
void result_of(const struct lab *lab, const struct lab_variant *v, const struct lab_case *c,
               uint64_t seed, const struct launch_record *record, const struct job *j,
               const struct outputs *o, struct result *r);
void result_free(struct result *r);

#endif
