/* program.h - what the parts of a lab's program share: main.c runs, choose.c chooses, tell.c tells.
 */
#ifndef HARNESS_PROGRAM_H
#define HARNESS_PROGRAM_H

#include "compile.h"
#include "diagnose.h"
#include "options.h"
#include "report.h"
#include "verify.h"

struct variant_state {
    bool chosen, skipped;
    bool missing;     /* skipped, and the lab asks for it */
    bool stopped;     /* one took too many steps */
    bool refused;     /* one has more registers than there are: no cause is looked for */
    char *stopped_in; /* the kernel that did; NULL: none */
    bool follows;     /* … of another variant, with the same kernel: it was not run */
    bool faulted;     /* a launch failed: that would be said again on every case */
    uint64_t failures, passes;
    struct launch_record record;
    struct schedule schedule;
    /* the first failure, told when all is checked */
    char *message;
    const struct lab_case *on;
    const struct lab_case **failed; /* `failures` of them: the cases */
    bool open;                      /* still to be written */
    struct diagnosis why;
};

struct run {
    const struct lab *lab;
    struct run_options o;
    struct machine machine;
    struct module module;
    struct verify verify;
    struct report report;
    struct text timeline; /* with --timeline */
    struct variant_state *variants;
    struct lab_case *cases; /* chosen ones */
    char *own_name;         /* of the case made from the command line */
    char *source;           /* the .cu's text; NULL for a module */
    int ncases, failed, checks;
    int looking;        /* whose cause is looked for */
    struct tries edits; /* small changes of the file */
    bool lost;          /* the device's context, after an error that sticks */
    struct compiled image;
    struct compiled changed; /* the file with a small change, while that is tried */
};

/* main.c */
void keep_result(struct run *r, const struct entry *result);

/* parts.c, of a program that was right on this case: entries for its parts; and, on a GPU, the
 * times of entry i and of its parts behind it. False with r->verify.message set. */
void keep_parts(struct run *r, const struct lab_case *c);
bool time_parts(struct run *r, int i);
/* The program and the last input, into build/yours/LAB, where one can run it by hand. */
void keep_program(const struct run *r);

/* choose.c: kernels and cases by the command line's words; a word that names none ends the
 * program with a message and status 2. */
void choose_variants(struct run *r);
void choose_cases(struct run *r);
/* LAUNCH() of a name that is no kernel's. */
void tell_unused_records(const struct run *r);
bool own_case(const struct run_options *o); /* made from the command line's -n, -m, … */

/* tell.c. Paths are allocated for the caller; a short one is a part of what was given. */
char *source_path(const struct run *r);
const char *short_path(const char *path);
void print_command(const struct run *r, const char *kernel, bool check);
void print_list(const struct lab *lab);
int variant_index(const struct run *r, const struct lab_variant *v);
bool still_to_write(const struct run *r, int v);
/* Everything that was found out, on stdout: ends with the one command to try next. */
void tell(struct run *r);
bool write_records(struct run *r);

#endif
