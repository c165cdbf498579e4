/* mutate_code.c - splits PTX text into kernels and compares two of them. See mutate_code.h. */
#include "mutate_code.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

/* Source positions and remarks: they move with any edit, and nothing depends on them. */
static bool says_nothing(const char *line)
{
    line += strspn(line, " \t");
    return starts(line, ".loc") || starts(line, ".file") || starts(line, "//") ||
           starts(line, "$L__tmp") || !*line;
}

/* "foo" of ".visible .entry foo(", or NULL. */
static char *entry_name(const char *line)
{
    const char *at = strstr(line, ".entry ");
    return at ? xformat("%.*s", (int)strcspn(at + 7, "( \t"), at + 7) : NULL;
}

struct code code_of(const char *ptx, size_t length)
{
    struct code c = {.n = 0};
    struct text rest = {0}, body = {0};
    if (length >= 4 && !memcmp(ptx, "\177ELF", 4)) { /* a whole program: the same or not */
        char digest[DIGEST_HEX];
        digest_hex(ptx, length, digest);
        c.rest = xstrdup(digest);
        return c;
    }
    char *copy = xformat("%.*s", (int)length, ptx), *save = NULL;
    bool inside = false;
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *name = inside ? NULL : entry_name(line);
        if (!inside && strstr(line, ".section"))
            break; /* debug information: the last part */
        if (name) {
            c.v = xrealloc(c.v, (size_t)(c.n + 1) * sizeof(*c.v));
            c.v[c.n].name = name;
            inside = true;
        }
        if (!says_nothing(line))
            text_addf(inside ? &body : &rest, "%s\n", line);
        if (inside && *line == '}') {
            c.v[c.n++].text = xstrdup(text_str(&body));
            text_free(&body);
            inside = false;
        }
    }
    c.rest = xstrdup(text_str(&rest));
    text_free(&rest);
    text_free(&body);
    free(copy);
    return c;
}

void code_free(struct code *c)
{
    for (int i = 0; i < c->n; i++) {
        free(c->v[i].name);
        free(c->v[i].text);
    }
    free(c->v);
    free(c->rest);
    *c = (struct code){.n = 0};
}

static const char *text_of(const struct code *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->v[i].name, name))
            return c->v[i].text;
    return "";
}

char *code_changes(const struct code *a, const struct code *b)
{
    struct text t = {0};
    if (strcmp(a->rest, b->rest))
        return xstrdup("*");
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->v[i].text, text_of(b, a->v[i].name)))
            text_addf(&t, "%s ", a->v[i].name);
    char *all = xstrdup(text_str(&t));
    text_free(&t);
    return all;
}
