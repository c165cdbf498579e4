/* harness.c - the Poisson lab: variants, cases, CPU reference, launch plan.
 *
 * The second derivatives of a periodic u(x, y) add up to a given r(x, y): find u. By Fourier's
 * transform each wave answers for itself: u^ = -r^ / (kx^2 + ky^2). A variant is a plan of
 * transforms (cuFFT's) and kernels between them. n columns (x) and m rows (y); the wave of no
 * length is left out, so that u is 0 on average.
 *
 * Interface: lab_poisson.
 */
#include "base/alloc.h"
#include "lab/lab.h"
#include "lab/random.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reference is four passes of transforms in double; -O3 lets gcc use vectors for them. */
#pragma GCC optimize("O3")

/* Right sides: any; the lecture's, of which u is known; any, for differences between neighbours,
 * for wave numbers of no rule, for such that are all alike. */
enum { NOISE, BUMP, DIFFERENCES, IRREGULAR, ALIKE };
enum { HALF = 1, PAIRS = 2, FUSED = 4, ALONE = 8 }; /* flags of a variant */
enum { R, KX, KY, C, U, BUFFERS };

#define SIGMA 0.1 /* width of the bump, on a square of length 1 */

/* clang-format off */
#define SHAPE(x, y) BLOCK(x, y, 1024, 1)
#define BLOCK(x, y, most, rows) .has_record = true, .record = {.block_x = x, .block_y = y, .items = 1}, .min = {.block_x = 1, .block_y = 1, .items = 1}, .max = {.block_x = most, .block_y = most, .items = rows, .shared_bytes = 48 << 10}
static const struct lab_variant variants[] = {
    {.name = "solve_naive", .number = "1", .what = "complex transforms, as the lecture begins", .kernels = "solve_naive real_to_complex complex_to_real", SHAPE(32, 16)},
    {.name = "solve_shared", .number = "2", .what = "wave numbers in shared memory", .kernels = "solve_shared real_to_complex complex_to_real", BLOCK(16, 16, 32, 1)},
    {.name = "read_pairs", .number = "3", .what = "complex numbers read whole, at the end", .kernels = "pairs_to_real real_to_complex solve_naive", SHAPE(16, 16), .flags = PAIRS},
    {.name = "solve_half", .number = "4", .what = "real transforms: half of the waves", .kernels = "solve_half scale", SHAPE(32, 8), .flags = HALF},
    {.name = "solve_fused", .number = "5", .what = "one kernel between two transforms", .kernels = "solve_fused", BLOCK(32, 8, 1024, 16), .flags = HALF | FUSED},
    {.name = "transforms", .number = "6", .what = "the library's two calls alone", .kernels = "", .record = {.block_x = 1, .block_y = 1, .items = 1}, .flags = HALF | ALONE},
};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define PLANE(id, columns, rows, what, flag) {.name = id, .n = columns, .m = rows, .op = what, .dtype = DT_F32, .flags = flag}
static const struct lab_case cases[] = {
    PLANE("1x1", 1, 1, NOISE, CHECK),
    PLANE("2x1", 2, 1, NOISE, CHECK),
    PLANE("8x8", 8, 8, NOISE, CHECK),
    PLANE("30x21", 30, 21, NOISE, CHECK),
    PLANE("33x16", 33, 16, NOISE, CHECK),
    PLANE("100x37", 100, 37, NOISE, CHECK),
    PLANE("differences=70x21", 70, 21, DIFFERENCES, CHECK),
    PLANE("bump=16", 16, 16, BUMP, CHECK),
    PLANE("bump=32", 32, 32, BUMP, CHECK),
    PLANE("bump=64", 64, 64, BUMP, CHECK),
    PLANE("n=128", 128, 128, NOISE, SMALL),
    PLANE("n=256", 256, 256, NOISE, SMALL),
    PLANE("n=512", 512, 512, NOISE, SMALL),
    PLANE("n=1024", 1024, 1024, NOISE, CHECK | CASE_TIME),
    PLANE("n=2048", 2048, 2048, NOISE, LARGE),
    PLANE("n=4096", 4096, 4096, NOISE, LARGE),
};
/* clang-format on */

static const struct lab_column columns[] = {
    {"bytes", "loaded", "global_ld_bytes"},
    {"bytes", "stored", "global_st_bytes"},
    {"kernels", "run", "launches"},
    {0},
};

/* clang-format off */
static const struct lab_prediction predictions[] = {
    {"loaded_naive", "bytes that the three kernels of 1 load for each number, case n=256", "global_ld_bytes / (n * m)", "solve_naive", "n=256", 0.02},
    {"loaded_fused", "bytes that the kernel of 5 loads for each number, case n=256", "global_ld_bytes / (n * m)", "solve_fused", "n=256", 0.1},
    {"stored_naive", "bytes that the three kernels of 1 store for each number, case n=256", "global_st_bytes / (n * m)", "solve_naive", "n=256", 0.02},
    {"stored_fused", "the same of the kernel of 5", "global_st_bytes / (n * m)", "solve_fused", "n=256", 0.02},
};
/* clang-format on */

/* ---- plan ---- */

static bool usable(const struct lab_case *c, char *err, size_t errsize)
{
    if (c->dtype != DT_F32)
        snprintf(err, errsize, "%s: these kernels are for f32", c->name);
    else if (!c->n || !c->m)
        snprintf(
            err, errsize,
            "%s: a plane of %lu x %lu: cuFFT refuses one without elements (CUFFT_INVALID_SIZE)",
            c->name, c->n, c->m);
    else if (c->n > 1 << 14 || c->m > 1 << 14)
        snprintf(err, errsize, "%s: n and m are at most 2^14 here", c->name);
    else if (c->op == BUMP && c->n != c->m)
        snprintf(err, errsize, "%s: the bump lies on a square", c->name);
    else
        return true;
    return false;
}

