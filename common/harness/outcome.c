/* outcome.c - what the elements of a wrong output have in common with those that belong there
 * (diagnosing.h): an order, a type, a distance or a factor.
 */
#include "base/alloc.h"
#include "diagnosing.h"
#include "finding.h"
#include "lab/dataset.h"
#include "lab/dtype.h"
#include "lab/indices.h"
#include "lab/plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3, PLACES = 16, SEVERAL = 8 }; /* elements that are alike are no chance */
#define A_FACTOR 1e-3 /* so far from 1: less is rounding, and would be printed as 1 */

/* What is expected of the first output that is wrong, and came. */
struct outcome {
    struct sample r;
    int out;      /* -1: nothing came, or nothing is wrong */
    uint64_t row; /* its elements a row; 0: it has one dimension */
    void *expected[LAB_MAX_BUFFERS];
    double *tolerance[LAB_MAX_BUFFERS];
};

static void expect(struct search *s, struct outcome *o)
{
    const struct lab *lab = s->x->verify->lab;
    const struct plan *p = &o->r.plan;
    const void *inputs[LAB_MAX_BUFFERS];
    double *bounds[LAB_MAX_BUFFERS];
    struct dataset d = {0};

    dataset_make(&d, lab, p, &o->r.input, s->x->verify->seed);
    for (int b = 0; b < p->nbuffers; b++) {
        inputs[b] = d.data[b];
        if (p->buffers[b].role != BUF_OUTPUT)
            continue;
        o->expected[b] = xzalloc(plan_buffer_bytes(p, b));
        o->tolerance[b] = xcalloc(p->buffers[b].count, sizeof(double));
    }
    memcpy(bounds, o->tolerance, sizeof(bounds)); /* NULL there: exact */
    lab->reference(p, s->x->variant, &o->r.input, inputs, o->expected, bounds);
    dataset_free(&d);
}

static bool outcome_of(struct search *s, const struct lab_case *c, struct outcome *o)
{
    *o = (struct outcome){.out = -1};
    experiment_run(s->x, c, s->x->verify->seed, false, &o->r);
    if (o->r.outputs.stage != STAGE_DONE || !o->r.result.noutputs)
        return false;
    o->out = o->r.result.outputs[0].buffer;
    if (s->x->verify->lab->row)
        o->row = s->x->verify->lab->row(&o->r.plan, &o->r.input, o->out);
    expect(s, o);
    return true;
}

static void outcome_free(struct outcome *o)
{
    for (int b = 0; b < LAB_MAX_BUFFERS; b++) {
        free(o->expected[b]);
        free(o->tolerance[b]);
    }
    sample_free(&o->r);
}

static const struct lab_buffer *output_of(const struct outcome *o)
{
    return &o->r.plan.buffers[o->out];
}

static double wanted(const struct outcome *o, uint64_t i)
{
    return dtype_get(output_of(o)->dtype, o->expected[o->out], i);
}

static double came(const struct outcome *o, uint64_t i)
{
    return dtype_get(output_of(o)->dtype, o->r.outputs.data[o->out], i);
}

/* Element `at` is what belongs to element i. */
static bool holds(const struct outcome *o, uint64_t at, uint64_t i)
{
    size_t size = dtype_size(output_of(o)->dtype);
    const char *want = o->expected[o->out], *got = o->r.outputs.data[o->out];

    return !memcmp(want + i * size, got + at * size, size) ||
           (isnan(came(o, at)) && isnan(wanted(o, i))) ||
           fabs(came(o, at) - wanted(o, i)) <= o->tolerance[o->out][i];
}

/* Elements that are NaN, and should not. */
static uint64_t nans(const struct outcome *o, const struct sample *r)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < output_of(o)->count; i++)
        n += !isnan(wanted(o, i)) &&
             isnan(dtype_get(output_of(o)->dtype, r->outputs.data[o->out], i));
    return n;
}

/* Of what is loaded: with 0 in the place of each NaN that is made of numbers none comes, so the
 * first is where they begin. */
