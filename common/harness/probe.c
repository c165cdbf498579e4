/* probe.c - what a wrong output is really made of (probe.h).
 *
 * A lab says of what terms an output is the sum, the least or the greatest (lab.term). Of a sum the
 * coefficient of every input element is found: small random weights on a stretch of them, zero
 * elsewhere, give the expected result or not; where not, both halves are looked at. Products of
 * two arrays are probed one array at a time, the other all ones; then each pair of factors.
 */
#include "probe.h"
#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/indices.h"
#include "lab/plan.h"
#include "lab/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ELEMENTS (1u << 20) /* of an array that is probed */
#define MOST_PAIRS    96
#define MOST_PLANTED  1200

struct probe {
    struct experiment *x;
    const struct lab *lab;
    struct sample s;
    void *data[LAB_MAX_BUFFERS];
    int out;    /* the output's buffer */
    uint64_t o; /* its element */
    enum lab_made made;
    bool broken; /* a run did not come to its end */
    struct diagnosis *d;
};

/* One input array of it: what the output should take of each element, and does. */
struct probed {
    int buffer;
    uint64_t count;
    double *want, *got;
    double rest; /* of zeros alone */
    bool thirds; /* or another constant that is not exact */
    bool lossy;  /* sums of them are not what they are one by one */
    bool odd;    /* it is no sum: an element does not go in proportion, or something is no number */
    uint64_t at; /* … this one, and what the output is with it alone at this value */
    double value, result;
};

void diagnosis_add(struct diagnosis *d, const char *cause, const char *format, ...)
{
    va_list ap;

    d->cause = d->cause ? d->cause : cause;
    text_add(&d->words, "  ");
    va_start(ap, format);
    text_vaddf(&d->words, format, ap);
    va_end(ap);
    text_add(&d->words, "\n");
}

/* ---- runs ---- */

static const struct lab_buffer *buffer_of(const struct probe *p, int b)
{
    return &p->s.plan.buffers[b];
}

static void fill(struct probe *p, int b, double value)
{
    for (uint64_t i = 0; i < buffer_of(p, b)->count; i++)
        dtype_set(buffer_of(p, b)->dtype, p->data[b], i, value);
}

static void put(struct probe *p, int b, uint64_t i, double value)
{
    dtype_set(buffer_of(p, b)->dtype, p->data[b], i, value);
}

static double look(struct probe *p)
{
    p->broken |= experiment_with(p->x, p->data, &p->s) != RUN_OK;
    return p->broken ? NAN
                     : dtype_get(buffer_of(p, p->out)->dtype, p->s.outputs.data[p->out], p->o);
}

static bool term(const struct probe *p, uint64_t t, struct lab_term *out)
{
    *out = (struct lab_term){.times = 1};
    return p->lab->term(&p->s.plan, p->x->variant, &p->s.input, p->o, t, out);
}

static uint64_t row_of(const struct probe *p, int b)
{
    return p->lab->row ? p->lab->row(&p->s.plan, &p->s.input, b) : 0;
}

/* ---- words ---- */

static void put_output(struct text *t, const struct probe *p)
{
    indices_put(t, buffer_of(p, p->out)->name, &p->o, 1, buffer_of(p, p->out)->count,
                row_of(p, p->out));
}

static void put_set(struct text *t, const struct probe *p, int b, const uint64_t *index, uint64_t n)
{
    indices_put(t, buffer_of(p, b)->name, index, n, buffer_of(p, b)->count, row_of(p, b));
}

static char *output_name(const struct probe *p)
{
    struct text t = {0};

    put_output(&t, p);
    return text_take(&t);
}

static char *element_name(const struct probe *p, int b, uint64_t i)
{
    struct text t = {0};

    put_set(&t, p, b, &i, 1);
    return text_take(&t);
}

/* ---- sums ---- */

/* Weights are small whole numbers, so that sums of them are exact; thirds of them are not. */
static bool near(const struct probed *a, double got, double want)
{
    return fabs(got - want) <= (a->thirds ? 2e-6 * fmax(1, fabs(want)) : 0);
}

static double weight(uint64_t i)
{
    return (double)(1 + random_u64(0x70726f6265, i) % 5);
}

