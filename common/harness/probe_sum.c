/* probe_sum.c - how often a sum takes each element (probing.h).
 *
 * Small random weights on a stretch of elements, zero elsewhere, give the expected result or not;
 * where not, both halves are looked at.
 */
#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/plan.h"
#include "lab/random.h"
#include "probing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weights are small whole numbers, so that sums of them are exact; thirds of them are not. */
static bool near(const struct probed *a, double got, double want)
{
    return fabs(got - want) <= (a->thirds ? 2e-6 * fmax(1, fabs(want)) : 0);
}

/* On n elements: few enough that their sum is exact in a float, and many enough that sums of
 * different elements hardly ever come out the same. Twice one is exact in a half. */
static double other_weight(uint64_t i, uint64_t n, uint64_t draw)
{
    uint64_t most = (1u << 22) / n;

    most = most < 5 ? 5 : most > 1999 ? 1999 : most;
    return (double)(1 + random_u64(0x70726f6265 + draw, i) % most);
}

static double weight(uint64_t i, uint64_t n)
{
    return other_weight(i, n, 0);
}

/* What the output is above what it is of zeros alone; of 32 bits that go round, the way that is
 * shorter. */
static double above_rest(struct probe *p, const struct probed *a)
{
    enum dtype type = probe_buffer(p, p->out)->dtype;
    double d = probe_look(p) - a->rest;

    if ((type == DT_U32 || type == DT_I32) && fabs(d) > 0x1p31)
        d -= copysign(0x1p32, d);
    return d;
}

/* Sets elements lo to hi to the weights of a draw. Returns what should come of them. */
static double put_weights(struct probe *p, const struct probed *a, uint64_t lo, uint64_t hi,
                          uint64_t draw)
{
    double sum = 0;

    for (uint64_t i = lo; i < hi; i++) {
        double w = other_weight(i, hi - lo, draw);

        probe_put(p, a->buffer, i, w);
        sum += a->want[i] * w;
    }
    return sum;
}

static void take_away(struct probe *p, const struct probed *a, uint64_t lo, uint64_t hi)
{
    for (uint64_t i = lo; i < hi; i++)
        probe_put(p, a->buffer, i, 0);
}

static void settle(struct probed *a, uint64_t lo, uint64_t hi, double factor)
{
    for (uint64_t i = lo; i < hi; i++)
        a->got[i] = factor * a->want[i];
}

static void stop_at(struct probed *a, uint64_t i, double value, double result)
{
    a->odd = true;
    a->at = i;
    a->value = value;
    a->result = result;
}

/* Twice the value must give twice the result, or there is no coefficient. */
static void settle_one(struct probe *p, struct probed *a, uint64_t i, double got)
{
    probe_put(p, a->buffer, i, 2 * weight(i, 1));
    double doubled = above_rest(p, a);
    probe_put(p, a->buffer, i, 0);
    if (p->broken || fabs(doubled - 2 * got) > 1e-5 * fabs(got))
        stop_at(a, i, 2 * weight(i, 1), doubled);
    else
        a->got[i] = got / weight(i, 1);
}

/* So many times what should come of elements lo to hi comes of other weights, too: of one draw that
 * may be chance. */
static bool is_so_again(struct probe *p, const struct probed *a, uint64_t lo, uint64_t hi,
                        double times)
{
    double next = put_weights(p, a, lo, hi, 1);
    bool so = near(a, above_rest(p, a), times * next);

    take_away(p, a, lo, hi);
    return so;
}

/* Each of them is taken so many times. */
static bool is_multiple(struct probe *p, struct probed *a, uint64_t lo, uint64_t hi, double want,
                        double got)
{
    double times = round(got / want);

    return want > 0 && got >= 0 && near(a, got, times * want) &&
           (times == 0 || is_so_again(p, a, lo, hi, times));
}

static double all_weights(uint64_t lo, uint64_t hi, uint64_t draw)
{
    double sum = 0;

    for (uint64_t i = lo; i < hi; i++)
        sum += other_weight(i, hi - lo, draw);
    return sum;
}

/* None of them belongs there, and each is taken once: of two draws, that is no chance. */
static bool is_extra(struct probe *p, const struct probed *a, uint64_t lo, uint64_t hi, double want,
                     double got)
{
    if (want != 0 || !near(a, got, all_weights(lo, hi, 0)))
        return false;
    put_weights(p, a, lo, hi, 1);
    bool so = near(a, above_rest(p, a), all_weights(lo, hi, 1));
    take_away(p, a, lo, hi);
    return so;
}

