/* edits_left.c - the small changes for what was left out, or is there once too often (editing.h):
 * guards, terms, what a variable starts with, braces, statements.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

static const char *const behind[] = {";", "{", "}", "else", NULL}, *const heads[] = {"if", "for",
                                                                                     "while", NULL};

static const char *const joins[] = {"&&", "||", NULL};
static const char *const jumps[] = {"break", "continue", "return", NULL};

static void insert(struct scan *s, int i, char *with)
{
    change(s, i, i, with); /* of one line */
    s->to->v[s->to->n - 1].length = 0;
}

/* Of word i: in no brackets of its function. */
static bool is_outside(const struct scan *s, int i)
{
    int depth = 0;

    for (int k = i - 1; k >= 0 && !word_is_any(s, k, (const char *const[]){"{", "}", NULL}); k--)
        depth += word_is(s, k, "(") - word_is(s, k, ")");
    return depth <= 0;
}

/* Word i is the bracket that closes the condition of a head. */
static bool ends_head(const struct scan *s, int i)
{
    int open = word_is(s, i, ")") ? word_match(s, i, -1) : -1;

    return open > 0 && word_is_any(s, open - 1, heads);
}

/* A statement begins with word i that is no declaration, nor a head. */
static bool opens_statement(const struct scan *s, int i)
{
    return word_kind(s, i) == NAME && !word_is_type(s, i) && !word_is_keyword(s, i) &&
           word_kind(s, i + 1) != NAME && (word_is_any(s, i - 1, behind) || ends_head(s, i - 1)) &&
           is_outside(s, i);
}

/* int a = b, i = c: a number that is declared, and set. */
static bool is_declared(const struct scan *s, int i)
{
    int begin = statement_begin(s, i);
    bool list = word_is(s, i - 1, ",") && (word_is_type(s, begin) || word_is(s, begin, "const"));

    return word_is(s, i + 1, "=") && is_outside(s, i) && i > s->blocks[s->v[i].block].open &&
           (list || (word_is_declared(s, i) && word_is_type(s, i - 1)));
}

/* The semicolon of the statement that begins with word i; -1: none, as where braces follow. */
static int semicolon_of(const struct scan *s, int i)
{
    int end = statement_end(s, i) + 1;

    return word_is(s, end, ";") && end < s->blocks[s->v[i].block].end ? end : -1;
}

enum { CONSTANTS = 10, NUMBERS = 8 };

/* The file's constants, once each, those of the function of word i first. */
static int constants_for(const struct scan *s, int i, int *found)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int n = 0;

    for (int k = -(in->end - in->first); k < s->n && n < CONSTANTS; k++) {
        int w = k < 0 ? in->end + k : k;
        bool known = !word_is_constant(s, w);

        for (int f = 0; f < n && !known; f++)
            known = word_same(s, w, found[f]);
        if (!known)
            found[n++] = w;
    }
    return n;
}

/* What a size is told by, for the function of word i: its parameters that are numbers. */
static int sizes_for(const struct scan *s, int i, int *found)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int n = 0;

    for (int k = in->first; k < in->open && n < NUMBERS; k++) {
        if (word_is_parameter(s, k))
            found[n++] = k;
    }
    return n;
}

/* Words from … to become each of these names, between such texts. */
static void each_name(struct scan *s, int from, int to, const char *before, const int *found, int n,
                      const char *after)
{
    for (int f = 0; f < n; f++) {
        char *name = words_text(s, found[f], found[f]);

        change(s, from, to, xformat("%s%s%s", before, name, after));
        free(name);
    }
}

/* ---- guards ---- */

/* A plain number's name, once each, in what stands between the brackets of words from … to. */
static int indices_in(const struct scan *s, int from, int to, int *found)
{
    int n = 0, depth = 0;

    for (int k = from; k <= to && n < NUMBERS; k++) {
        depth += word_is(s, k, "[") - word_is(s, k, "]");
        bool known =
            depth <= 0 || !word_is_plain(s, k) || word_is_array(s, k) || word_is_constant(s, k);

        for (int f = 0; f < n && !known; f++)
            known = word_same(s, k, found[f]);
        if (!known)
            found[n++] = k;
    }
    return n;
}

typedef void with_guard(struct scan *s, int at, int to, const char *guard);

/* row * width + column, in brackets: row < n && column < width, for each size n. */
static void each_pair(struct scan *s, int at, int i, int to, with_guard *f)
{
    int size[NUMBERS],
        row = word_is(s, i, "*") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        width = row > 0 ? operand_on(s, i + 1) : -1, end;

    if (width < 0 || !word_is(s, row - 1, "[") || !word_is(s, width + 1, "+") ||
        (end = word_match(s, row - 1, 1)) < 0)
        return;
    bool whole = word_is(s, row, "(") && word_match(s, row, 1) == i - 1; /* of brackets */
    char *a = words_text(s, row + whole, i - 1 - whole), *w = words_text(s, i + 1, width),
         *b = words_text(s, width + 2, end - 1);
    for (int k = 0, n = sizes_for(s, at, size); k < n; k++) {
        char *c = words_text(s, size[k], size[k]),
             *guard = xformat("%s < %s && %s < %s", a, c, b, w);

        f(s, at, to, guard);
        free(c);
        free(guard);
    }
    free(a);
    free(b);
    free(w);
}

static bool names_size(const struct scan *s, int i, const int *size, int n)
{
    bool named = false;

    for (int k = 0; k < n; k++)
        named |= word_same(s, i, size[k]);
    return named;
}

