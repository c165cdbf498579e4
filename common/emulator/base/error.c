/* error.c - see error.h. */
#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kept for the process, not the thread: a launch's fault is raised by a worker. */
static char text[4096];
static __thread char copy[4096];

/* A text that is too long ends in a mark, after a whole character. */
static void keep(const char *format, va_list ap)
{
    static const char mark[] = "…";
    int n = vsnprintf(text, sizeof(text), format, ap);
    if (n < (int)sizeof(text))
        return;
    char *end = text + sizeof(text) - sizeof(mark);
    while ((*end & 0xc0) == 0x80)
        end--;
    memcpy(end, mark, sizeof(mark));
}

cudaError_t emu_keep(cudaError_t e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    keep(format, ap);
    va_end(ap);
    return e;
}
static _Atomic bool quiet;
static __thread bool hushed;

void emu_error_quiet(bool on)
{
    quiet = on;
}

void emu_error_hush(bool on)
{
    hushed = on;
}

cudaError_t emu_fail(cudaError_t e, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    keep(format, ap);
    va_end(ap);
    if (!quiet && !hushed)
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
