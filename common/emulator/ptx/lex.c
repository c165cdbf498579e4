/* lex.c - characters of PTX to tokens (PTX ISA 4.1 to 4.5).
 *
 * Interface: after lex_start() the parser sees two tokens, p->tok and p->ahead;
 * advance() moves on by one. A suffix or directive is one token, T_DOT, "::" included, so
 * that ".L2::128B" and ".1d" need no rules of their own.
 */
#include "private.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- characters ---- */

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* followsym of ISA 4.4 */
static bool is_follow(int c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static int hex_digit(int c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The text ends with a NUL, which belongs to no token: looking one character past a token
 * is always safe. */
static int peek(const struct parser *p, size_t ahead)
{
    size_t at = p->cursor + ahead;
    return at < p->length ? (unsigned char)p->text[at] : 0;
}

/* ---- white space and comments ---- */

static void skip_comment(struct parser *p, const struct token *where)
{
    p->cursor += 2;
    while (p->cursor < p->length) {
        if (peek(p, 0) == '*' && peek(p, 1) == '/') {
            p->cursor += 2;
            return;
        }
        if (p->text[p->cursor++] == '\n')
            p->line++;
    }
    parse_fail(p, where, "this comment does not end");
}

static void skip_line(struct parser *p)
{
    while (p->cursor < p->length && p->text[p->cursor] != '\n')
        p->cursor++;
}

static void skip_blank(struct parser *p)
{
    for (;;) {
        int c = peek(p, 0);
        if (c == '\n')
            p->line++;
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            p->cursor++;
        } else if ((c == '/' && peek(p, 1) == '/') || c == '#') {
            skip_line(p); /* '#': what a C preprocessor left behind */
        } else if (c == '/' && peek(p, 1) == '*') {
            struct token where = {.line = p->line, .offset = (uint32_t)p->cursor};
            skip_comment(p, &where);
        } else {
            return;
        }
    }
}

/* ---- numbers (ISA 4.5) ---- */

static void digits(struct parser *p, struct token *t, unsigned base)
{
    uint64_t v = 0;
    size_t start = p->cursor;
    for (;; p->cursor++) {
        int d = hex_digit(peek(p, 0));
        if (d < 0 || (unsigned)d >= base)
            break;
        if (v > (UINT64_MAX - (unsigned)d) / base)
            parse_fail(p, t, "this constant does not fit 64 bits");
        v = v * base + (unsigned)d;
    }
    if (p->cursor == start)
        parse_fail(p, t, "digits are missing in this constant");
    t->kind = T_INT;
    t->value = v;
    t->is_unsigned = v > INT64_MAX;
    if (peek(p, 0) == 'U') {
        t->is_unsigned = true;
        p->cursor++;
    }
}

/* 0f and 8, 0d and 16 hexadecimal digits: the bits of a floating-point number */
static void float_bits(struct parser *p, struct token *t, unsigned ndigits)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < ndigits; i++) {
        int d = hex_digit(peek(p, 0));
        if (d < 0)
            parse_fail(p, t, "this floating-point constant needs %u hexadecimal digits", ndigits);
        v = v << 4 | (unsigned)d;
        p->cursor++;
    }
    t->kind = T_FLOAT;
    t->value = v;
    t->width = (uint8_t)(ndigits * 4);
}

/* Where a decimal floating-point number ends; 0 if there is only an integer here. */
static size_t decimal_float_end(const struct parser *p)
{
    size_t n = 0;
    bool is_float = false;
    while (is_digit(peek(p, n)))
        n++;
    if (peek(p, n) == '.') {
        is_float = true;
        n++;
        while (is_digit(peek(p, n)))
            n++;
    }
    if ((peek(p, n) | 0x20) == 'e') {
        size_t e = n + 1;
        if (peek(p, e) == '+' || peek(p, e) == '-')
            e++;
        if (is_digit(peek(p, e))) {
            is_float = true;
            while (is_digit(peek(p, e)))
                e++;
            n = e;
        }
    }
    return is_float ? n : 0;
}

static void decimal_float(struct parser *p, struct token *t, size_t length)
{
    char digits[64]; /* more than double needs */
    if (length >= sizeof(digits))
        parse_fail(p, t, "this constant has too many digits");
    memcpy(digits, p->text + p->cursor, length);
    digits[length] = 0;
    double d = strtod(digits, NULL);
    p->cursor += length;
    t->kind = T_FLOAT;
    t->width = 64;
    memcpy(&t->value, &d, sizeof(d));
}

static void lex_number(struct parser *p, struct token *t)
{
    int second = peek(p, 1) | 0x20;
    bool zero = peek(p, 0) == '0';
    size_t length;
    if (zero && second == 'x') {
        p->cursor += 2;
        digits(p, t, 16);
    } else if (zero && second == 'b') {
        p->cursor += 2;
        digits(p, t, 2);
    } else if (zero && (second == 'f' || second == 'd')) {
        p->cursor += 2;
        float_bits(p, t, second == 'f' ? 8 : 16);
    } else if ((length = decimal_float_end(p)) != 0) {
        decimal_float(p, t, length);
    } else {
        digits(p, t, zero && is_digit(peek(p, 1)) ? 8 : 10);
    }
    if (is_follow(peek(p, 0)))
        parse_fail(p, t, "unexpected '%c' in a constant", peek(p, 0));
}

