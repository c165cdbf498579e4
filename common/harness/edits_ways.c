/* edits_ways.c - the small changes that people forget or slip (editing.h). */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- operators and operands ---- */
static const char *const compares[] = {"==", "!=", "<", ">", "<=", ">=", "&&", "||", NULL};

static void another_operator(struct scan *s, int i)
{
    static const char *const others[][2] = {
        {"+", "-"},   {"-", "+"},   {"*", "/"},   {"/", "*"},   {"%", "/"},   {"/", "%"},
        {"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},  {"<<", ">>"}, {">>", "<<"},
        {"&", "|"},   {"|", "&"},   {"^", "|"},   {"|", "^"},   {"^", "&"},   {"&", "^"},
        {"==", "!="}, {"!=", "=="}, {"&&", "||"}, {"||", "&&"}, {"+", "*"},   {"*", "+"}};
    int left = word_is_binary(s, i) ? operand_back(s, i - 1) : -1;

    for (size_t k = 0; left >= 0 && k < sizeof(others) / sizeof(others[0]); k++) {
        if (!word_is(s, i, others[k][0]))
            continue;
        int right = operand_on(s, i + 1);
        /* below a remainder is hardly anything: so a condition would be sent all the other way */
        if (word_is(s, i, "/") && others[k][1][0] == '%' &&
            (word_is_any(s, left - 1, compares) || word_is_any(s, right + 1, compares)))
            continue;
        char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right);
        change(s, left, right, xformat("%s %s %s", a, others[k][1], b));
        free(a);
        free(b);
    }
}

static void another_assignment(struct scan *s, int i)
{
    static const char *const others[][2] = {{"+=", "-="}, {"-=", "+="}, {"*=", "/="}, {"/=", "*="},
                                            {"=", "+="},  {"+=", "="},  {"^=", "="}};

    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
        bool declared = word_is(s, i, "=") && word_kind(s, i - 1) == NAME &&
                        (word_kind(s, i - 2) == NAME || word_is(s, i - 2, "*"));
        bool none = word_is(s, i, "=") && word_is(s, i + 1, "0") && word_is(s, i + 2, ";");
        if (word_is(s, i, others[k][0]) && !declared && !none) /* += 0: a line too much */
            change(s, i, i, xstrdup(others[k][1]));
    }
}

static void exchanged(struct scan *s, int i)
{
    int left = word_is_binary(s, i) ? operand_back(s, i - 1) : -1;

    if (left < 0 ||
        word_is_any(s, i,
                    (const char *const[]){"+", "*", "&", "|", "^", "&&", "||", "==", "!=", NULL}))
        return;
    int right = operand_on(s, i + 1);
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right),
         *op = words_text(s, i, i);
    change(s, left, right, xformat("%s %s %s", b, op, a));
    free(a);
    free(b);
    free(op);
}

/* Of a call: two neighbouring arguments, each one operand. */
static void arguments_exchanged(struct scan *s, int i)
{
    static const char *const signs[] = {"+", "-", "*", "/", "%", NULL};
    int left = word_is(s, i, ",") ? operand_back(s, i - 1) : -1,
        right = left < 0 ? -1 : operand_on(s, i + 1);

    if (left < 0 || right < 0)
        return;
    left = chain_back(s, left, signs);
    right = chain_on(s, right, signs);
    if ((!word_is(s, left - 1, "(") && !word_is(s, left - 1, ",")) ||
        (!word_is(s, right + 1, ")") && !word_is(s, right + 1, ",")))
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, right);
    change(s, left, right, xformat("%s, %s", b, a));
    free(a);
    free(b);
}

static bool is_first_of_operand(const struct scan *s, int i)
{
    return (word_is_variable(s, i) || word_kind(s, i) == NUMBER ||
            (word_kind(s, i) == NAME && word_is(s, i + 1, "(") && !word_is_keyword(s, i))) &&
           !word_is_member(s, i) && !word_is_declared(s, i);
}

static void another_sign(struct scan *s, int i)
{
    if (word_is(s, i, "-") && !word_is_binary(s, i) && operand_on(s, i + 1) >= 0) {
        change(s, i, i + 1, words_text(s, i + 1, i + 1));
    } else if (is_first_of_operand(s, i) && word_kind(s, i) == NAME &&
               (word_is(s, i - 1, "(") || word_is(s, i - 1, "=") || word_is(s, i - 1, ",") ||
                word_is(s, i - 1, "?"))) {
        char *a = words_text(s, i, i);
        change(s, i, i, xformat("-%s", a));
        free(a);
    }
}