/* A whole index that is a sum, or the thread's own place: < n, for each size n. */
static void each_whole(struct scan *s, int at, int i, int to, with_guard *f)
{
    int size[NUMBERS], end = word_is(s, i, "[") ? word_match(s, i, 1) : -1,
                       one = end > 0 ? operand_on(s, i + 1) : -1;

    bool own = one == end - 1 && word_is(s, i + 1, "threadIdx");
    if (!own && (one < 0 || one + 2 >= end || !word_is_binary(s, one + 1)))
        return;
    char *a = words_text(s, i + 1, end - 1);
    for (int k = 0, n = sizes_for(s, at, size); k < n; k++) {
        char *c = words_text(s, size[k], size[k]), *guard = xformat("%s < %s", a, c);

        f(s, at, to, guard);
        free(c);
        free(guard);
    }
    free(a);
}

/* i < n, of each index in the words up to `to` and each size. */
static void each_guard(struct scan *s, int at, int from, int to, with_guard *f)
{
    int index[NUMBERS], size[NUMBERS], ni = indices_in(s, from, to, index),
                                       ns = sizes_for(s, at, size);

    for (int i = from; i <= to; i++) {
        each_pair(s, at, i, to, f);
        each_whole(s, at, i, to, f);
    }
    for (int i = 0; i < ni; i++) {
        for (int k = 0; k < ns; k++) {
            char *a = words_text(s, index[i], index[i]), *b = words_text(s, size[k], size[k]),
                 *guard = xformat("%s < %s", a, b);

            if (!names_size(s, index[i], size, ns))
                f(s, at, to, guard);
            free(a);
            free(b);
            free(guard);
        }
    }
}

static void put_if(struct scan *s, int at, int to, const char *guard)
{
    (void)to;
    insert(s, at, xformat("if (%s) ", guard));
}

/* A statement that stores, under a condition of its own. */
static void guarded(struct scan *s, int i)
{
    int end = opens_statement(s, i) ? semicolon_of(s, i) : -1;

    if (end > 0)
        each_guard(s, i, i, end, put_if);
}

static void put_or_zero(struct scan *s, int at, int to, const char *guard)
{
    char *a = words_text(s, at, to);

    change(s, at, to, xformat("(%s ? %s : 0)", guard, a));
    change(s, at, to, xformat("(%s ? %s : 1)", guard, a)); /* of a product */
    free(a);
}

/* Where the function has such a condition, of whatever index. */
static void each_known(struct scan *s, int at, int to, with_guard *f)
{
    const struct block *in = &s->blocks[s->v[at].block];
    int n = 0;

    for (int i = in->open; i < in->end && n < NUMBERS; i++) {
        int close = condition_end(s, i);

        if (close < 0 || close - i > 12 || (i < at && at < close))
            continue;
        char *guard = words_text(s, i + 2, close - 1);
        f(s, at, to, guard);
        free(guard);
        n++;
    }
}

/* Of what is loaded, and not set, the last word. */
static int load_end(const struct scan *s, int i)
{
    static const char *const sets[] = {"=", "+=", "-=", "*=", "/=", ".", "[", "++", "--", NULL};
    int end = word_is_variable(s, i) && !word_is_declared(s, i) && word_is(s, i + 1, "[")
                  ? word_match(s, i + 1, 1)
                  : -1;

    return end < 0 || word_is_any(s, end + 1, sets) || word_is(s, i - 1, "&") ||
                   word_is(s, i - 1, "*")
               ? -1
               : end;
}

/* What is loaded, or else 0. */
static void guarded_load(struct scan *s, int i)
{
    int end = load_end(s, i);

    if (end > 0)
        each_guard(s, i, i, end, put_or_zero);
}

/* … by what is asked elsewhere in the function. */
static void guarded_as_known(struct scan *s, int i)
{
    int end = load_end(s, i);

    if (end > 0)
        each_known(s, i, end, put_or_zero);
}

/* Of two that are asked for, what the condition before word `at` asks already is left out. */
static void put_and(struct scan *s, int at, int to, const char *guard)
{
    const char *both = strstr(guard, " && ");
    char *before = words_text(s, statement_begin(s, at), at - 1),
         *first = both ? xformat("%.*s", (int)(both - guard), guard) : xstrdup(guard);
    const char *asked = strstr(before, first);
    bool is = both && asked && !name_length(asked + strlen(first)) &&
              (asked == before || asked[-1] == ' ' || asked[-1] == '(');

    (void)to;
    insert(s, at, xformat(" && %s", is ? both + strlen(" && ") : guard));
    free(before);
    free(first);
}

/* One condition more, of what the statement behind it goes by. */
static void narrowed(struct scan *s, int i)
{
    int close = condition_end(s, i), end;

    if (close < 0)
        return;
    end = close + 1;
    while (end < s->n && !word_is(s, end, ";"))
        end++;
    each_guard(s, close, i, end, put_and);
}

static void put_alone(struct scan *s, int at, int to, const char *guard)
{
    (void)to;
    change(s, at, condition_end(s, at - 2) - 1, xstrdup(guard));
}

/* … or another one in its place. */
static void another_guard(struct scan *s, int i)
{
    int close = condition_end(s, i);

    if (close > 0)
        each_guard(s, i + 2, i, statement_end(s, close + 1 + word_is(s, close + 1, "{")),
                   put_alone);
}

static bool names_any(const struct scan *s, int from, int to, const char *const *names)
{
    bool found = false;

    for (int k = from; k < to; k++)
        found |= word_is_any(s, k, names);
    return found;
}

/* Of what is moved several at a time: rows of whole ones, of so many as one size is asked for, or
 * as are in a vector of the function. */
static void whole_vectors(struct scan *s, int i)
{
    static const char *const twos[] = {"float2", "uint2", "int2", "double2", NULL};
    static const char *const fours[] = {"float4", "int4", "uint4", NULL};
    const struct block *in = &s->blocks[s->v[i].block];
    int close = condition_end(s, i), size[NUMBERS], asked = 0;

    if (word_is(s, i, "bool") && word_is(s, i + 2, "="))
        close = semicolon_of(s, i);
    for (int k = i; k < close; k++)
        asked = word_is(s, k, "%") ? k + 1 : asked;
    char *of = asked                                    ? words_text(s, asked, asked)
               : names_any(s, in->open, in->end, fours) ? xstrdup("4")
               : names_any(s, in->open, in->end, twos)  ? xstrdup("2")
                                                        : NULL;
    for (int k = 0, n = of && close > 0 ? sizes_for(s, i, size) : 0; k < n; k++) {
        char *a = words_text(s, size[k], size[k]);

        insert(s, close, xformat(" && %s %% %s == 0", a, of));
        free(a);
    }
    free(of);
}