static bool goes_with_zeros(struct search *s, const struct lab_case *c, const struct outcome *o,
                            struct text *t)
{
    struct sample r;

    s->x->disturb = 1u << DISTURB_nan;
    experiment_run(s->x, c, s->x->verify->seed, true, &r);
    s->x->disturb = 0;
    bool told = r.outputs.stage == STAGE_DONE && !nans(o, &r) &&
                findings_put_nan(t, r.outputs.findings, s->path);
    sample_free(&r);
    return told;
}

/* What good code does before a loop, or once for several, has no line of its own there, and goes by
 * that of what is before it: so it is looked for in code that is quickly compiled. */
bool by_nan(struct search *s, const struct lab_case *c)
{
    struct experiment *x = s->x;
    struct outcome o;
    struct text t = {0};
    bool told = outcome_of(s, c, &o) && nans(&o, &o.r);

    if (told && x->replace && x->source) {
        told = edits_replace(s, x->source, NULL) && goes_with_zeros(s, c, &o, &t);
        experiment_fresh(x);
    } else if (told) {
        told = goes_with_zeros(s, c, &o, &t);
    }
    if (told)
        text_add(&s->d->words, t.s);
    text_free(&t);
    outcome_free(&o);
    return told;
}

static bool is_transposed(const struct outcome *o, uint64_t rows, uint64_t columns)
{
    for (uint64_t i = 0; i < rows * columns; i++) {
        if (!holds(o, i % columns * rows + i / columns, i))
            return false;
    }
    return true;
}

/* Of a square: each tile is right inside, and stands in its mirror image's place. */
static bool is_tiles_exchanged(const struct outcome *o, uint64_t side, uint64_t tile)
{
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < side * side; i++) {
        uint64_t row = i / side, column = i % side;
        uint64_t at =
            (column / tile * tile + row % tile) * side + row / tile * tile + column % tile;

        if (at >= side * side || row / tile * tile + column % tile >= side)
            continue; /* a tile that is cut off */
        if (!holds(o, at, i))
            return false;
        wrong += !holds(o, i, i);
    }
    return wrong;
}

static bool by_tiles(struct search *s, const struct lab_case *c, const struct outcome *o)
{
    const struct lab_buffer *out = output_of(o);

    if (c->n != c->m || c->n * c->m != out->count)
        return false;
    for (uint64_t tile = 8; tile <= 64 && 2 * tile <= c->n; tile *= 2) {
        if (!is_tiles_exchanged(o, c->n, tile))
            continue;
        diagnosis_add(
            s->d, "transposed",
            "tiles of %" PRIu64 " x %" PRIu64
            " of %s are right inside, and stand where others belong: what belongs to rows "
            "0 to %" PRIu64 " from column %" PRIu64 " on is in rows from %" PRIu64
            " on, columns 0 to %" PRIu64
            ": are blockIdx.x and blockIdx.y (or what is made of them) in each other's "
            "place where it is stored, or read?",
            tile, tile, out->name, tile - 1, tile, tile, tile - 1);
        return true;
    }
    return false;
}

/* All are there, with rows for columns. */
bool by_transposed(struct search *s, const struct lab_case *c)
{
    const uint64_t extents[] = {c->n, c->m, c->k};
    struct outcome o;
    bool told = false;

    if (!outcome_of(s, c, &o)) {
        outcome_free(&o);
        return false;
    }
    const struct lab_buffer *out = &o.r.plan.buffers[o.out];
    for (int i = 0; i < 9 && !told; i++) {
        uint64_t rows = extents[i / 3], columns = extents[i % 3];

        told = rows > 1 && columns > 1 && rows * columns == out->count &&
               is_transposed(&o, rows, columns);
        if (told)
            diagnosis_add(s->d, "transposed",
                          "%s has all elements, rows for columns: what belongs at r * %" PRIu64
                          " + i is at i * %" PRIu64 " + r",
                          out->name, columns, rows);
    }
    told = told || by_tiles(s, c, &o);
    outcome_free(&o);
    return told;
}