static double weigh(struct probe *p, const struct probed *a, uint64_t lo, uint64_t hi, bool on)
{
    double sum = 0;

    for (uint64_t i = lo; i < hi; i++) {
        put(p, a->buffer, i, on ? weight(i) : 0);
        sum += a->want[i] * weight(i);
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
    put(p, a->buffer, i, 2 * weight(i));
    double doubled = look(p) - a->rest;
    put(p, a->buffer, i, 0);
    if (p->broken || fabs(doubled - 2 * got) > 1e-5 * fabs(got))
        stop_at(a, i, 2 * weight(i), doubled);
    else
        a->got[i] = got / weight(i);
}

/* The coefficients of elements lo to hi; all others are zero meanwhile. */
static void search(struct probe *p, struct probed *a, uint64_t lo, uint64_t hi)
{
    double want = weigh(p, a, lo, hi, true), got = look(p) - a->rest;

    weigh(p, a, lo, hi, false);
    if (p->broken || near(a, got, want))
        return;
    if (!isfinite(got)) {
        stop_at(a, lo, weight(lo), got);
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

/* What the sum should take of each element of buffer b, when all the others are one. */
static void expect(const struct probe *p, struct probed *a)
{
    struct lab_term t;

    for (uint64_t k = 0; term(p, k, &t); k++) {
        a->thirds |= t.times != 1;
        for (int f = 0; f < t.nfactors; f++) {
            if (t.factor[f].buffer == a->buffer && t.factor[f].index < a->count)
                a->want[t.factor[f].index] += t.times;
        }
    }
    memcpy(a->got, a->want, a->count * sizeof(*a->got));
}

static struct probed probed_open(const struct probe *p, int b)
{
    uint64_t n = buffer_of(p, b)->count;
    struct probed a = {.buffer = b, .count = n};

    a.want = xcalloc(n, sizeof(*a.want));
    a.got = xcalloc(n, sizeof(*a.got));
    expect(p, &a);
    return a;
}

static void probed_close(struct probed *a)
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

/* "out[0] adds in[3] in place of in[4]" */
static bool tell_exchange(struct probe *p, const struct probed *a, const char *verb)
{
    uint64_t *lost = xcalloc(2 * a->count, sizeof(*lost)), *found = lost + a->count;
    uint64_t nlost = pick_all(a, wants, lost), nfound = pick_all(a, takes, found);
    struct text t = {0};

    if (!is_shift(found, nfound, lost, nlost) || found[0] == lost[0]) {
        nlost = pick(a, left_out, lost);
        nfound = pick(a, extra, found);
    }
    if (nlost && nfound) {
        put_output(&t, p);
        text_addf(&t, " %s ", verb);
        put_set(&t, p, a->buffer, found, nfound);
        text_add(&t, " in place of ");
        put_set(&t, p, a->buffer, lost, nlost);
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

static bool tell_sort(struct probe *p, const struct probed *a, sort *is, const char *cause,
                      const char *before, const char *after)
{
    uint64_t *index = xcalloc(a->count, sizeof(*index)), n = pick(a, is, index);
    struct text t = {0};

    if (n) {
        bool whole = is == left_out && n == wanted(a) && n > 1;

        p->d->whole |= whole;
        put_output(&t, p);
        if (whole)
            text_addf(&t, " takes nothing of %s", buffer_of(p, a->buffer)->name);
        else
            text_addf(&t, " %s ", before);
        if (!whole)
            put_set(&t, p, a->buffer, index, n);
        text_add(&t, after);
        if (is == otherwise)
            text_addf(&t, " %.6g times instead of %.6g", a->got[index[0]], a->want[index[0]]);
        diagnosis_add(p->d, cause, "%s", t.s);
    }
    text_free(&t);
    free(index);
    return n;
}

static bool tell_rest(struct probe *p, const struct probed *a)
{
    if (a->rest == 0)
        return false;
    char *name = output_name(p);
    diagnosis_add(p->d, "neutral",
                  "with %s all zero, %s is %.9g instead of 0: something else than its elements "
                  "comes into it",
                  buffer_of(p, a->buffer)->name, name, a->rest);
    free(name);
    return true;
}

static bool tell_sum(struct probe *p, const struct probed *a, bool product)
{
    const char *adds = product ? "uses" : "adds";
    bool told = tell_rest(p, a);

    if (tell_exchange(p, a, adds))
        told = true;
    else {
        told |= tell_sort(p, a, left_out, "left-out", product ? "never uses" : "never adds", "");
        told |= tell_sort(p, a, extra, "extra", adds, ", which does not belong to it");
    }
    told |= tell_sort(p, a, twice, "twice", adds, " twice");
    told |= tell_sort(p, a, negated, "sign", "subtracts", "");
    told |= tell_sort(p, a, otherwise, "times", adds, "");
    return told;
}

static bool tell_odd(struct probe *p, const struct probed *a)
{
    char *name = output_name(p), *element = element_name(p, a->buffer, a->at);
    const char *buffer = buffer_of(p, a->buffer)->name;

    if (!isfinite(a->rest))
        diagnosis_add(p->d, "function", "with %s all zero, %s is %g instead of 0", buffer, name,
                      a->rest);
    else if (isfinite(a->result))
        diagnosis_add(p->d, "function",
                      "with %s = %.9g and the rest of %s 0, %s is %.9g instead of %.9g", element,
                      a->value, buffer, name, a->result, a->value * a->want[a->at]);
    free(name);
    free(element);
    return !isfinite(a->rest) || isfinite(a->result);
}

/* Buffer b of a sum; all other factors are one. */
static bool probe_sum(struct probe *p, int b, bool product)
{
    struct probed a = probed_open(p, b);
    bool told = false;

    fill(p, b, 0);
    a.rest = look(p);
    a.odd = !isfinite(a.rest);
    if (!p->broken && a.count && !a.odd)
        search(p, &a, 0, a.count);
    if (!p->broken)
        told = a.odd ? tell_odd(p, &a) : tell_sum(p, &a, product);
    if (!p->broken && !told && a.lossy) {
        char *name = output_name(p);

        diagnosis_add(p->d, "precision",
                      "%s takes each element of %s as it is, but not their sum: digits are lost "
                      "while adding, in small whole numbers already",
                      name, buffer_of(p, b)->name);
        free(name);
        told = true;
    }
    probed_close(&a);
    fill(p, b, 1);
    return told;
}

/* A copy: one element, nothing added. */
static bool probe_copy(struct probe *p, const struct lab_term *one)
{
    int b = one->factor[0].buffer;
    uint64_t belongs = one->factor[0].index, n = buffer_of(p, b)->count, at = 0;
    char *name = output_name(p), *there, *other;
    double digit[3];

    fill(p, b, 0);
    double none = look(p);
    for (int k = 0; k < 3; k++) {
        for (uint64_t i = 0; i < n; i++)
            put(p, b, i, (double)((i + 1) >> 8 * k & 0xff));
        digit[k] = look(p);
        if (digit[k] >= 0 && digit[k] <= 255 && digit[k] == floor(digit[k]))
            at |= (uint64_t)digit[k] << 8 * k;
    }
    there = element_name(p, b, belongs);
    if (p->broken || at == belongs + 1 || n >> 24) {
        at = 0;
    } else if (at && at <= n && none == 0) {
        fill(p, b, 0);
        put(p, b, at - 1, 7);
        if (look(p) == 7) {
            other = element_name(p, b, at - 1);
            diagnosis_add(p->d, "wrong-element", "%s holds %s in place of %s", name, other, there);
            free(other);
        } else {
            at = 0;
        }
    } else if (!at && digit[0] == none && digit[1] == none && digit[2] == none) {
        diagnosis_add(p->d, "constant", "%s is %.9g, whatever %s holds: it is no copy of %s", name,
                      none, buffer_of(p, b)->name, there);
        at = 1;
    } else {
        at = 0;
    }
    free(there);
    free(name);
    return at;
}

/* ---- products: which factor goes with which ---- */

/* Three digits of the place of what is multiplied with the one element of `ones` that is set. */
static bool partner(struct probe *p, int tagged, uint64_t *at)
{
    uint64_t n = buffer_of(p, tagged)->count;

    *at = 0;
    for (int k = 0; k < 3; k++) {
        for (uint64_t i = 0; i < n; i++)
            put(p, tagged, i, (double)((i + 1) >> 8 * k & 0xff));
        double digit = look(p);
        if (p->broken || !(digit >= 0 && digit <= 255) || fabs(digit - round(digit)) > 1e-3)
            return false;
        *at |= (uint64_t)round(digit) << 8 * k;
    }
    return *at <= n && n < 1 << 24;
}

static bool tell_pair(struct probe *p, const struct lab_term *t, uint64_t at)
{
    const struct lab_factor *one = &t->factor[1], *other = &t->factor[0];
    char *name = output_name(p), *set = element_name(p, one->buffer, one->index);
    char *belongs = element_name(p, other->buffer, other->index), *there = NULL;

    if (at) {
        there = element_name(p, other->buffer, at - 1);
        diagnosis_add(p->d, "wrong-pair", "in %s, %s is multiplied by %s in place of %s", name, set,
                      there, belongs);
    } else {
        diagnosis_add(p->d, "left-out", "in %s, %s is multiplied by nothing; %s belongs there",
                      name, set, belongs);
    }
    free(name);
    free(set);
    free(belongs);
    free(there);
    return true;
}

static bool probe_pairs(struct probe *p)
{
    struct lab_term t;
    uint64_t at;

    for (uint64_t k = 0; k < MOST_PAIRS && term(p, k, &t) && t.nfactors == 2; k++) {
        fill(p, t.factor[1].buffer, 0);
        put(p, t.factor[1].buffer, t.factor[1].index, 1);
        if (!partner(p, t.factor[0].buffer, &at) || p->broken)
            return false;
        if (at != t.factor[0].index + 1)
            return tell_pair(p, &t, at);
    }
    return false;
}

/* ---- least and greatest ---- */

static bool tell_no_element(struct probe *p, double all, double got)
{
    const char *what = p->made == MADE_MIN ? "minimum" : "maximum";

    if (got == all || p->broken)
        return false;
    diagnosis_add(p->d, "neutral",
                  "the %s of elements that are all %.9g comes out as %.9g, which is none of them: "
                  "what do threads without an element bring?",
                  what, all, got);
    return true;
}

/* Whether all elements being one value gives that value. */
static bool probe_neutral(struct probe *p, int b)
{
    static const double values[] = {1000, -1000, 2147483600, -2147483600};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        fill(p, b, values[i]);
        double got = look(p);
        if (tell_no_element(p, values[i], got))
            return true;
    }
    return false;
}

static bool probe_extreme(struct probe *p, int b)
{
    uint64_t n = buffer_of(p, b)->count, unseen = 0;
    double usual = p->made == MADE_MIN ? 1000 : -1000, extreme = usual / 10;
    struct text t = {0};

    if (n > MOST_PLANTED)
        return false;
    uint64_t *index = xcalloc(n, sizeof(*index));
    fill(p, b, usual);
    for (uint64_t i = 0; i < n && !p->broken; i++) {
        put(p, b, i, extreme);
        if (look(p) != extreme)
            index[unseen++] = i;
        put(p, b, i, usual);
    }
    if (unseen && !p->broken) {
        put_set(&t, p, b, index, unseen);
        diagnosis_add(p->d, "left-out",
                      "a %s planted at one place at a time is not found at %s: not looked at",
                      p->made == MADE_MIN ? "minimum" : "maximum", t.s);
    }
    text_free(&t);
    free(index);
    return unseen && !p->broken;
}

/* ---- digits that get lost ---- */

static const struct lossy_value {
    unsigned types; /* 1 << DT_… */
    double first, second;
    double like; /* what comes out when that is lost */
    const char *cause, *what;
} lossy_values[] = {
/* clang-format off */
#define INTEGERS (1 << DT_I32 | 1 << DT_U32)
#define FLOATS   (1 << DT_F32 | 1 << DT_F64)
#define NUMBERS  (FLOATS | 1 << DT_F16)
    /* types        first,        second, like     cause */
    {~0u,           1,            0,      0,       NULL, NULL}, /* these must be right for the others */
    {~0u,           1,            1,      0,       NULL, NULL}, /* to mean what they say */
    {~0u,           3,            0,      0,       NULL, NULL},
    {~0u,           5,            2,      0,       NULL, NULL},
    {INTEGERS,      257,          0,      1,       "type", "more than 8 bits get lost"},
    {INTEGERS,      65537,        0,      1,       "type", "more than 16 bits get lost"},
    {INTEGERS,      16777217,     0,      0x1p24,  "type", "it went through a float, which keeps 24 bits"},
    {INTEGERS,      16777216,     1,      0x1p24,  "type", "the sum went through a float, which keeps 24 bits"},
    {1 << DT_I32,   -3,           0,      3,       "sign", "the sign is lost"},
    {NUMBERS,       0.5,          0,      0,       "type", "what is behind the point is lost, as in an integer"},
    {NUMBERS,       -3,           0,      3,       "sign", "the sign is lost"},
    {FLOATS,        1 + 0x1p-12,  0,      1,       "precision", "it went through a half, or another type of few digits"},
    {FLOATS,        0x1p40,       0,      INFINITY, "precision", "it is too large for a type on its way"},
    {FLOATS,        4096,         1,      4096,    "precision", "the sum is kept in a type of few digits"},
    {1 << DT_F64,   1 + 0x1p-30,  0,      1,       "precision", "it went through a float, which keeps 24 bits"},
    {1 << DT_F64,   0x1p30,       1,      0x1p30,  "precision", "the sum is kept in a float, which keeps 24 bits"},
    {1 << DT_F16,   2048,         1,      2048,    "precision", "the sum is kept in a half, which keeps 11 bits"},
    /* clang-format on */
};

/* Two elements that the sum takes factor f of its terms from, and how often it takes each. */
struct two {
    struct lab_factor at[2];
    double times[2];
    int n;
};

static struct two two_places(const struct probe *p, int f)
{
    struct two w = {.n = 0};
    struct lab_term t;

    for (uint64_t k = 0; w.n < 2 && term(p, k, &t); k++) {
        if (f < t.nfactors && (!w.n || t.factor[f].index != w.at[0].index))
            w.at[w.n++] = t.factor[f];
    }
    for (uint64_t k = 0; term(p, k, &t); k++) {
        for (int i = 0; i < w.n; i++)
            w.times[i] += f < t.nfactors && t.factor[f].index == w.at[i].index ? t.times : 0;
    }
    return w;
}

static void tell_value(struct probe *p, const struct two *w, const struct lossy_value *v,
                       double got, double want)
{
    char *first = element_name(p, w->at[0].buffer, w->at[0].index), *name = output_name(p);
    struct text t = {0};

    text_addf(&t, "with %s = %.10g", first, v->first);
    if (v->second != 0)
        text_addf(&t, ", %s[%" PRIu64 "] = %.10g", buffer_of(p, w->at[1].buffer)->name,
                  w->at[1].index, v->second);
    bool like = got == v->like * w->times[0];
    diagnosis_add(p->d, like ? v->cause : "function",
                  "%s and the rest of %s 0, %s is %.10g instead of %.10g%s%s", t.s,
                  buffer_of(p, w->at[0].buffer)->name, name, got, want, like ? ": " : "",
                  like ? v->what : "");
    text_free(&t);
    free(first);
    free(name);
}

/* Values of one factor, the other is one. */
static bool probe_factor_values(struct probe *p, int f)
{
    struct two w = two_places(p, f);

    for (size_t i = 0; w.n && i < sizeof(lossy_values) / sizeof(lossy_values[0]); i++) {
        const struct lossy_value *v = &lossy_values[i];
        int b = w.at[0].buffer;

        if (!(v->types >> buffer_of(p, b)->dtype & 1) || (v->second != 0 && w.n < 2))
            continue;
        fill(p, b, 0);
        put(p, b, w.at[0].index, v->first);
        if (v->second != 0)
            put(p, b, w.at[1].index, v->second);
        double want = w.times[0] * v->first + w.times[1] * v->second, got = look(p);
        if (p->broken || fabs(got - want) <= (want == floor(want) ? 0 : 1e-7 * fabs(want)))
            continue;
        if (v->cause)
            tell_value(p, &w, v, got, want);
        return v->cause;
    }
    return false;
}

static bool probe_values(struct probe *p)
{
    struct lab_term t;
    bool told = false;

    if (p->made != MADE_SUM || !term(p, 0, &t))
        return false;
    for (int f = 0; f < t.nfactors && !told && !p->broken; f++) {
        told = probe_factor_values(p, f);
        fill(p, t.factor[f].buffer, 1);
    }
    return told;
}

/* ---- other functions: which elements matter ---- */

static bool probe_otherwise(struct probe *p);
static bool probe_recognised(struct probe *p);

/* ---- all of it ---- */

/* Buffers that terms take elements from, at most two. */
static int buffers_of(const struct probe *p, int b[2])
{
    struct lab_term t;
    int n = 0;

    if (!term(p, 0, &t))
        return 0;
    for (int f = 0; f < t.nfactors; f++)
        b[n++] = t.factor[f].buffer;
    return n;
}

static bool probe_made(struct probe *p)
{
    struct lab_term t;
    int b[2], n = buffers_of(p, b);
    bool told = false;

    if (!n || buffer_of(p, b[0])->count > MOST_ELEMENTS)
        return false;
    if (p->made == MADE_MIN || p->made == MADE_MAX)
        return probe_neutral(p, b[0]) || probe_extreme(p, b[0]);
    for (int i = 0; i < p->s.plan.nbuffers; i++) {
        if (p->data[i])
            fill(p, i, 1);
    }
    if (n == 1 && !term(p, 1, &t) && t.times == 1)
        return probe_copy(p, (term(p, 0, &t), &t)) || (!p->broken && probe_values(p));
    if (probe_values(p))
        return true;
    for (int i = 0; i < n; i++) {
        fill(p, b[i], 1);
        told |= !p->broken && probe_sum(p, b[i], n == 2);
    }
    return told || (n == 2 && !p->broken && probe_pairs(p));
}

static bool open_data(struct probe *p)
{
    const struct plan *plan = &p->s.plan;

    p->out = -1;
    for (int b = 0; b < plan->nbuffers; b++) {
        if (plan->buffers[b].role == BUF_OUTPUT && p->out < 0)
            p->out = b;
        if (plan->buffers[b].role == BUF_INPUT)
            p->data[b] = xzalloc(plan_buffer_bytes(plan, b));
    }
    return p->out >= 0 && p->o < plan->buffers[p->out].count;
}

bool probe(struct experiment *x, const struct lab_case *c, uint64_t o, struct diagnosis *d)
{
    struct probe p = {.x = x, .lab = x->verify->lab, .o = o, .d = d};
    bool told = false;

    if (!p.lab->term || !experiment_plan(x, c, &p.s))
        return false;
    p.made = p.lab->made(x->variant, &p.s.input);
    if (open_data(&p))
        told = p.made == MADE_UNKNOWN     ? probe_recognised(&p)
               : p.made == MADE_OTHERWISE ? probe_otherwise(&p)
                                          : probe_made(&p);
    for (int b = 0; b < LAB_MAX_BUFFERS; b++)
        free(p.data[b]);
    sample_free(&p.s);
    return told;
}

/* The lab's own inputs, of two seeds: an element that is the other seed's changes the output or
 * does not. */
struct influence {
    void *other[LAB_MAX_BUFFERS];
    struct probed of;
    double usual;
};

static void copy_element(struct probe *p, const struct influence *f, uint64_t i)
{
    size_t size = dtype_size(buffer_of(p, f->of.buffer)->dtype);
    char *mine = (char *)p->data[f->of.buffer] + i * size, spare[16];
    char *theirs = (char *)f->other[f->of.buffer] + i * size;

    memcpy(spare, mine, size);
    memcpy(mine, theirs, size);
    memcpy(theirs, spare, size);
}

static void exchange(struct probe *p, const struct influence *f, uint64_t lo, uint64_t hi)
{
    for (uint64_t i = lo; i < hi; i++)
        copy_element(p, f, i);
}

/* got[] is 1 where the element matters. */
static void search_influence(struct probe *p, struct influence *f, uint64_t lo, uint64_t hi)
{
    exchange(p, f, lo, hi);
    double got = look(p);
    exchange(p, f, lo, hi);
    if (p->broken || got == f->usual || (isnan(got) && isnan(f->usual)))
        return;
    if (hi - lo == 1) {
        f->of.got[lo] = 1;
        return;
    }
    uint64_t mid = lo + (hi - lo) / 2;
    search_influence(p, f, lo, mid);
    search_influence(p, f, mid, hi);
}

static void make_inputs(struct probe *p, void *data[], uint64_t seed)
{
    const struct plan *plan = &p->s.plan;

    for (int b = 0; b < plan->nbuffers; b++) {
        if (plan->buffers[b].role == BUF_INPUT)
            p->lab->make_input(plan, b, &p->s.input, seed, data[b]);
    }
}

static bool probe_influence(struct probe *p, int b)
{
    struct influence f = {.of = probed_open(p, b)};
    bool told = false;

    for (int i = 0; i < p->s.plan.nbuffers; i++) {
        if (p->data[i])
            f.other[i] = xzalloc(plan_buffer_bytes(&p->s.plan, i));
    }
    for (uint64_t i = 0; i < f.of.count; i++) {
        f.of.want[i] = f.of.want[i] != 0;
        f.of.got[i] = 0;
    }
    /* Of few different values one may be the same by chance: several seeds. */
    for (uint64_t seed = 1; seed <= 6 && f.of.count; seed++) {
        make_inputs(p, p->data, p->x->verify->seed);
        make_inputs(p, f.other, p->x->verify->seed + seed);
        f.usual = look(p);
        search_influence(p, &f, 0, f.of.count);
        if (dtype_is_float(buffer_of(p, b)->dtype))
            break;
    }
    if (!p->broken)
        told = tell_exchange(p, &f.of, "depends on");
    if (!p->broken && !told) {
        told |= tell_sort(p, &f.of, left_out, "left-out", "does not depend on", "");
        told |= tell_sort(p, &f.of, extra, "extra", "depends on", ", which does not belong to it");
    }
    for (int i = 0; i < LAB_MAX_BUFFERS; i++)
        free(f.other[i]);
    probed_close(&f.of);
    return told;
}

/* What the lab's reference makes of the inputs, and how far off a result may be. */
static double reference(const struct probe *p, double *tolerance)
{
    const struct plan *plan = &p->s.plan;
    void *expected[LAB_MAX_BUFFERS] = {NULL};
    const void *inputs[LAB_MAX_BUFFERS];
    double *bounds[LAB_MAX_BUFFERS] = {NULL}, *made;

    for (int b = 0; b < plan->nbuffers; b++) {
        inputs[b] = p->data[b];
        if (plan->buffers[b].role == BUF_OUTPUT)
            expected[b] = xzalloc(plan_buffer_bytes(plan, b));
    }
    made = bounds[p->out] = xcalloc(plan->buffers[p->out].count, sizeof(double));
    p->lab->reference(plan, p->x->variant, &p->s.input, inputs, expected, bounds);
    double want = dtype_get(plan->buffers[p->out].dtype, expected[p->out], p->o);
    *tolerance = bounds[p->out] ? bounds[p->out][p->o] : 0;
    free(made);
    for (int b = 0; b < plan->nbuffers; b++)
        free(expected[b]);
    return want;
}

/* One input element is `value`, the other floats are one: is the output right? */
static bool example(struct probe *p, const struct lab_factor *at, double value)
{
    double tolerance;

    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        if (p->data[b] && dtype_is_float(buffer_of(p, b)->dtype))
            fill(p, b, 1);
    }
    put(p, at->buffer, at->index, value);
    double want = reference(p, &tolerance), got = look(p);
    if (p->broken || fabs(got - want) <= tolerance)
        return false;
    char *name = output_name(p), *element = element_name(p, at->buffer, at->index);
    if (value == 1)
        diagnosis_add(p->d, "function", "with all numbers 1, %s is %.10g instead of %.10g", name,
                      got, want);
    else
        diagnosis_add(p->d, value == 3 ? "function" : "precision",
                      "with %s = %.10g and the other numbers 1, %s is %.10g instead of %.10g",
                      element, value, name, got, want);
    free(name);
    free(element);
    return true;
}

/* The simplest inputs that come out wrong. */
static bool probe_examples(struct probe *p)
{
    static const double values[] = {1, 3, 0.5, 1 + 0x1p-12, 1 + 0x1p-20};
    struct lab_term t;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        for (uint64_t k = 0; k < MOST_PAIRS && term(p, k, &t); k++) {
            if (dtype_is_float(buffer_of(p, t.factor[0].buffer)->dtype) &&
                example(p, &t.factor[0], values[i]))
                return true;
        }
    }
    return false;
}

/* The lab knows what else its function can come to. */
static bool probe_recognised(struct probe *p)
{
    const void *inputs[LAB_MAX_BUFFERS] = {NULL};
    char words[300] = "";

    if (!p->lab->recognise)
        return false;
    make_inputs(p, p->data, p->x->verify->seed);
    look(p);
    for (int b = 0; b < p->s.plan.nbuffers; b++)
        inputs[b] = p->data[b];
    bool told =
        !p->broken && p->lab->recognise(&p->s.plan, p->x->variant, &p->s.input, inputs,
                                        p->s.outputs.data[p->out], p->o, words, sizeof(words));
    if (told) {
        char *name = output_name(p);

        diagnosis_add(p->d, "function", "%s is %s", name, words);
        free(name);
    }
    return told;
}

static bool probe_otherwise(struct probe *p)
{
    bool told = false;

    for (int b = 0; b < p->s.plan.nbuffers; b++) {
        if (p->data[b] && buffer_of(p, b)->count <= MOST_ELEMENTS)
            told |= probe_influence(p, b);
    }
    return told || probe_recognised(p) || (!p->broken && probe_examples(p));
}
