/* rates.h - who of a class passes which check, and how slow their slowest runs are. Added up
 * one verdict at a time: a class's verdicts take much memory. */
#ifndef GRADING_RATES_H
#define GRADING_RATES_H

#include "grading/mark/verdict.h"

struct pass_rate {
    char *id, *title; /* the row's */
    int passed;
};

struct pass_rates {
    struct pass_rate *v; /* in the order in which they were first seen */
    int n, graded;       /* graded: verdicts with rows */
    double *slowest;     /* modelled ms of the slowest run, one for each call; 0: none */
    char **cells;        /* for each call a text: character k says how row k ended (cell_of) */
    int nslowest;        /* calls */
};

/* How row k ended in call i; false: it has no such row. */
bool cell_of(const struct pass_rates *r, int i, int k, enum row_status *status);
void pass_rates_add(struct pass_rates *r, const struct verdict *v); /* v may be NULL */
void pass_rates_free(struct pass_rates *r);

#endif
