/* compare.c - results against the reference, and what the errors look like (compare.h).
 *
 * What the errors look like is said only when all the wrong elements do: a description, no cause.
 * harness/diagnose.h looks for that.
 */
#include "compare.h"
#include "base/alloc.h"
#include "dtype.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view {
    enum dtype t;
    const void *expected, *got;
    const double *tolerance;
    uint64_t count, nwrong, first, last;
    const struct compare_hints *hints;
};

static bool same(const struct view *v, uint64_t i, double expected, double got)
{
    double tolerance = v->tolerance ? v->tolerance[i] : 0;

    /* Infinities have no difference. False for NaN on any side. */
    return expected == got || fabs(expected - got) <= tolerance;
}

/* What nobody wrote is no NaN that somebody made (an f16 of poison is one). */
static bool is_poison(const struct view *v, uint64_t i)
{
    const unsigned char *p = (const unsigned char *)v->got + i * dtype_size(v->t);

    for (size_t k = 0; k < dtype_size(v->t); k++) {
        if (p[k] != v->hints->poison)
            return false;
    }
    return true;
}

/* … and so large that whatever is added leaves it as it was. As f16 it is no number. */
static bool is_large_poison(const struct view *v, uint64_t i)
{
    return dtype_is_float(v->t) && is_poison(v, i) && !isnan(dtype_get(v->t, v->got, i));
}

static bool same_or_nan(const struct view *v, uint64_t i, double expected, double got)
{
    return isnan(expected) ? isnan(got) && !is_poison(v, i) : same(v, i, expected, got);
}

static bool equal(const struct view *v, uint64_t i)
{
    size_t size = dtype_size(v->t);

    if (!v->tolerance) /* 64-bit integers do not fit a double */
        return !memcmp((const char *)v->expected + i * size, (const char *)v->got + i * size, size);
    return same_or_nan(v, i, dtype_get(v->t, v->expected, i), dtype_get(v->t, v->got, i));
}

/* ---- what one wrong element may look like ---- */

typedef bool looks_like(const struct view *v, uint64_t i);

static bool is_zero(const struct view *v, uint64_t i)
{
    return dtype_get(v->t, v->got, i) == 0;
}

static bool is_nan(const struct view *v, uint64_t i)
{
    return isnan(dtype_get(v->t, v->got, i));
}

static bool is_infinite(const struct view *v, uint64_t i)
{
    return isinf(dtype_get(v->t, v->got, i));
}

static bool is_other_zero(const struct view *v, uint64_t i)
{
    return is_zero(v, i) && dtype_get(v->t, v->expected, i) == 0;
}

static bool is_twice(const struct view *v, uint64_t i)
{
    double e = dtype_get(v->t, v->expected, i);

    return e != 0 && same(v, i, 2 * e, dtype_get(v->t, v->got, i));
}

static bool is_half(const struct view *v, uint64_t i)
{
    double e = dtype_get(v->t, v->expected, i);

    return e != 0 && same(v, i, e, 2 * dtype_get(v->t, v->got, i));
}

static bool is_negated(const struct view *v, uint64_t i)
{
    double e = dtype_get(v->t, v->expected, i);

    return e != 0 && same(v, i, -e, dtype_get(v->t, v->got, i));
}

/* The element at the open end may be anything; a shift shows in the others. */
static bool is_next(const struct view *v, uint64_t i)
{
    return v->nwrong > 2 && (i + 1 == v->count || same(v, i, dtype_get(v->t, v->expected, i + 1),
                                                       dtype_get(v->t, v->got, i)));
}

static bool is_previous(const struct view *v, uint64_t i)
{
    return v->nwrong > 2 &&
           (!i || same(v, i, dtype_get(v->t, v->expected, i - 1), dtype_get(v->t, v->got, i)));
}

static bool is_close(const struct view *v, uint64_t i)
{
    double e = dtype_get(v->t, v->expected, i), g = dtype_get(v->t, v->got, i);

    return dtype_is_float(v->t) && fabs(e - g) <= 1e-2 * fabs(e);
}

/* An integer that went through a float keeps 24 bits. */
static bool is_rounded(const struct view *v, uint64_t i)
{
    double e = dtype_get(v->t, v->expected, i), g = dtype_get(v->t, v->got, i);

    return !dtype_is_float(v->t) && fabs(e) > 0x1p24 && fabs(e - g) <= 0x1p-23 * fabs(e);
}

