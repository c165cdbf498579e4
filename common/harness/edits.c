/* edits.c - a .cu file with one small change (edits.h).
 *
 * The file is a list of words (names, numbers, operators), cut into blocks: what lies between the
 * braces of file level, with the words before them. Changes are made in the blocks of the kernels,
 * and of all that they name.
 */
#include "edits.h"
#include "base/alloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { NAME, NUMBER, SIGN };

struct word {
    size_t at, length;
    enum kind kind;
    int block;
};
struct block {
    int first, open, end; /* words: of its head, of its brace, behind its last */
    int name;             /* the word that names it */
    bool kernel, reached;
};
struct scan {
    char *text;
    struct word *v;
    int n;
    struct block *blocks;
    int nblocks;
    const char *told;
    struct edits *to;
};

/* ---- words ---- */

static size_t comment_length(const char *p)
{
    const char *end = p;

    if (p[0] == '/' && p[1] == '/')
        return strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*')
        return (end = strstr(p + 2, "*/")) ? (size_t)(end + 2 - p) : strlen(p);
    return 0;
}

/* A directive of the preprocessor, with the lines that it goes on. */
static size_t directive_length(const char *p)
{
    size_t n = 0;

    do
        n += strcspn(p + n, "\n") + 1;
    while (p[n - 1] && n >= 2 && p[n - 2] == '\\');
    return p[n - 1] ? n : n - 1;
}

static size_t quoted_length(const char *p)
{
    size_t n = 1;

    for (; p[n] && p[n] != *p && p[n] != '\n'; n++)
        n += p[n] == '\\' && p[n + 1];
    return p[n] ? n + 1 : n;
}

static size_t sign_length(const char *p)
{
    static const char *const longer[] = {
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
        "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "++", "--", "->", "::"};

    for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++) {
        if (!strncmp(p, longer[i], strlen(longer[i])))
            return strlen(longer[i]);
    }
    return 1;
}

static size_t number_length(const char *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p[n]) || p[n] == '.' || p[n] == '\'' ||
           (n && strchr("+-", p[n]) && p[n] &&
            strchr(p[0] == '0' && (p[1] | 32) == 'x' ? "pP" : "eE", p[n - 1])))
        n++;
    return n;
}

static size_t name_length(const char *p)
{
    size_t n = 0;

    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    return n;
}

static void add_word(struct scan *s, const char *p, size_t length, enum kind kind)
{
    if (s->n % 256 == 0)
        s->v = xrealloc(s->v, (size_t)(s->n + 256) * sizeof(*s->v));
    s->v[s->n++] = (struct word){(size_t)(p - s->text), length, kind, -1};
}

static void split(struct scan *s)
{
    bool start = true; /* of a line, but for blanks */

    for (const char *p = s->text; *p;) {
        size_t n = comment_length(p);
        bool digit = isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]));

        if (!n && *p == '#' && start)
            n = directive_length(p);
        else if (!n && isspace((unsigned char)*p))
            n = 1;
        else if (!n && strchr("\"'", *p))
            n = quoted_length(p);
        else if (!n) {
            n = digit                                     ? number_length(p)
                : isalpha((unsigned char)*p) || *p == '_' ? name_length(p)
                                                          : sign_length(p);
            add_word(s, p, n,
                     digit                                     ? NUMBER
                     : isalpha((unsigned char)*p) || *p == '_' ? NAME
                                                               : SIGN);
        }
        start = p[n - 1] == '\n' || (start && isspace((unsigned char)*p));
        p += n;
    }
}

static bool is(const struct scan *s, int i, const char *word)
{
    return i >= 0 && i < s->n && s->v[i].length == strlen(word) &&
           !strncmp(s->text + s->v[i].at, word, s->v[i].length);
}

static bool is_any(const struct scan *s, int i, const char *const *words)
{
    for (; *words; words++) {
        if (is(s, i, *words))
            return true;
    }
    return false;
}

static bool same(const struct scan *s, int i, int j)
{
    return s->v[i].length == s->v[j].length &&
           !strncmp(s->text + s->v[i].at, s->text + s->v[j].at, s->v[i].length);
}

static enum kind kind_of(const struct scan *s, int i)
{
    return i >= 0 && i < s->n ? s->v[i].kind : SIGN;
}

/* ---- blocks ---- */