/* … of what is chosen. */
static void narrowed_choice(struct scan *s, int i)
{
    int end = i, depth = 0;

    if (!word_is(s, i, "?"))
        return;
    while (end + 1 < s->n && depth >= 0 &&
           !word_is_any(s, end, (const char *const[]){";", ":", NULL})) {
        end++;
        depth += word_is(s, end, "(") - word_is(s, end, ")");
    }
    each_guard(s, i, i, end, put_and);
}

/* The term that begins with word `at`. */
static void put_for_term(struct scan *s, int at, int to, const char *guard)
{
    static const char *const ends[] = {"&&", "||", "?", ")", ";", NULL};
    int end = at;

    while (end + 1 < to && !word_is_any(s, end + 1, ends)) {
        int close =
            word_is(s, end + 1, "(") || word_is(s, end + 1, "[") ? word_match(s, end + 1, 1) : -1;
        end = close > 0 ? close : end + 1;
    }
    change(s, at, end, xstrdup(guard));
}

/* A term of what is chosen by, for a guard of the place that is loaded. */
static void another_term(struct scan *s, int i)
{
    static const char *const before[] = {"&&", "=", "(", NULL};
    int ask = i, end;

    if (word_kind(s, i) != NAME || !word_is_any(s, i - 1, before) ||
        word_is_any(s, i + 1, (const char *const[]){"(", "[", NULL}))
        return;
    while (ask < s->n && !word_is_any(s, ask, (const char *const[]){"?", ";", "{", ",", NULL}))
        ask++;
    for (end = ask; word_is(s, ask, "?") && end < s->n && !word_is(s, end, ":");)
        end++;
    if (end > ask)
        each_guard(s, i, ask, end, put_for_term);
}

/* Of the condition's a < b, the place that the statement behind it goes to for a. */
static void bound_of_place(struct scan *s, int i)
{
    static const char *const less[] = {"<", "<=", NULL};
    int close = condition_end(s, i), end = close;

    while (end > 0 && end < s->n && !word_is(s, end, ";"))
        end++;
    for (int k = i; k < close; k++) {
        int left = word_is_any(s, k, less) && word_is_binary(s, k) ? operand_back(s, k - 1) : -1;

        for (int at = close; at < end && left > 0; at++) {
            int to = word_is(s, at, "[") ? word_match(s, at, 1) : -1;

            if (to > at + 1 && (!word_is_binary(s, left - 1) || word_is_any(s, left - 1, joins)))
                change(s, left, k - 1, words_text(s, at + 1, to - 1));
        }
    }
}

/* A guard there is, not this one. */
static void opposite(struct scan *s, int i)
{
    int close = condition_end(s, i);

    if (close < 0)
        return;
    char *a = words_text(s, i + 2, close - 1);
    change(s, i + 2, close - 1, xformat("!(%s)", a));
    free(a);
}

/* A condition that should not be, of a statement without braces. */
static void unguarded(struct scan *s, int i)
{
    int close = condition_end(s, i);

    if (close < 0 || !opens_statement(s, close + 1))
        return;
    int end = semicolon_of(s, close + 1);
    if (end < 0 || word_is(s, end + 1, "else"))
        return;
    change(s, i, end, words_text(s, close + 1, end));
}

/* The last word of "if (a) return;" at word i, with braces or without; -1: it is none. */
static int end_of_return(const struct scan *s, int i)
{
    int close = condition_end(s, i), brace = close > 0 && word_is(s, close + 1, "{"),
        at = close + 1 + brace, end = at + 1 + brace;
    bool is = close > 0 && word_is(s, at, "return") && word_is(s, at + 1, ";") &&
              (!brace || word_is(s, end, "}")) && !word_is(s, end + 1, "else");

    return is ? end : -1;
}

/* if (a) return; who leaves may be needed, or has a result of nothing to store. */
static void stays(struct scan *s, int i)
{
    int end = end_of_return(s, i);

    if (end > 0)
        change(s, i, end, xstrdup(";"));
}

/* Of what follows word i as far as its braces go: the end of the last statement with a barrier. */
static int behind_barriers(const struct scan *s, int i)
{
    int depth = 0, found = -1;
    bool in = false;

    for (int k = i + 1; k < s->blocks[s->v[i].block].end && depth >= 0; k++) {
        in |= word_is(s, k, "__syncthreads");
        depth += word_is(s, k, "{") - word_is(s, k, "}");
        if (in && !depth && word_is_any(s, k, (const char *const[]){";", "}", NULL})) {
            found = word_is(s, k + 1, "else") ? -1 : k;
            in = false;
        }
    }
    return found;
}

/* if (a) return; by who has to come to a barrier, and to load for others before. */
static void leaves_later(struct scan *s, int i)
{
    int end = end_of_return(s, i), to = end > 0 ? behind_barriers(s, end) : -1;

    if (to < 0)
        return;
    char *leaves = words_text(s, i, end), *between = words_text(s, end + 1, to),
         *line = one_line(leaves, strlen(leaves));
    change(s, i, to, xformat("%s\n%s", between, leaves));
    change_told(
        s, xformat("with \"%s\" behind line %d, where the last barrier is,", line, s->v[to].line));
    free(leaves);
    free(between);
    free(line);
}

/* if (a); with nothing that hangs on it. */
static void empty_body(struct scan *s, int i)
{
    int body = head_body(s, i),
        end = body > 0 && word_is(s, body, ";") && opens_statement(s, body + 1)
                  ? semicolon_of(s, body + 1)
                  : -1;

    if (end < 0)
        return;
    char *a = words_text(s, body + 1, end);
    change(s, body - 1, end, xformat(") %s", a));
    free(a);
}

