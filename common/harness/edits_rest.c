/* edits_rest.c - the small changes to loops that take several elements a round (editing.h), and go
 * on while all of these are there: what is left over is taken behind the loop, or in it, each by a
 * condition of its own.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "editing.h"

#include <stdlib.h>
#include <string.h>

/* while (x + k < n) { … }, or for (…; x + k < n; …): words. */
struct several {
    int x, k, k_end, n, n_end; /* the names, and the first and last words of k and n */
    int head, body, end;       /* … and its braces */
};

/* The condition that begins with word i. */
static bool asks_several(const struct scan *s, int i, struct several *l)
{
    l->x = i;
    if (word_kind(s, i) != NAME || !word_is(s, i + 1, "+"))
        return false;
    l->k = i + 2;
    l->k_end = operand_on(s, l->k);
    if (l->k_end < 0 || !word_is(s, l->k_end + 1, "<"))
        return false;
    l->n = l->k_end + 2;
    l->n_end = statement_end(s, l->n);
    return l->n_end >= l->n;
}

static bool is_several(const struct scan *s, int i, struct several *l)
{
    int body = word_is(s, i, "if") ? -1 : head_body(s, i), from = i + 2;

    if (body < 0 || !word_is(s, body, "{"))
        return false;
    l->head = i;
    l->body = body;
    l->end = brace_end(s, body);
    while (word_is(s, i, "for") && from < body && !word_is(s, from - 1, ";"))
        from++;
    return l->end > 0 && asks_several(s, from, l) && l->n_end < body;
}

static bool has_name(const struct scan *s, int from, int to, int name)
{
    bool has = false;

    for (int k = from; k <= to; k++)
        has |= word_same(s, k, name) && !word_is_member(s, k);
    return has;
}

/* Word i is x, with + k behind it. */
static bool is_further(const struct scan *s, const struct several *l, int i)
{
    bool same = word_same(s, i, l->x) && word_is(s, i + 1, "+");

    for (int k = l->k; k <= l->k_end && same; k++)
        same = word_same(s, i + 2 + k - l->k, k);
    return same;
}

static bool has_more(const struct scan *s, int from, int to, int x)
{
    bool more = false;

    for (int k = from; k <= to; k++)
        more |= word_same(s, k, x) && word_is(s, k + 1, "+");
    return more;
}

/* Those statements that take element x alone, of sums that are kept from round to round, behind the
 * loop: once, or as often as it takes. */
static bool rest_behind(struct scan *s, const struct several *of)
{
    const struct several l = *of;
    struct text t = {0};
    int n = 0;

    for (int k = l.body + 1; k < l.end; k++) {
        int end = statement_end(s, k);

        if (!word_is_any(s, k - 1, (const char *const[]){"{", ";", NULL}) ||
            word_kind(s, k) != NAME || word_is_type(s, k) || word_is_keyword(s, k) ||
            word_same(s, k, l.x) || !word_is(s, end + 1, ";"))
            continue;
        bool takes = has_name(s, k + 1, end, l.x) && !has_more(s, k, end, l.x);
        char *a = words_text(s, k, end);
        if (takes)
            text_addf(&t, "%s%s;", n++ ? " " : "", a);
        k = end;
        free(a);
    }
    bool one = word_is(s, l.k, "1"), is = n && (one || word_kind(s, l.k) == NUMBER);
    if (is) {
        char *x = words_text(s, l.x, l.x), *size = words_text(s, l.n, l.n_end),
             *head = one ? xformat("if (%s < %s)", x, size)
                         : xformat("for (; %s < %s; %s++)", x, size, x),
             *rest = xformat(n > 1 ? "%s { %s }" : "%s %s", head, text_str(&t));

        char *loop = words_text(s, l.head, l.end);
        change(s, l.head, l.end, xformat("%s %s", loop, rest));
        free(loop);
        change_told(s, xformat("with \"%s\" behind the loop,", rest));
        free(x);
        free(size);
        free(head);
        free(rest);
    }
    text_free(&t);
    return is;
}

