/* mutate.h - wrong kernels made from a right one: each differs in one place. */
#ifndef GRADING_MUTATE_H
#define GRADING_MUTATE_H

#include <stddef.h>

struct mutant {
    char *source;
    size_t length;
    int line;
    char *was, *now; /* the text replaced */
    char *text;      /* the changed line, trimmed: how mutants/LAB.txt names it */
};

/* All mutants of the code in source (comments, strings, directives and LAUNCH lines aside). */
struct mutant *mutants_of(const char *source, int *n);
void mutant_free(struct mutant *m); /* what it holds */
void mutants_free(struct mutant *v, int n);

#endif
