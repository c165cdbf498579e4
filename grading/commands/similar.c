/* similar.c - fingerprints by winnowing (Schleimer, Wilkerson, Aiken 2003) over tokens.
 *
 * Of each window of WINDOW runs of RUN tokens the least hash is kept: any common run of
 * RUN + WINDOW - 1 tokens is found.
 */
#include "similar.h"
#include "base/alloc.h"
#include "tokens.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 12, WINDOW = 5, LEAST = 8 };

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 31;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int unique(uint64_t *v, int n)
{
    int kept = 0;
    if (n)
        qsort(v, (size_t)n, sizeof(*v), by_value);
    for (int i = 0; i < n; i++)
        if (!i || v[i] != v[i - 1])
            v[kept++] = v[i];
    return kept;
}

struct prints prints_of(const char *source)
{
    int n;
    uint64_t *tokens = tokens_of(source, &n);
    int runs = n >= RUN ? n - RUN + 1 : 0;
    uint64_t *hashes = xzalloc((size_t)(runs + 1) * sizeof(*hashes));
    for (int i = 0; i < runs; i++)
        for (int k = 0; k < RUN; k++)
            hashes[i] = mix(hashes[i], tokens[i + k]);
    struct prints p = {xzalloc((size_t)(runs + 1) * sizeof(uint64_t)), 0};
    for (int i = 0; i + WINDOW <= runs; i++) {
        uint64_t least = hashes[i];
        for (int k = 1; k < WINDOW; k++)
            least = hashes[i + k] < least ? hashes[i + k] : least;
        p.v[p.n++] = least;
    }
    p.n = unique(p.v, p.n);
    free(tokens);
    free(hashes);
    return p;
}

void prints_free(struct prints *p)
{
    free(p->v);
    *p = (struct prints){NULL, 0};
}

static bool has(const struct prints *p, uint64_t v)
{
    return p->n && bsearch(&v, p->v, (size_t)p->n, sizeof(v), by_value);
}

void prints_subtract(struct prints *p, const struct prints *common)
{
    int kept = 0;
    for (int i = 0; i < p->n; i++)
        if (!has(common, p->v[i]))
            p->v[kept++] = p->v[i];
    p->n = kept;
}

double prints_overlap(const struct prints *a, const struct prints *b)
{
    const struct prints *small = a->n < b->n ? a : b, *large = a->n < b->n ? b : a;
    int both = 0;
    if (small->n < LEAST)
        return 0;
    for (int i = 0; i < small->n; i++)
        both += has(large, small->v[i]);
    return (double)both / small->n;
}
