/* poisson_test.c - the lab's own logic, without a device: the lecture's figures, convergence. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_poisson;
enum { NOISE, BUMP, DIFFERENCES }; /* as in harness.c */
enum { R, KX, KY, C, U };

static const struct device_limits device = {.max_threads_per_block = 1024};

static struct plan plan_of(const char *variant, const struct lab_case *c)
{
    const struct lab_variant *v = variant_of(&lab_poisson, variant);
    char err[200] = "";
    struct plan p;

    cr_assert(plan_make(&lab_poisson, v, c, &v->record, &device, &p, err, sizeof(err)), "%s", err);
    return p;
}

/* u of the lecture's right side on n x n points, solved as a plane like any other, and so that its
 * corner is 0, as the lecture has it; and the exact one. */
static void solve_bump(uint64_t n, float *u, double *exact)
{
    struct lab_case c = {.name = "bump", .n = n, .m = n, .dtype = DT_F32, .op = BUMP};
    struct plan p = plan_of("solve_naive", &c);
    const void *inputs[LAB_MAX_BUFFERS] = {0};
    void *expected[LAB_MAX_BUFFERS] = {[U] = u};
    double *tolerance[LAB_MAX_BUFFERS] = {[U] = xcalloc(n * n, sizeof(double))};

    for (int b = R; b <= KY; b++) {
        void *data = xcalloc(p.buffers[b].count, sizeof(float));

        lab_poisson.make_input(&p, b, &c, 1, data);
        inputs[b] = data;
    }
    c.op = NOISE;
    lab_poisson.reference(&p, variant_of(&lab_poisson, "solve_naive"), &c, inputs, expected,
                          tolerance);
    for (uint64_t i = 0; i < n * n; i++) {
        double x = (double)(i % n) / (double)n - 0.5, y = (double)(i / n) / (double)n - 0.5;

        exact[i] = exp(-(x * x + y * y) / (2 * 0.1 * 0.1));
    }
    free(tolerance[U]);
    for (int b = R; b <= KY; b++)
        free((void *)inputs[b]);
}

struct errors {
    double most, l2; /* the greatest, and the lecture's: the norm over n n */
    double middle, middle_exact;
};

static struct errors errors_of(uint64_t n)
{
    float *u = xcalloc(n * n, sizeof(*u));
    double *exact = xcalloc(n * n, sizeof(*exact)), sum = 0;
    struct errors e = {0};

    solve_bump(n, u, exact);
    for (uint64_t i = 0; i < n * n; i++) {
        double d = fabs((double)u[i] - u[0] - exact[i]);

        sum += d * d;
        e.most = fmax(e.most, d);
    }
    e.l2 = sqrt(sum) / (double)(n * n);
    uint64_t at = (n / 2 - 1) * n + n / 2 - 1; /* MATLAB counts from 1 */
    e.middle = u[at] - u[0];
    e.middle_exact = exact[at];
    free(u);
    free(exact);
    return e;
}

/* "Solution at (32,32): computed= 0.975879 reference= 0.975882, Linf err=2.404194e-05,
 * L2 norm err = 9.412790e-08", of MATLAB in double; here the right side is rounded to float. */
Test(poisson, has_the_lectures_figures)
{
    struct errors e = errors_of(64);

    cr_expect_float_eq(e.middle, 0.975879, 6e-7, "%.9f", e.middle);
    cr_expect_float_eq(e.middle_exact, 0.975882, 6e-7, "%.9f", e.middle_exact);
    cr_expect_float_eq(e.most, 2.404194e-05, 1e-7, "%.6e", e.most);
    cr_expect_float_eq(e.l2, 9.412790e-08, 5e-11, "%.6e", e.l2);
}

/* Twice the points: what is left of the error is what the bump's edges do not let go, since it is
 * not quite periodic. */
Test(poisson, converges)
{
    struct errors e4 = errors_of(4), e8 = errors_of(8), e16 = errors_of(16), e64 = errors_of(64);

    cr_expect_gt(e4.most, 10 * e8.most, "%g %g", e4.most, e8.most);
    cr_expect_gt(e8.most, 50 * e16.most, "%g %g", e8.most, e16.most);
    cr_expect_lt(e16.most, 4e-5, "%g", e16.most);
    cr_expect_float_eq(e64.most, 2.404e-5, 1e-7, "%g", e64.most);
}

/* Of one wave the answer is known: u = -r / (kx^2 + ky^2). */
static void try_wave(uint64_t n, uint64_t m, uint64_t x, uint64_t y)
{
    struct lab_case c = {.name = "wave", .n = n, .m = m, .dtype = DT_F32, .op = NOISE};
    struct plan p = plan_of("solve_half", &c);
    float *r = xcalloc(n * m, sizeof(*r)), *u = xcalloc(n * m, sizeof(*u)), *kx = xcalloc(n, 4),
          *ky = xcalloc(m, 4);
    const void *inputs[LAB_MAX_BUFFERS] = {r, kx, ky};
    void *expected[LAB_MAX_BUFFERS] = {[U] = u};
    double *tolerance[LAB_MAX_BUFFERS] = {[U] = xcalloc(n * m, sizeof(double))};

    lab_poisson.make_input(&p, KX, &c, 5, kx);
    lab_poisson.make_input(&p, KY, &c, 5, ky);
    for (uint64_t i = 0; i < n * m; i++)
        r[i] =
            3 + (float)cos(2 * M_PI *
                           ((double)(x * (i % n)) / (double)n + (double)(y * (i / n)) / (double)m));
    lab_poisson.reference(&p, variant_of(&lab_poisson, "solve_half"), &c, inputs, expected,
                          tolerance);
    double square = (double)kx[x] * kx[x] + (double)ky[y] * ky[y];
    for (uint64_t i = 0; i < n * m; i++)
        cr_assert_float_eq(u[i], -(r[i] - 3) / square, 1e-6 / square, "%lu x %lu: u[%lu]", n, m, i);
    free(r);
    free(u);
    free(kx);
    free(ky);
    free(tolerance[U]);
}

