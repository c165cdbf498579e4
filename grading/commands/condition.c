/* condition.c - #if's expressions, by precedence. See condition.h.
 *
 * Operators come a character a token (lex.h) and are put together here. Bad input has some value:
 * a compiler refuses it.
 */
#include "condition.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };

struct value {
    uint64_t v;
    bool is_unsigned;
};

struct reader {
    const struct token *t, *end;
    int depth;
};

/* The longer ones of a beginning first. */
static const struct {
    const char *spelled;
    int level; /* the higher, the closer */
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8},
                 {"<=", 7}, {">=", 7}, {"<", 7},  {">", 7},  {"|", 3},  {"^", 4},
                 {"&", 5},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
enum { OPERATORS = sizeof(operators) / sizeof(operators[0]) };

static bool at(const struct reader *r, const char *spelled)
{
    size_t n = strlen(spelled);
    if ((size_t)(r->end - r->t) < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (r->t[i].n != 1 || *r->t[i].s != spelled[i])
            return false;
    return true;
}

static bool take(struct reader *r, const char *spelled)
{
    bool there = at(r, spelled);
    r->t += there ? strlen(spelled) : 0;
    return there;
}

static struct value number(const struct token *t)
{
    char digits[80];
    size_t n = 0;
    for (int i = 0; i < t->n && n + 1 < sizeof(digits); i++)
        if (t->s[i] != '\'')
            digits[n++] = t->s[i];
    digits[n] = 0;
    bool binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
    char *rest;
    struct value x = {strtoull(digits + (binary ? 2 : 0), &rest, binary ? 2 : 0), false};
    x.is_unsigned = strpbrk(rest, "uU") || x.v > INT64_MAX;
    return x;
}

static struct value character(const struct token *t)
{
    return (struct value){t->n > 2 ? (unsigned char)t->s[1] : 0, false};
}

static struct value expression(struct reader *r, int level);

static struct value choice(struct reader *r)
{
    struct value x = expression(r, 1);
    if (!take(r, "?"))
        return x;
    struct value yes = choice(r);
    take(r, ":");
    struct value no = choice(r);
    return x.v ? yes : no;
}

static struct value primary(struct reader *r)
{
    if (r->t >= r->end)
        return (struct value){0, false};
    if (take(r, "(")) {
        struct value x = choice(r);
        take(r, ")");
        return x;
    }
    const struct token *t = r->t++;
    if (is_number(t))
        return number(t);
    if (*t->s == '\'')
        return character(t);
    return (struct value){is(t, "true"), false};
}

static struct value unary(struct reader *r)
{
    struct value x = {0, false};
    if (r->depth >= DEEPEST) {
        r->t = r->end;
        return x;
    }
    r->depth++;
    if (take(r, "!"))
        x.v = !unary(r).v;
    else if (take(r, "-"))
        x = unary(r), x.v = -x.v;
    else if (take(r, "~"))
        x = unary(r), x.v = ~x.v;
    else if (take(r, "+"))
        x = unary(r);
    else
        x = primary(r);
    r->depth--;
    return x;
}

static bool less(struct value a, struct value b)
{
    return a.is_unsigned || b.is_unsigned ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
}

static uint64_t divided(struct value a, struct value b, bool rest)
{
    if (!b.v)
        return 0;
    if (a.is_unsigned || b.is_unsigned)
        return rest ? a.v % b.v : a.v / b.v;
    if (b.v == UINT64_MAX)
        return rest ? 0 : -a.v;
    int64_t x = (int64_t)a.v, y = (int64_t)b.v;
    return (uint64_t)(rest ? x % y : x / y);
}

static uint64_t shifted(struct value a, struct value b, bool left)
{
    if (b.v > 63)
        return 0;
    return left ? a.v << b.v : a.is_unsigned ? a.v >> b.v : (uint64_t)((int64_t)a.v >> b.v);
}

static struct value combined(const char *op, struct value a, struct value b)
{
    bool whole = op[0] == '+' || op[0] == '-' || op[0] == '*' || op[0] == '/' || op[0] == '%' ||
                 op[0] == '^' || (!op[1] && (op[0] == '&' || op[0] == '|'));
    struct value x = {0, whole && (a.is_unsigned || b.is_unsigned)};
    switch (op[0]) {
    case '+':
        x.v = a.v + b.v;
        break;
    case '-':
        x.v = a.v - b.v;
        break;
    case '*':
        x.v = a.v * b.v;
        break;
    case '/':
        x.v = divided(a, b, false);
        break;
    case '%':
        x.v = divided(a, b, true);
        break;
    case '^':
        x.v = a.v ^ b.v;
        break;
    case '&':
        x.v = op[1] ? a.v && b.v : a.v & b.v;
        break;
    case '|':
        x.v = op[1] ? a.v || b.v : a.v | b.v;
        break;
    case '=':
        x.v = a.v == b.v;
        break;
    case '!':
        x.v = a.v != b.v;
        break;
    default: {
        bool left = op[0] == '<';
        if (op[1] == op[0])
            return (struct value){shifted(a, b, left), a.is_unsigned};
        x.v = op[1] ? (left ? !less(b, a) : !less(a, b)) : left ? less(a, b) : less(b, a);
    }
    }
    return x;
}

static struct value expression(struct reader *r, int level)
{
    struct value x = unary(r);
    for (int i = 0; i < OPERATORS; i++) {
        if (!at(r, operators[i].spelled))
            continue;
        if (operators[i].level < level)
            break;
        take(r, operators[i].spelled);
        x = combined(operators[i].spelled, x, expression(r, operators[i].level + 1));
        i = -1;
    }
    return x;
}

bool condition_holds(const struct list *l)
{
    struct reader r = {l->v, end_of(l), 0};
    return choice(&r).v;
}
