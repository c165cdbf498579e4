/* lex.c - characters to tokens. See lex.h. */
#include "lex.h"
#include "alloc.h"
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters: joined lines, comments ---- */

/* The length of the line end at s, of any system: 0 when there is none. */
static size_t line_break(const char *s)
{
    return *s == '\n' ? 1 : *s == '\r' ? 1 + (s[1] == '\n') : 0;
}

/* Behind a backslash, blanks and the line's end: 0 when it is none of these. */
static size_t splice(const char *s)
{
    size_t n = *s == '\\' ? 1 + strspn(s + 1, " \t\f\v") : 0;
    size_t end = n ? line_break(s + n) : 0;
    return end ? n + end : 0;
}

char *joined(const char *s)
{
    char *out = xmalloc(strlen(s) + 1), *to = out;
    while (*s) {
        size_t n = splice(s), end = line_break(s);
        s += n + end;
        if (end)
            *to++ = '\n';
        else if (!n)
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

/* An empty list has no v to count from. */
const struct token *end_of(const struct list *l)
{
    return l->n ? l->v + l->n : l->v;
}

void push(struct list *l, struct token t)
{
    if (l->n >= MOST_TOKENS)
        return;
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->v = xrealloc(l->v, (size_t)l->capacity * sizeof(*l->v));
    }
    l->v[l->n++] = t;
}

bool is(const struct token *t, const char *word)
{
    return (size_t)t->n == strlen(word) && !memcmp(t->s, word, (size_t)t->n);
}

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '\\' || (c & 0x80);
}

bool in_name(char c)
{
    return begins_name(c) || isdigit((unsigned char)c);
}

bool is_name(const struct token *t)
{
    return begins_name(*t->s);
}

bool same_token(const struct token *a, const struct token *b)
{
    return a->n == b->n && !memcmp(a->s, b->s, (size_t)a->n);
}

bool is_number(const struct token *t)
{
    return isdigit((unsigned char)*t->s) || (*t->s == '.' && t->n > 1);
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

void push_spelled(struct list *l, struct token t)
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

struct list lex(const char *s)
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
