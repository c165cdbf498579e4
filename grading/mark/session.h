/* session.h - one source text, compiled and run in boxes, one plan after the other.
 *
 * Interface: session_start() compiles; session_run() carries out one variant on one case and
 * compares its outputs with the CPU reference. A run is made once and remembered. The box is
 * started when first needed, and again after a run that killed it.
 */
#ifndef GRADING_SESSION_H
#define GRADING_SESSION_H

#include "lab/lab.h"
#include "lab/result.h"
#include "proto.h"
#include "grading/sandbox/sandbox.h"

#include <jansson.h>

enum { CC_MAGIC = 0x43435052 };
struct cc_reply {
    uint32_t magic, ok, image_bytes, log_bytes;
};

/* Where things are, and limits; the same for all sessions of a process. */
struct engine_options {
    const char *secret;  /* seeds and hidden cases come from it; NULL: practice, no hidden ones */
    bool unconfined;     /* no sandbox (practice only) */
    bool gpu;            /* this session runs on the GPU */
    int gpu_index;       /* which of the machine's */
    char gpu_arch[16];   /* "sm_90": what is compiled for it */
    char gpu_name[400];  /* device and driver */
    const char *gpu_lib; /* folder of its CUDA runtime; NULL: the toolkit's */
    bool trusted;        /* the reference solution: its runner serves a whole class */
    bool measure;        /* engine: SPEED rows are measured on the GPU */
    bool first_failure;  /* engine: stop after the first row that does not pass */
    const char *only;    /* variants, separated by spaces; NULL: all */
    uint64_t steps;      /* a launch may take on the emulator: a warp instruction is one or more */
    uint64_t steps_all;  /* all launches of a submission; in checked runs each counts for four */
    double compile_s, run_s; /* wall clock; what it ends is tried again, and then a person's */
    const char *bin, *lib, *root, *cuda; /* folders: build/bin, build/lib, repository, toolkit */
};
void engine_defaults(
    struct engine_options *o); /* finds the folders from this program's own place */

/* What became of a run in which a class of instructions was disturbed. */
struct influence {
    bool asked;
    double share;  /* of the compared results that were wrong; NaN: not known, and */
    char *why;     /* why: a sentence */
    bool broke;    /* … as it ended with an error of CUDA's, but for its time */
    bool unwaited; /* of a run with checks: what a copy brings was used and not waited for */
};
struct run {
    const struct lab_variant *variant;
    struct lab_case c;
    uint64_t seed;
    bool check, hidden; /* hidden: nothing of it is told but whether it was right */
    struct launch_record record;
    struct schedule *schedule; /* that the record has */
    char *note;                /* about the record, may be "" */
    struct plan *plan;         /* NULL when there was none */
    struct outputs outputs;    /* but for the data, which is compared and dropped */
    json_t *findings;          /* array */
    struct result result;
    uint64_t steps;                            /* that a launch of it was allowed */
    bool as_is, untimed;                       /* RUN_AS_IS, RUN_UNTIMED */
    uint64_t look;                             /* run/look.h */
    bool late;                                 /* the wall clock ended it */
    char *why;                                 /* a sentence, when not RUN_OK */
    char *lines;                               /* JSON, once asked for (session_lines) */
    char *instructions;                        /* JSON, once asked for (session_instructions) */
    struct influence influence[DISTURB_COUNT]; /* once asked for (session_influence) */
    char *trace; /* JSON lines, with lines: the first block of the first kernel, or its start */
};

/* A case that was found for a variant: seek.c. Its name is the session's. */
struct sought {
    const struct lab_variant *variant;
    struct lab_case c;
    bool larger; /* than all that are marked */
};

/* What a variant's source says about its launch: it is asked once. */
struct said_record {
    const struct lab_variant *variant;
    enum record_state state, schedule_state;
    struct launch_record given;
    struct schedule *schedule; /* NULL: it was not asked for */
};