/* if (a) b = c; to b = a ? c : 0; */
static void else_zero(struct scan *s, int i)
{
    int close = condition_end(s, i), set;

    if (close < 0 || !opens_statement(s, close + 1))
        return;
    int end = semicolon_of(s, close + 1);
    for (set = close + 1; set < end && !word_is(s, set, "="); set++)
        ;
    if (end < 0 || set == end || word_is(s, end + 1, "else"))
        return;
    char *a = words_text(s, i + 2, close - 1), *b = words_text(s, close + 1, set - 1),
         *c = words_text(s, set + 1, end - 1);
    change(s, i, end, xformat("%s = %s ? %s : 0;", b, a, c));
    free(a);
    free(b);
    free(c);
}

/* Behind the declaration of a number: who is beyond a size has nothing to do. */
static void leaves(struct scan *s, int i)
{
    int size[NUMBERS], end = i;

    if (!is_declared(s, i))
        return;
    while (end < s->n && !word_is(s, end, ";"))
        end++;
    char *a = words_text(s, i, i);
    for (int k = 0, n = sizes_for(s, i, size); k < n && end + 1 < s->n; k++) {
        char *c = words_text(s, size[k], size[k]);

        insert(s, end + 1, xformat("if (%s >= %s) return; ", a, c));
        free(c);
    }
    free(a);
}

/* ---- terms ---- */

static const char *const products[] = {"*", "/", "%", NULL};

/* Of what is asked together, one alone. */
static void asked_alone(struct scan *s, int i)
{
    static const char *const ends[] = {"&&", "||", "(", ")", ";", NULL};
    int left = i - 1, right = i + 1;

    if (!word_is(s, i, "&&") && !word_is(s, i, "||"))
        return;
    while (left > 0 && !word_is_any(s, left, ends)) {
        int open = word_is(s, left - 1, ")") ? word_match(s, left - 1, -1) : -1;

        if (word_is_any(s, left - 1, ends) && open < 0)
            break;
        left = open >= 0 ? open : left - 1;
    }
    while (right > 0 && !word_is_any(s, right + 1, ends)) {
        int close = word_is(s, right + 1, "(") ? word_match(s, right + 1, 1) : -1;

        right = close >= 0 ? close : right + 1;
    }
    if (right <= i || left >= i)
        return;
    change(s, left, right, words_text(s, left, i - 1));
    change(s, left, right, words_text(s, i + 1, right));
}

/* One of two operands, or terms, alone. */
static void one_alone(struct scan *s, int i)
{
    static const char *const of[] = {"+", "-", "*", "/", "%", "<<", ">>", "&", NULL},
                             *const sums[] = {"+", "-", NULL};
    int left = word_is_any(s, i, of) && word_is_binary(s, i) ? operand_back(s, i - 1) : -1, right;

    if (left < 0 || (right = operand_on(s, i + 1)) < 0)
        return;
    if (word_is_any(s, i, sums)) {
        left = chain_back(s, left, products);
        right = chain_on(s, right, products);
    }
    if (right < 0 || (word_is(s, i, "*") && word_is_type(s, i - 1)))
        return;
    change(s, left, right, words_text(s, left, i - 1));
    if (!word_is(s, i, "-") && !word_is(s, i, "/") && !word_is(s, i, "%"))
        change(s, left, right, words_text(s, i + 1, right));
}

/* a / b, or a >> b, that goes round: % of each constant. */
static void goes_round(struct scan *s, int i)
{
    bool of = (word_is(s, i, "/") || word_is(s, i, ">>")) && word_is_binary(s, i);
    int found[CONSTANTS], right = of ? operand_on(s, i + 1) : -1,
                          left = right > 0 ? operand_back(s, i - 1) : -1;

    if (left < 0)
        return;
    char *a = words_text(s, left, right),
         *before = xformat(word_is(s, i, "/") ? "%s %% " : "(%s) %% ", a);
    each_name(s, left, right, before, found, constants_for(s, i, found), "");
    free(a);
    free(before);
}

/* blockIdx.x * blockDim.x, of so many for each thread: of the small numbers of the function, and
 * the file's constants. */
static void of_each(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int found[CONSTANTS];
    unsigned long known = 0;

    if (!word_is_member(s, i) || !word_is(s, i - 2, "blockDim") || !word_is(s, i - 3, "*") ||
        word_is(s, i + 1, "*"))
        return;
    char *a = words_text(s, i - 2, i), *times = xformat("%s * ", a);
    for (int k = in->open; k < in->end; k++) {
        char *b = word_kind(s, k) == NUMBER ? words_text(s, k, k) : NULL;
        unsigned long v = b ? strtoul(b, NULL, 10) : 0;

        if (v > 1 && v < 33 && !(known >> v & 1)) {
            change(s, i - 2, i, xformat("%s%lu", times, v));
            known |= 1ul << v;
        }
        free(b);
    }
    each_name(s, i - 2, i, times, found, constants_for(s, i, found), "");
    free(times);
    free(a);
}

/* A number, or behind gridDim.x a constant, that may be meant for the block's threads. */
static void of_block(struct scan *s, int i)
{
    if (word_is_constant(s, i) && word_is(s, i - 1, "*") && word_is(s, i - 4, "gridDim"))
        change(s, i, i, xstrdup("blockDim.x"));
    if (word_kind(s, i) != NUMBER)
        return;
    char *a = words_text(s, i, i), *type;
    unsigned long v = strtoul(a, &type, 10);
    if (v >= 32 && v % 32 == 0 && v <= 1024)
        change(s, i, i, xstrdup("blockDim.x"));
    free(a);
}