typedef bool alike(const struct outcome *o, struct text *t);

/* Looks at the first output that is wrong; t: what is said of it. */
static bool by_outcome(struct search *s, const struct lab_case *c, alike *look, const char *cause)
{
    struct outcome o;
    struct text t = {0};
    bool told = outcome_of(s, c, &o) && look(&o, &t);

    if (told)
        diagnosis_add(s->d, cause, "%s", t.s);
    text_free(&t);
    outcome_free(&o);
    return told;
}

/* A float's place holds an int's bits, which are next to nothing as a float, or the other way
 * round. */
static bool is_stored_otherwise(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    bool ints = out->dtype == DT_F32, so = ints || out->dtype == DT_I32 || out->dtype == DT_U32;
    uint64_t told = 0;

    for (uint64_t i = 0; i < out->count && so; i++) {
        const void *bits = (const char *)o->r.outputs.data[o->out] + 4 * i;
        double want = wanted(o, i), as = dtype_get(ints ? DT_I32 : DT_F32, bits, 0);

        so = ints ? as == trunc(want) || as == rint(want) : (float)want == as;
        told = as != 0 && !told ? i + 1 : told;
    }
    if (!so || out->count < 2 || !told)
        return false;
    text_addf(t, "%s holds the bits of %s: %s[%" PRIu64 "] is %.9g as %s, where %.9g belongs",
              out->name, ints ? "whole numbers" : "floats", out->name, told - 1,
              dtype_get(ints ? DT_I32 : DT_F32,
                        (const char *)o->r.outputs.data[o->out] + 4 * (told - 1), 0),
              ints ? "an int" : "a float", wanted(o, told - 1));
    return true;
}

/* Whole numbers all, of several values, where fractions belong. Large floats have none anyway. */
static bool is_whole(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    uint64_t small = 0, cut = 0, differ = 0, at = 0;

    for (uint64_t i = 0; i < out->count; i++) {
        double got = came(o, i), want = wanted(o, i);

        if (!dtype_is_float(out->dtype) || !(fabs(got) <= 1e6))
            continue;
        if (got != rint(got))
            return false;
        at = cut ? at : i;
        small++;
        cut += want != rint(want);
        differ += got != came(o, at);
    }
    if (cut < SEVERAL || 2 * small < out->count || 2 * cut < small || !differ)
        return false;
    text_addf(t,
              "all elements of %s are whole numbers, as %s[%" PRIu64
              "], %.9g where %.9g belongs: is something kept in an int on the way?",
              out->name, out->name, at, came(o, at), wanted(o, at));
    return true;
}

bool by_storage(struct search *s, const struct lab_case *c)
{
    return by_outcome(s, c, is_stored_otherwise, "type") || by_outcome(s, c, is_whole, "type");
}

/* 64-bit results that are off by whole multiples of 2^32: to the last of 32 bits they are right. */
static bool is_short(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    const int64_t *want = o->expected[o->out], *got = o->r.outputs.data[o->out];
    uint64_t wrong = 0, first = 0;

    for (uint64_t i = 0; i < out->count && out->dtype == DT_I64; i++) {
        if (want[i] == got[i])
            continue;
        if ((uint32_t)want[i] != (uint32_t)got[i])
            return false;
        first = wrong++ ? first : i;
    }
    if (!wrong)
        return false;
    text_addf(t,
              "%s[%" PRIu64 "] is off by %lld times 2^32, its lower 32 bits are right: is there a "
              "sum or product of 32 bits on the way, or a number below 0 read as unsigned?",
              out->name, first,
              (long long)((int64_t)((uint64_t)got[first] - (uint64_t)want[first]) >> 32));
    return true;
}

