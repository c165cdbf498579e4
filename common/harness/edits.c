/* edits.c - a .cu file with one small change (edits.h). Changes are made in the blocks (words.h) of
 * the kernels, and of all that they name.
 */
#include "edits.h"
#include "base/alloc.h"
#include "base/text.h"
#include "words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- changes ---- */
/* Words from … to become `with`, which is taken. */
static void change(struct scan *s, int from, int to, char *with)
{
    struct edits *e = s->to;
    size_t at = s->v[from].at;

    if (e->n % 64 == 0)
        e->v = xrealloc(e->v, (size_t)(e->n + 64) * sizeof(*e->v));
    e->v[e->n++] = (struct edit){at, s->v[to].at + s->v[to].length - at, with};
}

typedef void way(struct scan *s, int i);

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
        bool declared =
            word_is(s, i, "=") && (word_kind(s, i - 2) == NAME || word_is(s, i - 2, "*"));
        if (word_is(s, i, others[k][0]) && !declared)
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
    int left = word_is(s, i, ",") ? operand_back(s, i - 1) : -1, right = operand_on(s, i + 1);

    if (left < 0 || right < 0 || (!word_is(s, left - 1, "(") && !word_is(s, left - 1, ",")) ||
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
    static const char *const others[][2] = {
        {"sqrtf", "rsqrtf"}, {"rsqrtf", "sqrtf"},    {"sinf", "cosf"},      {"cosf", "sinf"},
        {"expf", "exp2f"},   {"exp2f", "expf"},      {"log2f", "logf"},     {"log10f", "logf"},
        {"__expf", "exp2f"}, {"logf", "log2f"},      {"__log2f", "__logf"}, {"__log10f", "__logf"},
        {"min", "max"},      {"max", "min"},         {"fminf", "fmaxf"},    {"fmaxf", "fminf"},
        {"exp10f", "expf"},  {"__exp10f", "__expf"}, {"floorf", "ceilf"}};

    if (!word_is(s, i + 1, "("))
        return;
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
        if (word_is(s, i, others[k][0]))
            change(s, i, i, xstrdup(others[k][1]));
    }
}

