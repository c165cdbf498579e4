/* wire.h - a pipe to somebody who need not be believed, and texts over it.
 *
 * Both ends are the same build on the same machine: structures cross as they are. Whoever reads
 * checks each length, count and enum before it is used.
 */
#ifndef LAB_WIRE_H
#define LAB_WIRE_H

#include <stdbool.h>
#include <stddef.h>

/* get and put: all n bytes, or false. */
struct wire {
    bool (*get)(void *user, void *data, size_t n);
    bool (*put)(void *user, const void *data, size_t n);
    void *user;
};
bool wire_get(const struct wire *w, void *data, size_t n);
bool wire_put(const struct wire *w, const void *data, size_t n);

bool wire_put_text(const struct wire *w, const char *text); /* NULL is sent as "" */
/* An allocated text, NULL when the pipe ends or announces more than max bytes. NULs in it end
 * it. */
char *wire_get_text(const struct wire *w, size_t max);

#endif
