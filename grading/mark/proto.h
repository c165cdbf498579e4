/* proto.h - what the grader and the runner in the box say to each other, over the box's standard
 * input and output (lab/wire.h).
 *
 * The runner interprets a submission's code, so the grader trusts no length, count or text that
 * comes back: each is bounded before use.
 *
 *      grader                         runner
 *      name, module            ──▶
 *                              ◀──    loaded
 *      MSG_ASK: variant        ──▶
 *                              ◀──    its launch record
 *      MSG_RUN: job            ──▶
 *                              ◀──    outputs (lab/job.h)
 *      (end of input)          ──▶    ends
 *
 * Started as `grade-runner probe` it reads nothing, tries the device and sends back loaded.
 */
#ifndef GRADING_PROTO_H
#define GRADING_PROTO_H

#include "lab/job.h"
#include "lab/machine.h"
#include "lab/record.h"

enum { PROTO_MAX_NAME = 1 << 16, PROTO_MAX_MODULE = 256 << 20 };

enum load_state { LOADED, LOAD_NO_DEVICE, LOAD_REFUSED /* the device does not take the module */ };
struct loaded {
    enum load_state state;
    struct machine machine; /* nothing when there is no device */
    bool tight;             /* module_is_tight() */
    uint32_t sm_mhz;        /* the SMs' clock now; 0: not known */
    char *why;              /* what went wrong, "" */
};

enum msg_kind { MSG_ASK = 1, MSG_RUN, MSG_SCHEDULE };

bool hello_write(const struct wire *w, const char *name, const void *module, size_t bytes);
/* *module has a NUL after it; both are allocated, NULL when this returns false. */
bool hello_read(const struct wire *w, char **name, void **module, size_t *bytes);

bool loaded_write(const struct wire *w, const struct loaded *l);
bool loaded_read(const struct wire *w, struct loaded *l); /* l->why is to be freed */

/* The grader's side of MSG_ASK; the runner's is record_write(). */
bool record_ask(const struct wire *w, const char *variant, enum record_state *state,
                struct launch_record *given);
bool record_write(const struct wire *w, enum record_state state, const struct launch_record *given);
/* The same of its schedule, with MSG_SCHEDULE. Only *s that is given crosses. */
bool schedule_ask(const struct wire *w, const char *variant, enum record_state *state,
                  struct schedule *s);
bool schedule_write(const struct wire *w, enum record_state state, const struct schedule *s);

#endif
