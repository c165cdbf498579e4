/* alloc.h - memory that is always there, and ends of a program.
 *
 * Allocation never returns NULL: out of memory ends the process with status 2 and a line that
 * says so. Free what these return with free().
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t size);           /* not zeroed; size 0 gives a pointer that can be freed */
void *xzalloc(size_t size);           /* zeroed; likewise */
void *xcalloc(size_t n, size_t size); /* zeroed; likewise; a product too large is no memory */
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s); /* NULL stays NULL */
char *xformat(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvformat(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));

/* For a run's inputs and results: what was freed comes again, and processes that are forked do not
 * have it, so that neither costs a fault a page. Free with large_free() (NULL is nothing). */
void *large_alloc(size_t n);  /* not zeroed */
void *large_zeroed(size_t n); /* zeroed */
void large_free(void *p);

/* Once, at the start of a program that asks again and again for buffers of some megabytes: they
 * come out of what was freed, not as fresh pages each of which takes a fault. Costs up to
 * 160 MiB. */
void alloc_keep_freed(void);

/* "PROGRAM: message" on stderr, exit status 2: what cannot go on for a reason outside of it. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