static void squared(struct scan *s, int i)
{
    static const char *const arithmetic[] = {"+", "-", "*", "/", NULL};
    int end = is_first_of_operand(s, i) && word_kind(s, i) == NAME ? operand_on(s, i) : -1;

    if (end < 0 || word_is(s, i + 1, "(") ||
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

/* Larger where an operator binds more; 0: none between two operands. */
static int binds(const struct scan *s, int i)
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

/* Would brackets around the operands of i make a difference, by the operator before or behind? */
static bool is_open(const struct scan *s, int i, int before, int behind)
{
    static const char *const ordered[] = {"-", "/", "%", "<<", ">>", NULL};
    int mine = binds(s, i);

    return binds(s, before) > mine || binds(s, behind) > mine ||
           (binds(s, before) == mine && word_is_any(s, before, ordered));
}

/* (a op b), or what is in brackets without them. */
static void brackets(struct scan *s, int i)
{
    int left = word_is_binary(s, i) ? operand_back(s, i - 1) : -1, right;

    if (left >= 0) {
        right = operand_on(s, i + 1);
        char *a = words_text(s, left, right);
        if (is_open(s, i, left - 1, right + 1))
            change(s, left, right, xformat("(%s)", a));
        free(a);
    } else if (word_is(s, i, "(") && word_kind(s, i - 1) != NAME &&
               (right = word_match(s, i, 1)) > i + 1) {
        change(s, i, right, words_text(s, i + 1, right - 1));
    }
}

/* .x for .y and so on, and the neighbours of blockIdx. */
static void another_member(struct scan *s, int i)
{
    static const char *const pairs[][2] = {{"blockDim", "gridDim"},
                                           {"gridDim", "blockDim"},
                                           {"threadIdx", "blockIdx"},
                                           {"blockIdx", "threadIdx"}};

    for (size_t k = 0; k < 4; k++) {
        if (word_is(s, i, pairs[k][0]))
            change(s, i, i, xstrdup(pairs[k][1]));
    }
    for (const char *m = "xyzw"; word_is_member(s, i) && s->v[i].length == 1 && *m; m++) {
        if (strchr("xyzw", s->text[s->v[i].at]) && s->text[s->v[i].at] != *m)
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
    for (int k = in->first; k < in->open; k++) {
        char *other = words_text(s, k, k);
        if (word_is_variable(s, k) && (word_is(s, k + 1, ",") || word_is(s, k + 1, ")")) &&
            strcmp(other, pitch))
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

    if (right < 0 || (!word_is_any(s, i, compares) && !word_is(s, i, "/")))
        return;
    int from = word_is(s, i, "/") ? left : i + 1;
    char *a = words_text(s, from, right);
    change(s, from, right, xformat(word_is(s, i, "/") ? "(%s + 1)" : "%s + 1", a));
    change(s, from, right, xformat(word_is(s, i, "/") ? "(%s - 1)" : "%s - 1", a));
    free(a);
}

static void another_type(struct scan *s, int i)
{
    static const char *const others[][2] = {{"int", "float"},    {"int", "long long"},
                                            {"int", "unsigned"}, {"unsigned", "unsigned long long"},
                                            {"unsigned", "int"}, {"float", "double"},
                                            {"half", "float"}};

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

/* ---- other changes ---- */

/* What a call is asked of: fabsf(x) for x; and x for f(x). */
static void another_call(struct scan *s, int i)
{
    static const char *const calls[] = {"fabsf", "sqrtf", NULL};
    int end;

    if (word_is_any(s, i,
                    (const char *const[]){"fabsf", "sqrtf", "abs", "fmaxf", "floorf", NULL}) &&
        word_is(s, i + 1, "(") && (end = word_match(s, i + 1, 1)) > 0)
        change(s, i, end, words_text(s, i + 1, end));
    if (!word_is_variable(s, i) || word_is_member(s, i) || word_is(s, i + 1, "=") ||
        word_is(s, i + 1, "[") || word_is_declared(s, i) || word_is(s, i - 1, "["))
        return;
    char *a = words_text(s, i, i);
    for (size_t k = 0; calls[k]; k++)
        change(s, i, i, xformat("%s(%s)", calls[k], a));
    free(a);
}

/* Twice, half, one more, one less. */
static void another_number(struct scan *s, int i)
{
    if (word_kind(s, i) != NUMBER || word_is(s, i - 1, "]"))
        return;
    char *a = words_text(s, i, i), *end;
    unsigned long long v = strtoull(a, &end, 10);
    if (!*end && v < 1u << 16 && a[0] != '0') {
        change(s, i, i, xformat("%llu", v + 1));
        change(s, i, i, xformat("%llu", v - 1));
        change(s, i, i, xformat("%llu", 2 * v));
        if (v % 2 == 0)
            change(s, i, i, xformat("%llu", v / 2));
    } else if (!strcmp(a, "0")) {
        change(s, i, i, xstrdup("1"));
    } else if (!strncmp(end, ".", 1) && strlen(a) < 6) {
        change(s, i, i, xformat("2 * %s", a));
        change(s, i, i, xformat("%s / 2", a));
    }
    free(a);
}

/* Is a variable of this name taken for an array or a pointer anywhere in its function? */
static bool is_array(const struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    for (int k = in->first; k < in->end; k++) {
        if (word_same(s, i, k) &&
            (word_is(s, k + 1, "[") || (k < in->open && word_is(s, k - 1, "*"))))
            return true;
    }
    return false;
}

/* x and y, kx and ky: one letter differs. */
static bool is_similar(const struct scan *s, int i, int k)
{
    const char *a = s->text + s->v[i].at, *b = s->text + s->v[k].at;
    int differ = 0;

    for (size_t c = 0; c < s->v[i].length && s->v[i].length == s->v[k].length; c++)
        differ += a[c] != b[c];
    return differ == 1;
}

/* Other variables of its function, of its kind, once each. */
static void names_for(struct scan *s, int i, bool similar)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool array = word_kind(s, i) == NAME && is_array(s, i);

    for (int k = in->first; k < in->end; k++) {
        bool known = word_same(s, i, k) || !word_is_variable(s, k) || word_is_member(s, k) ||
                     word_is(s, k + 1, ".") || k == in->name || is_array(s, k) != array ||
                     is_similar(s, i, k) != similar;

        for (int before = in->first; before < k && !known; before++)
            known = word_same(s, before, k);
        if (!known)
            change(s, i, i, words_text(s, k, k));
    }
}

static bool is_plain(const struct scan *s, int i)
{
    return word_is_variable(s, i) && !word_is_member(s, i) && !word_is_declared(s, i) &&
           !word_is(s, i + 1, ".");
}

static void similar_name(struct scan *s, int i)
{
    if (is_plain(s, i))
        names_for(s, i, true);
}

/* What a variable begins with, or is passed: a variable for 0 or 1, and 0 for a variable. */
static void another_value(struct scan *s, int i)
{
    if ((word_is(s, i, "0") || word_is(s, i, "1")) && word_is(s, i - 1, "=")) {
        names_for(s, i, true);
        names_for(s, i, false);
    } else if (is_plain(s, i) && (word_is(s, i - 1, ",") || word_is(s, i - 1, "=")) &&
               (word_is(s, i + 1, ",") || word_is(s, i + 1, ")") || word_is(s, i + 1, ";"))) {
        change(s, i, i, xstrdup("0"));
    }
}

static void another_name(struct scan *s, int i)
{
    if (is_plain(s, i))
        names_for(s, i, false);
}

/* ---- all of it ---- */

void edits_make(struct edits *e, const char *source, const char *names, const char *told)
{
    static way *const ways[] = {
        mistyped_number,     another_operator, exchanged,    another_function, another_assignment,
        arguments_exchanged, squared,          brackets,     transposed,       another_value,
        another_call,        another_sign,     similar_name, another_member,   one_more,
        another_type,        another_number,   another_name};
    struct scan s = {.told = told, .to = e};

    *e = (struct edits){0};
    scan_open(&s, source, names);
    /* what is in the kernel is likelier than what it shares */
    for (size_t w = 0; w < 2 * sizeof(ways) / sizeof(ways[0]); w++) {
        for (int i = 0; i < s.n; i++) {
            if (scan_reaches(&s, i) && s.blocks[s.v[i].block].kernel == !(w % 2))
                ways[w / 2](&s, i);
        }
    }
    e->text = s.text;
    scan_close(&s);
}

/* ---- one call more ---- */

/* Blocks of functions that have one of the lines, or name such. */
static bool *involved(const struct scan *s, const int lines[2])
{
    bool *in = xcalloc((size_t)s->nblocks + 1, sizeof(*in)), more = true;

    while (more) {
        more = false;
        for (int i = 0; i < s->n; i++) {
            int b = s->v[i].block, line = line_of(s->text, s->v[i].at);

            if (b < 0 || in[b] || i < s->blocks[b].open)
                continue;
            in[b] = line == lines[0] || line == lines[1];
            for (int k = 0; k < s->nblocks && !in[b]; k++)
                in[b] = in[k] && k != b && word_same(s, i, s->blocks[k].name);
            more |= in[b];
        }
    }
    return in;
}

/* May a statement begin with word i? */
static bool begins(const struct scan *s, int i)
{
    int b = s->v[i].block, depth = 0;

    if (b < 0 || i <= s->blocks[b].open || i + 1 >= s->blocks[b].end ||
        !word_is_any(s, i - 1, (const char *const[]){";", "{", "}", NULL}))
        return false;
    for (int k = s->blocks[b].open; k < i; k++)
        depth += word_is(s, k, "(") - word_is(s, k, ")");
    return !depth;
}

struct near {
    struct edit edit;
    int lines; /* how many away */
};

static int nearest_first(const void *a, const void *b)
{
    const struct near *x = a, *y = b;

    return x->lines != y->lines ? x->lines - y->lines : (x->edit.at > y->edit.at ? 1 : -1);
}

static int away(const struct scan *s, int i, const int lines[2])
{
    int line = line_of(s->text, s->v[i].at), a = abs(line - lines[0]), b = abs(line - lines[1]);

    return a < b ? a : b;
}

void edits_calls(struct edits *e, const char *source, const char *names, const int lines[2],
                 const char *call)
{
    struct scan s = {.to = e};
    struct near *at;
    size_t n = 0;

    *e = (struct edits){0};
    scan_open(&s, source, names);
    bool *in = involved(&s, lines);
    at = xcalloc((size_t)s.n + 1, sizeof(*at));
    for (int i = 0; i < s.n; i++) {
        if (begins(&s, i) && in[s.v[i].block])
            at[n++] = (struct near){{s.v[i].at, 0, xformat("%s; ", call)}, away(&s, i, lines)};
    }
    qsort(at, n, sizeof(*at), nearest_first);
    e->v = xcalloc(n + 1, sizeof(*e->v));
    for (size_t i = 0; i < n; i++)
        e->v[e->n++] = at[i].edit;
    e->text = s.text;
    free(at);
    free(in);
    scan_close(&s);
}

/* ---- what is made of them ---- */

char *edits_comments(const char *source)
{
    char *all = xzalloc(strlen(source) + 1), *to = all;

    for (const char *p = source; *p;) {
        size_t n = comment_length(p);

        if (n) {
            memcpy(to, p, n);
            to += n;
        }
        p += n ? n : *p == '"' ? quoted_length(p) : 1;
    }
    return all;
}

static int by_place(const void *a, const void *b)
{
    const struct edit *const *x = a, *const *y = b;

    return ((*x)->at > (*y)->at) - ((*x)->at < (*y)->at);
}

char *edits_apply_all(const struct edits *e, const int *which, int n)
{
    const struct edit **in = xcalloc((size_t)n + 1, sizeof(*in));
    struct text t = {0};
    size_t from = 0;

    for (int i = 0; i < n; i++)
        in[i] = &e->v[which[i]];
    qsort(in, (size_t)n, sizeof(*in), by_place);
    for (int i = 0; i < n; i++) {
        text_bytes(&t, e->text + from, in[i]->at - from);
        text_add(&t, in[i]->with);
        from = in[i]->at + in[i]->length;
    }
    text_add(&t, e->text + from);
    free(in);
    return text_take(&t);
}

char *edits_apply(const struct edits *e, int i)
{
    return edits_apply_all(e, &i, 1);
}

int edits_line(const struct edits *e, int i)
{
    return line_of(e->text, e->v[i].at);
}

void edits_free(struct edits *e)
{
    for (int i = 0; i < e->n; i++)
        free(e->v[i].with);
    free(e->v);
    free(e->text);
    *e = (struct edits){0};
}