static void another_function(struct scan *s, int i)
{
    static const char *const others[][2] = {{"sqrtf", "rsqrtf"},
                                            {"rsqrtf", "sqrtf"},
                                            {"sinf", "cosf"},
                                            {"cosf", "sinf"},
                                            {"expf", "exp2f"},
                                            {"exp2f", "expf"},
                                            {"log2f", "logf"},
                                            {"log10f", "logf"},
                                            {"__expf", "exp2f"},
                                            {"logf", "log2f"},
                                            {"__log2f", "__logf"},
                                            {"__log10f", "__logf"},
                                            {"min", "max"},
                                            {"max", "min"},
                                            {"fminf", "fmaxf"},
                                            {"fmaxf", "fminf"},
                                            {"exp10f", "expf"},
                                            {"__exp10f", "__expf"},
                                            {"floorf", "ceilf"},
                                            {"__mulhi", "__umulhi"},
                                            {"__syncthreads_or", "__syncthreads_and"},
                                            {"__syncthreads_or", "__syncthreads_count"},
                                            {"__syncthreads_and", "__syncthreads_or"},
                                            {"__syncthreads_and", "__syncthreads_count"},
                                            {"__syncthreads_count", "__syncthreads_or"},
                                            {"__syncthreads_count", "__syncthreads_and"},
                                            {"__any_sync", "__all_sync"},
                                            {"__all_sync", "__any_sync"},
                                            {"__any_sync", "__ballot_sync"},
                                            {"__ballot_sync", "__any_sync"},
                                            {"__reduce_or_sync", "__reduce_and_sync"},
                                            {"__reduce_and_sync", "__reduce_or_sync"},
                                            {"__reduce_or_sync", "__reduce_add_sync"},
                                            {"__reduce_min_sync", "__reduce_max_sync"},
                                            {"__reduce_max_sync", "__reduce_min_sync"},
                                            {"__ffs", "__clz"},
                                            {"__clz", "__ffs"},
                                            {"atomicMin", "atomicMax"},
                                            {"atomicMax", "atomicMin"},
                                            {"atomicOr", "atomicAnd"},
                                            {"atomicAnd", "atomicOr"}};

    if (!word_is(s, i + 1, "("))
        return;
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
        if (word_is(s, i, others[k][0]))
            change(s, i, i, xstrdup(others[k][1]));
    }
}

/* Where it is compared: what is below 0 would not be as a square. */
static bool is_asked(const struct scan *s, int i)
{
    int from = statement_begin(s, i), to = statement_end(s, from);
    bool asked = false;

    for (int k = from; k <= to; k++)
        asked |= word_is_any(s, k, compares);
    return asked;
}

static void squared(struct scan *s, int i)
{
    static const char *const arithmetic[] = {"+", "-", "*", "/", NULL};
    int end = is_first_of_operand(s, i) && word_kind(s, i) == NAME ? operand_on(s, i) : -1;

    if (end < 0 || word_is(s, i + 1, "(") || is_asked(s, i) ||
        (!word_is_any(s, i - 1, arithmetic) && !word_is_any(s, end + 1, arithmetic)))
        return;
    char *a = words_text(s, i, end);
    int next = operand_on(s, end + 2);
    char *b = next >= 0 && word_is(s, end + 1, "*") ? words_text(s, end + 2, next) : NULL;
    if (b && !strcmp(a, b))
        change(s, i, next, xstrdup(a));
    else if (!word_is(s, i - 1, "[") && !word_is(s, end + 1, "]"))
        change(s, i, end, xformat("%s * %s", a, a));
    free(a);
    free(b);
}

int binds(const struct scan *s, int i)
{
    static const char *const levels[][5] = {{"||"},
                                            {"&&"},
                                            {"|"},
                                            {"^"},
                                            {"&"},
                                            {"==", "!="},
                                            {"<", "<=", ">", ">="},
                                            {"<<", ">>"},
                                            {"+", "-"},
                                            {"*", "/", "%"}};

    for (int level = 0; level < 10; level++) {
        for (int k = 0; k < 5 && levels[level][k]; k++) {
            if (word_is(s, i, levels[level][k]) && word_is_binary(s, i))
                return level + 1;
        }
    }
    return 0;
}

/* A comparison, whose result something would then be divided by, or multiplied with. */
static bool counts_as_number(const struct scan *s, int i, int before, int behind)
{
    static const char *const computes[] = {"+", "-", "*", "/", "%", NULL};
    return word_is_any(s, i, compares) &&
           (word_is_any(s, before, computes) || word_is_any(s, behind, computes));
}

/* Would brackets around the operands of i make a difference, by the operator before or behind? */
static bool is_open(const struct scan *s, int i, int before, int behind)
{
    static const char *const ordered[] = {"-", "/", "%", "<<", ">>", NULL};
    int mine = binds(s, i);

    return binds(s, before) > mine || binds(s, behind) > mine ||
           (binds(s, before) == mine && word_is_any(s, before, ordered));
}

