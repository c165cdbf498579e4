/* gate.c - parses and evaluates gate.h's conditions in one pass (recursive descent). */
#include "gate.h"
#include "base/alloc.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *start, *p;
    const struct gate_world *world;
    char *first_name, *error;
    int depth;
    bool inside, ref; /* worst(…), and the reference's */
    bool decided;     /* by a comparison before: this one is read, and nothing asked for it */
    bool left_out;    /* it has an influence() or a worst(), which is not asked for here */
    long instruction; /* in work there */
    long worst;       /* of the submission's last one */
};

static double sum(struct parser *g);

static void fail(struct parser *g, const char *what, const char *detail)
{
    if (!g->error)
        g->error = xformat("%s%s at column %zu of \"%s\"", what, detail,
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

static void expect(struct parser *g, const char *token)
{
    if (!take(g, token))
        fail(g, "expected ", token);
}

static char *identifier(struct parser *g)
{
    const char *from = g->p;
    while (isalnum((unsigned char)*g->p) || *g->p == '_' || *g->p == '.')
        g->p++;
    return xformat("%.*s", (int)(g->p - from), from);
}

/* Inside worst() a counter is the instruction's; what none has (n, elem, ref.…) is the run's. */
static double value_of(struct parser *g, const char *name)
{
    const struct gate_world *w = g->world;
    double v = NAN;
    if (g->decided)
        return v;
    bool own = g->inside && w->of_instruction &&
               w->of_instruction(w->user, g->ref, g->instruction, name, &v);
    if (!own && !w->lookup(w->user, name, &v))
        fail(g, "unknown name ", name);
    return v;
}

/* min "(" sum "," sum ")" */
static double smaller_or_larger(struct parser *g, bool larger)
{
    double a = sum(g);
    expect(g, ",");
    double b = sum(g);
    expect(g, ")");
    if (isnan(a) || isnan(b))
        return NAN;
    return (a > b) == larger ? a : b;
}

/* "ceil" "(" sum ")" */
static double rounded_up(struct parser *g)
{
    double v = ceil(sum(g));
    expect(g, ")");
    return v;
}

/* worst "(" sum ")": the sum is read once for each instruction. */
static double worst(struct parser *g, bool ref)
{
    const struct gate_world *w = g->world;
    const char *from = g->p;
    double most = NAN;
    g->left_out |= w->without_worst;
    long n = g->decided || w->without_worst ? 0
             : w->instructions              ? w->instructions(w->user, ref)
                                            : -1,
         at = -1;
    if (g->inside || n < 0) {
        fail(g, g->inside ? "worst() inside worst()" : "no counts by instruction for worst()", "");
        return NAN;
    }
    g->inside = true;
    g->ref = ref;
    for (long i = 0; !g->error && (i < n || !i); i++) { /* once also when there is none */
        g->p = from;
        g->instruction = i;
        double v = sum(g);
        if (i < n && isfinite(v) && !(v <= most)) {
            most = v;
            at = i;
        }
    }
    g->inside = false;
    g->worst = ref ? g->worst : at;
    expect(g, ")");
    return most;
}

/* influence "(" name ")" */
static double influence(struct parser *g, bool ref)
{
    const struct gate_world *w = g->world;
    double v = NAN;
    skip_space(g);
    char *what = identifier(g);
    g->left_out |= w->without_influence;
    if (!g->decided && !w->without_influence &&
        (g->inside || !w->influence || !w->influence(w->user, ref, what, &v)))
        fail(g, "no influence of ", what);
    free(what);
    expect(g, ")");
    return v;
}

/* A name, or what the name calls. */
static double named(struct parser *g)
{
    char *id = identifier(g);
    bool ref = !strncmp(id, "ref.", 4), call = take(g, "(");
    const char *what = ref ? id + 4 : id;
    double v = NAN;
    if (call && !strcmp(what, "worst"))
        v = worst(g, ref);
    else if (call && !strcmp(what, "influence"))
        v = influence(g, ref);
    else if (call && (!strcmp(id, "min") || !strcmp(id, "max")))
        v = smaller_or_larger(g, !strcmp(id, "max"));
    else if (call && !strcmp(id, "ceil"))
        v = rounded_up(g);
    else if (call)
        fail(g, "no function ", id);
    else
        v = value_of(g, id);
    if (!call && !g->first_name)
        g->first_name = xstrdup(id);
    free(id);
    return v;
}

/* unary = "-" unary | number | name | call | "(" sum ")" */
static double unary(struct parser *g)
{
    if (++g->depth > 100)
        fail(g, "nested too deeply", "");
    double v = NAN;
    skip_space(g);
    if (g->error) {
    } else if (take(g, "-")) {
        v = -unary(g);
    } else if (take(g, "(")) {
        v = sum(g);
        expect(g, ")");
    } else if (isdigit((unsigned char)*g->p) || *g->p == '.') {
        char *end;
        v = strtod(g->p, &end);
        if (end == g->p)
            fail(g, "expected a number", "");
        g->p = end;
    } else if (isalpha((unsigned char)*g->p) || *g->p == '_') {
        v = named(g);
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

static char *copy_trimmed(const char *from, const char *end)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    return xformat("%.*s", (int)(end - from), from);
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
static struct gate_result comparison(struct parser *g)
{
    static const char *const ops[] = {"<=", ">=", "==", "<", ">"}; /* longest first */
    struct gate_result r = {0};
    const char *from = g->p;
    g->first_name = NULL;
    g->left_out = false;
    g->worst = -1;
    r.left = sum(g);
    r.left_text = copy_trimmed(from, g->p);
    r.first_name = g->first_name ? g->first_name : xstrdup("");
    r.worst = g->worst;
    size_t i = 0;
    while (i < 5 && !take(g, ops[i]))
        i++;
    if (i == 5)
        fail(g, "expected a comparison", "");
    else
        strcpy(r.op, ops[i]);
    from = g->p;
    g->first_name = r.first_name; /* the left side's counts */
    r.right = i < 5 ? sum(g) : NAN;
    r.right_text = copy_trimmed(from, g->p);
    r.ok = g->left_out || (isfinite(r.left) && isfinite(r.right) && compare(r.op, r.left, r.right));
    if (!r.ok && !g->decided && !g->error && g->world->eased)
        r.ok = g->world->eased(g->world->user, &r);
    return r;
}

struct gate_result gate_eval(const char *expression, const struct gate_world *world)
{
    struct parser g = {.start = expression, .p = expression, .world = world};
    struct gate_result r = comparison(&g);
    while (!g.error && take(&g, "&&")) {
        g.decided = !r.ok && !world->every;
        struct gate_result next = comparison(&g), *rest = r.ok && !g.left_out ? &r : &next;
        gate_free(rest);
        if (rest == &r)
            r = next;
    }
    skip_space(&g);
    if (*g.p)
        fail(&g, "unexpected text", "");
    r.error = g.error;
    r.ok = r.ok && !g.error;
    return r;
}

void gate_free(struct gate_result *r)
{
    free(r->left_text);
    free(r->right_text);
    free(r->first_name);
    free(r->error);
    *r = (struct gate_result){0};
}

double gate_value(const char *text, const struct gate_world *world, char **error)
{
    struct parser g = {.start = text, .p = text, .world = world};
    double v = sum(&g);
    skip_space(&g);
    if (*g.p)
        fail(&g, "unexpected text", "");
    free(g.first_name);
    bool ok = !g.error;
    if (error)
        *error = g.error;
    else
        free(g.error);
    return ok ? v : NAN;
}

const char *gate_op_words(const char *op)
{
    static const struct {
        const char *op, *words;
    } rows[] = {{"<=", "at most"},
                {">=", "at least"},
                {"==", "exactly"},
                {"<", "less than"},
                {">", "more than"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(rows[i].op, op))
            return rows[i].words;
    return op;
}