/* What is expected comes of them, and not by chance. One alone is what it is, and of none nothing
 * is expected. */
static bool is_right(struct probe *p, const struct probed *a, uint64_t lo, uint64_t hi, double want,
                     double got)
{
    return near(a, got, want) && (hi - lo == 1 || want == 0 || is_so_again(p, a, lo, hi, 1));
}

/* The coefficients of elements lo to hi; all others are zero meanwhile. */
static void search(struct probe *p, struct probed *a, uint64_t lo, uint64_t hi)
{
    double want = put_weights(p, a, lo, hi, 0), got = above_rest(p, a);

    take_away(p, a, lo, hi);
    if (p->broken || is_right(p, a, lo, hi, want, got))
        return;
    if (!isfinite(got)) {
        stop_at(a, lo, weight(lo, hi - lo), got);
    } else if (hi - lo == 1) {
        settle_one(p, a, lo, got);
    } else if (is_multiple(p, a, lo, hi, want, got)) {
        settle(a, lo, hi, round(got / want));
    } else if (is_extra(p, a, lo, hi, want, got)) {
        for (uint64_t i = lo; i < hi; i++)
            a->got[i] = 1;
    } else {
        uint64_t mid = lo + (hi - lo) / 2, i;

        search(p, a, lo, mid);
        if (!a->odd)
            search(p, a, mid, hi);
        for (i = lo; i < hi && a->got[i] == a->want[i]; i++)
            ;
        a->lossy |= i == hi && !p->broken && !a->odd;
    }
}

/* The array of the other factor of buffer b's terms. */
static int other_factor(const struct probe *p, int b)
{
    struct lab_term t;

    return probe_term(p, 0, &t) && t.nfactors == 2 ? t.factor[t.factor[0].buffer == b].buffer : b;
}

/* What is left where this one's elements are zero doubles with the other's. */
static bool adds_other(struct probe *p, const struct probed *a, int other)
{
    probe_fill(p, a->buffer, 0);
    probe_fill(p, other, 2);
    double twice = probe_look(p);
    probe_fill(p, other, 1);
    return !p->broken && twice == 2 * a->rest;
}

static bool tell_rest(struct probe *p, const struct probed *a, bool product)
{
    bool known = p->d->cause && !strcmp(p->d->cause, "neutral"); /* of the other factor's array */

    bool nothing = true; /* is taken of it: so the rest is the other factor's, as will be said */

    for (uint64_t i = 0; i < a->count; i++)
        nothing &= a->got[i] == 0;
    if (a->rest == 0 || known || (product && nothing))
        return a->rest != 0 && !(product && nothing);
    char *name = probe_output_name(p);
    int other = product ? other_factor(p, a->buffer) : a->buffer;
    if (product && other != a->buffer && adds_other(p, a, other))
        diagnosis_add(
            p->d, "function",
            "with %s all zero, %s is %.9g with ones in %s, %.9g with twos: elements of %s "
            "are added to it, not multiplied",
            probe_buffer(p, a->buffer)->name, name, a->rest, probe_buffer(p, other)->name,
            2 * a->rest, probe_buffer(p, other)->name);
    else
        diagnosis_add(
            p->d, "neutral",
            "with %s all zero, %s is %.10g instead of 0: something else than its elements "
            "comes into it",
            probe_buffer(p, a->buffer)->name, name, a->rest);
    free(name);
    return true;
}

/* A factor whose products are all with elements that are never used is not missing itself. */
static void forgive(const struct probe *p, struct probed *a)
{
    struct lab_term t;
    bool *other = xcalloc(a->count + 1, sizeof(*other)); /* it is in a product with another one */

    for (uint64_t k = 0; p->absent && probe_term(p, k, &t); k++) {
        int own = t.factor[1].buffer == a->buffer;

        if (t.nfactors == 2 && t.factor[!own].buffer == p->absent_of &&
            t.factor[own].index < a->count)
            other[t.factor[own].index] |= !p->absent[t.factor[!own].index];
    }
    for (uint64_t i = 0; p->absent && i < a->count; i++)
        a->want[i] = a->got[i] == 0 && !other[i] ? 0 : a->want[i];
    free(other);
}