/* (a + 31) / 32: without brackets that is a. */
static bool rounds_up(const struct scan *s, int close)
{
    return word_is(s, close + 1, "/") && word_kind(s, close - 1) == NUMBER &&
           word_kind(s, close + 2) == NUMBER && word_is(s, close - 2, "+");
}

/* (a op b), or what is in brackets without them. */
static void brackets(struct scan *s, int i)
{
    int left = word_is_binary(s, i) ? operand_back(s, i - 1) : -1, right;

    if (left >= 0) {
        right = operand_on(s, i + 1);
        char *a = words_text(s, left, right);
        if (is_open(s, i, left - 1, right + 1) && !counts_as_number(s, i, left - 1, right + 1))
            change(s, left, right, xformat("(%s)", a));
        free(a);
    } else if (word_is(s, i, "(") && word_kind(s, i - 1) != NAME &&
               (right = word_match(s, i, 1)) > i + 1 && !rounds_up(s, right)) {
        change(s, i, right, words_text(s, i + 1, right - 1));
    }
}

/* Of a builtin variable a member that its function knows of, as .y is 0 for all threads where
 * nothing has two dimensions: what is a constant then may look right. Of all others, any. */
static bool has_member(const struct scan *s, int i, char member)
{
    static const char *const builtin[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
    const struct block *in = &s->blocks[s->v[i].block];

    if (member == 'x')
        return true;
    for (int k = in->open; k < in->end && word_is_any(s, i - 2, builtin); k++) {
        if (word_is_any(s, k - 2, builtin) && word_is_member(s, k) && s->v[k].length == 1 &&
            s->text[s->v[k].at] == member)
            return true;
    }
    return !word_is_any(s, i - 2, builtin);
}

/* blockIdx.y * blockDim.y: with another axis's member it is right in blocks of some shape alone. */
static bool is_of_one_axis(const struct scan *s, int i)
{
    bool first = word_is(s, i - 2, "blockIdx") && word_is(s, i + 1, "*") &&
                 word_is(s, i + 2, "blockDim") && word_same(s, i, i + 4),
         second = word_is(s, i - 2, "blockDim") && word_is(s, i - 3, "*") &&
                  word_is(s, i - 6, "blockIdx") && word_same(s, i, i - 4);

    return first || second;
}

/* .x for .y and so on, blockDim for gridDim. Not blockIdx for threadIdx: what is a block's may look
 * right where it should be a thread's, in blocks of few numbers. */
static void another_member(struct scan *s, int i)
{
    static const char *const pairs[][2] = {{"blockDim", "gridDim"}, {"gridDim", "blockDim"}};

    for (size_t k = 0; k < 2; k++) {
        if (word_is(s, i, pairs[k][0]))
            change(s, i, i, xstrdup(pairs[k][1]));
    }
    for (const char *m = "xyzw";
         word_is_member(s, i) && s->v[i].length == 1 && !is_of_one_axis(s, i) && *m; m++) {
        if (strchr("xyzw", s->text[s->v[i].at]) && s->text[s->v[i].at] != *m &&
            has_member(s, i, *m))
            change(s, i, i, xformat("%c", *m));
    }
}

/* a * b + c to c * d + a, as where rows and columns are taken for each other. */
static void transposed(struct scan *s, int i)
{
    int a = word_is(s, i, "*") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1, b, c;

    if (a < 0 || (b = operand_on(s, i + 1)) < 0 || !word_is(s, b + 1, "+") ||
        (c = operand_on(s, b + 2)) < 0)
        return;
    const struct block *in = &s->blocks[s->v[i].block];
    char *first = words_text(s, a, i - 1), *pitch = words_text(s, i + 1, b),
         *last = words_text(s, b + 2, c);
    change(s, a, c, xformat("%s * %s + %s", last, pitch, first));
    for (int k = in->first; k < in->end; k++) {
        char *other = words_text(s, k, k);
        bool pitches = k < in->open ? word_is_parameter(s, k) : word_is_constant(s, k);

        for (int before = in->first; before < k && pitches; before++)
            pitches = !word_same(s, before, k);
        if (pitches && strcmp(other, pitch))
            change(s, a, c, xformat("%s * %s + %s", last, other, first));
        free(other);
    }
    free(first);
    free(pitch);
    free(last);
}

static void one_more(struct scan *s, int i)
{
    static const char *const compares[] = {"<", "<=", ">", ">=", "==", NULL};
    int left = word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    bool real = right >= 0 && word_kind(s, right) == NUMBER && /* no whole number, nor one more */
                memchr(s->text + s->v[right].at, '.', s->v[right].length);
    if (right < 0 || real || (!word_is_any(s, i, compares) && !word_is(s, i, "/")))
        return;
    int from = word_is(s, i, "/") ? left : i + 1;
    char *a = words_text(s, from, right);
    change(s, from, right, xformat(word_is(s, i, "/") ? "(%s + 1)" : "%s + 1", a));
    change(s, from, right, xformat(word_is(s, i, "/") ? "(%s - 1)" : "%s - 1", a));
    if (!word_is(s, i, "/") && !word_is(s, i, "=="))
        change(s, from, right, xformat("%s + 2", a));
    free(a);
}

static void another_type(struct scan *s, int i)
{
    static const char *const others[][2] = {
        {"int", "float"},          {"int", "long long"},
        {"int", "unsigned"},       {"unsigned", "unsigned long long"},
        {"unsigned", "int"},       {"half", "float"},
        {"char", "unsigned char"}, {"short", "int"},
        {"char", "int"},           {"float", "double"}};

    if (word_is(s, i, "(") && word_is(s, i + 2, ")") && word_is_type(s, i + 1) &&
        operand_on(s, i + 3) >= 0)
        change(s, i, i + 3, words_text(s, i + 3, i + 3));
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
        if (word_is(s, i, others[k][0]) && !word_is(s, i + 1, "long") &&
            !word_is(s, i + 1, "int") && !word_is(s, i + 1, "*"))
            change(s, i, i, xstrdup(others[k][1]));
    }
}

