/* indices.c - a set of an array's elements in words (indices.h). */
#include "indices.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#define LISTED 4 /* elements that are told one by one */

struct set {
    const char *name;
    const uint64_t *index;
    uint64_t n, count, row;
};

static void put_one(struct text *t, const struct set *s, uint64_t i)
{
    text_addf(t, "%s[%" PRIu64 "]", s->name, i);
    if (s->row)
        text_addf(t, " (row %" PRIu64 ", column %" PRIu64 ")", i / s->row, i % s->row);
}

/* From `from` on, how many follow one another. */
static uint64_t run_length(const struct set *s, uint64_t from)
{
    uint64_t n = 1;

    while (from + n < s->n && s->index[from + n] == s->index[from] + n)
        n++;
    return n;
}

static bool put_all(struct text *t, const struct set *s)
{
    if (s->n != s->count || s->n < 3)
        return false;
    text_addf(t, "all of %s", s->name);
    return true;
}

static bool put_rows(struct text *t, const struct set *s)
{
    uint64_t first = s->index[0], last = s->index[s->n - 1];

    if (s->row < 2 || last - first + 1 != s->n || s->n % s->row || first % s->row)
        return false;
    if (s->n == s->row)
        text_addf(t, "row %" PRIu64 " of %s", first / s->row, s->name);
    else
        text_addf(t, "rows %" PRIu64 " to %" PRIu64 " of %s", first / s->row, last / s->row,
                  s->name);
    return true;
}

/* Is set member k at row r0 + k / width, column c0 + k % width? Then it is that rectangle. */
static bool is_rectangle(const struct set *s, uint64_t width)
{
    for (uint64_t k = 0; width && k < s->n; k++) {
        if (s->index[k] != s->index[0] + k / width * s->row + k % width)
            return false;
    }
    return width && s->n % width == 0 && s->index[0] % s->row + width <= s->row;
}

static void put_range(struct text *t, const char *what, uint64_t first, uint64_t n)
{
    text_addf(t, "%s%s %" PRIu64, what, n > 1 ? "s" : "", first);
    if (n > 1)
        text_addf(t, " to %" PRIu64, first + n - 1);
}

static bool put_columns(struct text *t, const struct set *s)
{
    uint64_t rows = s->row ? s->count / s->row : 0, width = rows ? s->n / rows : 0;

    if (s->row < 2 || s->n < 2 || rows < 2 || s->n % rows || s->index[0] >= s->row ||
        !is_rectangle(s, width))
        return false;
    put_range(t, "column", s->index[0], width);
    text_addf(t, " of %s", s->name);
    return true;
}

static bool put_rectangle(struct text *t, const struct set *s)
{
    uint64_t width = s->row > 1 ? run_length(s, 0) : 0;

    if (s->n < 4 || width == s->n || !is_rectangle(s, width))
        return false;
    put_range(t, "row", s->index[0] / s->row, s->n / width);
    put_range(t, " of column", s->index[0] % s->row, width);
    text_addf(t, " of %s", s->name);
    return true;
}

/* All but a rectangle: what one block of several writes. */
static bool put_rest(struct text *t, const struct set *s)
{
    uint64_t n = s->count - s->n, k = 0, at = 0;
    uint64_t *others = s->row > 1 && n > 3 && s->n > n ? xcalloc(n, sizeof(*others)) : NULL;
    struct set rest = {s->name, others, n, s->count, s->row};
    struct text words = {0};

    for (uint64_t i = 0; others && i < s->count; i++) {
        if (k < s->n && s->index[k] == i)
            k++;
        else
            others[at++] = i;
    }
    bool told = others && (put_rows(&words, &rest) || put_columns(&words, &rest) ||
                           put_rectangle(&words, &rest));
    if (told)
        text_addf(t, "all of %s but %s", s->name, words.s);
    text_free(&words);
    free(others);
    return told;
}

static bool put_run(struct text *t, const struct set *s)
{
    uint64_t first = s->index[0], last = s->index[s->n - 1];

    if (s->n < 3 || run_length(s, 0) != s->n)
        return false;
    text_addf(t, "%s[%" PRIu64 "] to %s[%" PRIu64 "]", s->name, first, s->name, last);
    if (s->row && first / s->row == last / s->row)
        text_addf(t, " (row %" PRIu64 ")", first / s->row);
    return true;
}

static const char *ordinal(uint64_t n)
{
    uint64_t tens = n / 10 % 10, ones = n % 10;

    return tens == 1 || ones == 0 || ones > 3 ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : "rd";
}

static bool put_every(struct text *t, const struct set *s)
{
    if (s->n < 3)
        return false;
    uint64_t step = s->index[1] - s->index[0];
    for (uint64_t i = 1; i + 1 < s->n; i++) {
        if (s->index[i + 1] - s->index[i] != step)
            return false;
    }
    text_addf(t, "%s[%" PRIu64 "], %s[%" PRIu64 "] and %s%s[%" PRIu64 "] (every %" PRIu64 "%s)",
              s->name, s->index[0], s->name, s->index[1], s->n > 3 ? "so on to " : "", s->name,
              s->index[s->n - 1], step, ordinal(step));
    return true;
}

/* Runs of one length at equal distances; the array's end may cut the last. */
static bool put_periodic(struct text *t, const struct set *s)
{
    uint64_t length = run_length(s, 0), period, runs = 0;

    if (length == s->n)
        return false;
    period = s->index[length] - s->index[0];
    for (uint64_t i = 0, l; i < s->n; i += l, runs++) {
        l = run_length(s, i);
        if (s->index[i] != s->index[0] + runs * period || l > length ||
            (l < length && i + l < s->n))
            return false;
    }
    if (runs < 3 || s->index[0] + length > period)
        return false;
    text_addf(t, "those at %" PRIu64 " to %" PRIu64 " of every %" PRIu64 " elements of %s",
              s->index[0], s->index[0] + length - 1, period, s->name);
    return true;
}

static void put_list(struct text *t, const struct set *s)
{
    uint64_t shown = s->n <= LISTED ? s->n : 3;

    for (uint64_t i = 0; i < shown; i++) {
        text_add(t, !i ? "" : i + 1 < s->n ? ", " : " and ");
        put_one(t, s, s->index[i]);
    }
    if (shown < s->n)
        text_addf(t, " and %" PRIu64 " more (the last %s[%" PRIu64 "])", s->n - shown, s->name,
                  s->index[s->n - 1]);
}

void indices_put(struct text *t, const char *name, const uint64_t *index, uint64_t n,
                 uint64_t count, uint64_t row)
{
    static bool (*const forms[])(struct text *, const struct set *) = {
        put_all, put_rows, put_columns, put_run, put_rectangle, put_every, put_periodic, put_rest,
    };
    struct set s = {name, index, n, count, row};

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (forms[i](t, &s))
            return;
    }
    put_list(t, &s);
}