/* a % m + b to (a + b) % m. */
static void round_last(struct scan *s, int i)
{
    int left = word_is(s, i, "%") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left > 0 ? operand_on(s, i + 1) : -1, end;

    if (right < 0 || !word_is(s, right + 1, "+") || (end = operand_on(s, right + 2)) < 0)
        return;
    end = chain_on(s, end, products);
    char *a = words_text(s, left, i - 1), *m = words_text(s, i + 1, right),
         *b = words_text(s, right + 2, end);
    change(s, left, end, xformat("(%s + %s) %% %s", a, b, m));
    free(a);
    free(m);
    free(b);
}

/* What something is set to, or compared with, that is computed: a size alone. In an index: one of
 * its names alone. */
static void size_alone(struct scan *s, int i)
{
    static const char *const sets[] = {"=", "<", "<=", ">=", NULL};
    int size[NUMBERS], end;

    if (word_is(s, i, "[") && (end = word_match(s, i, 1)) > i + 2 && !word_is_declared(s, i - 1)) {
        for (int k = i + 1; k < end; k++) {
            if (word_is_plain(s, k) && !word_is_array(s, k) && !word_is_constant(s, k))
                change(s, i + 1, end - 1, words_text(s, k, k));
        }
        return;
    }
    if (!word_is_any(s, i, sets) || (end = operand_on(s, i + 1)) < 0)
        return;
    while (word_is_binary(s, end + 1) &&
           !word_is_any(s, end + 1, (const char *const[]){"&&", "||", NULL}) &&
           operand_on(s, end + 2) > 0)
        end = operand_on(s, end + 2);
    if (end > i + 1)
        each_name(s, i + 1, end, "", size, sizes_for(s, i, size), "");
}

/* sizeof(…): of what the function is given, or names as a type. */
static void another_sizeof(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (!word_is(s, i - 1, "(") || !word_is(s, i - 2, "sizeof") || !word_is(s, i + 1, ")"))
        return;
    for (int k = in->first; k < in->end; k++) {
        bool type = word_kind(s, k) == NAME && !word_same(s, i, k) &&
                    (word_is(s, k + 1, "*") || word_is(s, k - 2, "sizeof")) &&
                    (k < in->open || word_is(s, k - 1, "const") || word_is(s, k - 1, "(") ||
                     word_is(s, k - 1, "<"));

        for (int before = in->first; before < k && type; before++)
            type = !word_same(s, before, k);
        if (type)
            change(s, i, i, words_text(s, k, k));
    }
}

/* threadIdx.x is one of a block's only: with the block's share before it. And blockDim.x alone
 * is the same for all. */
static void of_its_block(struct scan *s, int i)
{
    if (!word_is_member(s, i) || s->v[i].length != 1)
        return;
    char *axis = words_text(s, i, i);
    bool whole = word_is(s, i - 3, "+") && word_is_member(s, i - 4);
    if (word_is(s, i - 2, "threadIdx") && !whole)
        change(s, i - 2, i,
               xformat("(blockIdx.%s * blockDim.%s + threadIdx.%s)", axis, axis, axis));
    else if (word_is(s, i - 2, "blockDim") && !word_is(s, i - 3, "*"))
        change(s, i - 2, i, xformat("blockIdx.%s * blockDim.%s", axis, axis));
    else if (word_is(s, i - 2, "blockIdx") && !word_is(s, i + 1, "*"))
        change(s, i - 2, i, xformat("blockIdx.%s * blockDim.%s", axis, axis));
    free(axis);
}

/* A number that is declared before word i, and made of a builtin's member; -1: none. */
static int variable_of(const struct scan *s, int i, const char *builtin, const char *axis)
{
    const struct block *in = &s->blocks[s->v[i].block];

    for (int k = in->open; k < i; k++) {
        int end = k;

        if (!is_declared(s, k))
            continue;
        while (end < i && !word_is(s, end, ";") && !(word_is(s, end, ",") && is_outside(s, end)))
            end++;
        for (int w = k + 2; w < end; w++) {
            if (word_is(s, w - 2, builtin) && word_is_member(s, w) && word_is(s, w, axis))
                return k;
        }
    }
    return -1;
}

/* threadIdx, in all of a statement: the places in the whole that are made of it. */
static void whole_places(struct scan *s, int i)
{
    static const char *const axes[] = {"x", "y"};
    struct text t = {0};

    if (!word_is(s, i, "threadIdx"))
        return;
    int from = statement_begin(s, i), to = statement_end(s, from),
        place[2] = {variable_of(s, i, "threadIdx", "x"), variable_of(s, i, "threadIdx", "y")};
    for (int k = from; k < i; k++) {
        if (word_is(s, k, "threadIdx"))
            return; /* not its first */
    }
    size_t at = s->v[from].at;
    for (int k = from; k <= to; k++) {
        for (int a = 0; a < 2; a++) {
            if (!word_is(s, k, "threadIdx") || !word_is(s, k + 2, axes[a]) || place[a] < 0)
                continue;
            text_bytes(&t, s->text + at, s->v[k].at - at);
            text_bytes(&t, s->text + s->v[place[a]].at, s->v[place[a]].length);
            at = s->v[k + 2].at + s->v[k + 2].length;
        }
    }
    if (t.length) {
        text_bytes(&t, s->text + at, s->v[to].at + s->v[to].length - at);
        change(s, from, to, text_take(&t));
    }
    text_free(&t);
}

/* A place of a tile that is that of the whole: what the block has before it. */
static void of_its_tile(struct scan *s, int i)
{
    int found[CONSTANTS];

    if (!word_is_plain(s, i) || word_is_array(s, i) || word_is_constant(s, i) ||
        (!word_is(s, i - 1, "=") && !word_is(s, i - 1, "[")) ||
        word_is_any(s, i + 1, (const char *const[]){"(", ".", "*", "/", "%", NULL}))
        return;
    char *a = words_text(s, i, i), *behind = xformat(" + %s", a);
    each_name(s, i, i, "blockIdx.x * ", found, constants_for(s, i, found), behind);
    each_name(s, i, i, "blockIdx.y * ", found, constants_for(s, i, found), behind);
    free(a);
    free(behind);
}

