/* options.h - the command line of a lab's program. */
#ifndef HARNESS_OPTIONS_H
#define HARNESS_OPTIONS_H

#include "lab/lab.h"

#define OPTIONS_SEED 20260917u

struct run_options {
    bool solution, check, quick, untimed, list, no_time, profile_pass, ncu_metrics, no_records,
        verbose, causes;
    const char *file, *module;   /* .cu to compile; image to load as it is */
    const char *kernels, *cases; /* comma-separated; NULL: all */
    uint64_t n, m, k, seed, steps;
    bool has_n, has_m, has_k, has_param, has_dtype;
    int64_t param;
    enum dtype dtype;
    int reps;
    const char *csv, *json, *timeline, *ncu, *predictions;
};

/* What is wrong has been told on stderr: the next command, "make run LAB=LAB NEXT", and the end,
 * with status 2. */
_Noreturn void refuse(const struct lab *lab, const char *next);
/* Ends the program on --help, --usage and mistakes. */
void options_parse(int argc, char **argv, const struct lab *lab, struct run_options *o);

#endif
