/* alloc.c - checked allocation (alloc.h). */
#include "alloc.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/* ---- large buffers ---- */

/* Before a buffer. Those that were freed wait in a list, the last one first. */
struct large {
    struct large *next;
    size_t room;     /* bytes behind this */
    char align[112]; /* so that what is behind it begins a cache line */
};
enum { LARGE = 64 << 10, MOST_KEPT = 160 << 20 };
#ifdef WITH_ASAN /* it is to see what runs past a buffer */
#define IS_LARGE(n) false
#else
#define IS_LARGE(n) ((n) >= LARGE)
#endif

static pthread_mutex_t large_lock = PTHREAD_MUTEX_INITIALIZER;
static struct large *large_freed;
static size_t large_kept;
static pid_t large_owner;

/* The first of the list with room for n, and not for far more; NULL: there is none. A child that
 * was forked has none of its parent's. */
static struct large *large_again(size_t n)
{
    if (large_owner != getpid()) {
        large_owner = getpid();
        large_freed = NULL;
        large_kept = 0;
    }
    for (struct large **at = &large_freed; *at; at = &(*at)->next) {
        struct large *b = *at;
        if (b->room < n || b->room / 4 > n)
            continue;
        *at = b->next;
        large_kept -= b->room;
        return b;
    }
    return NULL;
}

static struct large *large_fresh(size_t n)
{
    size_t all = (n + sizeof(struct large) + 0xffff) & ~(size_t)0xffff;
    struct large *b = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all < n || b == MAP_FAILED)
        return checked(NULL, n, 1);
    madvise(b, all, MADV_DONTFORK);
    b->room = all - sizeof(*b);
    return b;
}

void *large_alloc(size_t n)
{
    if (!IS_LARGE(n)) {
        struct large *b = xmalloc(sizeof(*b) + n);
        b->room = 0;
        return b + 1;
    }
    pthread_mutex_lock(&large_lock);
    struct large *b = large_again(n);
    pthread_mutex_unlock(&large_lock);
    return (b ? b : large_fresh(n)) + 1;
}

void *large_zeroed(size_t n)
{
    return memset(large_alloc(n), 0, n);
}

void large_free(void *p)
{
    struct large *b = p ? (struct large *)p - 1 : NULL;
    if (!b || !b->room) {
        free(b);
        return;
    }
    pthread_mutex_lock(&large_lock);
    bool keep = large_owner == getpid() && large_kept + b->room <= MOST_KEPT;
    if (keep) {
        b->next = large_freed;
        large_freed = b;
        large_kept += b->room;
    }
    pthread_mutex_unlock(&large_lock);
    if (!keep)
        munmap(b, b->room + sizeof(*b));
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