/* 0, or T(): with a term more it is that term alone, for which there are other ways. */
static bool ends_with_nothing(const struct scan *s, int i)
{
    bool made = word_is(s, i, ")") && word_is(s, i - 1, "(") && word_kind(s, i - 2) == NAME &&
                (word_is_type(s, i - 2) || (s->v[i - 2].length == 1 && word_is_constant(s, i - 2)));
    bool number = word_kind(s, i) == NUMBER;

    for (size_t k = 0; number && k < s->v[i].length; k++)
        number = strchr("0.fFuUlL", s->text[s->v[i].at + k]);
    return made || (number && (word_is(s, i - 1, "=") || word_is(s, i - 1, "?") ||
                               word_is(s, i - 1, "return") || is_else(s, i - 1)));
}

/* The whole right side, with another variable of the function: = a; to = a - b; */
static void one_term_more(struct scan *s, int i)
{
    static const char *const signs = "+-*%";
    const struct block *in = &s->blocks[s->v[i].block];
    bool index = word_is(s, i, "["), value = word_is(s, i, "=") || word_is(s, i, "return");
    int end = -1;

    if (index)
        end = word_match(s, i, 1);
    else if (value)
        end = semicolon_of(s, i + 1);
    if (end < i + 2 || word_is(s, i + 1, "{") || (index && word_is_declared(s, i - 1)) ||
        ends_with_nothing(s, end - 1))
        return;
    char *a = words_text(s, i + 1, end - 1);
    for (int k = in->first; k < i; k++) {
        bool known = !word_is_variable(s, k) || word_is_member(s, k) || word_is_array(s, k) ||
                     k == in->name || word_is(s, k + 1, ".") || word_is_constant(s, k);

        for (int before = in->first; before < k && !known; before++)
            known = word_same(s, before, k);
        if (known)
            continue;
        char *b = words_text(s, k, k);
        bool same = !strcmp(a, b);
        if (same)
            change(s, i + 1, end - 1, xformat("2 * %s", a));
        for (const char *sign = same ? "*" : signs; *sign; sign++)
            change(s, i + 1, end - 1,
                   strchr("*%", *sign) ? xformat("(%s) %c %s", a, *sign, b)
                                       : xformat("%s %c %s", a, *sign, b));
        free(b);
    }
    free(a);
}

/* a[i]: its neighbours. */
static void beside(struct scan *s, int i)
{
    int end = word_is(s, i, "[") && !word_is_declared(s, i - 1) ? word_match(s, i, 1) : -1;

    if (end < i + 2)
        return;
    char *a = words_text(s, i + 1, end - 1);
    change(s, i + 1, end - 1, xformat("%s + 1", a));
    change(s, i + 1, end - 1, xformat("%s - 1", a));
    free(a);
}

/* A constant of the file, for another, for a number or for a factor. */
static void another_constant(struct scan *s, int i)
{
    static const char *const products[] = {"*", "/", "%", NULL};
    int found[CONSTANTS];
    bool number = word_kind(s, i) == NUMBER && !word_is(s, i, "0") && !word_is(s, i, "1");
    bool factor = word_is_plain(s, i) && !word_is_array(s, i) && word_is_any(s, i - 1, products) &&
                  word_is_binary(s, i - 1);

    if (!number && !factor && !word_is_constant(s, i))
        return;
    for (int f = 0, n = constants_for(s, i, found); f < n; f++) {
        if (!word_same(s, i, found[f]))
            change(s, i, i, words_text(s, found[f], found[f]));
    }
}

