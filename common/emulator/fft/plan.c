/* plan.c - carries a plan out: batch by batch, rows into doubles, along each dimension, and back.
 *
 * A transform from real numbers keeps the half of the last dimension that says all; one to real
 * numbers makes the other half from it, after the other dimensions, and takes no notice of the
 * imaginary part of what has no partner.
 *
 * Not modelled: that a GPU adds up in another order, and in single precision: results here are
 * those of doubles, rounded once. That a transform from complex to real may overwrite its input.
 */
#include "plan.h"
#include "base/alloc.h"
#include <stdlib.h>

bool type_is_real(cufftType t)
{
    return t != CUFFT_C2C && t != CUFFT_Z2Z;
}

bool type_is_double(cufftType t)
{
    return t == CUFFT_Z2Z || t == CUFFT_D2Z || t == CUFFT_Z2D;
}

bool type_is_known(cufftType t)
{
    return t == CUFFT_C2C || t == CUFFT_R2C || t == CUFFT_C2R || type_is_double(t);
}

static bool to_real(cufftType t)
{
    return t == CUFFT_C2R || t == CUFFT_Z2D;
}

static bool from_real(cufftType t)
{
    return t == CUFFT_R2C || t == CUFFT_D2Z;
}

/* ---- rows ---- */

/* One side of a plan at work. */
struct side {
    struct layout layout;
    char *data;
    size_t part, parts; /* bytes of a real number; 1 or 2 of them an element */
    cufft_long length;  /* elements of a row */
};

static struct side side_of(const struct plan *p, bool output, void *data, bool in_place)
{
    bool real = output ? to_real(p->type) : from_real(p->type);
    cufft_long n = p->n[2], half = n / 2 + 1;
    struct side s = {.layout = output ? p->out : p->in,
                     .data = data,
                     .part = type_is_double(p->type) ? sizeof(double) : sizeof(float),
                     .parts = real ? 1 : 2,
                     .length = real || !type_is_real(p->type) ? n : half};

    if (p->advanced)
        return s;
    cufft_long row = real && in_place ? 2 * half : s.length;
    s.layout = (struct layout){{p->n[0], p->n[1], row}, 1, p->n[0] * p->n[1] * row};
    return s;
}

static char *row_at(const struct side *s, cufft_long batch, cufft_long x, cufft_long y)
{
    const struct layout *l = &s->layout;
    cufft_long element = batch * l->dist + (x * l->embed[1] + y) * l->embed[2] * l->stride;

    return s->data + element * (cufft_long)(s->part * s->parts);
}

/* Where parts of a row lie: k is an element, side by side or apart. */
static size_t pieces(const struct side *s)
{
    return s->layout.stride == 1 ? 1 : (size_t)s->length;
}

static double get(const struct side *s, const void *raw, size_t i)
{
    return s->part == sizeof(float) ? ((const float *)raw)[i] : ((const double *)raw)[i];
}

static void put(const struct side *s, void *raw, size_t i, double value)
{
    if (s->part == sizeof(float))
        ((float *)raw)[i] = (float)value;
    else
        ((double *)raw)[i] = value;
}

static bool read_row(struct warplab_step *step, const struct side *s, const char *from, void *raw,
                     struct cx *x)
{
    size_t n = pieces(s), element = s->part * s->parts, bytes = element * (size_t)s->length / n;

    for (size_t k = 0; k < n; k++)
        if (!warplab_step_read(step, (char *)raw + k * bytes,
                               from + (cufft_long)(k * element) * s->layout.stride, bytes, element))
            return false;
    for (size_t i = 0; i < (size_t)s->length; i++)
        x[i] = (struct cx){get(s, raw, s->parts * i),
                           s->parts == 2 ? get(s, raw, s->parts * i + 1) : 0};
    return true;
}

static bool write_row(struct warplab_step *step, const struct side *s, char *to, void *raw,
                      const struct cx *x)
{
    size_t n = pieces(s), element = s->part * s->parts, bytes = element * (size_t)s->length / n;

    for (size_t i = 0; i < (size_t)s->length; i++) {
        put(s, raw, s->parts * i, x[i].re);
        if (s->parts == 2)
            put(s, raw, s->parts * i + 1, x[i].im);
    }
    for (size_t k = 0; k < n; k++)
        if (!warplab_step_write(step, to + (cufft_long)(k * element) * s->layout.stride,
                                (char *)raw + k * bytes, bytes, element))
            return false;
    return true;
}

