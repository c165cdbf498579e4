/* exec.h - carries a launch plan out on a module: the only part that touches student code.
 *
 * It knows no lab. A run goes
 *
 *   exec_open → exec_upload (each input) → exec_poison → exec_launch → exec_finish
 *             → exec_download (each output) → … again … → exec_close
 *
 *   one buffer on the device:   ┌───────┬──────────────────────┬───────┐
 *                               │ guard │ count elements       │ guard │
 *                               └───────┴──────────────────────┴───────┘
 * Guards hold a pattern that exec_finish() compares. They are for a GPU; on the emulator and
 * under compute-sanitizer buffers have their exact size, so that the fault itself is seen.
 */
#ifndef RUN_EXEC_H
#define RUN_EXEC_H

#include "lab/job.h"
#include "module.h"

#define EXEC_GUARD_BYTES 4096

struct exec_options {
    size_t guard_bytes; /* 0: none; else a multiple of 256 */
    /* Outputs and scratch get a pattern no lab expects; POISON_ALL: and what is behind a case's
     * part of the module's array, where otherwise is 0. */
    enum poison poison;
    uint64_t seed; /* of pattern and guards */
    bool timeline; /* the clock around each operation of a schedule */
    bool blank;    /* nothing is uploaded, and transforms are left out */
};

struct exec {
    const struct plan *plan;
    const struct module *module;
    struct exec_options options;
    char *base[LAB_MAX_BUFFERS]; /* as allocated */
    char *data[LAB_MAX_BUFFERS]; /* what kernels get */
    size_t bytes[LAB_MAX_BUFFERS];
    const void *symbols[LAB_MAX_BUFFERS]; /* what variables of the module were filled with */
    size_t rest[LAB_MAX_BUFFERS];         /* bytes that these have beyond the plan's */
    cudaKernel_t kernels[LAB_MAX_STEPS];
    struct fft *ffts[LAB_MAX_STEPS]; /* of steps that are transforms (fft.h) */
    /* Of a plan with memory of its own (streams.h): inputs and outputs on the host, what its
     * operations need, and when they ran. */
    char *host_base[LAB_MAX_BUFFERS], *host[LAB_MAX_BUFFERS];
    cudaStream_t streams[LAB_MAX_RANKS][SCHEDULE_STREAMS];
    cudaEvent_t events[LAB_MAX_RANKS][SCHEDULE_EVENTS], *begin, *end;
    struct maps *maps;   /* of tensor kernels' arguments (maps.h) */
    struct ranks *ranks; /* the others' places, where there are several (ranks.h) */
    struct op_time *times;
    cudaError_t error; /* of the last failure, cudaSuccess when none came from CUDA */
    char *message;     /* why the last call returned false, else "" */
};

/* All return false with message set. After exec_open() failed, exec_close() is still due. */
bool exec_open(struct exec *e, const struct plan *p, const struct module *m,
               const struct exec_options *o);
bool exec_upload(struct exec *e, int buffer, const void *host);
/* The module's variables again: all that are open on it share them. What was uploaded to them
 * must still be there. */
bool exec_refill(struct exec *e);
bool exec_poison(struct exec *e);
/* Starts all steps, in order, in the default stream; does not wait. A schedule is carried out and
 * waited for. */
bool exec_launch(struct exec *e);
/* Starts one step, on a rank's buffers. */
bool exec_step(struct exec *e, int i, int rank, cudaStream_t stream);
/* Waits for all devices, then checks errors and guards. */
bool exec_finish(struct exec *e);
bool exec_download(struct exec *e, int buffer, void *host);
/* True when the device still holds these bytes: a kernel must not change its input. *at: the
 * first element that differs; UINT64_MAX when they could not be read. */
bool exec_unchanged(struct exec *e, int buffer, const void *host, uint64_t *at);
void exec_close(struct exec *e);
/* Sets message, with the CUDA error's own words when it is one, and returns false. */
bool exec_fail(struct exec *e, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Of a kernel's fault, which a later call is told: of which of the first `nsteps` it was the
 * runtime does not say. */
bool exec_launch_failed(struct exec *e, cudaError_t error, int nsteps);

#endif
