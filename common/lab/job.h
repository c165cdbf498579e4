/* job.h - what is to be run and what came of it, both also over a pipe.
 *
 *   job = plan + inputs + options ──▶ run/run.h, here or in a box ──▶ outputs
 *
 * Neither knows a lab, an expected answer or whether anything is right: that is result.h.
 */
#ifndef LAB_JOB_H
#define LAB_JOB_H

#include "base/text.h"
#include "emulator/base/counters.h"
#include "emulator/base/disturb.h"
#include "lab.h"
#include "wire.h"

/* What a buffer holds before the run, so that what nobody wrote is seen. Under checks memory is
 * left as it came: reads of it are found. */
enum poison {
    POISON_NONE,
    POISON_OUTPUTS,
    POISON_ALL /* scratch, too, and what is behind a case's part of a module's array */
};

struct job_options {
    bool check;             /* with the emulator's checks */
    bool check_some;        /* … or with those of some blocks (check.h, CHECK_SOME) */
    bool as_is;             /* on the emulator: with shared variables where a GPU has them */
    bool want_lines;        /* counters by line, the first kernel's first block traced */
    bool want_instructions; /* counters by instruction */
    bool timed;             /* on a GPU: the clock around the launches */
    bool untimed;           /* on the emulator: nobody asks for the modelled time */
    bool blank;             /* inputs are not sent, but zeros, or what a module's array
                               holds; transforms are left out */
    bool launch_only;       /* nothing is read back: a profiler counts, or the time is all */
    bool timeline;          /* on a GPU: the clock around each operation of a schedule */
    bool any_status;        /* a program's result counts whatever status it ends with */
    unsigned disturb; /* classes of instructions, 1 << DISTURB_… (emulator/base/disturb.h) */
    enum poison poison;
    const char *fail; /* a program's call that is to fail, "cudaMalloc:2"; NULL: none */
#define JOB_DISK_FULL                                                                              \
    "disk:full"         /* this, in fail: its result is to go to /dev/full; with                   \
                           "disk:9000" no file of its gets more bytes */
#define JOB_LATE "late" /* none: copies and kernels are done where something waits for them */
    uint64_t steps;     /* warp instructions a launch on the emulator; 0: no limit */
    uint64_t seed;      /* of poison and guards */
    uint64_t look;      /* on the emulator: runs that look at one thing again have the
                           number of its first; 0: none. run/look.h */
    uint64_t sample_at; /* on the emulator: says which blocks modelled times are made of;
                           0: fixed ones */
};
struct job {
    const struct plan *plan;
    const void *inputs[LAB_MAX_BUFFERS]; /* of BUF_INPUT buffers */
    struct job_options options;
    char *fail; /* after job_read(): options.fail's text, or "" */
};
/* Does the runtime's function give something back ("cudaFreeHost", also as "cudaFreeHost:2")? When
 * it fails, the result may be there already, and one thing stays. */
bool job_gives_back(const char *call);
/* Can the device be used on after this error? A trial may take too long, if no schedule's streams
 * still have work. */
bool job_goes_on(const struct plan *p, const struct job_options *o, int32_t error);

/* How far it came; only then what follows is there. */
enum stage {
    STAGE_OPEN, /* a kernel or variable is missing, or memory */
    STAGE_RUN,  /* a launch failed, or the device after it */
    STAGE_DONE, /* inputs were compared, data is there */
};
/* When an operation of a schedule ran, ms from the first one's issue; of a launch on the emulator
 * also its warp instructions and the sectors that it loaded from global memory. */