/* Of the first factor's array, for the second one's. */
static void keep_absent(struct probe *p, const struct probed *a)
{
    for (uint64_t i = 0; i < a->count; i++) {
        if (a->want[i] == 0 && a->got[i] != 0)
            return; /* others are in their place, and the factors meet those */
    }
    p->absent = xcalloc(a->count + 1, sizeof(*p->absent));
    p->absent_of = a->buffer;
    for (uint64_t i = 0; i < a->count; i++)
        p->absent[i] = a->want[i] != 0 && a->got[i] == 0;
}

/* No output changes with elements lo to the last. */
static bool all_unused(struct probe *p, const struct probed *a, uint64_t lo)
{
    const struct plan *plan = &p->s.plan;
    uint64_t bytes = plan_buffer_bytes(plan, p->out);
    void *before = xmalloc(bytes + 1);

    probe_fill(p, a->buffer, 0);
    probe_look(p);
    if (!p->broken)
        memcpy(before, p->s.outputs.data[p->out], bytes);
    for (uint64_t i = lo; i < a->count; i++)
        probe_put(p, a->buffer, i, weight(i, a->count));
    if (!p->broken)
        probe_look(p);
    bool unused = !p->broken && !memcmp(before, p->s.outputs.data[p->out], bytes);
    probe_fill(p, a->buffer, 0);
    free(before);
    return unused;
}

/* Where an output lacks the last elements it wants, or some: does any other take what is behind? */
static void tell_end(struct probe *p, const struct probed *a)
{
    uint64_t first = 0, last = a->count;

    while (first < a->count && !(a->want[first] != 0 && a->got[first] == 0))
        first++;
    while (last > first && a->want[last - 1] == 0)
        last--;
    bool wanted = false; /* it wants some before as well, which it takes */

    for (uint64_t i = 0; i < a->count; i++) {
        bool lost = first <= i && i < last;

        if (a->got[i] != (lost ? 0 : a->want[i]) || (lost && a->want[i] == 0))
            return;
        wanted |= !lost && a->want[i] != 0;
    }
    if (!wanted || first == last || probe_buffer(p, p->out)->count < 2 || !all_unused(p, a, first))
        return;
    const char *name = probe_buffer(p, a->buffer)->name;
    diagnosis_add(p->d, "left-out",
                  "no element of %s changes with %s[%" PRIu64
                  "], or with any behind it: all of %s from there on%s counts as 0",
                  probe_buffer(p, p->out)->name, name, first, name,
                  first == p->s.input.n ? " (from n on)" : "");
}

static bool tell_sum(struct probe *p, const struct probed *a, bool product)
{
    const char *adds = product ? "uses" : "adds";
    bool told = tell_rest(p, a, product);

    if (tell_exchange(p, a, adds)) {
        told = true;
    } else {
        bool rest = told;
        told |= tell_left_out(p, a, product ? "never uses" : "never adds");
        told |= tell_extra(p, a, adds);
        p->d->counted |= told && !rest;
    }
    return tell_times(p, a, adds) || told;
}

/* Zeros, and ones in the other array, add up to a number. */
static void tell_no_number(struct probe *p, const char *buffer, const char *output, double rest)
{
    bool known = p->d->cause && !strcmp(p->d->cause, "uninitialised");

    if (!known)
        diagnosis_add(p->d, "uninitialised",
                      "with %s all zero, %s is %g instead of 0: is something added that was never "
                      "set, a sum or an element of shared memory?",
                      buffer, output, rest);
}

static bool tell_odd(struct probe *p, const struct probed *a)
{
    char *name = probe_output_name(p), *element = probe_element_name(p, a->buffer, a->at);
    const char *buffer = probe_buffer(p, a->buffer)->name;

    if (!isfinite(a->rest))
        tell_no_number(p, buffer, name, a->rest);
    else if (isfinite(a->result))
        diagnosis_add(p->d, "function",
                      "with %s = %.9g and the rest of %s 0, %s is %.9g instead of %.9g%s", element,
                      a->value, buffer, name, a->result, a->value * a->want[a->at],
                      a->result == a->value * a->value ? ": it is multiplied by itself" : "");
    free(name);
    free(element);
    return !isfinite(a->rest) || isfinite(a->result);
}

