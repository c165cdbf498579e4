/* edits_terms.c - the small changes of a term that is not the one that was meant (editing.h): a
 * factor that is missing, a quotient of whole numbers, a base that is in an index twice, a name for
 * what a pointer has been set to, a loop's variable that an earlier loop has moved on.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

static const char *const sums[] = {"+", "-", NULL}, *const products[] = {"*", "/", "%", NULL},
                         *const moves[] = {"+=", "-=", "++", "--", NULL};

enum { NAMES = 6, FACTORS = 12 }; /* of one sort, for one word */

/* The function's plain names, and small numbers, that something is multiplied by. */
static int factors_of(const struct scan *s, const struct block *in, int *found)
{
    int n = 0;

    for (int k = in->open; k < in->end && n < FACTORS; k++) {
        bool times = (word_is(s, k - 1, "*") && word_is_binary(s, k - 1)) ||
                     (word_is(s, k + 1, "*") && word_is_binary(s, k + 1));
        bool number = word_kind(s, k) == NUMBER && s->v[k].length < 3 && !word_is(s, k, "0") &&
                      !word_is(s, k, "1");

        if (times && (number || (word_is_plain(s, k) && word_kind(s, k + 1) != NAME)) &&
            !word_is(s, k + 1, "[") && !word_is(s, k + 1, "(") && word_is_new(s, k, found, n))
            found[n++] = k;
    }
    return n;
}

/* The last word of the product whose first operand begins with word i; -1: none begins there. */
static int product_on(const struct scan *s, int i)
{
    static const char *const before[] = {"=", "+", "+=", "-=", "[", NULL};
    int to = word_is_any(s, i - 1, before) &&
                     (word_is_plain(s, i) || word_is(s, i + 1, ".") || word_is(s, i, "("))
                 ? operand_on(s, i)
                 : -1;

    return to < 0 ? -1 : chain_on(s, to, products);
}

/* row + v, where the function has v * dx elsewhere: what one step of it is, is missing. */
static void times_a_factor(struct scan *s, int i)
{
    int found[FACTORS], to = product_on(s, i);
    bool real = false, parts = false;

    for (int k = i; k <= to; k++) {
        real |= word_kind(s, k) == NUMBER && memchr(s->text + s->v[k].at, '.', s->v[k].length);
        parts |= word_is(s, k, "/") || word_is(s, k, "%");
    }
    if (to < 0 || real ||
        !word_is_any(s, to + 1, (const char *const[]){"+", ";", ",", "]", "<", NULL}))
        return;
    char *a = words_text(s, i, to);
    for (int f = 0, n = factors_of(s, &s->blocks[s->v[i].block], found); f < n; f++) {
        bool has = false;

        for (int k = i; k <= to; k++)
            has |= word_same(s, k, found[f]);
        if (has)
            continue;
        char *by = words_text(s, found[f], found[f]);
        bool first = !parts && word_kind(s, found[f]) == NUMBER;
        change(s, i, to, xformat("%s * %s", first ? by : a, first ? a : by));
        free(by);
    }
    free(a);
}

/* Names and numbers that loops of the function go to, but what it was passed: of what a thread has
 * several. */
static int bounds_of(const struct scan *s, const struct block *in, int *found)
{
    int n = 0;

    for (int k = in->open; k < in->end && n < FACTORS; k++) {
        int body = word_is(s, k, "for") ? head_body(s, k) : -1;

        for (int w = k + 2; w < body && n < FACTORS; w++) {
            bool number = word_kind(s, w) == NUMBER && s->v[w].length < 3;
            bool bound = (number || word_is_plain(s, w)) && word_is(s, w - 1, "<") &&
                         word_is_any(s, w + 1, (const char *const[]){";", "&&", NULL});

            for (int p = in->name; p < in->open && bound; p++)
                bound = !word_same(s, p, w);
            if (bound && word_is_new(s, w, found, n))
                found[n++] = w;
        }
    }
    return n;
}

/* blockIdx.y * blockDim.y, or * 8, of blocks whose threads do several rounds each: times how many.
 */
void times_a_share(struct scan *s, int i)
{
    int found[FACTORS], to = word_is(s, i, "blockIdx") ? product_on(s, i) : -1;

    if (to < 0 || !word_is_any(s, to + 1, (const char *const[]){"+", ";", ",", "]", "<", NULL}))
        return;
    char *a = words_text(s, i, to);
    for (int f = 0, n = bounds_of(s, &s->blocks[s->v[i].block], found); f < n; f++) {
        bool has = false;

        for (int k = i; k <= to; k++)
            has |= word_same(s, k, found[f]);
        char *by = words_text(s, found[f], found[f]);
        if (!has)
            change(s, i, to, xformat("%s * %s", a, by));
        free(by);
    }
    free(a);
}