/* 32-bit results of which so many bits are right, and the rest 0 or the last one's copies. */
static bool is_cut_to(const struct outcome *o, int bits, uint64_t *first)
{
    const struct lab_buffer *out = output_of(o);
    const uint32_t *want = o->expected[o->out], *got = o->r.outputs.data[o->out];
    uint32_t mask = (1u << bits) - 1, sign = 1u << (bits - 1);
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < out->count; i++) {
        uint32_t low = want[i] & mask;

        if (want[i] == got[i])
            continue;
        if (got[i] != low && got[i] != ((low ^ sign) - sign))
            return false;
        *first = wrong ? *first : i;
        wrong += low != 0; /* a 0 says nothing */
    }
    return wrong >= 2;
}

static bool is_narrow(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    uint64_t first = 0;

    if (out->dtype != DT_I32 && out->dtype != DT_U32)
        return false;
    for (int bits = 8; bits <= 16; bits += 8) {
        if (!is_cut_to(o, bits, &first))
            continue;
        text_addf(t,
                  "of %s[%" PRIu64 "] the lower %d bits are right, as of all that are wrong, and "
                  "more get lost: is a type of %d bits on the way?",
                  out->name, first, bits, bits);
        return true;
    }
    return false;
}

/* Large whole numbers of which no more than a float's 24 bits are right: several, and not all off
 * by as much, as they are to which something is added. */
static bool is_rounded(const struct outcome *o, struct text *t)
{
    const double bits = 1.0 / (1 << 20); /* of some steps of floats */
    const struct lab_buffer *out = output_of(o);
    double first = 0;
    uint64_t wrong = 0, unlike = 0;

    for (uint64_t i = 0; i < out->count && !dtype_is_float(out->dtype); i++) {
        double off = came(o, i) - wanted(o, i);

        if (holds(o, i, i))
            continue;
        if (!(fabs(off) <= bits * fabs(wanted(o, i))))
            return false;
        first = wrong++ ? first : off;
        unlike += off != first;
    }
    if (!unlike)
        return false;
    text_addf(t,
              "%" PRIu64 " of %" PRIu64
              " elements of %s are wrong, and none by more than a millionth "
              "of what it should be: a float has no more digits than that; is one on the way?",
              wrong, out->count, out->name);
    return true;
}

bool by_width(struct search *s, const struct lab_case *c)
{
    return by_outcome(s, c, is_short, "type") || by_outcome(s, c, is_narrow, "type") ||
           by_outcome(s, c, is_rounded, "type");
}

/* ---- in another's place ---- */

/* exchanged: and those that are in their places are wrong, too. */
static bool is_displaced(const struct outcome *o, uint64_t differs, int64_t by, bool exchanged)
{
    const struct lab_buffer *out = output_of(o);
    uint64_t wrong = 0, other = 0;

    for (uint64_t i = 0; i < out->count; i++) {
        uint64_t from = (i ^ differs) + (uint64_t)by;

        if (holds(o, i, i))
            continue;
        if (from >= out->count || !holds(o, i, from) || (exchanged && holds(o, from, from)))
            return false;
        wrong++;
        other += wanted(o, from) != wanted(o, 0);
    }
    return wrong >= 4 && 2 * other > wrong; /* values that are all alike say nothing */
}

/* All that are wrong are right elsewhere, as far away each: neighbours, or pairs, exchanged. */
static bool is_elsewhere(const struct outcome *o, struct text *t)
{
    const char *name = output_of(o)->name;

    for (int64_t by = 1; by <= 1024; by *= 2) {
        if (is_displaced(o, (uint64_t)by, 0, true)) {
            text_addf(t,
                      "elements of %s are in each other's place, those whose numbers differ by "
                      "%" PRId64 ": %s[0] holds what belongs to %s[%" PRId64 "]",
                      name, by, name, name, by);
            return true;
        }
    }
    for (int64_t by = 1; by <= 1024; by++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            if (!is_displaced(o, 0, sign * by, false))
                continue;
            text_addf(t, "all that are wrong in %s hold what belongs %" PRId64 " element%s %s",
                      name, by, by == 1 ? "" : "s", sign < 0 ? "before" : "behind");
            return true;
        }
    }
    return false;
}

/* Some elements that are wrong, and whose values they have, on the inputs of several seeds. */
struct places {
    uint64_t at[PLACES];
    bool *may[PLACES]; /* by element: so it was with each seed */
    int n;
};

