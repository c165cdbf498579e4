/* mutate.c - drops barriers and changes operators, bounds and indices, one at a time.
 *
 * It works on tokens, not on meaning: some mutants do not compile (they are not counted), and
 * some mean the same as the original (those that are known are listed, with the reason, in
 * mutants/LAB.txt).
 */
#include "mutate.h"
#include "base/alloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* token, what it becomes; a token may have several rows */
static const struct {
    const char *was, *now;
} rules[] = {
    {"__syncthreads();", ";"},
    {"__syncwarp();", ";"},
    {"<", "<="},
    {"<=", "<"},
    {">", ">="},
    {">=", ">"},
    {"==", "!="},
    {"!=", "=="},
    {"&&", "||"},
    {"||", "&&"},
    {"+", "-"},
    {"-", "+"},
    {"*", "+"},
    {"/", "*"},
    {"%", "/"},
    {"+=", "="},
    {"+=", "-="},
    {"*=", "="},
    {">>=", "<<="},
    {">>", "<<"},
    {"<<", ">>"},
    {"/=", "*="},
    {"^", "|"},
    {"&", "|"},
    {"threadIdx.x", "0"},
    {"threadIdx.y", "0"},
    {"blockIdx.x", "0"},
    {"blockIdx.y", "0"},
    {"]", " + 1]"},
    {"atomicAdd", "atomicExch"},
    {"__shfl_down_sync", "__shfl_up_sync"},
};
#define NRULES (sizeof(rules) / sizeof(rules[0]))

static const char *const punctuation[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                          "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                          "*=",  "/=",  "%=",  "&=", "|=", "^=", "::"};

struct list {
    struct mutant *v;
    int n;
};

/* Length of what is no code at s: blanks, a comment, a string, a directive, a LAUNCH line. */
static size_t skip(const char *s, bool line_start)
{
    if (isspace((unsigned char)*s))
        return 1;
    if (!strncmp(s, "//", 2))
        return strcspn(s, "\n");
    if (!strncmp(s, "/*", 2)) {
        const char *end = strstr(s + 2, "*/");
        return end ? (size_t)(end + 2 - s) : strlen(s);
    }
    if (*s == '"') {
        size_t n = 1;
        while (s[n] && s[n] != '"')
            n += s[n] == '\\' && s[n + 1] ? 2 : 1;
        return n + (s[n] != 0);
    }
    if (line_start && !strncmp(s, "LAUNCH", 6))
        return strcspn(s, "\n");
    if (line_start && *s == '#') {
        size_t n = strcspn(s, "\n");
        while (n && s[n - 1] == '\\' && s[n])
            n += 1 + strcspn(s + n + 1, "\n");
        return n;
    }
    return 0;
}

static size_t token_length(const char *s)
{
    if (isalnum((unsigned char)*s) || *s == '_') {
        size_t n = 0;
        while (isalnum((unsigned char)s[n]) || s[n] == '_' || (s[n] == '.' && n))
            n++;
        bool call = !strncmp(s, "__sync", 6) && !strncmp(s + n, "();", 3);
        return call ? n + 3 : n;
    }
    for (size_t i = 0; i < sizeof(punctuation) / sizeof(punctuation[0]); i++)
        if (!strncmp(s, punctuation[i], strlen(punctuation[i])))
            return strlen(punctuation[i]);
    return 1;
}

static char *line_text(const char *source, size_t at)
{
    size_t from = at, to = at;
    while (from && source[from - 1] != '\n')
        from--;
    while (source[to] && source[to] != '\n')
        to++;
    while (from < to && isspace((unsigned char)source[from]))
        from++;
    return xformat("%.*s", (int)(to - from), source + from);
}

static void add(struct list *l, const char *source, size_t at, size_t n, const char *now, int line)
{
    l->v = xrealloc(l->v, (size_t)(l->n + 1) * sizeof(*l->v));
    struct mutant *m = &l->v[l->n++];
    m->source = xformat("%.*s%s%s", (int)at, source, now, source + at + n);
    m->length = strlen(m->source);
    m->line = line;
    m->was = xformat("%.*s", (int)n, source + at);
    m->now = xstrdup(now);
    m->text = line_text(m->source, at);
}

static bool is_number(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]))
            return false;
    return n < 6;
}

static void mutate_token(struct list *l, const char *source, size_t at, size_t n, int line)
{
    const char *s = source + at;
    char *text = line_text(source, at);
    bool declares = strstr(text, "__shared__") || strstr(text, "__constant__");
    free(text);
    for (size_t i = 0; i < NRULES; i++)
        if (!(declares && *s == ']') && /* a longer array means the same */
            strlen(rules[i].was) == n && !strncmp(rules[i].was, s, n))
            add(l, source, at, n, rules[i].now, line);
    if (is_number(s, n)) {
        char more[16];
        snprintf(more, sizeof(more), "%d", atoi(s) + 1);
        add(l, source, at, n, more, line);
    }
}

struct mutant *mutants_of(const char *source, int *n)
{
    struct list l = {0};
    int line = 1;
    bool line_start = true;
    for (size_t at = 0; source[at];) {
        size_t k = skip(source + at, line_start);
        size_t length = k ? k : token_length(source + at);
        if (!k)
            mutate_token(&l, source, at, length, line);
        for (size_t i = at; i < at + length; i++) {
            line += source[i] == '\n';
            line_start = source[i] == '\n' || (line_start && isspace((unsigned char)source[i]));
        }
        at += length;
    }
    *n = l.n;
    return l.v;
}

void mutant_free(struct mutant *m)
{
    free(m->source);
    free(m->was);
    free(m->now);
    free(m->text);
}

void mutants_free(struct mutant *v, int n)
{
    for (int i = 0; i < n; i++)
        mutant_free(&v[i]);
    free(v);
}
