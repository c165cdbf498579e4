/* experiment.h - a kernel that is wrong is run again, on cases, launch records and inputs of
 * one's own, to find out why.
 *
 * Interface: experiment_run() on the lab's inputs, experiment_with() on any. Both spend a budget,
 * so that a wrong run takes seconds at most; when it is spent, RUN_NOT_TRIED comes back.
 */
#ifndef HARNESS_EXPERIMENT_H
#define HARNESS_EXPERIMENT_H

#include "verify.h"

/* Small changes of the file, for all variants of a run. */
struct tries {
    unsigned left;
    uint64_t spent;    /* on them: bytes compiled, and what runs take as long as such */
    uint64_t compiled; /* bytes, in all */
    bool counts;       /* runs are tries */
    /* What was told of a variant: at this place of the file, this text for so long a one makes it
     * right; NULL: nothing was. */
    const char *of, *cause;
    char *with;
    size_t at, length;
};

struct experiment {
    struct verify *verify;
    const struct lab_variant *variant;
    struct launch_record record, own;           /* own: the file's as it is, of this variant */
    void (*recover)(void *user, cudaError_t e); /* after an error, so that the next run can be */
    void (*fresh)(void *user); /* loads the module again: its variables are as they were at first */
    /* Loads another text in the file's place, until fresh(); quick: to worse code, which says
     * nothing of counts. False: it does not compile, and *log is for free(), unless log is NULL.
     * NULL: it cannot be done here. */
    bool (*replace)(void *user, const char *source, bool quick, char **log);
    /* Of what was loaded last, which edits_join() made: this change. */
    bool (*choose)(void *user, int number);
    const char *source; /* the file's text */
    const char *log;    /* the compiler's, of it; NULL: none */
    struct tries *edits;
    void *user;
    int exchanged[2]; /* parameters of the kernels that change places, by number; the same: none */
    bool stopped;     /* it took too many steps on a case of its own, not of an experiment's */
    bool any_status;  /* a program's result is looked at whatever status it ends with */
    const char *fail; /* a program's call that is to fail in all runs (job.h); NULL: none */
    bool lines;       /* counters by line, too (outputs.lines) */
    int infinite;     /* input buffer + 1 that has a few infinite elements; 0: none */
    uint64_t fill;    /* the seed of what memory is filled with; 0: the inputs' */
    bool clear;       /* 0 behind a case's part of the module's arrays */
    unsigned disturb; /* 1 << DISTURB_… in all runs (emulator/base/disturb.h) */
    unsigned runs;    /* that are left */
    uint64_t instructions; /* of warps, likewise; the emulator's alone */
    uint64_t steps;        /* the most a launch may take */
};

/* May one more be tried? Not when the student has waited for long. */
bool tries_left(const struct tries *t);
/* One was compiled, to this many bytes; or what was compiled before is loaded again. */
void tries_compiled(struct tries *t, size_t size, bool quick);
void tries_loaded(struct tries *t, size_t size);

/* replace() and fresh(), with the record of what is loaded then; of a text without one the file's.
 */
bool experiment_replace(struct experiment *x, const char *source, bool quick, char **log);
void experiment_fresh(struct experiment *x);

/* What came of one run. */
struct sample {
    struct lab_case input;
    struct plan plan;
    struct outputs outputs;
    struct result result; /* of experiment_run() alone */
    enum run_end end;
};
/* c is kept until sample_free(). */
enum run_end experiment_run(struct experiment *x, const struct lab_case *c, uint64_t seed,
                            bool check, struct sample *s);
/* data: of the input buffers, as they are in s->plan, which experiment_plan() makes. RUN_OK says
 * that the run came to its end: nothing is compared. */
enum run_end experiment_with(struct experiment *x, void *const *data, struct sample *s);
bool experiment_plan(const struct experiment *x, const struct lab_case *c, struct sample *s);
void sample_free(struct sample *s);
/* A sample that is used again, with its plan. */
void sample_reset(struct sample *s);

#endif