/* ---- numbers that are told ---- */

enum { LONG_NUMBER = 4 }; /* digits: nobody takes such a number for another, but mistypes it */

/* Of a number its digits, without what says its type. */
static size_t digits_length(const char *p)
{
    bool hex = p[0] == '0' && (p[1] | 32) == 'x';
    size_t n = hex ? 2 : 0;

    while (hex ? isxdigit((unsigned char)p[n]) : isdigit((unsigned char)p[n]) || p[n] == '.')
        n++;
    return n;
}

/* One digit wrong, left out or too many, or two neighbours exchanged? */
static bool is_mistyped(const char *a, size_t n, const char *b, size_t m)
{
    size_t head = 0, tail = 0, least = n < m ? n : m;

    while (head < least && tolower(a[head]) == tolower(b[head]))
        head++;
    while (tail < least - head && tolower(a[n - 1 - tail]) == tolower(b[m - 1 - tail]))
        tail++;
    size_t x = n - head - tail, y = m - head - tail;
    return (x && x == y && x <= 2) || x + y == 1;
}

/* The next long number of a text, at or behind p; NULL: none. *length: of its digits. */
static const char *next_number(const char *p, size_t *length)
{
    for (; *p; p += *length ? *length : 1) {
        *length = isalpha((unsigned char)*p) || *p == '_' ? name_length(p) : digits_length(p);
        if (*length >= LONG_NUMBER && isdigit((unsigned char)*p))
            return p;
    }
    return NULL;
}

/* A number that is told nowhere, but one that is nearly it; else two digits exchanged. */
static void mistyped_number(struct scan *s, int i)
{
    const char *a = s->text + s->v[i].at;
    size_t n = word_kind(s, i) == NUMBER ? digits_length(a) : 0, m;
    const char *end = a + s->v[i].length;

    for (const char *b = s->told; (b = next_number(b, &m)) && n >= LONG_NUMBER; b += m) {
        if (n == m && !strncasecmp(a, b, n))
            return;
    }
    for (const char *b = s->told; (b = next_number(b, &m)) && n >= LONG_NUMBER; b += m) {
        if (is_mistyped(a, n, b, m))
            change(s, i, i, xformat("%.*s%.*s", (int)m, b, (int)(end - a - (long)n), a + n));
    }
    for (size_t k = 0; n >= LONG_NUMBER && k + 1 < n; k++) {
        if (!isxdigit((unsigned char)a[k]) || !isxdigit((unsigned char)a[k + 1]) ||
            a[k] == a[k + 1])
            continue;
        char *b = xformat("%.*s", (int)s->v[i].length, a);
        b[k] = a[k + 1];
        b[k + 1] = a[k];
        change(s, i, i, b);
    }
}

enum { ROUGH = 3 }; /* digits that are right */

/* A number with a point of which the first digits are those of one that is told, or that all know;
 * or of 1 by a whole number. */
static void rough_number(struct scan *s, int i)
{
    static const double known[] = {3.14159265358979, 2.71828182845905, 1.41421356237310,
                                   0.70710678118655, 1.44269504088896, 0.69314718055995,
                                   0.39894228040143, 2.50662827463100, 1.73205080756888};
    const char *a = s->text + s->v[i].at;
    size_t n = word_kind(s, i) == NUMBER ? digits_length(a) : 0, m;

    if (n < LONG_NUMBER || !memchr(a, '.', n))
        return;
    double is = strtod(a, NULL), near = is * pow(10, -ROUGH), part = is ? round(1 / is) : 0;
    char *rest = xformat("%.*s", (int)(s->v[i].length - n), a + n);
    for (const char *b = s->told; (b = next_number(b, &m)); b += m) {
        double of = strtod(b, NULL);

        if (m > n && memchr(b, '.', m) && of != is && fabs(of - is) < near)
            change(s, i, i, xformat("%.*s%s", (int)m, b, rest));
    }
    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
        if (known[k] != is && fabs(known[k] - is) < near)
            change(s, i, i, xformat("%.10g%s", known[k], rest));
    }
    if (part > 2 && fabs(1 / part - is) < near && 1 / part != is)
        change(s, i, i, xformat("(1.0%s / %g)", rest, part));
    free(rest);
}