/* Of what stands before the brace: the name before the first bracket that is no attribute's, else
 * the first behind struct. */
static int head_name(const struct scan *s, int first, int open)
{
    for (int i = first; i + 1 < open; i++) {
        if (is(s, i, "struct"))
            return i + 1;
        if (s->v[i].kind == NAME && is(s, i + 1, "(") && !is(s, i, "__launch_bounds__") &&
            !is(s, i, "__align__") && !is(s, i, "alignas") && !is(s, i, "LAUNCH"))
            return i;
    }
    return first;
}

static void add_block(struct scan *s, int first, int open, int end)
{
    struct block b = {first, open, end, head_name(s, first, open), false, false};

    for (int i = first; i < open; i++)
        b.kernel |= is(s, i, "KERNEL") || is(s, i, "__global__");
    for (int i = first; i < end; i++)
        s->v[i].block = s->nblocks;
    s->blocks = xrealloc(s->blocks, (size_t)(s->nblocks + 1) * sizeof(b));
    s->blocks[s->nblocks++] = b;
}

static void find_blocks(struct scan *s)
{
    int depth = 0, open = 0, first = 0;

    for (int i = 0; i < s->n; i++) {
        if (is(s, i, "{") && !depth++)
            open = i;
        if (is(s, i, "}") && depth && !--depth) {
            add_block(s, first, open, i + 1);
            first = i + 1;
        }
        if (!depth && is(s, i, ";"))
            first = i + 1;
    }
}

/* names have spaces between them. */
static bool is_named(const struct scan *s, int i, const char *names)
{
    const struct word *w = &s->v[i];

    for (const char *p = names; *p; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        if (strcspn(p, " ") == w->length && !strncmp(p, s->text + w->at, w->length))
            return true;
    }
    return false;
}

static void reach(struct scan *s, int b)
{
    if (s->blocks[b].reached)
        return;
    s->blocks[b].reached = true;
    for (int i = s->blocks[b].first; i < s->blocks[b].end; i++) {
        for (int other = 0; s->v[i].kind == NAME && other < s->nblocks; other++) {
            if (same(s, i, s->blocks[other].name))
                reach(s, other);
        }
    }
}

/* Other kernels take time to compile. */
static void drop_other_kernels(struct scan *s)
{
    for (int b = 0; b < s->nblocks; b++) {
        const struct block *k = &s->blocks[b];
        size_t from = s->v[k->first].at, to = s->v[k->end - 1].at + 1;

        for (size_t i = from; k->kernel && !k->reached && i < to; i++)
            s->text[i] = s->text[i] == '\n' ? '\n' : ' ';
    }
}

/* ---- operands ---- */

/* The bracket that belongs to that at i. step: 1 on from an opening one, -1 back from a closing. */
static int match(const struct scan *s, int i, int step)
{
    int depth = 0;

    for (; i >= 0 && i < s->n; i += step) {
        depth += step * (is(s, i, "(") || is(s, i, "["));
        depth -= step * (is(s, i, ")") || is(s, i, "]"));
        if (!depth)
            return i;
    }
    return -1;
}

/* The first word of the operand whose last is i; -1: that ends none. */
static int operand_back(const struct scan *s, int i)
{
    while (i >= 0) {
        if (is(s, i, ")") || is(s, i, "]")) {
            int open = match(s, i, -1);
            if (open < 1 || (kind_of(s, open - 1) != NAME && !is(s, open - 1, "]")))
                return is(s, i, ")") ? open : -1;
            i = open - 1;
        } else if (s->v[i].kind == SIGN) {
            return -1;
        } else if (is(s, i - 1, ".") || is(s, i - 1, "->")) {
            i -= 2;
        } else {
            return i;
        }
    }
    return -1;
}

/* The last word of the operand whose first is i. */
static int operand_on(const struct scan *s, int i)
{
    while (is(s, i, "-") || is(s, i, "~") || is(s, i, "!"))
        i++;
    if (kind_of(s, i) == SIGN && !is(s, i, "("))
        return -1;
    if (is(s, i, "("))
        i = match(s, i, 1);
    while (i >= 0 && i + 1 < s->n) {
        if ((is(s, i + 1, "(") && s->v[i].kind == NAME) || is(s, i + 1, "["))
            i = match(s, i + 1, 1);
        else if (is(s, i + 1, ".") || is(s, i + 1, "->"))
            i += 2;
        else
            return i;
    }
    return -1;
}

