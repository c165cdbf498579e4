/* gate.c - parses and evaluates gate.h's conditions in one pass (recursive descent). */
#include "gate.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *start, *p;
    gate_lookup *lookup;
    void *user;
    char first_name[64];
    char error[160];
    int depth;
};

static double sum(struct parser *g);

static void fail(struct parser *g, const char *what, const char *detail)
{
    if (!g->error[0])
        snprintf(g->error, sizeof(g->error), "%s%.60s at column %zu of \"%.60s\"", what, detail,
                 (size_t)(g->p - g->start) + 1, g->start);
}

static void skip_space(struct parser *g)
{
    while (isspace((unsigned char)*g->p))
        g->p++;
}

static bool take(struct parser *g, const char *token)
{
    skip_space(g);
    size_t n = strlen(token);
    if (strncmp(g->p, token, n))
        return false;
    g->p += n;
    return true;
}

static double name(struct parser *g)
{
    char id[64];
    size_t n = 0;
    while (isalnum((unsigned char)*g->p) || *g->p == '_' || *g->p == '.') {
        if (n + 1 < sizeof(id))
            id[n++] = *g->p;
        g->p++;
    }
    id[n] = 0;
    if (!g->first_name[0])
        memcpy(g->first_name, id, n + 1);
    double v = NAN;
    if (!g->lookup(g->user, id, &v))
        fail(g, "unknown name ", id);
    return v;
}

/* unary = "-" unary | number | name | "(" sum ")" */
static double unary(struct parser *g)
{
    if (++g->depth > 100)
        fail(g, "nested too deeply", "");
    double v = NAN;
    skip_space(g);
    if (g->error[0]) {
    } else if (take(g, "-")) {
        v = -unary(g);
    } else if (take(g, "(")) {
        v = sum(g);
        if (!take(g, ")"))
            fail(g, "expected )", "");
    } else if (isdigit((unsigned char)*g->p) || *g->p == '.') {
        char *end;
        v = strtod(g->p, &end);
        if (end == g->p)
            fail(g, "expected a number", "");
        g->p = end;
    } else if (isalpha((unsigned char)*g->p) || *g->p == '_') {
        v = name(g);
    } else {
        fail(g, "expected a name or number", "");
    }
    g->depth--;
    return v;
}

/* product = unary { ("*" | "/") unary } */
static double product(struct parser *g)
{
    double v = unary(g);
    for (;;) {
        if (take(g, "*"))
            v *= unary(g);
        else if (take(g, "/"))
            v /= unary(g);
        else
            return v;
    }
}

/* sum = product { ("+" | "-") product } */
static double sum(struct parser *g)
{
    double v = product(g);
    for (;;) {
        if (take(g, "+"))
            v += product(g);
        else if (take(g, "-"))
            v -= product(g);
        else
            return v;
    }
}

static void copy_trimmed(char *to, size_t size, const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    snprintf(to, size, "%.*s", (int)(end - from), from);
}

static bool compare(const char *op, double a, double b)
{
    switch (op[0]) {
    case '<':
        return op[1] ? a <= b : a < b;
    case '>':
        return op[1] ? a >= b : a > b;
    default:
        return a == b;
    }
}

/* comparison = sum op sum */
static void comparison(struct parser *g, struct gate_result *r)
{
    static const char *const ops[] = {"<=", ">=", "==", "<", ">"}; /* longest first */
    const char *from = g->p;
    g->first_name[0] = 0;
    r->left = sum(g);
    copy_trimmed(r->left_text, sizeof(r->left_text), from, g->p);
    memcpy(r->first_name, g->first_name, sizeof(r->first_name));
    size_t i = 0;
    while (i < 5 && !take(g, ops[i]))
        i++;
    if (i == 5) {
        fail(g, "expected a comparison", "");
        return;
    }
    snprintf(r->op, sizeof(r->op), "%s", ops[i]);
    from = g->p;
    r->right = sum(g);
    copy_trimmed(r->right_text, sizeof(r->right_text), from, g->p);
    r->ok = isfinite(r->left) && isfinite(r->right) && compare(r->op, r->left, r->right);
}

struct gate_result gate_eval(const char *expression, gate_lookup *lookup, void *user)
{
    struct parser g = {.start = expression, .p = expression, .lookup = lookup, .user = user};
    struct gate_result r = {0}, deciding = {0};
    bool decided = false;
    do {
        comparison(&g, &r);
        if (!decided)
            deciding = r;
        decided = decided || !r.ok;
    } while (!g.error[0] && take(&g, "&&"));
    skip_space(&g);
    if (*g.p)
        fail(&g, "unexpected text", "");
    memcpy(deciding.error, g.error, sizeof(deciding.error));
    deciding.ok = deciding.ok && !g.error[0];
    return deciding;
}

double gate_value(const char *text, gate_lookup *lookup, void *user, char *error, size_t size)
{
    struct parser g = {.start = text, .p = text, .lookup = lookup, .user = user};
    double v = sum(&g);
    skip_space(&g);
    if (*g.p)
        fail(&g, "unexpected text", "");
    snprintf(error, size, "%s", g.error);
    return g.error[0] ? NAN : v;
}