static bool all_wrong_are(const struct view *v, looks_like *f)
{
    for (uint64_t i = v->first; i <= v->last; i++) {
        if (!equal(v, i) && !f(v, i))
            return false;
    }
    return true;
}

/* ---- where the wrong elements are ---- */

/* All of them at multiples of `step` (and not so few that this means nothing). */
static bool at_multiples(const struct view *v, uint64_t step)
{
    if (step < 2 || v->nwrong < 2)
        return false;
    for (uint64_t i = v->first; i <= v->last; i++) {
        if (!equal(v, i) && i % step)
            return false;
    }
    return true;
}

static bool at_ends(const struct view *v, uint64_t step)
{
    if (step < 2 || v->nwrong < 2)
        return false;
    for (uint64_t i = v->first; i <= v->last; i++) {
        if (!equal(v, i) && i % step != step - 1 && i != v->count - 1)
            return false;
    }
    return true;
}

static bool is_tail(const struct view *v)
{
    return v->first && v->last == v->count - 1 && v->nwrong == v->last - v->first + 1;
}

static void where(const struct view *v, char *text, size_t size)
{
    uint64_t block = v->hints->block_threads;
    uint64_t span = block * (v->hints->items ? v->hints->items : 1);

    if (v->count == 1) {
        text[0] = '\0';
    } else if (v->nwrong == v->count) {
        snprintf(text, size, "every element");
    } else if (is_tail(v) && v->nwrong == 1) {
        snprintf(text, size, "only the last element");
    } else if (is_tail(v) && block && v->count > span && v->count % span &&
               v->nwrong == v->count % span) {
        snprintf(text, size, "only the last, partly filled block (%llu elements)",
                 (unsigned long long)v->nwrong);
    } else if (is_tail(v)) {
        snprintf(text, size, "only the last %llu of %llu elements", (unsigned long long)v->nwrong,
                 (unsigned long long)v->count);
    } else if (v->first == 0 && v->nwrong == 1) {
        snprintf(text, size, "only the first element");
    } else if (at_multiples(v, span) || at_multiples(v, block)) {
        snprintf(text, size, "only the first element of blocks");
    } else if (at_ends(v, span) || at_ends(v, block)) {
        snprintf(text, size, "only the last element of blocks");
    } else {
        text[0] = '\0';
    }
}

static const struct {
    looks_like *test;
    const char *text;
} looks[] = {
    {is_large_poison, "never written, or only added to"},
    {is_poison, "never written"},
    {is_nan, "NaN"},
    {is_infinite, "infinite"},
    {is_other_zero, "a zero of the other sign"},
    {is_zero, "zero"},
    {is_twice, "twice what it should be"},
    {is_half, "half of what it should be"},
    {is_negated, "right but for its sign"},
    {is_next, "the value that belongs one place further on"},
    {is_previous, "the value that belongs one place before"},
    {is_rounded, "rounded to 24 bits"},
    {is_close, "close, but outside the error bound"},
};

static void describe(struct view *v, struct comparison *c)
{
    char place[96];
    const char *what = NULL;

    where(v, place, sizeof(place));
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]) && !what; i++) {
        if ((looks[i].test == is_poison || looks[i].test == is_large_poison) &&
            v->hints->poison < 0)
            continue;
        if (all_wrong_are(v, looks[i].test))
            what = looks[i].text;
    }
    size_t end = strlen(place);
    const char *is = end > 8 && !strcmp(place + end - 8, "elements") ? "are" : "is";
    if (place[0] && what)
        snprintf(c->cause, sizeof(c->cause), "%s %s wrong: %s", place, is, what);
    else if (place[0] && v->nwrong < v->count)
        snprintf(c->cause, sizeof(c->cause), "%s %s wrong", place, is);
    else if (what)
        snprintf(c->cause, sizeof(c->cause), "%s", what);
}

/* A NaN's sign says nothing: it would be printed as "-nan". */
static double shown(enum dtype t, const void *data, uint64_t i)
{
    double value = dtype_get(t, data, i);

    return isnan(value) ? fabs(value) : value;
}