static const char *const types[] = {"int",    "unsigned", "float", "double",   "char",
                                    "long",   "short",    "bool",  "half",     "float2",
                                    "float4", "uint2",    "uint4", "void",     "size_t",
                                    "auto",   "T",        "const", "template", NULL};
static const char *const keywords[] = {
    "return",      "if",       "for",      "while",      "else",       "case",
    "struct",      "static",   "volatile", "__shared__", "__device__", "__restrict__",
    "constexpr",   "asm",      "switch",   "typename",   "sizeof",     "reinterpret_cast",
    "static_cast", "true",     "false",    "KERNEL",     "break",      "continue",
    "extern",      "SCHEDULE", NULL};

static bool is_variable(const struct scan *s, int i)
{
    return kind_of(s, i) == NAME && !is_any(s, i, types) && !is_any(s, i, keywords) &&
           !is(s, i + 1, "(") && !is(s, i + 1, "::") && !is(s, i - 1, "::");
}

/* Its name stands behind its type. */
static bool is_declared(const struct scan *s, int i)
{
    return kind_of(s, i - 1) == NAME && !is(s, i - 1, "return") && !is(s, i - 1, "case");
}

static bool is_member(const struct scan *s, int i)
{
    return is(s, i - 1, ".") || is(s, i - 1, "->");
}

/* Between two operands. */
static bool is_binary(const struct scan *s, int i)
{
    static const char *const binary[] = {"+", "-",  "*", "/",  "%",  "<<", ">>", "&",  "|", "^",
                                         "<", "<=", ">", ">=", "==", "!=", "&&", "||", NULL};
    int before = i - 1;

    return is_any(s, i, binary) && before >= 0 &&
           (kind_of(s, before) != SIGN || is(s, before, ")") || is(s, before, "]")) &&
           !is_any(s, before, types) && !is_any(s, before, keywords) && operand_on(s, i + 1) >= 0;
}

/* ---- changes ---- */

static char *piece(const struct scan *s, int from, int to)
{
    size_t at = s->v[from].at;

    return xformat("%.*s", (int)(s->v[to].at + s->v[to].length - at), s->text + at);
}

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
    int left = is_binary(s, i) ? operand_back(s, i - 1) : -1;

    for (size_t k = 0; left >= 0 && k < sizeof(others) / sizeof(others[0]); k++) {
        if (!is(s, i, others[k][0]))
            continue;
        int right = operand_on(s, i + 1);
        char *a = piece(s, left, i - 1), *b = piece(s, i + 1, right);
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
        bool declared = is(s, i, "=") && (kind_of(s, i - 2) == NAME || is(s, i - 2, "*"));
        if (is(s, i, others[k][0]) && !declared)
            change(s, i, i, xstrdup(others[k][1]));
    }
}

static void exchanged(struct scan *s, int i)
{
    int left = is_binary(s, i) ? operand_back(s, i - 1) : -1;

    if (left < 0 ||
        is_any(s, i, (const char *const[]){"+", "*", "&", "|", "^", "&&", "||", "==", "!=", NULL}))
        return;
    int right = operand_on(s, i + 1);
    char *a = piece(s, left, i - 1), *b = piece(s, i + 1, right), *op = piece(s, i, i);
    change(s, left, right, xformat("%s %s %s", b, op, a));
    free(a);
    free(b);
    free(op);
}

/* Of a call: two neighbouring arguments, each one operand. */
static void arguments_exchanged(struct scan *s, int i)
{
    int left = is(s, i, ",") ? operand_back(s, i - 1) : -1, right = operand_on(s, i + 1);

    if (left < 0 || right < 0 || (!is(s, left - 1, "(") && !is(s, left - 1, ",")) ||
        (!is(s, right + 1, ")") && !is(s, right + 1, ",")))
        return;
    char *a = piece(s, left, i - 1), *b = piece(s, i + 1, right);
    change(s, left, right, xformat("%s, %s", b, a));
    free(a);
    free(b);
}

static bool is_first_of_operand(const struct scan *s, int i)
{
    return (is_variable(s, i) || kind_of(s, i) == NUMBER ||
            (kind_of(s, i) == NAME && is(s, i + 1, "(") && !is_any(s, i, keywords))) &&
           !is_member(s, i) && !is_declared(s, i);
}

