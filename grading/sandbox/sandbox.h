/* sandbox.h - runs one program in a box: bubblewrap, seccomp, limits, an empty environment.
 *
 * The box has its own user, PID, network, IPC, UTS, cgroup and mount namespaces; it sees
 * /usr/lib, what the spec binds read-only, and a small /tmp. No name of a folder of the host is
 * to be read in it, but that of a GPU's driver. Its standard input, output and
 * error are pipes to the grader; no other descriptor crosses. Threads may be made in it,
 * processes only where the spec says so. Killing the box kills all that is in it.
 *
 *      grader ── in ──▶ ┌──────────────┐
 *             ◀─ out ── │ bwrap ─ init ─ program
 *             ◀─ err ── └──────────────┘ (kept, up to log_cap bytes)
 */
#ifndef GRADING_SANDBOX_H
#define GRADING_SANDBOX_H

#include "base/text.h"

#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>

#define BOX_MAX_BINDS 24

/* Programs built with AddressSanitizer (make SAN=1, by any compiler) reserve terabytes, read their
 * own mappings, and cannot look for leaks where processes may not be traced. The compiler is not
 * ours: where it asks for memory is not kept, nor for long what it gives back. */
#ifdef WITH_ASAN
#define BOX_ADDRESS_LIMIT(bytes) 0
#define BOX_SANITIZER_ENV        "ASAN_OPTIONS", "detect_leaks=0",
#define BOX_COMPILER_ENV                                                                           \
    "ASAN_OPTIONS", "detect_leaks=0:malloc_context_size=2:quarantine_size_mb=8",
#define BOX_NO_PROC false
#else
#define BOX_ADDRESS_LIMIT(bytes) (bytes)
#define BOX_SANITIZER_ENV
#define BOX_COMPILER_ENV
#define BOX_NO_PROC true
#endif

struct box_spec {
    const char *const *argv; /* argv[0] is a path in the box */
    struct {
        const char *host, *inside;
    } binds[BOX_MAX_BINDS]; /* read-only */
    int nbinds;
    const char *const *env; /* "NAME", "value", …, NULL: all the program gets beside PATH */
    double cpu_s, wall_s;   /* wall_s is counted from the start; box_deadline() moves it */
    size_t address_bytes;   /* RLIMIT_AS; 0: none (programs that reserve large ranges) */
    size_t resident_bytes;  /* killed beyond; 0: no limit */
    size_t file_bytes, log_cap;
    const char *gpu; /* the device file of the one GPU that the box gets; NULL: none */
    bool processes;  /* more than one may be made in it */
    bool tools;   /* the host's compilers and headers, in /usr/bin and beside it; processes, too */
    bool no_proc; /* without /proc, which tells of the process and its mounts */
    bool traced;  /* refused system calls raise SIGSYS, to find out which these are */
    bool unconfined; /* no box: practice runs on a machine without bubblewrap */
};

enum box_end { BOX_RUNNING, BOX_EXITED, BOX_TIMEOUT, BOX_MEMORY, BOX_NO_START };

struct box {
    pid_t pid;                      /* the holder's, see sandbox.c */
    int in, out, err, status, life; /* -1 when closed; closing life ends the box */
    bool unconfined;
    double limit_s, deadline; /* of the clock; see box_deadline() */
    double worked; /* processor time of the program soon after that was set; -1: not asked */
    int again;     /* how often it was given anew */
    size_t resident_bytes, resident_peak, log_cap;
    struct text log; /* standard error */
    size_t log_dropped;
    struct text status_text;
    enum box_end end;
    int exit_code; /* 128 + signal when killed by one */
    pid_t inner;   /* the program's host PID, 0 while unknown */
    size_t nwaiting;
    char waiting[4096]; /* small pieces to send, which go together: before anything is received */
    size_t first_ahead, nahead;
    char ahead[1 << 16]; /* received, and not yet asked for */
};

/* The folder of the programs that are made for boxes: this program's own, or build/bin for a test
 * program. */
const char *boxed_programs(void);

/* Why boxes do not work here, a sentence; NULL: they do. Tried once a process. */
const char *sandbox_refused(void);

/* Starts spec. On failure end is BOX_NO_START and log says why; box_close() still applies. */
bool box_start(struct box *b, const struct box_spec *spec);
/* The box has so many seconds from now. One that wants a processor and has had less than half of
 * them on one, on a machine with too much to do, gets them again, ten times at most. */
void box_deadline(struct box *b, double seconds);
/* All n bytes or false: the box ended, or was ended for passing a limit. */
bool box_send(struct box *b, const void *data, size_t n);
void box_end_input(struct box *b);
bool box_receive(struct box *b, void *data, size_t n);
/* Everything the box writes until it closes its output; bytes past cap are read and dropped. */
void box_drain(struct box *b, struct text *out, size_t cap, size_t *dropped);
/* Closes input, waits for the end (until the deadline), reaps. Sets end and exit_code. */
void box_finish(struct box *b);
/* Kills if needed, reaps, frees. */
void box_close(struct box *b);

#endif
