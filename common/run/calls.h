/* calls.h - functions of libraries that are there or not, found by their names. */
#ifndef RUN_CALLS_H
#define RUN_CALLS_H

#include <stdbool.h>
#include <stddef.h>

struct call {
    const char *name;
    void *slot; /* a pointer to a function, to be set */
};
/* False: one of them is not in `library` (a handle of dlopen, or RTLD_DEFAULT). */
bool calls_find(void *library, const struct call *v, size_t n);
/* Loads the library for good and finds them. NULL, or why not, for free(). */
char *calls_load(const char *library, const struct call *v, size_t n);

#endif
