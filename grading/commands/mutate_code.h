/* mutate_code.h - what a change of the source changed in the compiler's output.
 *
 * Two PTX texts are compared kernel by kernel, without line numbers, comments and debug
 * sections. A mutant whose text is the same means the same: no test could tell them apart.
 */
#ifndef GRADING_MUTATE_CODE_H
#define GRADING_MUTATE_CODE_H

#include <stddef.h>

struct code {
    char *declared; /* the module's variables, a line each */
    char *rest;     /* what else is outside of kernels */
    struct code_kernel {
        char *name, *text;
    } * v;
    int n;
};

struct code code_of(const char *ptx, size_t length);
void code_free(struct code *c);
/* The kernels of a that b lacks or has differently, each with a blank after it; "*" when
 * what they share differs, "" when nothing does. A variable is of the kernels that name it, and
 * NAME_… (a launch record) of kernel NAME. The caller frees it. */
char *code_changes(const struct code *a, const struct code *b);

#endif
