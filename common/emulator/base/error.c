/* error.c - messages and checked allocation. */
#include "emulator/code/code.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kept for the process, not the thread: a launch's fault is raised by a worker. */
static char text[4096];
static __thread char copy[4096];

cudaError_t emu_keep(cudaError_t e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    return e;
}
cudaError_t emu_fail(cudaError_t e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    fprintf(stderr, "warplab: %s\n", text);
    return e;
}
const char *emu_error_text(void)
{
    memcpy(copy, text, sizeof(copy));
    return copy;
}

_Noreturn void panic(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "warplab: internal error: ");
    vfprintf(stderr, format, ap);
    fprintf(stderr, "\n");
    va_end(ap);
    abort();
}
void *xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p)
        panic("out of memory (%zu bytes)", n);
    return p;
}
void *xcalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        panic("out of memory (%zu x %zu bytes)", n, size);
    return p;
}
void *xrealloc(void *p, size_t n)
{
    p = realloc(p, n ? n : 1);
    if (!p)
        panic("out of memory (%zu bytes)", n);
    return p;
}
char *xstrdup(const char *s)
{
    char *p = strdup(s);
    if (!p)
        panic("out of memory");
    return p;
}