static void another_sign(struct scan *s, int i)
{
    if (is(s, i, "-") && !is_binary(s, i) && operand_on(s, i + 1) >= 0) {
        change(s, i, i + 1, piece(s, i + 1, i + 1));
    } else if (is_first_of_operand(s, i) && kind_of(s, i) == NAME &&
               (is(s, i - 1, "(") || is(s, i - 1, "=") || is(s, i - 1, ",") || is(s, i - 1, "?"))) {
        char *a = piece(s, i, i);
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

    if (!is(s, i + 1, "("))
        return;
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
        if (is(s, i, others[k][0]))
            change(s, i, i, xstrdup(others[k][1]));
    }
}

static void squared(struct scan *s, int i)
{
    static const char *const arithmetic[] = {"+", "-", "*", "/", NULL};
    int end = is_first_of_operand(s, i) && kind_of(s, i) == NAME ? operand_on(s, i) : -1;

    if (end < 0 || is(s, i + 1, "(") ||
        (!is_any(s, i - 1, arithmetic) && !is_any(s, end + 1, arithmetic)))
        return;
    char *a = piece(s, i, end);
    int next = operand_on(s, end + 2);
    char *b = next >= 0 && is(s, end + 1, "*") ? piece(s, end + 2, next) : NULL;
    if (b && !strcmp(a, b))
        change(s, i, next, xstrdup(a));
    else if (!is(s, i - 1, "[") && !is(s, end + 1, "]"))
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
            if (is(s, i, levels[level][k]) && is_binary(s, i))
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
           (binds(s, before) == mine && is_any(s, before, ordered));
}

/* (a op b), or what is in brackets without them. */
static void brackets(struct scan *s, int i)
{
    int left = is_binary(s, i) ? operand_back(s, i - 1) : -1, right;

    if (left >= 0) {
        right = operand_on(s, i + 1);
        char *a = piece(s, left, right);
        if (is_open(s, i, left - 1, right + 1))
            change(s, left, right, xformat("(%s)", a));
        free(a);
    } else if (is(s, i, "(") && kind_of(s, i - 1) != NAME && (right = match(s, i, 1)) > i + 1) {
        change(s, i, right, piece(s, i + 1, right - 1));
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
        if (is(s, i, pairs[k][0]))
            change(s, i, i, xstrdup(pairs[k][1]));
    }
    for (const char *m = "xyzw"; is_member(s, i) && s->v[i].length == 1 && *m; m++) {
        if (strchr("xyzw", s->text[s->v[i].at]) && s->text[s->v[i].at] != *m)
            change(s, i, i, xformat("%c", *m));
    }
}