/* ---- words, strings, punctuation ---- */

static void lex_ident(struct parser *p, struct token *t)
{
    size_t start = p->cursor++;
    while (is_follow(peek(p, 0)))
        p->cursor++;
    t->kind = T_IDENT;
    t->name = name_intern(p, p->text + start, p->cursor - start);
}

static void lex_dot(struct parser *p, struct token *t)
{
    size_t start = ++p->cursor;
    while (is_follow(peek(p, 0)) ||
           (peek(p, 0) == ':' && peek(p, 1) == ':' && is_follow(peek(p, 2))))
        p->cursor += peek(p, 0) == ':' ? 2 : 1;
    t->kind = T_DOT;
    t->name = name_intern(p, p->text + start, p->cursor - start);
}

static void lex_string(struct parser *p, struct token *t)
{
    size_t start = ++p->cursor;
    for (int c; (c = peek(p, 0)) != '"'; p->cursor++) {
        if (c == '\n' || p->cursor >= p->length)
            parse_fail(p, t, "this string does not end");
        if (c == '\\' && peek(p, 1) != '\n' && p->cursor + 1 < p->length)
            p->cursor++;
    }
    t->kind = T_STRING;
    t->offset = (uint32_t)start;
    t->length = (uint32_t)(p->cursor - start);
    p->cursor++;
}

static void lex_punctuation(struct parser *p, struct token *t)
{
    static const struct {
        char text[3];
        enum token_kind kind;
    } pairs[] = {
        {"<<", T_SHL}, {">>", T_SHR}, {"<=", T_LE},     {">=", T_GE},
        {"==", T_EQ},  {"!=", T_NE},  {"&&", T_ANDAND}, {"||", T_OROR},
    };
    int c = peek(p, 0), d = peek(p, 1);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (c == pairs[i].text[0] && d == pairs[i].text[1]) {
            t->kind = pairs[i].kind;
            p->cursor += 2;
            return;
        }
    }
    if (c == 0 || !strchr("@!:;,{}()[]<>+-*/%&|^~?=", c))
        parse_fail(p, t, c > 32 && c < 127 ? "unexpected character '%c'" : "unexpected byte 0x%02x",
                   c);
    t->kind = c;
    p->cursor++;
}

static void lex_token(struct parser *p, struct token *t)
{
    skip_blank(p);
    *t = (struct token){.line = p->line, .offset = (uint32_t)p->cursor};
    int c = peek(p, 0), next = peek(p, 1);
    bool after_word = p->cursor > 0 && is_follow(p->text[p->cursor - 1]);
    if (p->cursor >= p->length)
        t->kind = T_EOF;
    else if (is_digit(c))
        lex_number(p, t);
    else if (c == '.' && is_digit(next) && !after_word)
        decimal_float(p, t, decimal_float_end(p));
    else if (c == '.' && is_follow(next))
        lex_dot(p, t);
    else if (is_letter(c) || c == '_' || c == '$' || (c == '%' && is_follow(next)))
        lex_ident(p, t);
    else if (c == '"')
        lex_string(p, t);
    else
        lex_punctuation(p, t);
    if (t->kind != T_STRING)
        t->length = (uint32_t)(p->cursor - t->offset);
}

/* ---- the parser's view ---- */

void lex_start(struct parser *p)
{
    p->line = 1;
    advance(p);
    advance(p);
}

void advance(struct parser *p)
{
    p->tok = p->ahead;
    lex_token(p, &p->ahead);
}

bool accept_token(struct parser *p, int kind)
{
    if (p->tok.kind != kind)
        return false;
    advance(p);
    return true;
}

const char *token_text(struct parser *p, const struct token *t)
{
    if (t->kind == T_EOF)
        return "the end of the text";
    char quoted[64];
    int n = t->length > 40 ? 40 : (int)t->length;
    n = snprintf(quoted, sizeof(quoted), "'%.*s%s'", n, p->text + t->offset,
                 t->length > 40 ? "…" : "");
    return arena_text(p, quoted, (size_t)n);
}

void expect(struct parser *p, int kind, const char *what)
{
    if (p->tok.kind != kind)
        parse_fail(p, &p->tok, "expected %s, found %s", what, token_text(p, &p->tok));
    advance(p);
}

bool at_directive(const struct parser *p, enum directive d)
{
    return p->tok.kind == T_DOT && p->tok.name->directive == d;
}

bool accept_directive(struct parser *p, enum directive d)
{
    if (!at_directive(p, d))
        return false;
    advance(p);
    return true;
}
