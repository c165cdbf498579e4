/* similar.c - fingerprints by winnowing (Schleimer, Wilkerson, Aiken 2003) over tokens.
 *
 * Identifiers that are not CUDA's or C's become one token, numbers another, so that renaming
 * and reformatting change nothing. Of each window of WINDOW runs of RUN tokens the least hash
 * is kept: any common run of RUN + WINDOW - 1 tokens is found.
 */
#include "similar.h"
#include "base/alloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 12, WINDOW = 6, LEAST = 8 };

static const char *const kept_words[] = {"if",
                                         "else",
                                         "for",
                                         "while",
                                         "do",
                                         "return",
                                         "break",
                                         "continue",
                                         "switch",
                                         "case",
                                         "float",
                                         "double",
                                         "int",
                                         "unsigned",
                                         "const",
                                         "struct",
                                         "template",
                                         "__shared__",
                                         "__global__",
                                         "__device__",
                                         "__syncthreads",
                                         "__syncwarp",
                                         "threadIdx.x",
                                         "threadIdx.y",
                                         "blockIdx.x",
                                         "blockIdx.y",
                                         "blockDim.x",
                                         "blockDim.y",
                                         "gridDim.x",
                                         "atomicAdd",
                                         "__shfl_down_sync",
                                         "__shfl_xor_sync",
                                         "min",
                                         "max",
                                         "fmaf"};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 31;
}

static uint64_t word_token(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof(kept_words) / sizeof(kept_words[0]); i++)
        if (strlen(kept_words[i]) == n && !strncmp(kept_words[i], s, n))
            return 1000 + i;
    return 1; /* a name */
}

/* Next token's code, 0 at the end; *s moves past it. */
static uint64_t next_token(const char **s)
{
    for (;;) {
        while (isspace((unsigned char)**s))
            (*s)++;
        if (!strncmp(*s, "//", 2) || **s == '#')
            *s += strcspn(*s, "\n");
        else if (!strncmp(*s, "/*", 2))
            *s = strstr(*s + 2, "*/") ? strstr(*s + 2, "*/") + 2 : *s + strlen(*s);
        else
            break;
    }
    const char *from = *s;
    if (!*from)
        return 0;
    while (isalnum((unsigned char)**s) || **s == '_' || (**s == '.' && *s > from))
        (*s)++;
    if (*s == from)
        return 10 + (unsigned char)*(*s)++;
    return isdigit((unsigned char)*from) ? 2 : word_token(from, (size_t)(*s - from));
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
    size_t length = strlen(source);
    uint64_t *tokens = xzalloc((length + 1) * sizeof(*tokens)), *hashes;
    int n = 0, runs;
    for (uint64_t t; (t = next_token(&source));)
        tokens[n++] = t;
    runs = n >= RUN ? n - RUN + 1 : 0;
    hashes = xzalloc((size_t)(runs + 1) * sizeof(*hashes));
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
