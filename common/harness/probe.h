/* probe.h - what a wrong output is really made of, found by running the kernel on inputs chosen
 * for it: single elements set, an extreme planted, values that show rounding.
 *
 * Interface: probe(). What it says was seen in such a run; nothing is concluded from the wrong
 * result itself.
 */
#ifndef HARNESS_PROBE_H
#define HARNESS_PROBE_H

#include "experiment.h"

/* What is known of a failure. Causes are words for tests (labs/LAB/faulty): "left-out", "race". */
struct diagnosis {
    bool refused;        /* no case that failed could be launched as the launch record says */
    const char *cause;   /* the first that was established; NULL: none */
    struct text words;   /* lines, indented */
    struct text unsaid;  /* … that were found, and are not told beside a change that mends it */
    const char *as;      /* what is told of this variant makes this one right, too; NULL: none */
    const char *despite; /* what was told of that one, of a function that this one calls, too, does
                            not mend it */
    struct text beside;  /* of one that is right: what it is not, all the same */
    bool whole;          /* an output lacks all that belongs to it */
    bool example;        /* what comes out of what is told, and no cause */
    bool counted;        /* how often an output takes each element was tried, one by one */
};
void diagnosis_add(struct diagnosis *d, const char *cause, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Looks at element o of output `out` of case c, on which the kernel is wrong. True when something
 * was found, and is in d. */
bool probe(struct experiment *x, const struct lab_case *c, int out, uint64_t o,
           struct diagnosis *d);
/* Of a lab that says so (any_numbers): the simplest inputs that come out wrong, and whether it
 * takes the right elements. */
bool probe_any_numbers(struct experiment *x, const struct lab_case *c, int out, uint64_t o,
                       struct diagnosis *d);
/* Does an input, as a whole, not come into it? */
bool probe_inputs(struct experiment *x, const struct lab_case *c, int out, uint64_t o,
                  struct diagnosis *d);

#endif