/* Columns of the waves' plane. */
static uint64_t waves_of(uint32_t flags, uint64_t n)
{
    return flags & HALF ? n / 2 + 1 : n;
}

static void add_buffer(struct plan *p, const char *name, enum buffer_role role, uint64_t count)
{
    struct lab_buffer *b = &p->buffers[p->nbuffers++];

    *b = (struct lab_buffer){.role = role, .dtype = DT_F32, .count = count};
    lab_name(b->name, sizeof(b->name), "%s", name);
}

/* A kernel of a thread for each of columns x m elements, or for as many rows as its record says; it
 * has these buffers, n and m. */
static struct plan_step *add_kernel(struct plan *p, const char *name, const struct lab_case *c,
                                    const struct launch_record *r, uint64_t columns,
                                    const char *buffers)
{
    static const char letters[] = "rxycu"; /* as the enum of buffers */
    struct plan_step *s = &p->steps[p->nsteps++];

    lab_name(s->kernel, sizeof(s->kernel), "%s", name);
    s->block[0] = r->block_x;
    s->block[1] = r->block_y;
    s->grid[0] = (uint32_t)((columns + r->block_x - 1) / r->block_x);
    s->grid[1] = (uint32_t)((c->m + (uint64_t)r->block_y * r->items - 1) /
                            ((uint64_t)r->block_y * r->items));
    s->block[2] = s->grid[2] = 1;
    s->shared_bytes = r->shared_bytes;
    for (const char *b = buffers; *b; b++)
        s->args[s->nargs++] =
            (struct plan_arg){.kind = ARG_BUFFER, .buffer = (int)(strchr(letters, *b) - letters)};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->n};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->m};
    return s;
}

/* A transform and its inverse give back n m times what they were given. */
static void add_scale(struct plan_step *s, const struct lab_case *c)
{
    s->args[s->nargs++] =
        (struct plan_arg){.kind = ARG_F32, .v.f32 = (float)(1 / ((double)c->n * (double)c->m))};
}

static void plan_whole(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                       const struct launch_record *r)
{
    uint32_t rows = (uint32_t)c->m, columns = (uint32_t)c->n;
    bool shared = !strcmp(v->name, "solve_shared");

    add_kernel(p, "real_to_complex", c, r, c->n, "rc");
    lab_fft(p, "cufftExecC2C", C, C, rows, columns, true);
    add_kernel(p, shared ? "solve_shared" : "solve_naive", c, r, c->n, "cxy");
    lab_fft(p, "cufftExecC2C", C, C, rows, columns, false);
    add_scale(
        add_kernel(p, v->flags & PAIRS ? "pairs_to_real" : "complex_to_real", c, r, c->n, "cu"), c);
}

static void plan_half(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const struct launch_record *r)
{
    uint32_t rows = (uint32_t)c->m, columns = (uint32_t)c->n;
    bool fused = v->flags & FUSED, alone = v->flags & ALONE;

    lab_fft(p, "cufftExecR2C", R, C, rows, columns, true);
    if (!alone) {
        struct plan_step *s = add_kernel(p, v->name, c, r, waves_of(v->flags, c->n), "cxy");

        if (fused)
            add_scale(s, c);
    }
    lab_fft(p, "cufftExecC2R", C, U, rows, columns, false);
    if (!fused && !alone)
        add_scale(add_kernel(p, "scale", c, r, c->n, "u"), c);
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    uint64_t threads = (uint64_t)r->block_x * r->block_y, numbers = c->n * c->m;

    if (!usable(c, err, errsize))
        return false;
    if (!threads || threads > d->max_threads_per_block) {
        snprintf(err, errsize, "%s: a block of %u x %u threads; this device allows 1 to %u",
                 v->name, r->block_x, r->block_y, d->max_threads_per_block);
        return false;
    }
    memset(p, 0, sizeof(*p));
    add_buffer(p, "r", BUF_INPUT, numbers);
    add_buffer(p, "kx", BUF_INPUT, c->n);
    add_buffer(p, "ky", BUF_INPUT, c->m);
    add_buffer(p, "c", BUF_SCRATCH, 2 * waves_of(v->flags, c->n) * c->m);
    p->parts[C] = 2; /* a float2 */
    add_buffer(p, "u", BUF_OUTPUT, numbers);
    p->bytes = 8.0 * (double)numbers;
    (v->flags & HALF ? plan_half : plan_whole)(p, v, c, r);
    return true;
}

/* ---- inputs ---- */

/* Length of a side: the lecture's 1, or one that the seed draws, of any scale: wave numbers are to
 * be read, and small or large they tell nothing. */
static double length_of(const struct lab_case *c, uint64_t seed)
{
    return c->op == BUMP ? 1 : exp2(1.5 + 8.5 * random_f32(seed, 0));
}

/* 2 pi / length times 0, 1, … and from the half on …, -2, -1. Of differences between neighbours, h
 * apart, in place of derivatives: 2 / h sin(k h / 2) of these. Of ALIKE no wave is much smaller
 * than others, of however many: what is done to a single one shows in a plane's u. */
