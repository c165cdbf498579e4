/* alloc.c - checked allocation (alloc.h). */
#include "alloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void die(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(2);
}

void alloc_keep_freed(void)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 160 << 20);
}

/* Other threads may be at work and hold any lock: nothing but the message is done. */
static void *checked(void *p, size_t n, size_t size)
{
    if (p)
        return p;
    fprintf(stderr, "%s: out of memory: %zu", program_invocation_short_name, n);
    if (size > 1)
        fprintf(stderr, " x %zu", size);
    fputs(" bytes asked for\n", stderr);
    _exit(2);
}

void *xmalloc(size_t size)
{
    return checked(malloc(size ? size : 1), size, 1);
}

void *xcalloc(size_t n, size_t size)
{
    return checked(calloc(n ? n : 1, size ? size : 1), n, size);
}

void *xzalloc(size_t size)
{
    return xcalloc(size, 1);
}

void *xrealloc(void *p, size_t size)
{
    return checked(realloc(p, size ? size : 1), size, 1);
}

char *xstrdup(const char *s)
{
    return s ? checked(strdup(s), strlen(s) + 1, 1) : NULL;
}

char *xvformat(const char *format, va_list ap)
{
    char *s = NULL;
    return vasprintf(&s, format, ap) < 0 ? checked(NULL, strlen(format), 1) : s;
}

char *xformat(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *s = xvformat(format, ap);
    va_end(ap);
    return s;
}