/* Spread over all of them. */
static void choose_places(const struct outcome *o, struct places *p)
{
    uint64_t count = output_of(o)->count, wrong = 0, seen = 0;

    for (uint64_t i = 0; i < count; i++)
        wrong += !holds(o, i, i);
    for (uint64_t i = 0; i < count && p->n < PLACES; i++) {
        if (holds(o, i, i) || seen++ < (uint64_t)p->n * wrong / PLACES)
            continue;
        p->at[p->n] = i;
        p->may[p->n] = xcalloc(count, sizeof(bool));
        memset(p->may[p->n++], true, count);
    }
}

static void keep_those(const struct outcome *o, struct places *p)
{
    for (int k = 0; k < p->n; k++) {
        for (uint64_t i = 0; i < output_of(o)->count; i++)
            p->may[k][i] &= holds(o, p->at[k], i);
    }
}

/* UINT64_MAX: nobody's, or of several it is not known. */
static uint64_t whose(const struct outcome *o, const struct places *p, int k)
{
    uint64_t found = UINT64_MAX;

    for (uint64_t i = 0; i < output_of(o)->count; i++) {
        if (p->may[k][i] && found != UINT64_MAX)
            return UINT64_MAX;
        found = p->may[k][i] ? i : found;
    }
    return found;
}

/* Of another row and another column, where that is not, either. */
static bool is_astray(const struct outcome *o, const struct places *p, int k)
{
    uint64_t at = p->at[k], of = whose(o, p, k);

    return of != UINT64_MAX && of / o->row != at / o->row && of % o->row != at % o->row &&
           !holds(o, of, of);
}

static void put_astray(struct search *s, const struct outcome *o, const struct places *p)
{
    const struct lab_buffer *out = output_of(o);
    uint64_t of = whose(o, p, 0);
    struct text t = {0};
    int n = 0;

    for (int k = 0; k < p->n; k++)
        n += is_astray(o, p, k);
    if (p->n < SEVERAL || 4 * n < 3 * p->n || !is_astray(o, p, 0))
        return;
    indices_put(&t, out->name, &p->at[0], 1, out->count, o->row);
    text_add(&t, " holds what belongs to ");
    indices_put(&t, out->name, &of, 1, out->count, o->row);
    diagnosis_add(
        s->d, "wrong-element",
        "%s; so do others, %d of %d that were looked at: are right values stored in wrong "
        "places?",
        t.s, n, p->n);
    text_free(&t);
}

/* A matrix, in which what is wrong is made of another row and another column than it should: there
 * it is another element, and of which elements of the inputs it is made, says less. */
bool by_astray(struct search *s, const struct lab_case *c)
{
    struct experiment *x = s->x;
    struct verify of_seed = *x->verify;
    struct verify *own = x->verify;
    struct places p = {.n = 0};
    struct outcome o;
    bool some = outcome_of(s, c, &o) && o.row > 1;

    if (some)
        choose_places(&o, &p);
    for (int k = 0; k < SEEDS && some; k++) {
        struct outcome again;

        of_seed.seed = own->seed + (uint64_t)k;
        x->verify = &of_seed;
        some = outcome_of(s, c, &again);
        if (some)
            keep_those(&again, &p);
        outcome_free(&again);
    }
    x->verify = own;
    if (some)
        put_astray(s, &o, &p);
    for (int k = 0; k < p.n; k++)
        free(p.may[k]);
    outcome_free(&o);
    return s->d->cause;
}