/* k of n - i is that of i, below 0. */
static void make_waves(float *k, uint64_t n, double length, int op)
{
    double h = length / (double)n;
    bool differences = op == DIFFERENCES;

    for (uint64_t i = 0; i < n; i++) {
        double wave = 2 * M_PI / length * ((double)i - (i < (n + 1) / 2 ? 0 : (double)n));

        if (op == IRREGULAR)
            wave *= 1 + 0.25 * random_f32(n, i < n - i ? i : n - i);
        if (op == ALIKE && i)
            wave = copysign(2 * M_PI / length * (1.5 + 0.5 * random_f32(n, i < n - i ? i : n - i)),
                            wave);
        k[i] = (float)(differences ? 2 / h * sin(wave * h / 2) : wave);
    }
}

/* u = exp(-rr / 2 sigma^2), up to a constant, has this sum of second derivatives. */
static double bump(uint64_t n, uint64_t i, bool derived)
{
    double x = (double)(i % n) / (double)n - 0.5, y = (double)(i / n) / (double)n - 0.5;
    double rr = x * x + y * y, ss = SIGMA * SIGMA;

    return exp(-rr / (2 * ss)) * (derived ? (rr - 2 * ss) / (ss * ss) : 1);
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    float *f = data;

    if (b != R) {
        make_waves(f, p->buffers[b].count, length_of(c, seed), c->op);
        return;
    }
    uint64_t stream = random_u64(seed, (uint64_t)b);
    for (uint64_t i = 0; i < p->buffers[b].count; i++)
        f[i] = c->op == BUMP ? (float)bump(c->n, i, true) : random_f32(stream, i);
}

/* ---- reference ---- */

struct wave {
    double re, im;
};

/* How lines of n numbers are transformed; roots are exp(-2 pi i k / n). Where n is no power of two
 * and not short, `longer` is such a power's, with what transform_any() needs. */
struct way {
    uint64_t n;
    struct wave *roots, *turns, *echo;
    struct way *longer;
};

/* A line of n numbers, `apart` from each other. */
struct line {
    struct wave *x, *a, *b; /* a, b: room for n each, or for the longer way's */
    const struct way *way;
    uint64_t apart;
};

static struct wave product(struct wave v, struct wave w)
{
    return (struct wave){v.re * w.re - v.im * w.im, v.re * w.im + v.im * w.re};
}

static struct wave conjugate(struct wave v)
{
    return (struct wave){v.re, -v.im};
}

/* By its definition: for short lengths. */
static void transform_slowly(struct line *l)
{
    const struct wave *roots = l->way->roots;
    uint64_t n = l->way->n;

    for (uint64_t k = 0; k < n; k++) {
        struct wave sum = {0, 0};

        for (uint64_t j = 0; j < n; j++) {
            struct wave v = l->a[j], w = roots[j * k % n];

            sum.re += v.re * w.re - v.im * w.im;
            sum.im += v.re * w.im + v.im * w.re;
        }
        l->b[k] = sum;
    }
}

/* Halves that become halves of halves (Stockham): from a to b and back; the result is in b. */
static void transform_fast(struct line *l)
{
    struct wave *from = l->a, *to = l->b;

    for (uint64_t half = l->way->n / 2, done = 1; half; half /= 2, done *= 2) {
        for (uint64_t i = 0; i < half; i++) {
            struct wave w = l->way->roots[i * done];

            for (uint64_t q = 0; q < done; q++) {
                struct wave v = from[q + done * i], z = from[q + done * (i + half)];
                struct wave d = {v.re - z.re, v.im - z.im};

                to[q + done * 2 * i] = (struct wave){v.re + z.re, v.im + z.im};
                to[q + done * (2 * i + 1)] =
                    (struct wave){d.re * w.re - d.im * w.im, d.re * w.im + d.im * w.re};
            }
        }
        struct wave *other = from;
        from = to;
        to = other;
    }
    l->a = to;
    l->b = from;
}

/* Of any length n (Bluestein, 1970): with 2 j k = j^2 + k^2 - (k - j)^2 the sum is a convolution of
 * the turned numbers with exp(pi i k^2 / n), a product of transforms of a longer line. */
static void transform_any(struct line *l)
{
    const struct way *way = l->way;
    uint64_t n = way->n, all = way->longer->n;
    struct line y = {NULL, l->a, l->b, way->longer, 1};

    for (uint64_t j = 0; j < all; j++)
        y.a[j] = j < n ? product(y.a[j], way->turns[j]) : (struct wave){0, 0};
    transform_fast(&y);
    for (uint64_t i = 0; i < all; i++)
        y.a[i] = conjugate(product(y.b[i], way->echo[i])); /* so that it leads back */
    transform_fast(&y);
    for (uint64_t k = 0; k < n; k++) {
        struct wave v = conjugate(y.b[k]);

        y.b[k] = product((struct wave){v.re / (double)all, v.im / (double)all}, way->turns[k]);
    }
    l->a = y.a;
    l->b = y.b;
}

static void transform_line(struct line *l)
{
    uint64_t n = l->way->n;

    for (uint64_t i = 0; i < n; i++)
        l->a[i] = l->x[i * l->apart];
    (l->way->longer ? transform_any : (n & (n - 1)) != 0 ? transform_slowly : transform_fast)(l);
    for (uint64_t i = 0; i < n; i++)
        l->x[i * l->apart] = l->b[i];
}

static struct wave turn_of(double part)
{
    return (struct wave){cos(-2 * M_PI * part), sin(-2 * M_PI * part)};
}

enum { SHORT = 24 }; /* by its definition */

