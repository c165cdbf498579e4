/* tokens.c - translation phases 2 to 4 of C++ in small, then what is alike is made equal. See
 * tokens.h. */
#include "tokens.h"
#include "base/alloc.h"
#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Macros can be made to grow without end, or to nothing in endless time. */
enum { MOST_TOKENS = 1 << 18, MOST_WORK = 1 << 23, DEEPEST = 32 };

/* ---- characters: joined lines, comments ---- */

/* Behind a backslash, blanks and the line's end: 0 when it is none of these. */
static size_t splice(const char *s)
{
    size_t n = 1 + strspn(s + 1, " \t\r");
    return s[0] == '\\' && s[n] == '\n' ? n + 1 : 0;
}

static char *joined(const char *s)
{
    char *out = xmalloc(strlen(s) + 1), *to = out;
    while (*s) {
        size_t n = splice(s);
        s += n;
        if (!n)
            *to++ = *s++;
    }
    *to = 0;
    return out;
}

/* Behind a literal that begins here; its own raw form has no escapes. */
static const char *literal_end(const char *s, bool raw)
{
    char quote = *s;
    if (raw) {
        const char *open = strchr(s, '(');
        char *close = open ? xformat(")%.*s\"", (int)(open - s - 1), s + 1) : NULL;
        const char *end = close ? strstr(open, close) : NULL;
        size_t n = close ? strlen(close) : 0;
        free(close);
        return end ? end + n : s + strlen(s);
    }
    for (s++; *s && *s != quote && *s != '\n'; s++)
        s += *s == '\\' && s[1];
    return s + (*s == quote);
}

static const char *comment_end(const char *s)
{
    const char *end = s[1] == '/' ? strchr(s, '\n') : strstr(s + 2, "*/");
    return !end ? s + strlen(s) : s[1] == '/' ? end : end + 2;
}

/* ---- tokens ---- */

struct token {
    const char *s; /* not ended by a NUL */
    int n;
    bool first; /* of its line */
};

struct list {
    struct token *v;
    int n, capacity;
};

/* An empty list has no v to count from. */
static const struct token *end_of(const struct list *l)
{
    return l->n ? l->v + l->n : l->v;
}

static void push(struct list *l, struct token t)
{
    if (l->n >= MOST_TOKENS)
        return;
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->v = xrealloc(l->v, (size_t)l->capacity * sizeof(*l->v));
    }
    l->v[l->n++] = t;
}

static bool is(const struct token *t, const char *word)
{
    return (size_t)t->n == strlen(word) && !memcmp(t->s, word, (size_t)t->n);
}

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '\\' || (c & 0x80);
}

static bool in_name(char c)
{
    return begins_name(c) || isdigit((unsigned char)c);
}

static bool is_name(const struct token *t)
{
    return begins_name(*t->s);
}

static size_t number_length(const char *s)
{
    size_t n = 1;
    while (in_name(s[n]) || s[n] == '.' || (s[n] == '\'' && in_name(s[n + 1])) ||
           ((s[n] == '+' || s[n] == '-') && strchr("eEpP", s[n - 1])))
        n++;
    return n;
}

/* Operators are a token a character, so that words for them are a few. */
static const struct {
    const char *spelled, *means;
} spellings[] = {{"<:", "["},      {":>", "]"},     {"<%", "{"},      {"%>", "}"},
                 {"%:", "#"},      {"and", "&&"},   {"or", "||"},     {"not", "!"},
                 {"bitand", "&"},  {"bitor", "|"},  {"xor", "^"},     {"compl", "~"},
                 {"and_eq", "&="}, {"or_eq", "|="}, {"xor_eq", "^="}, {"not_eq", "!="}};

static void push_spelled(struct list *l, struct token t)
{
    const char *means = NULL;
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]) && !means; i++)
        if (is(&t, spellings[i].spelled))
            means = spellings[i].means;
    if (!means)
        push(l, t);
    for (; means && *means; means++, t.first = false)
        push(l, (struct token){means, 1, t.first});
}

static bool is_digraph(const char *s)
{
    return (s[0] == '<' && (s[1] == ':' || s[1] == '%')) || (s[1] == '>' && strchr(":%", s[0])) ||
           (s[0] == '%' && s[1] == ':');
}

/* Where the token that begins at s ends. */
static const char *token_end(const char *s)
{
    size_t n = 0;
    if (*s == '"' || *s == '\'')
        return literal_end(s, false);
    if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1])))
        return s + number_length(s);
    while (begins_name(*s) && in_name(s[n]))
        n++;
    if (n && s[n] == '"' && s[n - 1] == 'R')
        return literal_end(s + n, true);
    return s + (n ? n : is_digraph(s) ? 2 : 1);
}