/* From the first that is wrong on, all are what is before, again; or all are alike. */
static bool is_repeated(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    uint64_t first = 0, wrong = 0, differ = 0, other = 0;

    while (first < out->count && holds(o, first, first))
        first++;
    for (uint64_t i = first; first && i < out->count; i++) {
        wrong += !holds(o, i, i);
        differ += wanted(o, i) != wanted(o, 0);
        other += came(o, i) != came(o, 0);
        if (came(o, i) != came(o, i - first))
            return false;
    }
    if (wrong < SEVERAL || differ < SEVERAL)
        return false;
    if (!other)
        text_addf(t,
                  "all %" PRIu64 " elements of %s are %.9g, as %s[0] is: its own number does not "
                  "come into an element",
                  out->count, out->name, came(o, 0), out->name);
    else
        text_addf(t, "from %s[%" PRIu64 "] on %s has again what %s[0] to %s[%" PRIu64 "] hold",
                  out->name, first, out->name, out->name, out->name, first - 1);
    return true;
}

bool by_place(struct search *s, const struct lab_case *c)
{
    return by_outcome(s, c, is_repeated, "repeats") || by_outcome(s, c, is_elsewhere, "displaced");
}

/* ", of column 1 of each row of 2": where those that are wrong are of one column. */
static void put_column(struct text *t, const struct outcome *o)
{
    uint64_t column = UINT64_MAX;

    for (uint64_t i = 0; i < output_of(o)->count && o->row > 1; i++) {
        if (holds(o, i, i))
            continue;
        if (column != UINT64_MAX && i % o->row != column)
            return;
        column = i % o->row;
    }
    if (column != UINT64_MAX)
        text_addf(t, " (in rows of %" PRIu64 ", all of them of column %" PRIu64 ")", o->row,
                  column);
}

/* Those that are wrong, and several, are off by the same number, or so many times what they should
 * be. */
static bool is_alike(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    uint64_t wrong = 0, most = 0, differ = 0;
    bool off = !dtype_is_float(out->dtype), times = true;

    for (uint64_t i = 0; i < out->count; i++) {
        if (!holds(o, i, i) && (!wrong++ || fabs(wanted(o, i)) > fabs(wanted(o, most))))
            most = i;
    }
    double distance = came(o, most) - wanted(o, most), factor = came(o, most) / wanted(o, most);
    times = fabs(factor - 1) >= A_FACTOR;
    for (uint64_t i = 0; i < out->count; i++) {
        double is = factor * wanted(o, i), bound = 2 * fabs(factor) * o->tolerance[o->out][i];

        if (holds(o, i, i))
            continue;
        off &= came(o, i) - wanted(o, i) == distance;
        times &= fabs(came(o, i) - is) <= bound + 1e-6 * fabs(is);
        differ += wanted(o, i) != wanted(o, most);
    }
    if (wrong < SEVERAL || differ < SEVERAL / 2 || (!off && !(times && isfinite(factor) && factor)))
        return false;
    text_addf(t, "%" PRIu64 " of %" PRIu64 " elements of %s, all that are wrong, are ", wrong,
              out->count, out->name);
    if (off)
        text_addf(t, "%.9g %s than they should be", fabs(distance), distance > 0 ? "more" : "less");
    else
        text_addf(t, "%.4g times what they should be", factor);
    put_column(t, o);
    return true;
}

/* All of it is off by the same number, or is so many times what it should be. */
static bool is_off(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    bool whole = !dtype_is_float(out->dtype), differ = false, off = true, times = true;
    uint64_t most = 0;

    for (uint64_t i = 0; i < out->count; i++) {
        differ |= wanted(o, i) != wanted(o, 0);
        if (fabs(wanted(o, i)) > fabs(wanted(o, most)))
            most = i;
    }
    double distance = came(o, 0) - wanted(o, 0), factor = came(o, most) / wanted(o, most);
    for (uint64_t i = 0; i < out->count; i++) {
        double want = wanted(o, i), got = came(o, i);

        off &= whole && got - want == distance;
        times &= fabs(got - factor * want) <= (whole ? 0 : 1e-6 * fabs(factor * want));
    }
    if (!differ || out->count < SEVERAL || !isfinite(factor) || factor == 0)
        return false;
    if (off && distance != 0)
        text_addf(t, "all of %s is %.9g %s than it should be", out->name, fabs(distance),
                  distance > 0 ? "more" : "less");
    else if (times && fabs(factor - 1) >= A_FACTOR)
        text_addf(t, "all of %s is %.6g times what it should be", out->name, factor);
    return t->length;
}

