/* mutate_code.c - splits PTX text into kernels and compares two of them. See mutate_code.h. */
#include "mutate_code.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/text.h"

#include <ctype.h>
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

/* A variable's line, outside of kernels and functions. */
static bool declares(const char *line)
{
    static const char *const linkage[] = {"", ".visible ", ".extern ", ".weak "};
    static const char *const spaces[] = {".global ", ".const ", ".shared "};
    for (size_t i = 0; i < sizeof(linkage) / sizeof(*linkage); i++)
        for (size_t j = 0; j < sizeof(spaces) / sizeof(*spaces); j++)
            if (starts(line, linkage[i]) && starts(line + strlen(linkage[i]), spaces[j]))
                return true;
    return false;
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
    struct text declared = {0}, rest = {0}, body = {0};
    if (length >= 4 && !memcmp(ptx, "\177ELF", 4)) { /* a whole program: the same or not */
        char digest[DIGEST_HEX];
        digest_hex(ptx, length, digest);
        c.declared = xstrdup("");
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
            text_addf(inside ? &body : declares(line) ? &declared : &rest, "%s\n", line);
        if (inside && *line == '}') {
            c.v[c.n++].text = xstrdup(text_str(&body));
            text_free(&body);
            inside = false;
        }
    }
    c.declared = xstrdup(text_str(&declared));
    c.rest = xstrdup(text_str(&rest));
    text_free(&declared);
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
    free(c->declared);
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

static bool in_name(char c)
{
    return c && (isalnum((unsigned char)c) || strchr("_$%", c));
}

/* Whether the text has this name, whole. */
static bool names(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += n)
        if ((at == text || !in_name(at[-1])) && !in_name(at[n]))
            return true;
    return false;
}

/* "foo" of ".global .align 4 .u32 foo[2] = {1, 2};". */
static char *declared_name(const char *line)
{
    const char *end = line + strcspn(line, "[=;"), *from;
    while (end > line && end[-1] == ' ')
        end--;
    for (from = end; from > line && in_name(from[-1]); from--)
        ;
    return xformat("%.*s", (int)(end - from), from);
}

/* The number of the kernel that a variable is called after, with a _ and more behind; or -1. */
static int called_after(const struct code *c, const char *name)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < c->n; i++) {
        size_t n = strlen(c->v[i].name);
        if (n > longest && !strncmp(name, c->v[i].name, n) && name[n] == '_')
            found = i, longest = n;
    }
    return found;
}

static bool has_line(const char *text, const char *line, size_t n)
{
    for (; *text; text += strcspn(text, "\n") + 1)
        if (strcspn(text, "\n") == n && !memcmp(text, line, n))
            return true;
    return false;
}

/* Marks the kernels of a that a variable's line of `from`, which `other` lacks, is about. False:
 * not known. Other variables' values may name it, and who reads those is not followed; or the host
 * may ask for it, by a name that is not mangled. */
static bool mark_readers(const struct code *a, const char *line, size_t n, const struct code *from,
                         const struct code *other, bool *marked)
{
    char *text = xformat("%.*s", (int)n, line), *name = declared_name(text);
    char *before = xformat("%.*s", (int)(line - from->declared), from->declared);
    bool ok = !names(before, name) && !names(line + n, name);
    bool known = starts(name, "_Z");
    int own = called_after(a, name);
    for (int i = 0; ok && i < a->n; i++)
        if (i == own || names(text_of(from, a->v[i].name), name) ||
            names(text_of(other, a->v[i].name), name))
            marked[i] = known = true;
    free(before);
    free(name);
    free(text);
    return ok && known;
}

/* The same for all of from's variables that `other` lacks or has with other values. */
static bool mark_declared(const struct code *a, const struct code *from, const struct code *other,
                          bool *marked)
{
    for (const char *line = from->declared; *line; line += strcspn(line, "\n") + 1) {
        size_t n = strcspn(line, "\n");
        if (!has_line(other->declared, line, n) && !mark_readers(a, line, n, from, other, marked))
            return false;
    }
    return true;
}

char *code_changes(const struct code *a, const struct code *b)
{
    struct text t = {0};
    bool *marked = xzalloc((size_t)(a->n + 1) * sizeof(*marked));
    bool ok = !strcmp(a->rest, b->rest) && mark_declared(a, a, b, marked) &&
              mark_declared(a, b, a, marked);
    if (!ok)
        text_add(&t, "*");
    for (int i = 0; ok && i < a->n; i++)
        if (marked[i] || strcmp(a->v[i].text, text_of(b, a->v[i].name)))
            text_addf(&t, "%s ", a->v[i].name);
    char *all = xstrdup(text_str(&t));
    text_free(&t);
    free(marked);
    return all;
}