/* ---- a batch ---- */

struct work {
    const struct plan *p;
    bool inverse;
    cufft_long rows, row; /* of the numbers in x: n[0] n[1] rows of so many */
    struct cx *x, *room;
    void *raw;
};

/* Along the first dimensions: each row a set of columns. */
static void transform_outer(const struct work *w)
{
    const struct plan *p = w->p;
    size_t row = (size_t)w->row, plane = (size_t)p->n[1] * row;

    for (cufft_long i = 0; i < p->n[0]; i++)
        transform_run(p->along[1], w->x + (size_t)i * plane, row, w->inverse, w->room);
    transform_run(p->along[0], w->x, plane, w->inverse, w->room);
}

static void transform_rows(const struct work *w)
{
    for (cufft_long i = 0; i < w->rows; i++)
        transform_run(w->p->along[2], w->x + i * w->row, 1, w->inverse, w->room);
}

/* Rows of n keep their first half. */
static void keep_half(struct work *w, cufft_long half)
{
    for (cufft_long i = 0; i < w->rows; i++)
        for (cufft_long k = 0; k < half; k++)
            w->x[i * half + k] = w->x[i * w->row + k];
    w->row = half;
}

/* Rows of a half become whole, from the last on: they grow. */
static void make_whole(struct work *w, cufft_long n)
{
    for (cufft_long i = w->rows - 1; i >= 0; i--) {
        struct cx *x = w->x + i * n;

        for (cufft_long k = w->row - 1; k >= 0; k--)
            x[k] = w->x[i * w->row + k];
        x[0].im = 0;
        if (n % 2 == 0)
            x[n / 2].im = 0;
        for (cufft_long k = n / 2 + 1; k < n; k++)
            x[k] = (struct cx){x[n - k].re, -x[n - k].im};
    }
    w->row = n;
}

static void transform_all(struct work *w)
{
    const struct plan *p = w->p;

    if (to_real(p->type)) {
        transform_outer(w);
        make_whole(w, p->n[2]);
        transform_rows(w);
        return;
    }
    transform_rows(w);
    if (from_real(p->type))
        keep_half(w, p->n[2] / 2 + 1);
    transform_outer(w);
}

static bool run_batch(struct work w, struct warplab_step *step, const struct side *in,
                      const struct side *out, cufft_long batch)
{
    cufft_long n1 = w.p->n[1];

    w.row = in->length;
    for (cufft_long i = 0; i < w.rows; i++)
        if (!read_row(step, in, row_at(in, batch, i / n1, i % n1), w.raw, w.x + i * w.row))
            return false;
    transform_all(&w);
    for (cufft_long i = 0; i < w.rows; i++)
        if (!write_row(step, out, row_at(out, batch, i / n1, i % n1), w.raw, w.x + i * w.row))
            return false;
    return true;
}

bool plan_run(const struct plan *p, struct warplab_step *step, void *in, void *out, bool inverse)
{
    struct side from = side_of(p, false, in, in == out), to = side_of(p, true, out, in == out);
    cufft_long rows = p->n[0] * p->n[1];
    size_t n = (size_t)(rows * (p->n[2] + 1)); /* half of 1 is 1, of 2 it is 2 */
    struct work w = {.p = p, .rows = rows, .x = xcalloc(2 * n, sizeof(*w.x))};
    bool good = true;

    w.room = w.x + n;
    w.raw = xcalloc((size_t)p->n[2] + 1, 2 * sizeof(double));
    w.inverse = inverse;
    for (cufft_long b = 0; good && b < p->batch; b++)
        good = run_batch(w, step, &from, &to, b);
    free(w.x);
    free(w.raw);
    return good;
}

/* A GPU does a dimension of up to some thousands in one kernel, in shared memory, and a longer one
 * in two. */
unsigned plan_passes(const struct plan *p)
{
    unsigned passes = 0;

    for (int d = 0; d < MOST_RANK; d++)
        passes += p->n[d] > 8192 ? 2 : p->n[d] > 1;
    return passes ? passes : 1;
}