bool by_distance(struct search *s, const struct lab_case *c)
{
    return by_outcome(s, c, is_off, "function") || by_outcome(s, c, is_alike, "function");
}

static uint64_t bits_of(const struct outcome *o, const void *data, uint64_t i)
{
    size_t size = dtype_size(output_of(o)->dtype);
    uint64_t bits = 0;

    memcpy(&bits, (const char *)data + i * size, size);
    return bits;
}

enum { CHANCES = 16 /* elements in which a bit is right by chance: 1 of 2^16 */, FEW_BITS = 4 };

/* Which bits are wrong, where it is not all of them. */
static bool is_of_bits(const struct outcome *o, struct text *t)
{
    const struct lab_buffer *out = output_of(o);
    uint64_t mask = UINT64_MAX >> (64 - 8 * dtype_size(out->dtype)), any = 0, all = mask, wrong = 0,
             ones = 0, zeros = 0;

    for (uint64_t i = 0; i < out->count; i++) {
        uint64_t want = bits_of(o, o->expected[o->out], i),
                 off = want ^ bits_of(o, o->r.outputs.data[o->out], i);

        any |= off;
        all &= off ? off : mask;
        ones |= off ? want : 0;
        zeros |= off ? ~want : 0;
        wrong += off != 0;
    }
    /* A bit that is the same in all results says nothing. */
    int right = __builtin_popcountll(ones & zeros & mask & ~any);
    if (wrong < CHANCES || (right < FEW_BITS && any != all))
        return false;
    if (any == all)
        text_addf(t,
                  "all %" PRIu64 " elements of %s that are wrong differ in the same bits from what "
                  "they should be: 0x%" PRIx64,
                  wrong, out->name, any);
    else
        text_addf(t,
                  "in all %" PRIu64 " elements of %s that are wrong the bits 0x%" PRIx64
                  " are right, and each of the others, 0x%" PRIx64 ", is wrong in some",
                  wrong, out->name, mask & ~any, any);
    return true;
}

bool by_bits(struct search *s, const struct lab_case *c)
{
    struct outcome o;
    struct text t = {0};
    bool told = outcome_of(s, c, &o) && !dtype_is_float(output_of(&o)->dtype) && is_of_bits(&o, &t);

    if (told)
        diagnosis_add(s->d, "function", "%s", t.s);
    text_free(&t);
    outcome_free(&o);
    return told;
}

/* Of the first number in brackets that the program has said: its digits. */
static void put_named(struct text *t, const struct outcome *o)
{
    const char *said = o->r.outputs.said ? o->r.outputs.said : "", *open = strchr(said, '[');
    char *end = NULL;
    uint64_t i = open && isdigit((unsigned char)open[1]) ? strtoull(open + 1, &end, 10) : 0;

    if (end && *end == ']' && i < output_of(o)->count)
        text_addf(t, "; %s[%" PRIu64 "] is %.9g, and %.9g is expected", output_of(o)->name, i,
                  came(o, i), wanted(o, i));
}

void by_own_check(struct search *s, const struct lab_case *c)
{
    struct outcome o = {0};
    struct text t = {0};

    experiment_run(s->x, c, s->x->verify->seed, false, &o.r);
    while (o.out < o.r.plan.nbuffers && output_of(&o)->role != BUF_OUTPUT)
        o.out++;
    if (o.r.outputs.stage == STAGE_DONE && o.out < o.r.plan.nbuffers) {
        expect(s, &o);
        put_named(&t, &o);
    }
    const char *said = o.r.outputs.said ? o.r.outputs.said : "";
    diagnosis_add(s->d, "compared", "its result is right, within what rounding may do%s. %s",
                  text_str(&t),
                  said[strspn(said, " \r\n")]
                      ? "Does its own comparison ask too much, as where numbers of opposite signs "
                        "nearly cancel, or compare with something else?"
                      : "Does main() return something else than 0 where all is right?");
    text_free(&t);
    outcome_free(&o);
}