static struct way *way_new(uint64_t n)
{
    struct way *way = xzalloc(sizeof(*way));
    uint64_t all = 1;

    way->n = n;
    way->roots = xcalloc(n, sizeof(*way->roots));
    for (uint64_t k = 0; k < n; k++)
        way->roots[k] = turn_of((double)k / (double)n);
    if (n <= SHORT || !(n & (n - 1)))
        return way;
    while (all < 2 * n)
        all *= 2;
    way->longer = way_new(all);
    way->turns = xcalloc(n, sizeof(*way->turns));
    struct line y = {NULL, xcalloc(all, sizeof(*y.a)), xcalloc(all, sizeof(*y.b)), way->longer, 1};
    for (uint64_t k = 0; k < n; k++) {
        way->turns[k] = turn_of((double)(k * k % (2 * n)) / (double)(2 * n));
        y.a[k] = y.a[(all - k) % all] = conjugate(way->turns[k]);
    }
    transform_fast(&y);
    way->echo = y.b;
    free(y.a);
    return way;
}

static void way_free(struct way *way)
{
    if (!way)
        return;
    way_free(way->longer);
    free(way->roots);
    free(way->turns);
    free(way->echo);
    free(way);
}

/* `lines` transforms of n numbers, `apart` within a line, `next` from line to line. */
static void transform_lines(struct wave *x, uint64_t lines, uint64_t next, uint64_t n,
                            uint64_t apart)
{
    struct way *way = way_new(n);
    uint64_t room = way->longer ? way->longer->n : n;
    struct wave *both = xcalloc(2 * room, sizeof(*both));

    for (uint64_t i = 0; i < lines; i++) {
        struct line l = {x + i * next, both, both + room, way, apart};

        transform_line(&l);
    }
    free(both);
    way_free(way);
}

static void transform_plane(struct wave *x, uint64_t n, uint64_t m)
{
    transform_lines(x, m, n, n, 1);
    transform_lines(x, n, 1, m, n);
}

/* What is done to the waves by mistake. */
enum slip {
    NO_SLIP,
    NOT_SQUARED,
    MINUS,
    ROOT,
    ACROSS_ONLY,
    DOWN_ONLY,
    ACROSS_TWICE,
    DOWN_TWICE,
    PRODUCT,
    AXES,
    LAST_WAVE,
    REAL_PART,
    IMAGINARY_PART,
    NO_REAL,
    NO_IMAGINARY,
    SLIPS
};

/* What wave i, of a across and b down, is multiplied by. */
static double factor(const struct lab_case *c, uint64_t i, double a, double b, enum slip slip)
{
    uint64_t x = i % c->n, y = i / c->n;

    if (!i || (slip == AXES && (!x || !y)))
        return 0;
    if (slip == LAST_WAVE && (x == c->n / 2 || x == c->n - c->n / 2))
        return 1;
    if (slip == PRODUCT)
        return -1 / (a * b);
    a *= slip == DOWN_ONLY || slip == DOWN_TWICE ? 0 : slip == NOT_SQUARED ? 1 : a;
    b *= slip == ACROSS_ONLY || slip == ACROSS_TWICE ? 0
         : slip == NOT_SQUARED                       ? 1
         : slip == MINUS                             ? -b
                                                     : b;
    double twice = slip == ACROSS_TWICE || slip == DOWN_TWICE ? 2 : 1;
    return -1 / (slip == ROOT ? sqrt(a + b) : twice * (a + b));
}

/* The waves of r become those of u, conjugated, so that the same transform brings them back. */
static void solve(struct wave *x, const struct lab_case *c, const float *kx, const float *ky,
                  enum slip slip)
{
    double numbers = (double)c->n * (double)c->m;

    for (uint64_t i = 0; i < c->n * c->m; i++) {
        double by = factor(c, i, kx[i % c->n], ky[i / c->n], slip);
        double re = slip == REAL_PART ? 1 : slip == NO_REAL ? 0 : by;
        double im = slip == IMAGINARY_PART ? 1 : slip == NO_IMAGINARY ? 0 : by;

        x[i] = (struct wave){x[i].re * re / numbers, -x[i].im * im / numbers};
    }
}

static double root_of_mean_square(const float *u, uint64_t n)
{
    double sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += (double)u[i] * u[i];
    return sqrt(sum / (double)n);
}

/* The bump as it is, less its mean. What comes of a few points, and of the corners where it is not
 * quite periodic, is known: 2.41e-5 of the lecture's, and more with fewer points. */
static double reference_bump(const struct lab_case *c, float *u)
{
    double mean = 0;

    for (uint64_t i = 0; i < c->n * c->m; i++)
        mean += bump(c->n, i, false) / (double)(c->n * c->m);
    for (uint64_t i = 0; i < c->n * c->m; i++)
        u[i] = (float)(bump(c->n, i, false) - mean);
    return c->n < 32 ? 2e-3 : 3e-5;
}

static double reference_noise(const struct lab_case *c, const void *const *inputs, float *u,
                              enum slip slip)
{
    uint64_t numbers = c->n * c->m;
    struct wave *x = xcalloc(numbers, sizeof(*x));
    const float *r = inputs[R];

    for (uint64_t i = 0; i < numbers; i++)
        x[i].re = r[i];
    transform_plane(x, c->n, c->m);
    solve(x, c, inputs[KX], inputs[KY], slip);
    transform_plane(x, c->n, c->m);
    for (uint64_t i = 0; i < numbers; i++)
        u[i] = (float)(x[i].re + 0.0); /* no -0 */
    free(x);
    return 2e-5 * root_of_mean_square(u, numbers);
}