struct op_time {
    double start, end, work, loaded;
};
struct outputs {
    enum stage stage;
    int32_t error;       /* cudaError_t, 0 also when the failure was not CUDA's */
    char *message;       /* why it is not done, else "" */
    int changed;         /* an input that a kernel wrote to, -1: none */
    uint64_t changed_at; /* its first element that differs */
    bool counted;        /* the emulator: counters, modelled time, occupancy and bound are there */
    struct counters counters;
    uint64_t steps; /* taken of what launches may take; 0: nothing counts them */
    double modelled_ms, occupancy;
    char bound[32], limiter[32];
    double measured_ms;    /* 0: not timed */
    uint32_t sm_mhz;       /* of a GPU right after a timed run; 0: not known */
    struct op_time *times; /* of the plan's ops, where the emulator or `timeline` tells; or NULL */
    uint64_t nfindings;    /* of the checks, and errors */
    char *findings;        /* the first of them: JSON objects, one a line */
    /* Of a program (lab->program), else NULL: what it printed, its error messages, and what the
     * runtime wrote down of it (emulator/runtime/record.c, "" where it did not). */
    char *printed, *said, *record;
    int32_t status; /* its exit status, 128 + N when signal N ended it */
    bool late;      /* … which was done by the wall clock, and not as it waited */
    bool wrote;     /* there is a result, of whatever length */
    /* JSON, JSON, JSON lines. NULL unless asked for, where longer than may be, and on a GPU. */
    char *lines, *instructions, *trace;
    char *compared; /* of a run that disturbs `compared` or `outcomes`: lines of emulator/exec's
                       compared.h, outcomes.h */
    void *data[LAB_MAX_BUFFERS]; /* of BUF_OUTPUT buffers: large_alloc() */
};
void outputs_free(struct outputs *o);
/* How many engines (copies in, kernels, copies out) are busy on average, 0 when not known. */
double outputs_overlap(const struct outputs *o, const struct plan *p);
/* Of the kernels' time the part in which something is copied, either way; 0 when not known. */
double outputs_beside(const struct outputs *o, const struct plan *p);
/* How many times as much as a rank on average the busiest one's kernels do: of warp instructions,
 * or of sectors loaded. Infinity when not known, as on a GPU. */
double outputs_skew(const struct outputs *o, const struct plan *p, bool of_loads);
void outputs_drop_data(struct outputs *o); /* keeps the rest */
/* A fact of a program's record, "left_bytes" or "calls.cudaMalloc"; 0 where the record has no such
 * line, false where there is no record. */
bool record_value(const struct outputs *o, const char *name, double *value);
/* The time of a part of its work in milliseconds, from a printed line "NAME 0.125 ms": false when
 * there is none. */
bool printed_ms(const struct outputs *o, const char *name, double *ms);
/* And its rate, from "NAME 0.125 ms 98.3 GB/s". */
bool printed_rate(const struct outputs *o, const char *name, double *gbps);
/* What events told that is nearest to that: one of the times, or two together. False when it
 * printed none, or none was told. */
bool told_ms(const struct outputs *o, const char *name, double *ms);
/* What a program printed, or the record says of it, by its name in a condition (gate.h):
 * "calls.cudaMalloc", "record.left", "printed.kernel" (ms), "told.kernel" (ms),
 * "rate.kernel" (GB/s). NAN, with which
 * no comparison holds, where that is not there. False: the name is none of these. */
bool program_fact(const struct outputs *o, const char *name, double *value);

#define JOB_MAX_FAIL         4096
#define JOB_MAX_SAID         (64u << 10) /* a program's own words, of each kind */
#define JOB_MAX_TEXT         (4u << 20)  /* of each text in outputs */
#define JOB_MAX_INSTRUCTIONS (32u << 20)
#define JOB_MAX_TRACE        (3u << 20) /* the rest of a trace is not kept */

bool job_write(const struct wire *w, const struct job *j);
/* *p holds the plan afterwards. False when the pipe ends or what it says is no job. */
bool job_read(const struct wire *w, struct job *j, struct plan *p);
void job_free(struct job *j); /* the inputs, after job_read() */
bool outputs_write(const struct wire *w, const struct plan *p, const struct outputs *o);
/* *o is to be freed whatever this returns. launch_only: as in the job's options, there is no data.
 */
bool outputs_read(const struct wire *w, const struct plan *p, bool launch_only, struct outputs *o);

#endif