/* What a sum that the loop goes on with starts with; for free(). */
static char *start_of(const struct scan *s, const struct several *l)
{
    for (int k = l->body + 1; k < l->end; k++) {
        int from = word_kind(s, k) == NAME && !word_same(s, k, l->x) && word_assigns(s, k + 1) &&
                           word_is_any(s, k - 1, (const char *const[]){"{", ";", NULL})
                       ? set_to(s, k)
                       : -1;

        if (from > 0 && from < l->body)
            return words_text(s, from, end_of_value(s, from));
    }
    return xstrdup("0");
}

/* The loop goes on while there is one; what is further is loaded where it is there, and is else
 * what the sum starts with. */
static void rest_guarded(struct scan *s, const struct several *of)
{
    const struct several l = *of;
    struct text t = {0}, told = {0};
    int last = -1, from, at;

    char *x = words_text(s, l.x, l.x), *size = words_text(s, l.n, l.n_end),
         *asked = words_text(s, l.x, l.n_end), *start = start_of(s, &l);
    text_addf(&t, "%s < %s", x, size);
    text_addf(&told, "with \"%s\" in place of \"%s\" in the loop's head, and in it", t.s, asked);
    at = l.n_end + 1;
    for (int k = l.body + 1; k < l.end; k++) {
        int close = word_is(s, k, "[") ? word_match(s, k, 1) : -1, further = -1;

        for (int w = k + 1; w < close; w++)
            further = is_further(s, &l, w) ? w : further;
        if (further < 0 || (from = operand_back(s, close)) < at || word_assigns(s, close + 1))
            continue;
        char *before = words_text(s, at, from - 1), *load = words_text(s, from, close);
        text_addf(&t, "%s (%s ? %s : %s)", before, asked, load, start);
        text_addf(&told, "%s \"(%s ? %s : %s)\" in place of \"%s\"", last > 0 ? ", and" : "", asked,
                  load, start, load);
        free(load);
        free(before);
        at = close + 1;
        last = close;
    }
    if (last > 0) {
        change(s, l.x, last, xstrdup(text_str(&t)));
        change_told(s, xformat("%s,", told.s));
    }
    free(x);
    free(size);
    free(asked);
    free(start);
    text_free(&told);
    text_free(&t);
}

void rest_taken(struct scan *s, int i)
{
    struct several l;

    if (is_several(s, i, &l) && !rest_behind(s, &l))
        rest_guarded(s, &l);
}

/* while (--k), one round less than while (k--). */
void counted_down(struct scan *s, int i)
{
    bool before = word_is(s, i + 2, "--") && word_kind(s, i + 3) == NAME,
         behind = word_is(s, i + 3, "--") && word_kind(s, i + 2) == NAME;
    bool alone = word_is(s, i + 4, ")") || word_is(s, i + 4, ">") || word_is(s, i + 4, "!=");

    if (!word_is(s, i, "while") || !word_is(s, i + 1, "(") || before == behind || !alone)
        return;
    char *name = words_text(s, i + 2 + before, i + 2 + before);
    change(s, i + 2, i + 3, xformat(before ? "%s--" : "--%s", name));
    free(name);
}

/* Where what is left over begins, "n - (n & 3)", for how much that is: "n & 3"; "n % 4" alike. Of a
 * whole value. */
void rest_begins(struct scan *s, int i)
{
    bool masked = word_is(s, i, "&"), divided = word_is(s, i, "%");
    int left = (masked || divided) && word_is_binary(s, i) ? operand_back(s, i - 1) : -1,
        right = left < 0 ? -1 : operand_on(s, i + 1);

    if (right < 0 || !word_is(s, left - 1, "=") || !word_is(s, right + 1, ";") ||
        (masked && word_kind(s, i + 1) != NUMBER))
        return;
    char *n = words_text(s, left, i - 1), *of = words_text(s, i + 1, right);
    if (divided)
        change(s, left, right, xformat("%s - %s %% %s", n, n, of));
    else
        change(s, left, right, xformat("%s - (%s & %s)", n, n, of));
    free(n);
    free(of);
}