static struct list lex(const char *s)
{
    struct list l = {0};
    bool first = true;
    while (*s) {
        if (*s == '/' && (s[1] == '/' || s[1] == '*')) {
            s = comment_end(s);
        } else if (isspace((unsigned char)*s)) {
            first = first || *s == '\n';
            s++;
        } else {
            const char *end = token_end(s);
            push_spelled(&l, (struct token){s, (int)(end - s), first});
            first = false;
            s = end;
        }
    }
    return l;
}

/* ---- macros of the file itself ---- */

struct macro {
    struct token name;
    const struct token *params, *body;
    int nparams, nbody; /* nparams < 0: it takes none */
    bool open;          /* being expanded: its name means itself */
};

struct macros {
    struct macro *v;
    int n;
    int64_t work; /* tokens looked at for them */
};

static struct macro *find_macro(const struct macros *m, const struct token *t)
{
    for (int i = m->n - 1; i >= 0; i--)
        if (m->v[i].name.n == t->n && !memcmp(m->v[i].name.s, t->s, (size_t)t->n))
            return &m->v[i];
    return NULL;
}

/* # define NAME … up to `end`. A bracket right behind the name begins its parameters. */
static void define(struct macros *m, const struct token *t, const struct token *end)
{
    if (t >= end || !is_name(t))
        return;
    struct macro x = {.name = *t, .nparams = -1};
    if (++t < end && is(t, "(") && t->s == x.name.s + x.name.n) {
        x.params = ++t;
        while (t < end && !is(t, ")"))
            t++;
        x.nparams = (int)(t - x.params); /* with the commas */
        t += t < end;
    }
    x.body = t;
    x.nbody = (int)(end - t);
    m->v = xrealloc(m->v, (size_t)(m->n + 1) * sizeof(*m->v));
    m->v[m->n++] = x;
}

static void undefine(struct macros *m, const struct token *t)
{
    struct macro *x = find_macro(m, t);
    if (x)
        x->name.n = 0;
}

static const struct token *line_end(const struct token *t, const struct token *end)
{
    for (t++; t < end && !t->first; t++)
        ;
    return t;
}

/* Behind the #else or #endif that belongs to the #if 0 before t. */
static const struct token *skip_group(const struct token *t, const struct token *end)
{
    for (int depth = 1; t < end && depth; t = line_end(t, end)) {
        if (!t->first || !is(t, "#") || t + 1 >= end)
            continue;
        depth += t[1].n >= 2 && !memcmp(t[1].s, "if", 2);
        depth -= is(&t[1], "endif") || (depth == 1 && (is(&t[1], "else") || is(&t[1], "elif")));
    }
    return t;
}

/* Behind the directive at t, whose effect it has. */
static const struct token *directive(struct macros *m, const struct token *t,
                                     const struct token *end)
{
    const struct token *next = line_end(t, end), *word = t + 1;
    if (word < next && is(word, "define"))
        define(m, word + 1, next);
    else if (word + 1 < next && is(word, "undef"))
        undefine(m, word + 1);
    else if (word + 2 == next && is(word, "if") && is(word + 1, "0"))
        return skip_group(next, end);
    return next;
}

static void expand(struct list *out, struct macros *m, const struct token *t,
                   const struct token *end, int depth);

/* Behind the bracket that closes the one at t. */
static const struct token *closing(const struct token *t, const struct token *end)
{
    int depth = 0;
    for (; t < end; t++) {
        depth += is(t, "(") - is(t, ")");
        if (!depth)
            return t + 1;
    }
    return end;
}

/* The n-th of the arguments between brackets, from t on. */
static struct list argument(const struct token *t, const struct token *end, int n)
{
    struct list l = {0};
    for (int depth = 0; t < end; t++) {
        if (!depth && is(t, ",") && n-- == 0)
            break;
        depth += is(t, "(") - is(t, ")");
        if (!n && (depth || !is(t, ",")))
            push(&l, *t);
    }
    return l;
}

static int parameter(const struct macro *x, const struct token *t)
{
    for (int i = 0; i < x->nparams; i += 2)
        if (x->params[i].n == t->n && !memcmp(x->params[i].s, t->s, (size_t)t->n))
            return i / 2;
    return -1;
}

/* The body with its arguments, which are between t and end, put in. */
static struct list substitute(struct macros *m, const struct macro *x, const struct token *t,
                              const struct token *end)
{
    struct list l = {0};
    for (int i = 0; i < x->nbody && m->work < MOST_WORK; i++) {
        int p = parameter(x, &x->body[i]);
        struct list a = {0};
        if (p >= 0)
            a = argument(t, end, p);
        m->work += 1 + x->nparams + (p < 0 ? 0 : end - t);
        for (int k = 0; k < a.n; k++)
            push(&l, a.v[k]);
        if (p < 0)
            push(&l, x->body[i]);
        free(a.v);
    }
    return l;
}

