/* probed.c - what an output takes of each element of an input, and should; in words (probing.h). */
#include "base/alloc.h"
#include "probing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the sum should take of each element of buffer b, when all the others are one. */
static void expect(const struct probe *p, struct probed *a)
{
    struct lab_term t;

    for (uint64_t k = 0; probe_term(p, k, &t); k++) {
        a->thirds |= t.times != 1;
        for (int f = 0; f < t.nfactors; f++) {
            if (t.factor[f].buffer == a->buffer && t.factor[f].index < a->count)
                a->want[t.factor[f].index] += t.times;
        }
    }
    memcpy(a->got, a->want, a->count * sizeof(*a->got));
}

struct probed probed_open(const struct probe *p, int b)
{
    uint64_t n = probe_buffer(p, b)->count;
    struct probed a = {.buffer = b, .count = n};

    a.want = xcalloc(n, sizeof(*a.want));
    a.got = xcalloc(n, sizeof(*a.got));
    expect(p, &a);
    return a;
}

void probed_close(struct probed *a)
{
    free(a->want);
    free(a->got);
}

/* Elements whose coefficient is what `is` says. */
typedef bool sort(double want, double got);

static bool left_out(double want, double got)
{
    return want != 0 && got == 0;
}

static bool extra(double want, double got)
{
    return want == 0 && got != 0;
}

static bool twice(double want, double got)
{
    return want != 0 && fabs(got / want - 2) < 1e-5;
}

static bool negated(double want, double got)
{
    return want != 0 && fabs(got / want + 1) < 1e-5;
}

static bool otherwise(double want, double got)
{
    return want != 0 && got != 0 && fabs(got - want) > 1e-5 * fabs(want) && !twice(want, got) &&
           !negated(want, got);
}

static uint64_t pick(const struct probed *a, sort *is, uint64_t *index)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < a->count; i++) {
        if (a->got[i] != a->want[i] && is(a->want[i], a->got[i]))
            index[n++] = i;
    }
    return n;
}

static bool wants(double want, double got)
{
    (void)got;
    return want != 0;
}

static bool takes(double want, double got)
{
    (void)want;
    return got != 0;
}

/* All that it takes is all that it should take, so many elements on. */
static bool is_shift(const uint64_t *taken, uint64_t ntaken, const uint64_t *wanted, uint64_t n)
{
    for (uint64_t i = 1; ntaken == n && i < n; i++) {
        if (taken[i] - taken[0] != wanted[i] - wanted[0])
            return false;
    }
    return ntaken == n;
}

static uint64_t pick_all(const struct probed *a, sort *is, uint64_t *index)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < a->count; i++) {
        if (is(a->want[i], a->got[i]))
            index[n++] = i;
    }
    return n;
}

/* Each is among the same 32 as the one that it stands for, and several are. */
static bool is_among(const uint64_t *found, uint64_t nfound, const uint64_t *lost, uint64_t n)
{
    for (uint64_t i = 0; nfound == n && i < n; i++) {
        if (found[i] / 32 != lost[i] / 32)
            return false;
    }
    return nfound == n && n >= 8;
}

/* "out[0] adds in[3] in place of in[4]"; of products, of which others are right, "uses in[3] and
 * not in[4]": which goes with the other factor of which is not known. */
bool tell_exchange(struct probe *p, const struct probed *a, const char *verb)
{
    uint64_t *lost = xcalloc(2 * a->count, sizeof(*lost)), *found = lost + a->count;
    uint64_t nlost = pick_all(a, wants, lost), nfound = pick_all(a, takes, found);
    bool some = false;
    struct text t = {0};

    if (!is_shift(found, nfound, lost, nlost) || found[0] == lost[0]) {
        uint64_t all = nfound;

        nlost = pick(a, left_out, lost);
        nfound = pick(a, extra, found);
        some = !strcmp(verb, "uses") && nfound < all;
    }
    if (nlost && nfound) {
        probe_say_output(&t, p);
        text_addf(&t, " %s ", verb);
        probe_say(&t, p, a->buffer, found, nfound);
        text_add(&t, some ? " and not " : " in place of ");
        probe_say(&t, p, a->buffer, lost, nlost);
        if (is_among(found, nfound, lost, nlost) && found[nfound - 1] - found[0] >= 64)
            text_add(&t, ", each among the same 32 as that: is what one step stores in a place "
                         "looked for in another?");
        diagnosis_add(p->d, "wrong-element", "%s", t.s);
    }
    text_free(&t);
    free(lost);
    return nlost && nfound;
}