/* A transform and its inverse: n m times what they were given. */
static double reference_alone(const struct lab_case *c, const float *r, float *u)
{
    uint64_t numbers = c->n * c->m;

    for (uint64_t i = 0; i < numbers; i++)
        u[i] = (float)((double)numbers * r[i]);
    return 2e-5 * root_of_mean_square(u, numbers);
}

/* Bounds are of single precision's transforms: their error is a share of the whole plane's size,
 * not of the element's. */
static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    float *u = expected[U];
    double bound = v->flags & ALONE ? reference_alone(c, inputs[R], u)
                   : c->op == BUMP  ? reference_bump(c, u)
                                    : reference_noise(c, inputs, u, NO_SLIP);

    (void)p;
    for (uint64_t i = 0; i < c->n * c->m; i++)
        tolerance[U][i] = bound;
}

/* ---- why is it wrong? ---- */

/* All of a plane is as far off as this: times u, and so much added to it. */
static bool is_all(const struct lab_case *c, const float *u, const float *got, double times,
                   double plus, double bound)
{
    for (uint64_t i = 0; i < c->n * c->m; i++) {
        if (!(fabs(got[i] - times * u[i] - plus) <= fabs(times) * bound + 1e-6 * fabs(plus)))
            return false;
    }
    return true;
}

/* Nothing is left of it. */
static bool recognise_none(const struct lab_case *c, const float *got, double bound, char *words,
                           size_t size)
{
    uint64_t broken = 0, nothing = 0, zero = 0, all = c->n * c->m;

    for (uint64_t i = 0; i < all; i++) {
        broken += !isfinite(got[i]);
        nothing += got[i] == 0;
        zero += fabsf(got[i]) <= bound;
    }
    if (broken == all) /* recognise_arranged() says of what */
        return false;
    if (nothing == all)
        snprintf(words, size, "0, as all others are: is every wave multiplied by 0?");
    else if (zero == all)
        snprintf(words, size, "0 but for rounding, as all others are: is it the imaginary part?");
    return zero == all;
}

static double mean_of(const struct lab_case *c, const float *u)
{
    double sum = 0;

    for (uint64_t i = 0; i < c->n * c->m; i++)
        sum += u[i];
    return sum / ((double)c->n * (double)c->m);
}

/* What was done to the waves, where it comes to this plane, or to this but for its mean; or
 * NO_SLIP. */
static enum slip recognise_slip(const struct lab_case *c, const void *const *inputs,
                                const float *got, float *u, bool but_for_mean, char *words,
                                size_t size)
{
    static const char *const slips[SLIPS] = {
        [NOT_SQUARED] = "the wave numbers are added, not their squares",
        [ACROSS_TWICE] = "the square of the wave number across is added to itself",
        [DOWN_TWICE] = "the square of the wave number down is added to itself",
        [PRODUCT] =
            "waves were divided by the wave numbers' product, not by the sum of their squares",
        [MINUS] = "waves were divided by the squares' difference, not by their sum",
        [ROOT] = "waves were divided by the root of the squares' sum, not by the sum",
        [ACROSS_ONLY] = "the wave number down is left out",
        [DOWN_ONLY] = "the wave number across is left out",
        [AXES] = "all waves of row 0 and of column 0 were made 0, not the first one alone",
        [LAST_WAVE] = "the waves of column n / 2 stay as they are",
        [REAL_PART] = "the waves' real parts stay as they are",
        [IMAGINARY_PART] = "the waves' imaginary parts stay as they are",
        [NO_REAL] = "nothing came of the waves' real parts",
        [NO_IMAGINARY] = "nothing came of the waves' imaginary parts",
    };

    for (int slip = NO_SLIP + 1; slip < SLIPS; slip++) {
        double bound = reference_noise(c, inputs, u, (enum slip)slip);
        double plus = but_for_mean ? mean_of(c, got) - mean_of(c, u) : 0;

        if (!is_all(c, u, got, 1, plus, bound))
            continue;
        snprintf(words, size, "what it would be if %s; so are all others", slips[slip]);
        return (enum slip)slip;
    }
    return NO_SLIP;
}

/* Some of a plane's elements are n m times what they should be, all others right. */
static bool recognise_some(const struct lab_case *c, const float *u, const float *got, double bound,
                           char *words, size_t size)
{
    uint64_t some = 0, all = c->n * c->m;
    double times = (double)all;

    for (uint64_t i = 0; i < all; i++) {
        if (fabs(got[i] - u[i]) <= bound)
            continue;
        if (!(fabs(got[i] - times * u[i]) <= times * bound))
            return false;
        some++;
    }
    snprintf(words, size,
             "n m times u: nobody has scaled %lu of %lu elements; the others are right", some, all);
    return some;
}

/* What became of a wave, where it is one thing. */
enum change { SAME, GONE, NEGATED, TURNED, HALVED, OTHERWISE };

static enum change changed(struct wave want, struct wave got, double bound)
{
#define NEAR(re_, im_) (hypot(got.re - (re_), got.im - (im_)) <= bound)
    return NEAR(want.re, want.im)                               ? SAME
           : NEAR(0, 0)                                         ? GONE
           : NEAR(-want.re, -want.im)                           ? NEGATED
           : NEAR(want.im, want.re) || NEAR(-want.im, -want.re) ? TURNED
           : NEAR(want.re / 2, want.im / 2)                     ? HALVED
                                                                : OTHERWISE;
#undef NEAR
}