/* Has its function two dimensions? Else blockDim.y is 1. */
static bool knows_rows(const struct scan *s, int i)
{
    static const char *const builtin[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
    const struct block *in = &s->blocks[s->v[i].block];

    for (int k = in->open; k < in->end; k++) {
        if (word_is_any(s, k, builtin) && word_is(s, k + 1, ".") && word_is(s, k + 2, "y"))
            return true;
    }
    return false;
}

/* How far a loop goes on. By one in place of several is the last: who stores the same again and
 * again is right, too. */
static void another_step(struct scan *s, int i)
{
    static const char *const strides[] = {"blockDim.x", "blockDim.y", "gridDim.x * blockDim.x",
                                          "gridDim.x",  "32",         NULL};
    int name = word_is(s, i, "++") ? i + 1 : i, found[CONSTANTS], size[NUMBERS], end = -1;

    if (word_is(s, i, "++") || word_is(s, i + 1, "++"))
        end = i + 1;
    else if (word_is(s, i + 1, "+="))
        end = operand_on(s, i + 2);
    if (word_kind(s, name) != NAME || end < 0)
        return;
    while (word_is_any(s, end + 1, products) && word_is_binary(s, end + 1))
        end = operand_on(s, end + 2);
    if (!word_is(s, end + 1, ")") && !word_is(s, end + 1, ";"))
        return;
    char *a = words_text(s, name, name), *before = xformat("%s += ", a);
    for (size_t k = 0; strides[k]; k++) {
        if (k != 1 || knows_rows(s, i))
            change(s, i, end, xformat("%s%s", before, strides[k]));
    }
    each_name(s, i, end, before, found, constants_for(s, i, found), "");
    each_name(s, i, end, before, size, sizes_for(s, i, size), "");
    if (word_is(s, i + 1, "+=") && !word_is(s, i + 2, "1"))
        change(s, i, end, xformat("%s++", a));
    free(a);
    free(before);
}

/* ---- statements ---- */

static void left_out(struct scan *s, int i)
{
    int end = opens_statement(s, i) ? semicolon_of(s, i) : -1;

    if (end > 0)
        change(s, i, end, xstrdup(";"));
}

/* Behind the statement that word i is a loop's round ends: to go on does nothing there. */
static bool ends_round(const struct scan *s, int i)
{
    bool ends = false;

    for (int k = i + 2; word_is(s, k, "}") && !ends; k++) {
        int open = i;

        while (open > 0 && !(word_is(s, open, "{") && brace_end(s, open) == k))
            open--;
        int head = word_is(s, open - 1, ")") ? word_match(s, open - 1, -1) - 1 : open - 1;

        ends = word_is_any(s, head, (const char *const[]){"for", "while", "do", NULL});
    }
    return ends;
}

static void another_jump(struct scan *s, int i)
{
    for (int k = 0; word_is_any(s, i, jumps) && word_is(s, i + 1, ";") && jumps[k]; k++) {
        if (!word_is(s, i, jumps[k]) && !(!strcmp(jumps[k], "continue") && ends_round(s, i)))
            change(s, i, i, xstrdup(jumps[k]));
    }
}

/* Words from … to, with `name` for each place where text[a] … b stands. For free(). */
static char *with_for(const struct scan *s, int from, int to, int a, int b, const char *name)
{
    struct text t = {0};
    size_t at = s->v[from].at;

    for (int i = from; i + b - a <= to; i++) {
        bool same = true;

        for (int k = 0; k <= b - a && same; k++)
            same = word_same(s, i + k, a + k);
        if (!same || word_is_member(s, i))
            continue;
        text_bytes(&t, s->text + at, s->v[i].at - at);
        text_add(&t, name);
        at = s->v[i + b - a].at + s->v[i + b - a].length;
        i += b - a;
    }
    text_bytes(&t, s->text + at, s->v[to].at + s->v[to].length - at);
    return text_take(&t);
}

/* Words a … b, or such in what a variable before is set to, where it is declared: its value's last
 * word, and *first; -1: there are none in it. */
static int made_of(const struct scan *s, int i, int a, int b, int *first)
{
    for (int k = s->blocks[s->v[i].block].open; k < a && word_is_plain(s, i); k++) {
        int depth = 0, end = k + 2;

        if (!word_same(s, k, i) || !word_is(s, k + 1, "=") ||
            !(word_is_declared(s, k) || word_is(s, k - 1, ",")))
            continue;
        for (; end < a && (depth || !word_is_any(s, end, (const char *const[]){",", ";", NULL}));)
            depth += word_is(s, end, "(") - word_is(s, end, ")"), end++;
        char *is = words_text(s, k + 2, end - 1), *other = with_for(s, k + 2, end - 1, a, b, "");
        bool has = strcmp(is, other) != 0;
        free(is);
        free(other);
        *first = k + 2;
        return has ? end - 1 : -1;
    }
    return -1;
}

/* … with "each" for them, and for what variables are made of them. For free(). */
static char *with_each(const struct scan *s, int from, int to, int a, int b)
{
    char *all = with_for(s, from, to, a, b, "each");
    struct scan of = {0};
    struct text t = {0};
    size_t at = 0;

    scan_split(&of, all);
    for (int i = 0; i < of.n; i++) {
        int same = -1, first, last = -1;

        for (int k = from; k <= to && same < 0; k++) {
            if (s->v[k].length == of.v[i].length &&
                !strncmp(s->text + s->v[k].at, of.text + of.v[i].at, of.v[i].length))
                same = k;
        }
        if (same >= 0 && of.v[i].kind == NAME && !word_is_member(&of, i))
            last = made_of(s, same, a, b, &first);
        if (last < 0)
            continue;
        char *value = with_for(s, first, last, a, b, "each");
        text_bytes(&t, of.text + at, of.v[i].at - at);
        text_addf(&t, "(%s)", value);
        at = of.v[i].at + of.v[i].length;
        free(value);
    }
    text_add(&t, of.text + at);
    free(of.text);
    scan_close(&of);
    free(all);
    return text_take(&t);
}

/* if (a < n) b[a] = c[a]; for a thread's first alone: to go on by whole blocks. */
static void looped(struct scan *s, int i)
{
    int body = word_is(s, i, "if") ? head_body(s, i) : -1, first = i + 2, end,
        last = body > 0 ? operand_on(s, first) : -1;

    if (last < 0 || !word_is(s, last + 1, "<"))
        return;
    end = word_is(s, body, "{") ? brace_end(s, body) : semicolon_of(s, body);
    if (end < 0 || word_is(s, end + 1, "else") || word_jumps(s, body, end))
        return;
    char *a = words_text(s, first, last), *bound = with_each(s, first, body - 2, first, last),
         *does = with_each(s, body, end, first, last);
    change(s, i, end, xformat("for (int each = %s; %s; each += blockDim.x) %s", a, bound, does));
    free(a);
    free(bound);
    free(does);
}

/* a[i] ^= b; c = a[i]; to the end of their block on a copy, so that a keeps what it has. */
static void on_a_copy(struct scan *s, int i)
{
    static const char *const sets[] = {"^=", "+=", "-=", "*=", "/=", NULL};
    int last = opens_statement(s, i) && word_is(s, i + 1, "[") ? operand_on(s, i) : -1, end, depth;

    if (last < 0 || !word_is_any(s, last + 1, sets))
        return;
    for (end = i, depth = 0; end < s->blocks[s->v[i].block].end && depth >= 0; end++)
        depth += word_is(s, end, "{") - word_is(s, end, "}");
    end -= 2; /* the last of the block that it is in */
    char *a = words_text(s, i, last), *does = with_for(s, i, end, i, last, "copy");
    change(s, i, end, xformat("auto copy = %s; %s", a, does));
    free(a);
    free(does);
}

/* Of a condition inside a loop: once it has held, no more rounds. */
static void last_round(struct scan *s, int i)
{
    int body = word_is(s, i, "if") ? head_body(s, i) : -1, end;

    if (body < 0)
        return;
    if (word_is(s, body, "{") && (end = brace_end(s, body)) > 0) {
        insert(s, end, xstrdup("break; "));
    } else if (opens_statement(s, body) && (end = semicolon_of(s, body)) > 0) {
        char *a = words_text(s, body, end);
        change(s, body, end, xformat("{ %s break; }", a));
        free(a);
    }
}

/* if (a) b; c; to if (a) { b; c; } */
static void braces_wanted(struct scan *s, int i)
{
    int body = head_body(s, i), first, second;

    if (body < 0 || word_is(s, body, "{") || !opens_statement(s, body) ||
        (first = semicolon_of(s, body)) < 0 ||
        (!opens_statement(s, first + 1) && !word_is_any(s, first + 1, jumps)) ||
        (second = semicolon_of(s, first + 1)) < 0)
        return;
    char *a = words_text(s, body, second);
    change(s, body, second, xformat("{ %s }", a));
    free(a);
}

/* The last statement of a block to stand behind it, or the first behind it to be its last. */
static void across_end(struct scan *s, int i)
{
    int body = head_body(s, i), close, end;

    if (body < 0 || !word_is(s, body, "{") || (close = brace_end(s, body)) < 0)
        return;
    if (opens_statement(s, close + 1) && (end = semicolon_of(s, close + 1)) > 0) {
        char *a = words_text(s, close + 1, end);
        change(s, close, end, xformat("%s }", a));
        free(a);
    }
    for (int k = body + 1; k < close; k++) {
        if (!opens_statement(s, k) || semicolon_of(s, k) != close - 1 || k == body + 1)
            continue;
        char *a = words_text(s, k, close - 1);
        change(s, k, close, xformat("} %s", a));
        free(a);
    }
}

/* The statement before a loop to be the first in it, and the other way round. */
static void across_begin(struct scan *s, int i)
{
    int body = head_body(s, i), from = i, end;

    if (body < 0 || !word_is(s, body, "{") || word_is(s, i, "if"))
        return;
    char *head = words_text(s, i, body);
    if (word_is(s, i - 1, ";"))
        from = statement_begin(s, i - 2);
    if (from < i && opens_statement(s, from)) {
        char *a = words_text(s, from, i - 1);
        change(s, from, body, xformat("%s %s", head, a));
        free(a);
    }
    if (opens_statement(s, body + 1) && (end = semicolon_of(s, body + 1)) > 0) {
        char *a = words_text(s, body + 1, end);
        change(s, i, end, xformat("%s %s", a, head));
        free(a);
    }
    free(head);
}

/* What a variable starts with, again at each round of a loop. */
static void starts_again(struct scan *s, int i)
{
    int body = head_body(s, i);

    if (body < 0 || word_is(s, i, "if") || !word_is(s, body, "{"))
        return;
    for (int k = s->blocks[s->v[i].block].open; k < i; k++) {
        int end = k, begin = statement_begin(s, k);

        while (word_is(s, end + 1, "["))
            end = word_match(s, end + 1, 1);
        if (end > k && k == begin + 1 && word_is_type(s, begin) && word_is(s, end + 1, "=") &&
            word_is(s, end + 2, "{") && word_is(s, end + 3, "}")) {
            char *a = words_text(s, begin, end + 3);
            insert(s, body + 1, xformat("%s; ", a));
            free(a);
        }
        if (!is_declared(s, k))
            continue;
        for (end = k + 2; end < i && !word_is(s, end, ";") && !word_is(s, end, ",");) {
            int to = operand_on(s, end);

            end = to > 0 ? to + 1 : end + 1;
        }
        char *a = words_text(s, k, end - 1);
        insert(s, body + 1, xformat("%s; ", a));
        free(a);
    }
}

/* Lanes whose values are together already are added up once more: no loop of shuffles. */
static void without_shuffles(struct scan *s, int i)
{
    int body =
            word_is_any(s, i, (const char *const[]){"for", "while", NULL}) ? head_body(s, i) : -1,
        end = body < 0                ? -1
              : word_is(s, body, "{") ? brace_end(s, body)
                                      : semicolon_of(s, body);
    bool shuffles = false;

    for (int k = body; k < end && !shuffles; k++)
        shuffles = !strncmp(s->text + s->v[k].at, "__shfl", strlen("__shfl"));
    if (!shuffles)
        return;
    change(s, i, end, xstrdup(";"));
    change_told(s, s->v[i].line == s->v[end].line ? xstrdup("without this loop")
                                                  : xformat("without the loop of lines %d to %d",
                                                            s->v[i].line, s->v[end].line));
}

/* ---- all of it ---- */

static way *const asked[] = {without_shuffles, apart_as_others, times_a_share, asked_alone,
                             empty_body,       unguarded,       stays,         opposite,
                             of_each,          rest_taken,      counted_down,  as_launched};
const struct ways asked_ways = {asked, sizeof(asked) / sizeof(asked[0])};

static way *const all[] = {whole_places,   starts_again,  looped,        on_a_copy,
                           last_round,     braces_wanted, left_out,      another_jump,
                           of_its_block,   one_alone,     else_zero,     leaves,
                           another_sizeof, of_block,      round_last,    across_end,
                           across_begin,   whole_vectors, another_guard, guarded_as_known};
const struct ways left_ways = {all, sizeof(all) / sizeof(all[0])};

static way *const leave[] = {leaves_later, stays};
const struct ways leave_ways = {leave, sizeof(leave) / sizeof(leave[0])};

static way *const steps[] = {another_step, another_jump};
const struct ways step_ways = {steps, sizeof(steps) / sizeof(steps[0])};

static way *const guards[] = {guarded,      narrowed,       rows_asked,   narrowed_choice,
                              guarded_load, bound_of_place, another_term, another_guard};
const struct ways guard_ways = {guards, sizeof(guards) / sizeof(guards[0])};

static way *const more[] = {goes_round, size_alone,  another_constant, another_step,
                            beside,     of_its_tile, one_term_more,    longer_array};
const struct ways more_ways = {more, sizeof(more) / sizeof(more[0])};