/* Buffer b of a sum; all other factors are one. */
bool probe_sum(struct probe *p, int b, bool product)
{
    struct probed a = probed_open(p, b);
    bool told = false;

    probe_fill(p, b, 0);
    a.rest = probe_look(p);
    a.odd = !isfinite(a.rest);
    if (!p->broken && a.count && !a.odd)
        search(p, &a, 0, a.count);
    if (product && !p->broken && !a.odd)
        forgive(p, &a);
    if (!p->broken)
        told = a.odd ? tell_odd(p, &a) : tell_sum(p, &a, product);
    if (!p->broken && !a.odd && told)
        tell_end(p, &a);
    if (product && !p->absent && !p->broken && !a.odd)
        keep_absent(p, &a);
    if (!p->broken && !told && a.lossy) {
        char *name = probe_output_name(p);

        diagnosis_add(p->d, "precision",
                      "%s takes each element of %s as it is, but not their sum: digits are lost "
                      "while adding, in whole numbers below 2000 already",
                      name, probe_buffer(p, b)->name);
        free(name);
        told = true;
    }
    probed_close(&a);
    probe_fill(p, b, 1);
    return told;
}

/* ---- counts ---- */

enum { MOST_COUNTED = 1u << 12 };

/* Elements lo to hi are counted, or would be; all others are not. */
static void search_counted(struct probe *p, struct probed *a, double one, double zero, uint64_t lo,
                           uint64_t hi)
{
    for (uint64_t i = lo; i < hi; i++)
        probe_put(p, a->buffer, i, one);
    double got = above_rest(p, a);
    for (uint64_t i = lo; i < hi; i++)
        probe_put(p, a->buffer, i, zero);
    if (p->broken || got == (double)(hi - lo))
        return;
    if (hi - lo == 1 || got == 0) {
        for (uint64_t i = lo; i < hi; i++)
            a->got[i] = got;
        return;
    }
    uint64_t mid = lo + (hi - lo) / 2;
    search_counted(p, a, one, zero, lo, mid);
    search_counted(p, a, one, zero, mid, hi);
}

/* An element of the output that counts the one number which belongs to another: its place; else
 * UINT64_MAX. */
static uint64_t counted_elsewhere(struct probe *p, double one, double zero)
{
    uint64_t mine = p->o, n = probe_buffer(p, p->out)->count, at = UINT64_MAX;
    double *rest = xcalloc(n, sizeof(*rest));

    probe_fill(p, 0, zero);
    for (int with = 0; with < 2 && !p->broken; with++) {
        probe_put(p, 0, 0, with ? one : zero);
        for (p->o = 0; p->o < n && !p->broken; p->o++) {
            double got =
                p->o ? dtype_get(probe_buffer(p, p->out)->dtype, p->s.outputs.data[p->out], p->o)
                     : probe_look(p);
            if (with && got == rest[p->o] + 1)
                at = p->o;
            rest[p->o] = got;
        }
    }
    p->o = mine;
    free(rest);
    return p->broken ? UINT64_MAX : at;
}

/* One number in place 0, the rest zero's, is counted by another output than its own. */
static bool tell_counted(struct probe *p, double one, double zero)
{
    uint64_t at = counted_elsewhere(p, one, zero), mine = p->o;

    if (at == UINT64_MAX || at == mine)
        return false;
    char *name = probe_output_name(p);
    p->o = at;
    char *other = probe_output_name(p);
    p->o = mine;
    diagnosis_add(p->d, "wrong-element", "a number that belongs to %s, %.10g, is counted in %s",
                  name, one, other);
    free(name);
    free(other);
    return true;
}

/* How often each element of input 0 is counted. */
bool probe_count(struct probe *p)
{
    double one, zero;
    uint64_t n = p->s.input.n;
    bool told = false;

    if (p->broken || !p->lab->unit || !n || n > MOST_COUNTED || n > probe_buffer(p, 0)->count ||
        !p->lab->unit(p->x->variant, &p->s.input, p->o, &one, &zero))
        return false;
    struct probed a = {.buffer = 0, .count = n};
    a.want = xcalloc(n, sizeof(*a.want));
    a.got = xcalloc(n, sizeof(*a.got));
    for (uint64_t i = 0; i < n; i++)
        a.want[i] = a.got[i] = 1;
    probe_fill(p, 0, zero);
    a.rest = probe_look(p);
    search_counted(p, &a, one, zero, 0, n);
    bool none = !p->broken && a.rest == 0;
    for (uint64_t i = 0; i < n; i++)
        none &= a.got[i] == 0;
    if (none && tell_counted(p, one, zero)) {
        told = true;
    } else if (!p->broken) {
        told = tell_left_out(p, &a, "does not count");
        told |= tell_times(p, &a, "counts");
        p->d->example |= told; /* why it does not count it may be another thing */
    }
    probed_close(&a);
    return told;
}