/* How many times what it should be each wave is that is not; 0: not one number of all. */
static double times_of(const struct wave *want, const struct wave *have, uint64_t n, uint64_t m,
                       double off)
{
    double both = 0, alone = 0, times;

    for (int pass = 0; pass < 2; pass++) {
        times = alone > 0 ? both / alone : 0;
        for (uint64_t i = 0; i < (n / 2 + 1) * m; i++) {
            const struct wave *w = &want[i / (n / 2 + 1) * n + i % (n / 2 + 1)],
                              *h = &have[w - want];

            if (changed(*w, *h, off) == SAME)
                continue;
            if (pass &&
                hypot(h->re - times * w->re, h->im - times * w->im) > off * fmax(1, fabs(times)))
                return 0;
            both += w->re * h->re + w->im * h->im;
            alone += w->re * w->re + w->im * w->im;
        }
    }
    return times;
}

/* … in words, where it is of the plane's size. */
static void put_times(char *words, size_t size, const struct lab_case *c, double times)
{
    double numbers = (double)c->n * (double)c->m, all = fabs(times) / numbers;
    bool near = fabs(all - 1) < 1e-3, once_more = fabs(fabs(times) * numbers - 1) < 1e-3;

    if (near || once_more)
        snprintf(words, size, "%s%s times what they should be: %s", times < 0 ? "-" : "",
                 near ? "n m" : "1 / (n m)",
                 near ? "these are not scaled" : "these are scaled once too often");
    else
        snprintf(words, size, "%.4g times what they should be", times);
}

/* All waves of u, and then all of what came. Allocated. */
static struct wave *spectra_of(const struct lab_case *c, const float *u, const float *got)
{
    uint64_t numbers = c->n * c->m;
    struct wave *all = xcalloc(2 * numbers, sizeof(*all));

    for (uint64_t i = 0; i < numbers; i++) {
        all[i].re = u[i];
        all[numbers + i].re = got[i];
    }
    transform_plane(all, c->n, c->m);
    transform_plane(all + numbers, c->n, c->m);
    return all;
}

/* What came is rounded, too: of a plane of large numbers small waves are not known. */
static double noise_of(const struct lab_case *c, const float *got, double bound)
{
    enum { STEPS = 4 }; /* of rounding, on the way back */
    double most = 0;

    for (uint64_t i = 0; i < c->n * c->m; i++)
        most = fmax(most, fabs(got[i]));
    return fmax(bound, STEPS * FLT_EPSILON / 2 * most);
}

/* So small a wave is not known when it becomes 0, or half of it. */
static bool hides(struct wave want, double off)
{
    return hypot(want.re, want.im) <= 2 * off;
}

/* Of a plane that is given by its left half of waves, those that are not as they should be: told
 * when they are few of many, or as many but every other one. Of a wave (0, y) the real plane has
 * only the sum with (0, m - y), so that how one of them is off cannot be told, unless what is seen
 * of them is what became of others: were one of them right, their sum would be off by less. */
/* "column 0, row 4": `row` waves make a row. */
static int put_wave(char *words, size_t size, uint64_t wave, uint64_t row)
{
    return snprintf(words, size, "column %lu, row %lu", wave % row, wave / row);
}

/* least: others may be wrong that are not seen. */
static bool recognise_waves(const struct lab_case *c, const float *u, const float *got,
                            double bound, bool least, char *words, size_t size)
{
    enum { TOLD = 4 };
    static const char *const names[] = {[GONE] = "0",
                                        [NEGATED] = "of the other sign",
                                        [TURNED] = "with its real and imaginary part exchanged",
                                        [HALVED] = "half of what they should be",
                                        [OTHERWISE] = "not what it should be"};
    uint64_t numbers = c->n * c->m, wrong = 0, told[TOLD] = {0}, last = 0,
             all = (c->n / 2 + 1) * c->m, odd = 0;
    struct wave *want = spectra_of(c, u, got), *have = want + numbers;
    enum change how = SAME;
    double noise = noise_of(c, got, bound), off = 6 * noise * sqrt((double)numbers);
    bool alike = true, pairs = false, known = false;

    for (uint64_t i = 0; i < all; i++) {
        uint64_t x = i % (c->n / 2 + 1), y = i / (c->n / 2 + 1), at = y * c->n + x;
        enum change now = changed(want[at], have[at], off);

        least |= hides(want[at], off);
        if (now == SAME)
            continue;
        bool pair = 2 * x % c->n == 0 && 2 * y % c->m;
        pairs |= pair;
        known |= !pair;
        alike &= !wrong || now == how;
        how = wrong ? how : now;
        if (wrong < TOLD)
            told[wrong] = i;
        wrong++;
        last = i;
        odd += i % 2 != told[0] % 2;
    }
    double times = times_of(want, have, c->n, c->m, off);
    free(want);
    bool every_other = !odd && wrong * 3 >= all, few = wrong && wrong * 8 <= all;
    if (!every_other && !few)
        return false;
    uint64_t row = c->n / 2 + 1;
    char what[128];
    snprintf(what, sizeof(what), "%s", names[how]);
    if (how == OTHERWISE && times != 0)
        put_times(what, sizeof(what), c, times);
    alike = alike && known && (how != OTHERWISE || times != 0);
    least |= noise > bound;
    int used = snprintf(words, size, "wrong by %s%lu of the %lu waves%s, in rows of n / 2 + 1: ",
                        least ? "at least " : "", wrong, all, least ? "" : " alone");
    if (every_other)
        used +=
            snprintf(words + used, size - (size_t)used, "all %s have %s numbers, from %lu on",
                     least ? "that are seen" : "of them", told[0] % 2 ? "odd" : "even", told[0]);
    for (uint64_t k = 0; !every_other && k < wrong && k < TOLD; k++) {
        used += snprintf(words + used, size - (size_t)used, "%s", k ? "; " : "");
        used += put_wave(words + used, size - (size_t)used, told[k], row);
    }
    if (!every_other && wrong > TOLD) {
        used += snprintf(words + used, size - (size_t)used, "; …; the last ");
        put_wave(words + used, size - (size_t)used, last, row);
    }
    used = (int)strlen(words);
    if (wrong == 1 && !told[0])
        used += snprintf(words + used, size - (size_t)used, ", the mean, which has to be 0");
    else if (wrong > 1 && alike)
        snprintf(words + used, size - (size_t)used, "%s%s", every_other ? ", and are " : ": ",
                 what);
    used = (int)strlen(words);
    if (pairs && !alike)
        snprintf(
            words + used, size - (size_t)used,
            " (of rows y and m - y of column 0, and of an even n's last column, only the sum is "
            "seen: one of the two may be right)");
    return true;
}

