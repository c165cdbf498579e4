/* turns.c - how the instructions of a kernel have turned out (turns.h). */
#include "turns.h"
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FUNCTIONS = 4096 };

/* One line: of which function, and its digits. The next line, or NULL. */
static const char *read_line(const char *line, struct turns_of *of, const char **digits)
{
    int at = 0;
    bool ok = sscanf(line, "%63s %u %n", of->kernel, &of->function, &at) == 2 && at;
    const char *end = strchr(line, '\n');
    *digits = line + at;
    of->n = ok ? strspn(*digits, "01234567") : 0;
    return end ? end + 1 : NULL;
}

static struct turns_of *find(const struct turns *x, const struct turns_of *of)
{
    for (int i = 0; i < x->n; i++)
        if (x->of[i].function == of->function && !strcmp(x->of[i].kernel, of->kernel))
            return &x->of[i];
    return NULL;
}

int turns_news(const struct turns *x, const char *lines)
{
    int news = 0;
    while (lines && *lines) {
        struct turns_of of;
        const char *digits;
        lines = read_line(lines, &of, &digits);
        const struct turns_of *known = find(x, &of);
        for (size_t i = 0; i < of.n; i++) {
            unsigned had = known && i < known->n ? known->all[i] : 0;
            news += __builtin_popcount((unsigned)(digits[i] - '0') & ~had);
        }
    }
    return news;
}

bool turns_knows(const struct turns *x, const char *lines)
{
    bool all = lines && *lines;
    while (lines && *lines) {
        struct turns_of of;
        const char *digits;
        lines = read_line(lines, &of, &digits);
        all = all && find(x, &of);
    }
    return all;
}

void turns_add(struct turns *x, const char *lines)
{
    while (lines && *lines) {
        struct turns_of of;
        const char *digits;
        lines = read_line(lines, &of, &digits);
        struct turns_of *known = find(x, &of);
        if (!known && x->n < MOST_FUNCTIONS) {
            x->of = xrealloc(x->of, (size_t)(x->n + 1) * sizeof(*x->of));
            known = &x->of[x->n++];
            *known = of;
            known->all = xcalloc(of.n + 1, 1);
        }
        for (size_t i = 0; known && i < of.n && i < known->n; i++)
            known->all[i] |= (uint8_t)(digits[i] - '0');
    }
}

void turns_free(struct turns *x)
{
    for (int i = 0; i < x->n; i++)
        free(x->of[i].all);
    free(x->of);
    *x = (struct turns){0};
}