/* if (t < w) …; else x[t] = y[from + t]: … - w there, in all such places. */
static void from_its_own(struct scan *s, int i)
{
    int body = word_is(s, i, "if") ? head_body(s, i) : -1, t = i + 2,
        other = body < 0 ? -1 : body_end(s, body) + 1, end;

    if (other < 1 || !word_is(s, other, "else") || !word_is(s, i + 3, "<") || i + 6 != body ||
        !word_is_plain(s, t))
        return;
    int of = word_is(s, other + 1, "if") ? head_body(s, other + 1) : other + 1, first = -1, n = 0;
    end = of < 0 ? -1 : body_end(s, of);
    struct text with = {0};
    size_t at = 0;
    for (int k = of; k <= end; k++) {
        bool sum = word_same(s, k, t) && word_is(s, k - 1, "+") && word_is_plain(s, k - 2) &&
                   (first < 0 || word_same(s, k - 2, first - 2));
        if (!sum)
            continue;
        if (first < 0)
            at = s->v[first = k].at;
        text_bytes(&with, s->text + at, s->v[k].at + s->v[k].length - at);
        text_addf(&with, " - %.*s", (int)s->v[i + 4].length, s->text + s->v[i + 4].at);
        at = s->v[k].at + s->v[k].length;
        end = n++ > 100 ? k : end;
        t = k;
    }
    if (n) {
        char *from = words_text(s, first - 2, first), *by = words_text(s, i + 4, i + 4);

        change(s, first, t, text_take(&with));
        change_told(s, xformat("with \"%s - %s\" in place of \"%s\", here and in all of this else,",
                               from, by, from));
        free(from);
        free(by);
    }
    text_free(&with);
}

/* The first word of what plain name i was set to where it is declared, before it, up to *end; -1:
 * nowhere. */
static int declared_as(const struct scan *s, int i, int *end)
{
    int begin = set_to(s, i);

    *end = begin < 0 ? -1 : end_of_value(s, begin);
    return *end >= begin && *end + 1 < i ? begin : -1;
}

/* x[place], where place is first + t: of each of the two alone, as where x begins at first. */
static void summand_alone(struct scan *s, int i)
{
    int end,
        begin = word_is_plain(s, i) && word_is(s, i - 1, "[") && word_is(s, i + 1, "]") &&
                        word_kind(s, i - 2) == NAME && !word_is_member(s, i - 2)
                    ? declared_as(s, i, &end)
                    : -1,
        one = begin < 0 ? -1 : operand_on(s, begin);

    one = one < 0 ? -1 : chain_on(s, one, products);
    if (one < 0 || one >= end || !word_is_any(s, one + 1, sums))
        return;
    char *array = words_text(s, i - 2, i - 2), *first = words_text(s, begin, one),
         *second = words_text(s, one + 2, end);
    if (word_is(s, one + 1, "+"))
        change(s, i - 2, i + 1, xformat("%s[%s]", array, second));
    change(s, i - 2, i + 1, xformat("%s[%s]", array, first));
    free(array);
    free(first);
    free(second);
}

/* Names of something that is there, where a pointer is set to it, and may be set to another: *p. */
static void through_pointer(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int found[NAMES], n = 0;

    if (!word_is_variable(s, i) || word_is_member(s, i) || word_is(s, i - 1, "&") ||
        word_is_declared(s, i) ||
        !word_is_any(s, i - 1, (const char *const[]){"(", ",", "=", NULL}) ||
        !word_is_any(s, i + 1, (const char *const[]){")", ",", ";", ".", NULL}))
        return;
    for (int k = in->open; k < i && n < NAMES; k++) {
        bool to_it = word_is(s, k + 1, "=") && word_kind(s, k) == NAME && word_is(s, k - 1, "*") &&
                     word_is(s, k + 2, "&");

        if (to_it && word_is_new(s, k, found, n))
            found[n++] = k;
    }
    for (int f = 0; f < n; f++) {
        char *p = words_text(s, found[f], found[f]);
        bool own = word_same(s, found[f] + 3, i); /* the one that it was set to at first, or not */

        for (int k = found[f] + 1; k < in->end && !own; k++)
            own = word_is(s, k, "&") && word_same(s, k + 1, i);
        if (own)
            change(s, i, i, xformat(word_is(s, i + 1, ".") ? "(*%s)" : "*%s", p));
        free(p);
    }
}

/* for (; p < end; p += …), or while (p < end), where an earlier loop has moved p on: from where it
 * began. */
static void set_anew(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    bool bare = word_is(s, i, "for") && word_is(s, i + 2, ";");
    int body = head_body(s, i), n = 0, begin = 0, end = 0;

    if (body < 0 || (!bare && !word_is(s, i, "while")))
        return;
    for (int k = i + 2; k < body - 1 && n < NAMES; k++) {
        bool moved = false;

        for (int w = in->open; w < i && !moved; w++) /* before */
            moved = word_same(s, w, k) && !word_is_member(s, w) && !word_is_declared(s, w) &&
                    word_is_any(s, w + 1, moves);
        if (!word_is_plain(s, k) || !moved || (begin = declared_as(s, k, &end)) < 0)
            continue;
        char *p = words_text(s, k, k), *from = words_text(s, begin, end);
        char *was = words_text(s, i, body - 1),
             *is = bare ? xformat("for (%s = %s%s", p, from, was + strcspn(was, ";"))
                        : xformat("%s = %s; %s", p, from, was);
        change(s, i, body - 1, xstrdup(is));
        char *line = one_line(is, strlen(is)), *before = one_line(was, strlen(was));
        change_told(s, xformat("with \"%s\" in place of \"%s\", as a loop before it moves %s on,",
                               line, before, p));
        free(was);
        free(is);
        free(line);
        free(before);
        free(p);
        free(from);
        n++;
    }
}