/* The same of a plane that is given by all of its waves, of which (x, y) and (n - x, m - y) make
 * one real one: few pairs are not as they should be, and all in one way. */
static bool recognise_pairs(const struct lab_case *c, const float *u, const float *got,
                            double bound, char *words, size_t size)
{
    enum { TOLD = 3 };
    static const char *const names[] = {[GONE] = "which are 0",
                                        [NEGATED] = "which have the other sign",
                                        [HALVED] = "whose sums are halved, as if one of the two "
                                                   "were 0"};
    uint64_t n = c->n, m = c->m, numbers = n * m, wrong = 0, pairs = 0, first[TOLD] = {0};
    struct wave *want = spectra_of(c, u, got), *have = want + numbers;
    enum change how = SAME;
    double noise = noise_of(c, got, bound), off = 6 * noise * sqrt((double)numbers);
    bool alike = true, least = noise > bound;

    for (uint64_t i = 1; i < numbers; i++) {
        enum change now = changed(want[i], have[i], off);

        if ((m - i / n) % m * n + (n - i % n) % n < i)
            continue;
        pairs++;
        least |= hides(want[i], off);
        if (now == SAME)
            continue;
        alike &= !wrong || now == how;
        how = now;
        if (wrong < TOLD)
            first[wrong] = i;
        wrong++;
    }
    bool zeroth = changed(want[0], have[0], off) != SAME;
    free(want);
    if (!wrong || zeroth || !alike || wrong * 8 > pairs || !names[how])
        return false;
    int used = snprintf(words, size, "wrong by %s%lu of the %lu pairs of waves%s, %s: ",
                        least ? "at least " : "", wrong, pairs, least ? "" : " alone", names[how]);
    for (uint64_t k = 0; k < wrong && k < TOLD; k++)
        used += snprintf(words + used, size - (size_t)used, "%s(%lu, %lu) and (%lu, %lu)",
                         k ? "; " : "", first[k] % n, first[k] / n, (n - first[k] % n) % n,
                         (m - first[k] / n) % m);
    if (wrong > TOLD)
        snprintf(words + used, size - (size_t)used, "; …");
    return true;
}

/* What of the whole plane is known of a wrong element: a factor, the mean, or another divisor. */
static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    enum { MOST = 1 << 12 };
    double numbers = (double)c->n * (double)c->m, mean = 0;
    const struct {
        double times, plus;
        const char *words;
    } faults[] = {
        {-1, 0, "u with the other sign"},
        {numbers, 0, "n m times u: nobody has scaled"},
        {1 / numbers, 0, "u / (n m): scaled once too often"},
        {(double)c->n, 0, "n times u: one direction alone is scaled"},
        {(double)c->m, 0, "m times u: one direction alone is scaled"},
        {2, 0, "twice u"},
        {0.5, 0, "half of u"},
        {1, 1, "the right number and the mean of r: wave (0, 0) is still in it"},
        {0, 1, "the mean of r alone"},
    };
    bool told = false;

    (void)p, (void)element, (void)b;
    if (v->flags & ALONE || c->n * c->m > MOST || c->n * c->m < 4)
        return false;
    float *u = xcalloc(c->n * c->m, sizeof(*u)), *slipped = xcalloc(c->n * c->m, sizeof(*u));
    double bound = reference_noise(c, inputs, u, NO_SLIP);
    for (uint64_t i = 0; i < c->n * c->m; i++)
        mean += ((const float *)inputs[R])[i] / numbers;
    for (size_t i = 0; !told && i < sizeof(faults) / sizeof(faults[0]); i++) {
        told = is_all(c, u, output, faults[i].times, faults[i].plus * mean, bound);
        if (told)
            snprintf(words, size, "%s", faults[i].words);
    }
    told = told || recognise_none(c, output, bound, words, size) ||
           recognise_some(c, u, output, bound, words, size) ||
           recognise_slip(c, inputs, output, slipped, false, words, size) ||
           (v->flags & HALF ? recognise_waves(c, u, output, bound, false, words, size)
                            : recognise_pairs(c, u, output, bound, words, size));
    free(slipped);
    free(u);
    return told;
}

/* ---- no number ---- */

/* Where no number came: wave numbers above 0, no two of which are alike; the same from both ends,
 * so that a real plane stays one. As usual the first of each is 0, or is not. */