/* ---- other changes ---- */

/* Declared as a whole number, a pair or an address, as far as the word before it tells. */
static bool is_no_float(const struct scan *s, int i)
{
    static const char *const floats[] = {"float", "double", "half", "T", "auto", "const", NULL};

    for (int k = i - 1; k >= 0 && s->v[k].block == s->v[i].block; k--) {
        if (word_same(s, k, i) && word_is_declared(s, k))
            return !word_is_any(s, k - 1, floats);
        if (word_same(s, k, i) && word_is(s, k - 1, "*"))
            return true;
    }
    return false;
}

static bool is_in_question(const struct scan *s, int i)
{
    static const char *const asks[] = {"==", "!=", "<", ">", "<=", ">=", "?", NULL};
    bool compared = false;

    for (int k = statement_begin(s, i); k <= statement_end(s, i); k++)
        compared |= word_is_any(s, k, asks);
    return compared;
}

/* What a call is asked of: fabsf(x) for x; and x for f(x). */
static void another_call(struct scan *s, int i)
{
    static const char *const calls[] = {"fabsf", "sqrtf", NULL};
    int end;

    if (word_is_any(s, i,
                    (const char *const[]){"fabsf", "sqrtf", "abs", "fmaxf", "floorf", NULL}) &&
        word_is(s, i + 1, "(") && (end = word_match(s, i + 1, 1)) > 0)
        change(s, i, end, words_text(s, i + 1, end));
    if (!word_is_variable(s, i) || word_is_constant(s, i) || word_is_member(s, i) ||
        word_is(s, i + 1, "=") || word_is(s, i + 1, "[") || word_is_declared(s, i) ||
        word_is(s, i - 1, "[") || word_is(s, i + 1, ".") || is_no_float(s, i))
        return;
    char *a = words_text(s, i, i);
    /* A root that is none is never equal, nor less: by chance, in a condition. */
    for (size_t k = 0; calls[k] && (k == 0 || !is_in_question(s, i)); k++)
        change(s, i, i, xformat("%s(%s)", calls[k], a));
    free(a);
}

/* A whole number below 2^16, and behind it what says its type. */
static bool is_whole(const char *a, unsigned long long *v, char **type)
{
    *v = strtoull(a, type, 10);
    return *v < 1u << 16 && (a[0] != '0' || strlen(a) == 1) &&
           strspn(*type, "uUlL") == strlen(*type);
}

static bool is_compared(const struct scan *s, int i)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!=", NULL};

    return word_is_any(s, i - 1, signs) || word_is_any(s, i + 1, signs);
}

/* In a comparison: one more, one less. */
static void another_bound(struct scan *s, int i)
{
    if (word_kind(s, i) != NUMBER || !is_compared(s, i))
        return;
    char *a = words_text(s, i, i), *end;
    unsigned long long v;
    if (is_whole(a, &v, &end)) {
        change(s, i, i, xformat("%llu%s", v + 1, end));
        if (v)
            change(s, i, i, xformat("%llu%s", v - 1, end));
    }
    free(a);
}

/* Twice, half, one more, one less. */
static void another_number(struct scan *s, int i)
{
    if (word_kind(s, i) != NUMBER || word_is(s, i - 1, "]"))
        return;
    char *a = words_text(s, i, i), *end;
    unsigned long long v;
    if (is_whole(a, &v, &end)) {
        if (!is_compared(s, i)) {
            change(s, i, i, xformat("%llu%s", v + 1, end));
            if (v)
                change(s, i, i, xformat("%llu%s", v - 1, end));
        }
        if (v > 1)
            change(s, i, i, xformat("%llu%s", 2 * v, end));
        if (v > 2 && v % 2 == 0)
            change(s, i, i, xformat("%llu%s", v / 2, end));
    } else if (!strncmp(end, ".", 1) && strlen(a) < 6) {
        change(s, i, i, xformat("2 * %s", a));
        change(s, i, i, xformat("%s / 2", a));
    }
    free(a);
}