/* p[n], where p has been moved: what it is at by then. */
static void where_it_is(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int close = word_kind(s, i) == NAME && !word_is_member(s, i) && word_is(s, i + 1, "[")
                    ? word_match(s, i + 1, 1)
                    : -1;
    bool moved = false;

    for (int k = in->open; k < i && close > 0 && !moved; k++)
        moved = word_same(s, k, i) && !word_is_member(s, k) &&
                (word_is_any(s, k + 1, moves) ||
                 word_is_any(s, k - 1, (const char *const[]){"++", "--", NULL}));
    if (!moved || word_is(s, close + 1, "[") || word_is(s, close + 1, "."))
        return;
    char *p = words_text(s, i, i), *was = words_text(s, i, close);
    change(s, i, close, xformat("*%s", p));
    change_told(
        s, xformat("with \"*%s\" in place of \"%s\", as %s has been moved by then,", p, was, p));
    free(p);
    free(was);
}

/* 1 / (n - 1), of whole numbers: what is behind the point gets lost. */
static void divided_whole(struct scan *s, int i)
{
    if (!word_is(s, i, "/") || !word_is_binary(s, i) || word_kind(s, i - 1) != NUMBER ||
        word_is_any(s, i - 2, (const char *const[]){"/", "%", NULL}))
        return;
    char *a = words_text(s, i - 1, i - 1);
    if (strspn(a, "0123456789") == strlen(a))
        change(s, i - 1, i - 1, xformat("%s.0f", a));
    free(a);
}

/* first = share(n, rank, ranks).first: n / ranks, where the share goes to its end. */
static void length_of_share(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int from = word_is(s, i, "/") && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        to = from > 0 ? operand_on(s, i + 1) : -1;

    for (int k = in->open; k < i && to > 0; k++) {
        int begin = word_is(s, k, "first") && word_is(s, k - 1, ".") ? operand_back(s, k) : -1;

        if (begin < 0)
            continue;
        char *of = words_text(s, begin, k - 2);
        bool named = word_is(s, begin - 1, "=") && word_kind(s, begin - 2) == NAME &&
                     word_is_any(s, k + 1, (const char *const[]){";", ",", NULL});
        char *first = named ? words_text(s, begin - 2, begin - 2) : xformat("%s.first", of);

        change(s, from, to, xformat("(%s.end - %s)", of, first));
        free(of);
        free(first);
        return;
    }
}

/* blockIdx.y * blockDim.y, where the function has blockIdx.x * 32: that. */
void apart_as_others(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];

    if (!word_is(s, i, "blockDim") || !word_is(s, i - 1, "*") || !word_is(s, i - 4, "blockIdx"))
        return;
    char *was = words_text(s, i, i + 2), *first = NULL;
    for (int k = in->open; k < in->end; k++) {
        int to = word_is(s, k, "blockIdx") && word_is(s, k + 3, "*") ? operand_on(s, k + 4) : -1;

        if (to < 0 || to > k + 6)
            continue;
        char *is = words_text(s, k + 4, to);
        if (strcmp(is, was) != 0 && (!first || strcmp(is, first) != 0)) {
            change(s, i, i + 2, xstrdup(is));
            free(first);
            first = is;
        } else {
            free(is);
        }
    }
    free(was);
    free(first);
}

/* min(C, n) in a loop of i that goes on below n: of what is left, n - i. */
static void least_of_rest(struct scan *s, int i)
{
    const struct block *in = &s->blocks[s->v[i].block];
    int close = word_is(s, i, "min") && word_is(s, i + 1, "(") ? word_match(s, i + 1, 1) : -1;

    for (int f = in->open; f < i && close > 0; f++) {
        int body = word_is(s, f, "for") ? head_body(s, f) : -1;

        if (body < 0 || body > i || body_end(s, body) < i)
            continue;
        for (int w = f + 2; w < body; w++) {
            if (!word_is(s, w + 1, "<") || !word_is_plain(s, w) || !word_is_plain(s, w + 2) ||
                !word_is(s, w + 3, ";"))
                continue;
            for (int k = i + 2; k < close; k++) {
                if (word_same(s, k, w + 2) &&
                    word_is_any(s, k - 1, (const char *const[]){"(", ",", NULL}) &&
                    word_is_any(s, k + 1, (const char *const[]){")", ",", NULL})) {
                    char *n = words_text(s, k, k), *at = words_text(s, w, w);

                    change(s, k, k, xformat("%s - %s", n, at));
                    free(n);
                    free(at);
                }
            }
        }
    }
}

static way *const terms[] = {least_of_rest,  from_its_own,  where_it_is,
                             set_anew,       summand_alone, through_pointer,
                             times_a_factor, divided_whole, length_of_share};
const struct ways term_ways = {terms, sizeof(terms) / sizeof(terms[0])};