enum { FIRST_ZERO, NONE_ZERO, ARRANGEMENTS };

static bool arrange(const struct plan *p, const struct lab_case *c, int which, uint64_t numbers,
                    void *const *data)
{
    (void)c;
    if (numbers || which >= ARRANGEMENTS)
        return false;
    for (int b = KX; b <= KY; b++) {
        uint64_t n = p->buffers[b].count;
        float *k = data[b];

        for (uint64_t i = 0; i < n; i++) {
            double from = (double)(i < n - i ? i : n - i);

            k[i] = (float)(b == KX ? 1 + 0.1 * from : M_SQRT2 + 0.1 * sqrt(3) * from);
        }
        k[0] = which == FIRST_ZERO ? 0 : k[0];
    }
    return true;
}

/* The first wave, of the usual numbers, that such a slip multiplies by no number; 0: none. */
static uint64_t broken_wave(const struct lab_case *c, enum slip slip)
{
    float *kx = xcalloc(c->n + c->m, sizeof(*kx)), *ky = kx + c->n;
    uint64_t i = 1;

    make_waves(kx, c->n, 1, c->op);
    make_waves(ky, c->m, 1, c->op);
    while (i < c->n * c->m && isfinite(factor(c, i, kx[i % c->n], ky[i / c->n], slip)))
        i++;
    free(kx);
    return i < c->n * c->m ? i : 0;
}

/* A plane of numbers, by such waves, says what leaves none of the usual ones. */
static void tell_arranged(const struct lab_variant *v, const struct lab_case *c, int which,
                          const void *const *inputs, const float *got, char *words, size_t size)
{
    static const char *const with[] = {"with wave numbers above 0 but for kx[0] and ky[0]",
                                       "with wave numbers above 0, kx[0] and ky[0] too,"};
    float *u = xcalloc(c->n * c->m, sizeof(*u));
    double bound = reference_noise(c, inputs, u, NO_SLIP);
    bool right = is_all(c, u, got, 1, mean_of(c, got) - mean_of(c, u), bound);
    char slips[200];
    enum slip slip =
        right ? NO_SLIP
              : recognise_slip(c, inputs, got, u, which == NONE_ZERO, slips, sizeof(slips));
    uint64_t wave = slip ? broken_wave(c, slip) : 0;
    char waves[300];
    bool some = !right && !slip && v->flags & HALF;

    if (some) {
        reference_noise(c, inputs, u, NO_SLIP);
        some = recognise_waves(c, u, got, bound, true, waves, sizeof(waves));
    }
    if (some) /* others too little may be seen of */
        snprintf(words, size, "no number, nor is any other; %s all are numbers, and it is %s",
                 with[which], waves);
    else if (wave)
        snprintf(words, size,
                 "no number, nor is any other; %s it is %s. By the usual ones wave (%lu, %lu) is "
                 "then divided by 0",
                 with[which], slips, wave % c->n, wave / c->n);
    else if (which == NONE_ZERO && right)
        snprintf(words, size,
                 "no number, nor is any other; %s all are numbers, and right%s: wave (0, 0) is "
                 "divided by 0",
                 with[which],
                 fabs(mean_of(c, got) - mean_of(c, u)) > bound ? " but for their mean" : "");
    else
        snprintf(words, size, "no number, nor is any other; %s all are numbers: so %s", with[which],
                 which == NONE_ZERO ? "somewhere kx[0] or ky[0], which are 0, or both, are divided "
                                      "by: not only in wave (0, 0)?"
                                    : "it does not come of wave (0, 0)");
    free(u);
}

static bool recognise_arranged(const struct plan *p, const struct lab_variant *v,
                               const struct lab_case *c, int which, const void *const *inputs,
                               const void *output, uint64_t element, char *words, size_t size)
{
    uint64_t all = c->n * c->m, broken = 0;

    (void)p, (void)element;
    for (uint64_t i = 0; i < all; i++)
        broken += !isfinite(((const float *)output)[i]);
    if (!broken)
        tell_arranged(v, c, which, inputs, output, words, size);
    else if (broken == all && which == NONE_ZERO)
        snprintf(words, size, "no number, nor is any other, also where no wave number is 0");
    return !broken || (broken == all && which == NONE_ZERO);
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    (void)p;
    return b == R || b == U ? c->n : 0;
}

static const struct lab_goal goals[] = {
    {"solve_shared", "n=256", "global_ld_bytes / (n * m) <= 18",
     "blocks load their wave numbers more than once"},
    {"solve_half", "n=256", "32 * global_ld_sectors / global_ld_bytes <= 1.3",
     "its loads use sectors in part"},
    {"solve_half", "n=256", "32 * global_st_sectors / global_st_bytes <= 1.3",
     "its stores use sectors in part"},
    {"solve_fused", "n=256", "32 * global_st_sectors / global_st_bytes <= 1.5",
     "its stores use sectors in part"},
    {"solve_fused", "n=256", "thread_inst_fp64 == 0",
     "some of its arithmetic is in double precision"},
    {0},
};

const struct lab lab_poisson = {
    .name = "poisson",
    .title = "Poisson: a library in the middle",
    .bytes_formula = "8 n m (4 n m in, 4 n m out)",
    .flops_formula = "",
    .record_items = "rows that a thread of solve_fused takes",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .recognise = recognise,
    .arrange = arrange,
    .recognise_arranged = recognise_arranged,
    .row = row,
    .extents = "nm",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