/* By how much bits are shifted: one more, one less. */
static void another_shift(struct scan *s, int i)
{
    unsigned long long v;
    char *end;

    if (!word_is(s, i - 1, "<<") && !word_is(s, i - 1, ">>") && !word_is(s, i - 1, "<<=") &&
        !word_is(s, i - 1, ">>="))
        return;
    char *a = words_text(s, i, i);
    if (word_kind(s, i) == NUMBER && is_whole(a, &v, &end) && v) {
        change(s, i, i, xformat("%llu%s", v - 1, end));
        change(s, i, i, xformat("%llu%s", v + 1, end));
    }
    free(a);
}

/* One of the other small numbers of its function, as what stands for none. */
static void number_of_function(struct scan *s, int i)
{
    unsigned long long v, other;
    char *end;

    if (i < 0 || word_kind(s, i) != NUMBER ||
        !word_is_any(s, i - 1, (const char *const[]){":", "=", "return", ",", NULL}) ||
        word_is(s, statement_begin(s, i) - 2, "for"))
        return;
    const struct block *in = &s->blocks[s->v[i].block];
    char *a = words_text(s, i, i);
    uint64_t known = 0;
    bool whole = is_whole(a, &v, &end) && v < 64;
    known |= whole ? 1ull << v : 0;
    for (int k = in->open; k < in->end && whole; k++) {
        char *b = word_kind(s, k) == NUMBER ? words_text(s, k, k) : NULL;

        if (b && is_whole(b, &other, &end) && other < 64 && !(known >> other & 1)) {
            known |= 1ull << other;
            change(s, i, i, xstrdup(b));
        }
        free(b);
    }
    free(a);
}

/* x and y, kx and ky: one letter differs; s and n are no more like than others. */
static bool is_similar(const struct scan *s, int i, int k)
{
    const char *a = s->text + s->v[i].at, *b = s->text + s->v[k].at;
    int differ = 0, by = 0;

    for (size_t c = 0; c < s->v[i].length && s->v[i].length == s->v[k].length; c++) {
        differ += a[c] != b[c];
        by += abs(a[c] - b[c]);
    }
    return differ == 1 && (s->v[i].length > 1 || by == 1);
}

/* A type that a template is given, or a function that is called with one. */
static bool is_of_template(const struct scan *s, int k)
{
    return word_is_any(s, k - 1, (const char *const[]){"class", "typename", NULL}) ||
           (word_is(s, k + 1, "<") && word_is(s, k + 3, ">") && word_is(s, k + 4, "("));
}

/* Declared here, with a size, and not shared: what is stored there instead is left out. */
static bool is_own_array(const struct scan *s, int k)
{
    return k > s->blocks[s->v[k].block].open && word_is_declared(s, k) && word_is(s, k + 1, "[") &&
           !word_is(s, statement_begin(s, k), "__shared__");
}

/* Is word i what is stored to: a[…] = …? */
static bool is_stored_to(const struct scan *s, int i)
{
    return statement_begin(s, i) == i && word_is(s, i + 1, "[") &&
           word_is(s, word_match(s, i + 1, 1) + 1, "=");
}

/* Other variables of its function, of its kind, once each: those named before it. */
static void names_for(struct scan *s, int i, bool similar)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool array = word_kind(s, i) == NAME && word_is_array(s, i),
         stored = array && is_stored_to(s, i);

    for (int k = in->first; k < (i > in->open ? i : in->open); k++) {
        bool known = word_same(s, i, k) || !word_is_variable(s, k) || word_is_member(s, k) ||
                     word_is(s, k + 1, ".") || k == in->name || is_of_template(s, k) ||
                     word_is_array(s, k) != array || is_similar(s, i, k) != similar ||
                     (!similar && word_is_constant(s, k) != word_is_constant(s, i));

        known |= !known && stored && is_own_array(s, k);
        for (int before = in->first; before < k && !known; before++)
            known = word_same(s, before, k);
        if (!known)
            change(s, i, i, words_text(s, k, k));
    }
}

static void similar_name(struct scan *s, int i)
{
    if (word_is_plain(s, i))
        names_for(s, i, true);
}

/* What a variable begins with, or is passed: a variable for 0 or 1, and 0 for a variable. */
static void another_value(struct scan *s, int i)
{
    if ((word_is(s, i, "0") || word_is(s, i, "1")) && word_is(s, i - 1, "=")) {
        names_for(s, i, true);
        names_for(s, i, false);
    } else if (word_kind(s, i) == NUMBER && word_is(s, i - 1, "[") && word_is(s, i + 1, "]") &&
               !word_is_declared(s, i - 2)) {
        names_for(s, i, false);
    } else if (word_is_plain(s, i) && (word_is(s, i - 1, ",") || word_is(s, i - 1, "=")) &&
               (word_is(s, i + 1, ",") || word_is(s, i + 1, ")") || word_is(s, i + 1, ";"))) {
        change(s, i, i, xstrdup("0"));
    }
}

