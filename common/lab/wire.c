/* wire.c - texts over a pipe (wire.h). */
#include "wire.h"
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool wire_get(const struct wire *w, void *data, size_t n)
{
    return w->get(w->user, data, n);
}

bool wire_put(const struct wire *w, const void *data, size_t n)
{
    return w->put(w->user, data, n);
}

bool wire_put_text(const struct wire *w, const char *text)
{
    uint64_t n = text ? strlen(text) : 0;

    return wire_put(w, &n, sizeof(n)) && wire_put(w, text, n);
}

char *wire_get_text(const struct wire *w, size_t max)
{
    uint64_t n;

    if (!wire_get(w, &n, sizeof(n)) || n > max)
        return NULL;
    char *text = xmalloc(n + 1);
    if (!wire_get(w, text, n)) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}
