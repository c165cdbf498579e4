/* transform.c - Stockham's transform, and Bluestein's (transform.h). */
#include "transform.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RADIX   31
#define MOST_FACTORS 64 /* 2^64 has no more */

struct transform {
    size_t n;
    struct cx *root;              /* exp(-2 pi i k / n), k = 0 … n-1 */
    unsigned radix[MOST_FACTORS]; /* their product is n; none for Bluestein's */
    int nradix;
    struct transform *long_one; /* Bluestein: of a power of two, at least 2n - 1 */
    struct cx *chirp, *kernel;  /* exp(-pi i j^2 / n); the transform of what it is folded with */
};

static struct cx mul(struct cx a, struct cx b)
{
    return (struct cx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static struct cx add(struct cx a, struct cx b)
{
    return (struct cx){a.re + b.re, a.im + b.im};
}

static struct cx sub(struct cx a, struct cx b)
{
    return (struct cx){a.re - b.re, a.im - b.im};
}

/* exp(-2 pi i k / n) */
static struct cx root_of(size_t k, size_t n)
{
    double turn = -2 * M_PI * (double)(k % n) / (double)n;

    return (struct cx){cos(turn), sin(turn)};
}

/* ---- Stockham ---- */

/* A pass of radix r over sequences of `length`, n / length of which are done; columns lie side by
 * side. y[k] of each is the sum over j of x[j] exp(-2 pi i jk / r), then turned on for the next
 * pass. */
struct pass {
    const struct transform *t;
    const struct cx *x;
    struct cx *y;
    size_t length, columns; /* side by side: (n / length) x inner */
    unsigned r;
};

static void pass_2(const struct pass *p, size_t m, size_t turn)
{
    for (size_t i = 0; i < m; i++) {
        const struct cx w = p->t->root[i * turn], *a = p->x + i * p->columns,
                        *b = a + m * p->columns;
        struct cx *y = p->y + 2 * i * p->columns, *z = y + p->columns;

        for (size_t q = 0; q < p->columns; q++) {
            y[q] = add(a[q], b[q]);
            z[q] = mul(sub(a[q], b[q]), w);
        }
    }
}

static void pass_4(const struct pass *p, size_t m, size_t turn)
{
    const size_t c = p->columns;

    for (size_t i = 0; i < m; i++) {
        const struct cx w1 = p->t->root[i * turn], w2 = p->t->root[2 * i * turn],
                        w3 = p->t->root[3 * i * turn], *x = p->x + i * c;
        struct cx *y = p->y + 4 * i * c;

        for (size_t q = 0; q < c; q++) {
            struct cx a = x[q], b = x[q + m * c], d = x[q + 2 * m * c], e = x[q + 3 * m * c];
            struct cx even = add(a, d), odd = add(b, e), low = sub(a, d), high = sub(b, e);
            struct cx side = {high.im, -high.re}; /* -i times */

            y[q] = add(even, odd);
            y[q + c] = mul(add(low, side), w1);
            y[q + 2 * c] = mul(sub(even, odd), w2);
            y[q + 3 * c] = mul(sub(low, side), w3);
        }
    }
}

static void pass_any(const struct pass *p, size_t m, size_t turn)
{
    const size_t c = p->columns, n = p->t->n;

    for (size_t i = 0; i < m; i++)
        for (unsigned k = 0; k < p->r; k++)
            for (size_t q = 0; q < c; q++) {
                struct cx sum = p->x[q + i * c];

                for (unsigned j = 1; j < p->r; j++)
                    sum = add(
                        sum, mul(p->x[q + (i + j * m) * c], p->t->root[n / p->r * (j * k % p->r)]));
                p->y[q + (p->r * i + k) * c] = mul(sum, p->t->root[i * k * turn]);
            }
}

static void stockham(const struct transform *t, struct cx *x, size_t inner, struct cx *room)
{
    struct cx *from = x, *to = room;
    size_t length = t->n;

    for (int i = 0; i < t->nradix; i++) {
        size_t turn = t->n / length, m = length / t->radix[i];
        struct pass p = {t, from, to, length, turn * inner, t->radix[i]};

        (p.r == 2 ? pass_2 : p.r == 4 ? pass_4 : pass_any)(&p, m, turn);
        from = to;
        to = from == x ? room : x;
        length = m;
    }
    if (from != x)
        memcpy(x, from, t->n * inner * sizeof(*x));
}

/* ---- Bluestein: jk = (j^2 + k^2 - (k-j)^2) / 2 makes a convolution of it ---- */

static void bluestein_column(const struct transform *t, struct cx *x, size_t inner, struct cx *a,
                             struct cx *room)
{
    const size_t n = t->n, m = t->long_one->n;

    memset(a, 0, m * sizeof(*a));
    for (size_t j = 0; j < n; j++)
        a[j] = mul(x[j * inner], t->chirp[j]);
    transform_run(t->long_one, a, 1, false, room);
    for (size_t j = 0; j < m; j++)
        a[j] = mul(a[j], t->kernel[j]);
    transform_run(t->long_one, a, 1, true, room);
    for (size_t k = 0; k < n; k++) {
        struct cx v = mul(a[k], t->chirp[k]);

        x[k * inner] = (struct cx){v.re / (double)m, v.im / (double)m};
    }
}

static void bluestein(const struct transform *t, struct cx *x, size_t inner)
{
    struct cx *a = xcalloc(2 * t->long_one->n, sizeof(*a));

    for (size_t q = 0; q < inner; q++)
        bluestein_column(t, x + q, inner, a, a + t->long_one->n);
    free(a);
}

static void bluestein_new(struct transform *t)
{
    size_t n = t->n, m = 1;

    while (m < 2 * n - 1)
        m *= 2;
    t->long_one = transform_new(m);
    t->chirp = xcalloc(n, sizeof(*t->chirp));
    t->kernel = xcalloc(m, sizeof(*t->kernel));
    for (size_t j = 0; j < n; j++) {
        struct cx w = root_of((size_t)((unsigned __int128)j * j % (2 * n)), 2 * n);

        t->chirp[j] = w;
        t->kernel[j] = t->kernel[(m - j) % m] = (struct cx){w.re, -w.im};
    }
    struct cx *room = xcalloc(m, sizeof(*room));
    transform_run(t->long_one, t->kernel, 1, false, room);
    free(room);
}

/* ---- both ---- */

/* Fours first, then each prime; false: one is too large. */
static bool factors(struct transform *t)
{
    size_t left = t->n;

    for (unsigned r = 4; left > 1 && r <= MOST_RADIX; r = r == 4 ? 2 : r == 2 ? 3 : r + 2)
        for (; left % r == 0; left /= r)
            t->radix[t->nradix++] = r;
    return left == 1;
}

struct transform *transform_new(size_t n)
{
    struct transform *t = xcalloc(1, sizeof(*t));

    t->n = n;
    if (!factors(t)) {
        t->nradix = 0;
        bluestein_new(t);
        return t;
    }
    t->root = xcalloc(n, sizeof(*t->root));
    for (size_t k = 0; k < n; k++)
        t->root[k] = root_of(k, n);
    return t;
}

void transform_free(struct transform *t)
{
    if (!t)
        return;
    transform_free(t->long_one);
    free(t->root);
    free(t->chirp);
    free(t->kernel);
    free(t);
}

static void conjugate(struct cx *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i].im = -x[i].im;
}

/* The inverse is the conjugate of the conjugate's transform. */
void transform_run(const struct transform *t, struct cx *x, size_t inner, bool inverse,
                   struct cx *room)
{
    if (inverse)
        conjugate(x, t->n * inner);
    if (t->long_one)
        bluestein(t, x, inner);
    else
        stockham(t, x, inner, room);
    if (inverse)
        conjugate(x, t->n * inner);
}