static uint64_t wanted(const struct probed *a)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < a->count; i++)
        n += a->want[i] != 0;
    return n;
}

/* "out[0] BEFORE in[3]AFTER", of so many elements; none: nothing is said. */
static bool tell_set(struct probe *p, const struct probed *a, const uint64_t *index, uint64_t n,
                     const char *cause, const char *before, const char *after)
{
    struct text t = {0};

    if (!n)
        return false;
    probe_say_output(&t, p);
    text_addf(&t, " %s ", before);
    probe_say(&t, p, a->buffer, index, n);
    diagnosis_add(p->d, cause, "%s%s", t.s, after);
    text_free(&t);
    return true;
}

static bool tell_sort(struct probe *p, const struct probed *a, sort *is, const char *cause,
                      const char *before, const char *after)
{
    uint64_t *index = xcalloc(a->count, sizeof(*index)), n = pick(a, is, index);

    tell_set(p, a, index, n, cause, before, after);
    free(index);
    return n;
}

bool tell_left_out(struct probe *p, const struct probed *a, const char *verb)
{
    uint64_t *index = xcalloc(a->count, sizeof(*index)), n = pick(a, left_out, index);
    bool whole = n == wanted(a) && n > 1;
    char *name = probe_output_name(p);

    p->d->whole |= whole;
    if (whole)
        diagnosis_add(p->d, "left-out", "%s takes nothing of %s", name,
                      probe_buffer(p, a->buffer)->name);
    else
        tell_set(p, a, index, n, "left-out", verb, "");
    free(name);
    free(index);
    return n;
}

bool tell_extra(struct probe *p, const struct probed *a, const char *verb)
{
    return tell_sort(p, a, extra, "extra", verb, ", which does not belong to it");
}

/* Taken as often as the first, but for rounding: a third is none of a float's numbers. */
static bool is_like(const struct probed *a, uint64_t i, uint64_t first)
{
    return fabs(a->got[i] - a->got[first]) <= 1e-6 * fabs(a->got[first]) &&
           a->want[i] == a->want[first];
}

/* "1/3" for a third; a half is 0.5. */
static void put_often(struct text *t, double times)
{
    double part = rint(1 / times);

    if (fabs(part) >= 3 && fabs(part) <= 1000 && fabs(part * times - 1) < 1e-6)
        text_addf(t, "%s1/%.0f", part < 0 ? "-" : "", fabs(part));
    else
        text_addf(t, "%.6g", times);
}

/* "7 times instead of 8" where that is so of all; "2 times less than it should" where at least the
 * difference is; else of the first and those like it, and how many there are besides. */
static bool tell_otherwise(struct probe *p, const struct probed *a, const char *verb)
{
    uint64_t *index = xcalloc(a->count, sizeof(*index)), n = pick(a, otherwise, index), alike = 0;
    uint64_t first = n ? index[0] : 0;
    double got = a->got[first], want = a->want[first];
    bool one_difference = true, more = false, less = false;
    struct text t = {0};

    for (uint64_t i = 0; i < n; i++) {
        one_difference &= fabs(a->got[index[i]] - a->want[index[i]] - got + want) < 1e-9;
        alike += is_like(a, index[i], first);
        more |= !is_like(a, index[i], first) && a->got[index[i]] > a->want[index[i]];
        less |= !is_like(a, index[i], first) && a->got[index[i]] < a->want[index[i]];
    }
    if (alike < n && one_difference) {
        text_addf(&t, " %.6g %s %s than it should", fabs(got - want),
                  fabs(got - want) == 1 ? "time" : "times", got < want ? "less" : "more");
    } else {
        text_add(&t, " ");
        put_often(&t, got);
        text_addf(&t, " time%s instead of %.6g", got == 1 ? "" : "s", want);
        if (alike < n)
            text_addf(&t, ", and %" PRIu64 " %s %s", n - alike, alike + 1 == n ? "other" : "others",
                      !less   ? "too often"
                      : !more ? "too seldom"
                              : "too often or too seldom");
        for (uint64_t i = n = 0; i < a->count; i++) {
            if (otherwise(a->want[i], a->got[i]) && is_like(a, i, first))
                index[n++] = i;
        }
    }
    tell_set(p, a, index, n, "times", verb, t.s);
    text_free(&t);
    free(index);
    return n;
}

bool tell_times(struct probe *p, const struct probed *a, const char *verb)
{
    bool told = tell_sort(p, a, twice, "twice", verb, " twice");

    told |= tell_sort(p, a, negated, "sign", "subtracts", "");
    return tell_otherwise(p, a, verb) || told;
}