Test(poisson, waves_are_divided_by_their_length)
{
    try_wave(8, 8, 1, 0);
    try_wave(8, 8, 4, 3);
    try_wave(16, 4, 9, 2);
    try_wave(15, 6, 8, 5);
    try_wave(7, 32, 0, 31);
    try_wave(25, 24, 1, 0);
    try_wave(257, 30, 256, 0);
    try_wave(12, 641, 0, 1);
    try_wave(1000, 33, 999, 0);
}

/* A wave u has the second difference (u(x + h) - 2 u(x) + u(x - h)) / h^2, which is this times u.
 */
Test(poisson, waves_of_differences)
{
    enum { N = 9 };
    struct lab_case c = {.name = "d", .n = N, .m = 2, .dtype = DT_F32, .op = DIFFERENCES};
    struct plan p = plan_of("solve_half", &c);
    float d[N], k[N];

    lab_poisson.make_input(&p, KX, &c, 5, d);
    c.op = NOISE;
    lab_poisson.make_input(&p, KX, &c, 5, k);
    for (int i = 0; i < N; i++) {
        double turn = 2 * M_PI * i / N, h = 2 * M_PI / N / k[1];

        cr_expect_float_eq(d[i] * d[i], (2 - 2 * cos(turn)) / (h * h), 1e-5 / (h * h), "%d: %g", i,
                           d[i]);
        cr_expect_eq(d[i] < 0, k[i] < 0, "%d", i);
    }
}

/* From 0.01 to 1000, by the octave. */
Test(poisson, sides_of_any_length)
{
    enum { N = 4, SEEDS = 64 };
    struct lab_case c = {.name = "s", .n = N, .m = 2, .dtype = DT_F32, .op = NOISE};
    struct plan p = plan_of("solve_half", &c);
    int small = 0, large = 0;
    float k[N];

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        lab_poisson.make_input(&p, KX, &c, seed, k);
        double side = 2 * M_PI / k[1];

        cr_expect(side > 0.007 && side < 1100, "%lu: %g", seed, side);
        small += side < 0.1;
        large += side > 100;
    }
    cr_expect(small >= 4 && large >= 4, "%d and %d of %d", small, large, SEEDS);
}

Test(poisson, plans_are_transforms_and_kernels)
{
    struct plan p = plan_of("solve_naive", case_of(&lab_poisson, "33x16"));

    cr_assert_eq(p.nsteps, 5);
    cr_expect_str_eq(p.steps[1].kernel, "cufftExecC2C");
    cr_expect_eq(p.steps[1].args[FFT_ROWS].v.u32, 16);
    cr_expect_eq(p.steps[1].args[FFT_COLUMNS].v.u32, 33);
    cr_expect_str_eq(p.steps[2].kernel, "solve_naive");
    cr_expect_eq(p.steps[2].grid[0], 2);
    cr_expect_eq(p.steps[2].grid[1], 1);
    p = plan_of("solve_fused", case_of(&lab_poisson, "33x16"));
    cr_assert_eq(p.nsteps, 3);
    cr_expect_eq(p.buffers[C].count, 2 * 17 * 16);
    cr_expect_eq(p.steps[1].args[5].v.f32, 1.0f / (33 * 16));
    cr_expect_eq(p.steps[1].grid[1], 2, "a row a thread");
    struct launch_record four = variant_of(&lab_poisson, "solve_fused")->record;
    char err[200];
    four.items = 4;
    cr_assert(plan_make(&lab_poisson, variant_of(&lab_poisson, "solve_fused"),
                        case_of(&lab_poisson, "100x37"), &four, &device, &p, err, sizeof(err)));
    cr_expect_eq(p.steps[1].grid[1], 2, "37 rows of 4 times 8 a block");
    cr_expect_eq(plan_of("transforms", case_of(&lab_poisson, "33x16")).nsteps, 2);
}

static void expect_refused(struct lab_case c, const char *says)
{
    const struct lab_variant *v = variant_of(&lab_poisson, "solve_half");
    char err[200] = "";
    struct plan p;

    cr_assert_not(plan_make(&lab_poisson, v, &c, &v->record, &device, &p, err, sizeof(err)));
    cr_expect(strstr(err, says), "%s", err);
}

Test(poisson, refuses_what_cufft_refuses)
{
    expect_refused((struct lab_case){.name = "x", .n = 0, .m = 8, .dtype = DT_F32},
                   "a plane of 0 x 8: cuFFT refuses one without elements");
    expect_refused((struct lab_case){.name = "x", .n = 8, .m = 1 << 20, .dtype = DT_F32}, "2^14");
    expect_refused((struct lab_case){.name = "x", .n = 8, .m = 8, .dtype = DT_F64}, "f32");
    expect_refused((struct lab_case){.name = "x", .n = 8, .m = 9, .dtype = DT_F32, .op = BUMP},
                   "square");
}