static struct lab_mismatch mismatch_at(const struct view *v, uint64_t i)
{
    struct lab_mismatch m = {
        .index = i, .expected = shown(v->t, v->expected, i), .got = shown(v->t, v->got, i)};

    if (v->t == DT_I64) {
        m.expected_i64 = ((const int64_t *)v->expected)[i];
        m.got_i64 = ((const int64_t *)v->got)[i];
    }
    return m;
}

static void add_error(struct comparison *c, const struct view *v, uint64_t i)
{
    double e = dtype_get(v->t, v->expected, i), g = dtype_get(v->t, v->got, i);

    if (!isfinite(e) || !isfinite(g) || (v->tolerance && isinf(v->tolerance[i])))
        return;
    c->off += fabs(e - g);
    c->size += fabs(e);
    c->most_off = fmax(c->most_off, fabs(e - g));
}

/* What most runs come down to: floats of which none is further off than its tolerance. */
static bool all_near(const float *expected, const float *got, const double *tolerance,
                     uint64_t count, struct comparison *c)
{
    double off = 0, size = 0, most = 0;
    int far = 0;

    for (uint64_t i = 0; i < count; i++) {
        double d = fabs((double)expected[i] - (double)got[i]);
        double e = fabs((double)expected[i]);
        int bound = tolerance[i] < INFINITY;

        far |= !(d <= tolerance[i]);
        d = bound ? d : 0;
        off += d;
        size += bound ? e : 0;
        most = d > most ? d : most;
    }
    if (far)
        return false;
    c->off = off;
    c->size = size;
    c->most_off = most;
    return true;
}

enum { WRITTEN = 64 }; /* elements of which a bit tells */

uint64_t *compare_written(enum dtype t, const void *got, uint64_t count, int poison)
{
    const size_t size = dtype_size(t);
    unsigned char filled[WRITTEN * sizeof(double)];
    uint64_t *bits = xcalloc(count / (64 * WRITTEN) + 1, sizeof(*bits)), unwritten = 0;

    memset(filled, poison, sizeof(filled));
    for (uint64_t i = 0; i < count; i += WRITTEN) {
        uint64_t n = count - i < WRITTEN ? count - i : WRITTEN;
        bool any = memcmp((const char *)got + i * size, filled, n * size) != 0;

        bits[i / WRITTEN / 64] |= (uint64_t)any << i / WRITTEN % 64;
        unwritten += !any;
    }
    if (unwritten)
        return bits;
    free(bits);
    return NULL;
}

/* From element i on: how many are passed over as nobody wrote them. */
static uint64_t unwritten_at(const struct view *v, uint64_t i)
{
    const uint64_t *written = v->hints->written;

    if (!written || i % WRITTEN || written[i / WRITTEN / 64] >> i / WRITTEN % 64 & 1)
        return 0;
    return v->count - i < WRITTEN ? v->count - i : WRITTEN;
}

struct comparison compare(enum dtype t, const void *expected, const void *got,
                          const double *tolerance, uint64_t count,
                          const struct compare_hints *hints)
{
    struct comparison c = {.count = count};
    struct view v = {t, expected, got, tolerance, count, 0, 0, 0, hints};

    if ((!dtype_is_float(t) || !tolerance) &&
        (!count || !memcmp(expected, got, count * dtype_size(t))))
        return c;
    if (t == DT_F32 && tolerance && !hints->written &&
        all_near(expected, got, tolerance, count, &c))
        return c;

    for (uint64_t i = 0, skipped; i < count; i++) {
        if ((skipped = unwritten_at(&v, i)) > 0) {
            c.nwrong += skipped;
            c.nunwritten += skipped;
            i += skipped - 1;
            continue;
        }
        if (dtype_is_float(t))
            add_error(&c, &v, i);
        if (equal(&v, i))
            continue;
        c.nunwritten += hints->poison >= 0 && is_poison(&v, i);
        if (!c.nwrong++)
            v.first = i;
        v.last = i;
        if (c.nshown < COMPARE_SHOWN)
            c.shown[c.nshown++] = mismatch_at(&v, i);
    }
    v.nwrong = c.nwrong;
    if (c.nwrong && !hints->unsaid)
        describe(&v, &c);
    return c;
}