/* a * b + c to c * d + a, as where rows and columns are taken for each other. */
static void transposed(struct scan *s, int i)
{
    int a = is(s, i, "*") && is_binary(s, i) ? operand_back(s, i - 1) : -1, b, c;

    if (a < 0 || (b = operand_on(s, i + 1)) < 0 || !is(s, b + 1, "+") ||
        (c = operand_on(s, b + 2)) < 0)
        return;
    const struct block *in = &s->blocks[s->v[i].block];
    char *first = piece(s, a, i - 1), *pitch = piece(s, i + 1, b), *last = piece(s, b + 2, c);
    change(s, a, c, xformat("%s * %s + %s", last, pitch, first));
    for (int k = in->first; k < in->open; k++) {
        char *other = piece(s, k, k);
        if (is_variable(s, k) && (is(s, k + 1, ",") || is(s, k + 1, ")")) && strcmp(other, pitch))
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
    int left = is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left >= 0 ? operand_on(s, i + 1) : -1;

    if (right < 0 || (!is_any(s, i, compares) && !is(s, i, "/")))
        return;
    int from = is(s, i, "/") ? left : i + 1;
    char *a = piece(s, from, right);
    change(s, from, right, xformat(is(s, i, "/") ? "(%s + 1)" : "%s + 1", a));
    change(s, from, right, xformat(is(s, i, "/") ? "(%s - 1)" : "%s - 1", a));
    free(a);
}

static void another_type(struct scan *s, int i)
{
    static const char *const others[][2] = {{"int", "float"},    {"int", "long long"},
                                            {"int", "unsigned"}, {"unsigned", "unsigned long long"},
                                            {"unsigned", "int"}, {"float", "double"},
                                            {"half", "float"}};

    if (is(s, i, "(") && is(s, i + 2, ")") && is_any(s, i + 1, types) && operand_on(s, i + 3) >= 0)
        change(s, i, i + 3, piece(s, i + 3, i + 3));
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
        if (is(s, i, others[k][0]) && !is(s, i + 1, "long") && !is(s, i + 1, "int") &&
            !is(s, i + 1, "*"))
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
    size_t n = kind_of(s, i) == NUMBER ? digits_length(a) : 0, m;
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

    if (is_any(s, i, (const char *const[]){"fabsf", "sqrtf", "abs", "fmaxf", "floorf", NULL}) &&
        is(s, i + 1, "(") && (end = match(s, i + 1, 1)) > 0)
        change(s, i, end, piece(s, i + 1, end));
    if (!is_variable(s, i) || is_member(s, i) || is(s, i + 1, "=") || is(s, i + 1, "[") ||
        is_declared(s, i) || is(s, i - 1, "["))
        return;
    char *a = piece(s, i, i);
    for (size_t k = 0; calls[k]; k++)
        change(s, i, i, xformat("%s(%s)", calls[k], a));
    free(a);
}

/* Twice, half, one more, one less. */
static void another_number(struct scan *s, int i)
{
    if (kind_of(s, i) != NUMBER || is(s, i - 1, "]"))
        return;
    char *a = piece(s, i, i), *end;
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
        if (same(s, i, k) && (is(s, k + 1, "[") || (k < in->open && is(s, k - 1, "*"))))
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
    bool array = kind_of(s, i) == NAME && is_array(s, i);

    for (int k = in->first; k < in->end; k++) {
        bool known = same(s, i, k) || !is_variable(s, k) || is_member(s, k) || is(s, k + 1, ".") ||
                     k == in->name || is_array(s, k) != array || is_similar(s, i, k) != similar;

        for (int before = in->first; before < k && !known; before++)
            known = same(s, before, k);
        if (!known)
            change(s, i, i, piece(s, k, k));
    }
}

static bool is_plain(const struct scan *s, int i)
{
    return is_variable(s, i) && !is_member(s, i) && !is_declared(s, i) && !is(s, i + 1, ".");
}

static void similar_name(struct scan *s, int i)
{
    if (is_plain(s, i))
        names_for(s, i, true);
}

/* What a variable begins with, or is passed: a variable for 0 or 1, and 0 for a variable. */
static void another_value(struct scan *s, int i)
{
    if ((is(s, i, "0") || is(s, i, "1")) && is(s, i - 1, "=")) {
        names_for(s, i, true);
        names_for(s, i, false);
    } else if (is_plain(s, i) && (is(s, i - 1, ",") || is(s, i - 1, "=")) &&
               (is(s, i + 1, ",") || is(s, i + 1, ")") || is(s, i + 1, ";"))) {
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
    struct scan s = {.text = xstrdup(source), .told = told, .to = e};

    *e = (struct edits){0};
    split(&s);
    find_blocks(&s);
    for (int b = 0; b < s.nblocks; b++) {
        if (is_named(&s, s.blocks[b].name, names))
            reach(&s, b);
    }
    drop_other_kernels(&s);
    /* what is in the kernel is likelier than what it shares */
    for (size_t w = 0; w < 2 * sizeof(ways) / sizeof(ways[0]); w++) {
        for (int i = 0; i < s.n; i++) {
            int b = s.v[i].block;

            if (b >= 0 && s.blocks[b].reached && i >= s.blocks[b].open &&
                s.blocks[b].kernel == !(w % 2))
                ways[w / 2](&s, i);
        }
    }
    e->text = s.text;
    free(s.v);
    free(s.blocks);
}

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

char *edits_apply(const struct edits *e, int i)
{
    const struct edit *x = &e->v[i];

    return xformat("%.*s%s%s", (int)x->at, e->text, x->with, e->text + x->at + x->length);
}

int edits_line(const struct edits *e, int i)
{
    int line = 1;

    for (size_t k = 0; k < e->v[i].at; k++)
        line += e->text[k] == '\n';
    return line;
}

void edits_free(struct edits *e)
{
    for (int i = 0; i < e->n; i++)
        free(e->v[i].with);
    free(e->v);
    free(e->text);
    *e = (struct edits){0};
}
