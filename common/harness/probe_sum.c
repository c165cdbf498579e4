/* probe_sum.c - how often a sum takes each element (probing.h).
 *
 * Small random weights on a stretch of elements, zero elsewhere, give the expected result or not;
 * where not, both halves are looked at.
 */
#include "lab/random.h"
#include "probing.h"

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
static double weight(uint64_t i, uint64_t n)
{
    uint64_t most = (1u << 22) / n;

    most = most < 5 ? 5 : most > 1999 ? 1999 : most;
    return (double)(1 + random_u64(0x70726f6265, i) % most);
}

static double weigh(struct probe *p, const struct probed *a, uint64_t lo, uint64_t hi, bool on)
{
    double sum = 0;

    for (uint64_t i = lo; i < hi; i++) {
        probe_put(p, a->buffer, i, on ? weight(i, hi - lo) : 0);
        sum += a->want[i] * weight(i, hi - lo);
    }
    return sum;
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
    double doubled = probe_look(p) - a->rest;
    probe_put(p, a->buffer, i, 0);
    if (p->broken || fabs(doubled - 2 * got) > 1e-5 * fabs(got))
        stop_at(a, i, 2 * weight(i, 1), doubled);
    else
        a->got[i] = got / weight(i, 1);
}

/* The coefficients of elements lo to hi; all others are zero meanwhile. */
static void search(struct probe *p, struct probed *a, uint64_t lo, uint64_t hi)
{
    double want = weigh(p, a, lo, hi, true), got = probe_look(p) - a->rest;

    weigh(p, a, lo, hi, false);
    if (p->broken || near(a, got, want))
        return;
    if (!isfinite(got)) {
        stop_at(a, lo, weight(lo, hi - lo), got);
    } else if (hi - lo == 1) {
        settle_one(p, a, lo, got);
    } else if (want > 0 && (near(a, got, 0) || near(a, got, 2 * want))) {
        settle(a, lo, hi, round(got / want));
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

static bool tell_rest(struct probe *p, const struct probed *a)
{
    bool known = p->d->cause && !strcmp(p->d->cause, "neutral"); /* of the other factor's array */

    if (a->rest == 0 || known)
        return a->rest != 0;
    char *name = probe_output_name(p);
    diagnosis_add(p->d, "neutral",
                  "with %s all zero, %s is %.9g instead of 0: something else than its elements "
                  "comes into it",
                  probe_buffer(p, a->buffer)->name, name, a->rest);
    free(name);
    return true;
}

static bool tell_sum(struct probe *p, const struct probed *a, bool product)
{
    const char *adds = product ? "uses" : "adds";
    bool told = tell_rest(p, a);

    if (tell_exchange(p, a, adds)) {
        told = true;
    } else {
        told |= tell_left_out(p, a, product ? "never uses" : "never adds");
        told |= tell_extra(p, a, adds);
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
                      "with %s = %.9g and the rest of %s 0, %s is %.9g instead of %.9g", element,
                      a->value, buffer, name, a->result, a->value * a->want[a->at]);
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
    if (!p->broken)
        told = a.odd ? tell_odd(p, &a) : tell_sum(p, &a, product);
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