static void another_name(struct scan *s, int i)
{
    if (word_is_plain(s, i))
        names_for(s, i, false);
}

/* ---- what a kernel is given ---- */

static bool is_used(const struct scan *s, const struct block *in, int k)
{
    for (int i = in->open; i < in->end; i++) {
        if (word_same(s, i, k))
            return true;
    }
    return false;
}

/* The last word of what a number is declared with, behind the sign; -1: it is none, or short. */
static int value_end(const struct scan *s, int i)
{
    int end = word_is(s, i, "=") && word_kind(s, i - 1) == NAME && word_is_type(s, i - 2)
                  ? statement_end(s, i + 1)
                  : -1;

    for (int k = i + 1; k <= end; k++) {
        if (word_is(s, k, ",") || word_is(s, k, "{"))
            return -1;
    }
    return end > i + 1 ? end : -1;
}

/* A parameter that is never used: for a number, or a value, added, or as a factor. */
static void unused_parameter(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int value = value_end(s, i);
    bool number = word_kind(s, i) == NUMBER && !word_is(s, i - 1, "["),
         operand = word_kind(s, i) == NAME && !word_is_member(s, i) && !word_is_declared(s, i) &&
                   word_is_variable(s, i) && operand_on(s, i) >= 0;

    for (int k = in->first; k < in->open && (number || operand || value > 0); k++) {
        if (!word_is_parameter(s, k) || is_used(s, in, k))
            continue;
        char *p = words_text(s, k, k), *a = words_text(s, i, operand ? operand_on(s, i) : i);
        if (value > 0) {
            change(s, i + 1, value, xstrdup(p));
        } else if (number) {
            change(s, i, i, xstrdup(p));
        } else if (!word_is_array(s, i)) {
            if (!word_is_any(s, k - 1, (const char *const[]){"float", "double", "half", NULL}))
                change(s, i, operand_on(s, i), xformat("(%s + %s)", p, a));
            change(s, i, operand_on(s, i), xformat("%s * %s", a, p));
        }
        free(p);
        free(a);
    }
}

/* a[i]: that of another row, of a block's. */
static void row_added(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (!word_is_plain(s, i) || !word_is(s, i - 1, "[") || !word_is(s, i + 1, "]"))
        return;
    char *a = words_text(s, i, i);
    for (int k = in->first; k < in->open; k++) {
        char *p = word_is_parameter(s, k) ? words_text(s, k, k) : NULL;

        for (const char *axis = "xyz"; p && *axis; axis++)
            change(s, i, i, xformat("blockIdx.%c * %s + %s", *axis, p, a));
        free(p);
    }
    free(a);
}

/* ---- two that change places ---- */

/* Words from … to, with one name for the other and the other for the one. For free(). */
static char *with_names(const struct scan *s, int from, int to, int a, int b, bool members)
{
    struct text t = {0};
    size_t at = s->v[from].at;

    for (int i = from; i <= to; i++) {
        bool one = word_same(s, i, a), other = word_same(s, i, b);
        int is = one ? b : a;

        if ((!one && !other) || word_is_member(s, i) != members)
            continue;
        text_bytes(&t, s->text + at, s->v[i].at - at);
        text_bytes(&t, s->text + s->v[is].at, s->v[is].length);
        at = s->v[i].at + s->v[i].length;
    }
    text_bytes(&t, s->text + at, s->v[to].at + s->v[to].length - at);
    return text_take(&t);
}

/* Two parameters, or two like names, in all of a statement; told at the first of the two. */
static void names_exchanged(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int from = statement_begin(s, i), to = statement_end(s, from);

    if (!word_is_plain(s, i) || word_is_array(s, i))
        return;
    for (int k = from; k < i; k++) {
        if (word_same(s, k, i))
            return; /* not its first */
    }
    for (int k = i + 1; k <= to; k++) {
        bool first = word_is_plain(s, k) && !word_same(s, k, i) && !word_is_array(s, k),
             given[2] = {false, false};

        for (int before = from; before < k; before++)
            first &= !word_same(s, before, k);
        for (int p = in->first; p < in->open; p++) {
            given[0] |= word_is_parameter(s, p) && word_same(s, p, i);
            given[1] |= word_is_parameter(s, p) && word_same(s, p, k);
        }
        if (first && ((given[0] && given[1]) || is_similar(s, i, k)))
            change(s, from, to, with_names(s, from, to, i, k, false));
    }
}

enum { AXES_TEXT = 300 }; /* characters of what can still be told */

