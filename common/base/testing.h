/* testing.h - what several tests of the grader do. */
#ifndef GRADING_TESTING_H
#define GRADING_TESTING_H

#include "alloc.h"
#include "text.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* A shell command's standard output, allocated. *code: its exit status, -1 when a signal ended
 * it; code NULL: it has to be 0. */
__attribute__((format(printf, 2, 3))) static inline char *shell(int *code, const char *format, ...)
{
    char *command = NULL, chunk[4096];
    struct text t = {0};
    size_t n;
    va_list ap;
    va_start(ap, format);
    cr_assert(vasprintf(&command, format, ap) > 0);
    va_end(ap);
    FILE *f = popen(command, "r");
    cr_assert(f);
    while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        text_bytes(&t, chunk, n);
    int status = pclose(f);
    if (code)
        *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    else
        cr_assert_eq(status, 0, "%s: status %x\n%s", command, status, text_str(&t));
    free(command);
    return t.s ? t.s : xstrdup("");
}

#endif