struct session {
    const struct lab *lab;
    const struct engine_options *o;
    char *name; /* of the file, in messages: "reduction.cu" */
    char *source;
    size_t length;
    bool compiled;
    bool load_failed; /* compiled, but not to what the device takes: inline PTX, or a gap of ours */
    bool internal;    /* our failure: `problem` says which */
    char *problem;    /* why not compiled or not loadable, a sentence */
    bool counted;     /* it says what registers kernels need in machine code */
    char *image;
    size_t image_bytes;
    char *compile_log;
    struct box box;
    bool open;
    double limit_s;   /* of the run in hand, wall clock */
    bool late;        /* it ended one of them, twice */
    uint64_t taken;   /* steps, those of checked runs four times */
    uint64_t dearest; /* steps of the run that took most, each once */
    struct loaded loaded;
    struct said_record *said;
    int nsaid;
    struct run **runs;
    int nruns;
    struct sought *sought;
    int nsought;
    char **names; /* of all cases that were tried for that */
    int nnames;
    struct text log; /* device output and the emulator's messages, capped */
    size_t log_dropped;
    double started;
};

void session_start(struct session *s, const struct lab *lab, const struct engine_options *o,
                   const char *name, const char *source, size_t length);
/* how: RUN_CHECKED, with the emulator's checks; RUN_INSTRUCTIONS, counters by instruction, too;
 * RUN_UNTIMED, without the sample that a modelled time needs; RUN_LATER, it may know of runs of the
 * same case, which others may not; RUN_AS_IS, with shared variables where a GPU has them. */
enum { RUN_CHECKED = 1, RUN_INSTRUCTIONS = 2, RUN_UNTIMED = 4, RUN_LATER = 8, RUN_AS_IS = 16 };
struct run *session_run(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                        uint64_t seed, unsigned how);
/* The run again, with source lines and a trace; NULL when it has none. */
const char *session_lines(struct session *s, struct run *r);
/* Its counters by instruction: of the run itself where it was asked for them, else of another. */
const char *session_instructions(struct session *s, struct run *r);
/* A run of its own, of which the comparisons are kept that are the same in all threads: lines of
 * emulator/exec/compared.h, for free(); NULL when it did not come to its end. */
char *session_compared(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       uint64_t seed);
/* Likewise how instructions turn out in a few of its blocks, which run alone, as far as they come:
 * lines of emulator/exec/outcomes.h. */
char *session_outcomes(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       uint64_t seed, bool blank); /* blank: on zeros, which nobody sends */
/* Does one of these blocks, which run to their ends, write a result that is wrong, or do checks
 * find something in it? Wrong it is, too, where several have to come together for a result. */
bool session_few_wrong(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       uint64_t seed);
/* About how many bytes a run of these goes through (all: of all buffers); UINT64_MAX where the case
 * has no plan. */
uint64_t session_bytes(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                       bool all);
/* All that says what is asked, but its name, is the same. */
bool session_same_size(const struct lab_case *a, const struct lab_case *b);
const char *session_keeps(struct session *s, char *name); /* takes it over: it lives as long */
void session_sought(struct session *s, const struct lab_variant *v, const struct lab_case *c);
/* The run, which was right, again with a class disturbed (enum disturbance). */
const struct influence *session_influence(struct session *s, struct run *r, int class);
/* A few blocks of a case that is too large to be run, on zeros, checked as in any run (CHECK_SOME):
 * results mean nothing. For session_again_free(). */
struct run *session_large(struct session *s, const struct lab_variant *v, const struct lab_case *c,
                          uint64_t seed);
/* The run again with these options, for session_again_free(); not remembered. */
struct run *session_again(struct session *s, const struct run *r, struct job_options options);
void session_again_free(struct run *r);
struct timed {
    double ms;
    uint32_t sm_mhz; /* the SMs' clock right after; 0: not known */
    double bytes;    /* that the plan moves */
};
/* On a GPU: the run again, with inputs of another seed, timed; its results are compared, or taken
 * for right (the reference's, once they were). False with the reason, allocated, when it is wrong
 * or does not run. */
bool session_time(struct session *s, const struct run *like, uint64_t seed, bool compared,
                  struct timed *t, char **why);
/* Ends the runner, so that log is complete; a later run starts it again. */
void session_rest(struct session *s);
void session_end(struct session *s);

/* Of a box that runs grade-runner. */
struct wire box_wire(struct box *b);
/* An element as people write it: integers in full, else nine digits. */
void number_text(char out[40], double v);
bool run_counter(const struct run *r, const char *name, double *value);

#endif