/* .x and .y, in all of a function from their first on, where that is short; told at the first. */
static void axes_exchanged(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int other = -1, last = i;

    if (!word_is_member(s, i) || (!word_is(s, i, "x") && !word_is(s, i, "y")))
        return;
    for (int k = in->open; k < in->end; k++) {
        bool axis = word_is_member(s, k) && (word_is(s, k, "x") || word_is(s, k, "y"));

        if (axis && k < i)
            return;
        other = axis && !word_same(s, k, i) ? k : other;
        last = axis ? k : last;
    }
    if (other >= 0 && s->v[last].at - s->v[i].at < AXES_TEXT)
        change(s, i - 2, last, with_names(s, i - 2, last, i, other, true));
}

/* A statement and the next. */
static void statements_exchanged(struct scan *s, int i)
{
    int end = i, last;

    if (!word_is_any(s, i - 1, (const char *const[]){";", "{", "}", NULL}) ||
        word_is_keyword(s, i) || word_is_type(s, i) || word_kind(s, i) != NAME)
        return;
    end = statement_end(s, i) + 1;
    if (!word_is(s, end, ";") || word_kind(s, end + 1) != NAME || word_is_type(s, end + 1) ||
        word_is_keyword(s, end + 1))
        return;
    last = statement_end(s, end + 1) + 1;
    if (!word_is(s, last, ";"))
        return;
    char *a = words_text(s, i, end), *b = words_text(s, end + 1, last);
    if (strcmp(a, b))
        change(s, i, last, xformat("%s %s", b, a));
    free(a);
    free(b);
}

enum { STATEMENTS = 8 }; /* that far back */

/* = a; less one that was set shortly before, or with it: a sum with its own element or without. */
static void less_another(struct scan *s, int i)
{
    int statements = 0;

    if (!word_is_plain(s, i) || word_is_array(s, i) || !word_is(s, i - 1, "=") ||
        !word_is(s, i + 1, ";"))
        return;
    char *a = words_text(s, i, i);
    for (int k = i - 1; k > s->blocks[s->v[i].block].open && statements < STATEMENTS; k--) {
        bool known = false;

        statements += word_is(s, k, ";");
        for (int later = k + 1; later < i; later++)
            known |= word_same(s, later, k) && word_is(s, later + 1, "=");
        if (!word_is(s, k + 1, "=") || !word_is_variable(s, k) || word_is_member(s, k) || known ||
            word_same(s, k, i) || word_is_array(s, k))
            continue;
        char *b = words_text(s, k, k);
        change(s, i, i, xformat("%s - %s", a, b));
        change(s, i, i, xformat("%s + %s", a, b));
        free(b);
    }
    free(a);
}

/* ---- all of it ---- */

/* a <= b - 1, which wraps around where b is 0. */
static void below_last(struct scan *s, int i)
{
    int left = word_is(s, i, "<=") ? operand_back(s, i - 1) : -1,
        end = left >= 0 ? operand_on(s, i + 1) : -1;

    if (end < 0 || !word_is(s, end + 1, "-") || !word_is(s, end + 2, "1"))
        return;
    char *a = words_text(s, left, i - 1), *b = words_text(s, i + 1, end);
    change(s, left, end + 2, xformat("%s < %s", a, b));
    free(a);
    free(b);
}

static way *const slips[] = {
    below_last,    arguments_exchanged, mistyped_number,    rough_number,
    another_shift, unused_parameter,    axes_exchanged,     names_exchanged,
    transposed,    row_added,           another_operator,   another_bound,
    exchanged,     another_function,    another_assignment, squared,
    brackets};
const struct ways slip_ways = {slips, sizeof(slips) / sizeof(slips[0])};
static way *const swaps[] = {arguments_exchanged};
const struct ways swap_ways = {swaps, sizeof(swaps) / sizeof(swaps[0])};

static way *const others[] = {another_value, less_another,   statements_exchanged, another_sign,
                              another_call,  similar_name,   another_member,       one_more,
                              another_type,  another_number, number_of_function,   another_name};
const struct ways other_ways = {others, sizeof(others) / sizeof(others[0])};

static way *const places[] = {arguments_exchanged,
                              axes_exchanged,
                              unused_parameter,
                              names_exchanged,
                              another_operator,
                              another_shift,
                              another_member,
                              one_more,
                              less_another,
                              transposed,
                              another_bound,
                              similar_name,
                              another_number,
                              number_of_function,
                              row_added,
                              brackets,
                              exchanged,
                              another_type,
                              another_value,
                              another_assignment,
                              statements_exchanged,
                              another_name};
const struct ways place_ways = {places, sizeof(places) / sizeof(places[0])};

static way *const orders[] = {statements_exchanged, another_operator, another_bound, another_number,
                              another_member};
const struct ways order_ways = {orders, sizeof(orders) / sizeof(orders[0])};

static way *const loops[] = {rest_begins,   as_launched,   below_last,       another_assignment,
                             another_bound, another_shift, another_operator, another_number,
                             similar_name,  one_more,      another_name};
const struct ways loop_ways = {loops, sizeof(loops) / sizeof(loops[0])};