/* Behind the macro's name at t, and its arguments. */
static const struct token *expand_one(struct list *out, struct macros *m, struct macro *x,
                                      const struct token *t, const struct token *end, int depth)
{
    const struct token *next = t + 1;
    size_t at = (size_t)(x - m->v);
    if (x->nparams >= 0 && (next >= end || !is(next, "("))) {
        push(out, *t);
        return next;
    }
    if (x->nparams >= 0)
        next = closing(next, end);
    struct list body = substitute(m, x, t + 2, next - 1);
    m->work += next - t;
    m->v[at].open = true;
    expand(out, m, body.v, end_of(&body), depth + 1);
    m->v[at].open = false;
    free(body.v);
    return next;
}

static void expand(struct list *out, struct macros *m, const struct token *t,
                   const struct token *end, int depth)
{
    while (t < end && out->n < MOST_TOKENS) {
        bool may = is_name(t) && depth < DEEPEST && m->work < MOST_WORK;
        struct macro *x = may ? find_macro(m, t) : NULL;
        m->work += may ? m->n : 0;
        if (!depth && t->first && is(t, "#"))
            t = directive(m, t, end);
        else if (x && !x->open)
            t = expand_one(out, m, x, t, end, depth);
        else
            push(out, *t++);
    }
}

/* ---- what is alike is made equal ---- */

enum { NAME = 1, NUMBER, LITERAL, CHARACTERS = 10, WORDS = 1000, BUILTINS = 2000 };

static const char *const builtins[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
static const char *const kept_words[] = {"if",
                                         "else",
                                         "for",
                                         "while",
                                         "do",
                                         "return",
                                         "break",
                                         "continue",
                                         "switch",
                                         "case",
                                         "goto",
                                         "template",
                                         "struct",
                                         "__shared__",
                                         "__global__",
                                         "KERNEL",
                                         "LAUNCH",
                                         "__syncthreads",
                                         "__syncwarp",
                                         "atomicAdd",
                                         "atomicMin",
                                         "atomicMax",
                                         "atomicCAS",
                                         "__shfl_down_sync",
                                         "__shfl_xor_sync",
                                         "__shfl_sync",
                                         "__ballot_sync",
                                         "min",
                                         "max",
                                         "fmaf"};
/* They change nothing of what is computed. */
static const char *const silent_words[] = {
    "const",  "volatile", "static",       "inline",     "register",        "constexpr",
    "extern", "restrict", "__restrict__", "__restrict", "__forceinline__", "__noinline__"};

static int index_of(const struct token *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is(t, words[i]))
            return (int)i;
    return -1;
}
#define INDEX(t, words) index_of(t, words, sizeof(words) / sizeof((words)[0]))

static uint64_t name_code(const struct token *t)
{
    int word = INDEX(t, kept_words);
    if (t->s[t->n - 1] == '"')
        return LITERAL;
    return word >= 0 ? WORDS + (uint64_t)word : INDEX(t, silent_words) >= 0 ? 0 : NAME;
}

static uint64_t code_of(const struct token *t)
{
    char c = *t->s;
    if (is_name(t))
        return name_code(t);
    if (c == '"' || c == '\'')
        return LITERAL;
    if (isdigit((unsigned char)c) || (c == '.' && t->n > 1))
        return NUMBER;
    return strchr("(){}", c) ? 0 : CHARACTERS + (unsigned char)c;
}

/* Types of several words, casts and calls put names side by side: one. */
static bool repeats(uint64_t code, uint64_t before)
{
    return code == before && (code == NAME || code == LITERAL || code == CHARACTERS + ';');
}

/* threadIdx.x and the like, whatever is between; 0: it is none. Moves *i to its last token. */
static uint64_t builtin_code(const struct list *l, int *i)
{
    int word = INDEX(&l->v[*i], builtins);
    if (word < 0 || *i + 2 >= l->n || !is(&l->v[*i + 1], "."))
        return 0;
    *i += 2;
    return BUILTINS + 256 * (uint64_t)word + (unsigned char)*l->v[*i].s;
}

uint64_t *tokens_of(const char *source, int *n)
{
    char *text = joined(source);
    struct list raw = lex(text), all = {0};
    struct macros m = {0};
    expand(&all, &m, raw.v, end_of(&raw), 0);
    uint64_t *codes = xmalloc((size_t)(all.n + 1) * sizeof(*codes));
    *n = 0;
    for (int i = 0; i < all.n; i++) {
        uint64_t builtin = builtin_code(&all, &i), code = builtin ? builtin : code_of(&all.v[i]);
        if (code && !(*n && repeats(code, codes[*n - 1])))
            codes[(*n)++] = code;
    }
    free(raw.v);
    free(all.v);
    free(m.v);
    free(text);
    return codes;
}
