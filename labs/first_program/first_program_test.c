/* first_program_test.c - the lab's own logic, without a device. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

extern const struct lab lab_first_program;
enum { COUNT, FACTOR, X, Y, RESULT };

static struct plan plan_of(int variant, const char *kase)
{
    const struct lab_variant *v = &lab_first_program.variants[variant];
    const struct device_limits device = {.max_threads_per_block = 1024};
    struct plan p;
    char err[200] = "";

    cr_assert(lab_first_program.plan(v, case_of(&lab_first_program, kase), &v->record, &device, &p,
                                     err, sizeof(err)),
              "%s", err);
    return p;
}

/* 4 bytes n, 4 bytes a, x, y; y back. */
Test(first_program, files_are_as_the_handout_says)
{
    struct plan p = plan_of(0, "n=1000");
    uint32_t n = 0;

    cr_assert_eq(p.nsteps, 0, "what it launches is its own");
    cr_assert_eq(p.buffers[COUNT].count, 1);
    cr_assert_eq(p.buffers[FACTOR].count, 1);
    cr_assert_eq(p.buffers[X].count, 1000);
    cr_assert_eq(p.buffers[Y].count, 1000);
    cr_assert_eq(p.buffers[RESULT].count, 1000);
    lab_first_program.make_input(&p, COUNT, case_of(&lab_first_program, "n=1000"), 5, &n);
    cr_assert_eq(n, 1000);
    cr_assert_eq(plan_of(0, "n=0").buffers[RESULT].count, 0);
}

Test(first_program, parts_have_their_bytes)
{
    cr_assert_eq(plan_of(0, "n=1000").bytes, 12000);
    cr_assert_eq(plan_of(1, "n=1000").bytes, 8000);
    cr_assert_eq(plan_of(2, "n=1000").bytes, 4000);
    cr_assert_eq(plan_of(3, "n=1000").flops, 2000);
    for (int v = 1; v < lab_first_program.nvariants; v++)
        cr_assert(!lab_first_program.applies(&lab_first_program.variants[v],
                                             case_of(&lab_first_program, "n=1")));
}

Test(first_program, reference)
{
    struct plan p = plan_of(0, "n=1");
    uint32_t n = 1;
    float a = 3, x = 2, y = -5, out = 0;
    double bound = 0;
    const void *inputs[] = {&n, &a, &x, &y, NULL};
    void *expected[] = {NULL, NULL, NULL, NULL, &out};
    double *tolerance[] = {NULL, NULL, NULL, NULL, &bound};

    lab_first_program.reference(&p, &lab_first_program.variants[0],
                                case_of(&lab_first_program, "n=1"), inputs, expected, tolerance);
    cr_assert_eq(out, 1);
    cr_assert_eq(bound, 0x1p-23 * 7, "of 6 and of 1");
}

/* Rounded once or twice: both are within the tolerance; a term that is left out never is. */
Test(first_program, tolerance_takes_roundings_alone)
{
    struct solved s;
    const struct lab_case *c = case_of(&lab_first_program, "n=100003");

    cr_assert(solve_case(&s, &lab_first_program, &lab_first_program.variants[0], c));
    const float *a = s.data[FACTOR], *x = s.data[X], *y = s.data[Y], *out = s.expected[RESULT];
    uint64_t no_y = 0, no_product = 0, no_factor = 0; /* some of x and y are 0, or next to it */
    for (uint64_t i = 0; i < c->n; i++) {
        volatile float product = *a * x[i];

        cr_assert_leq(fabs(fmaf(*a, x[i], y[i]) - (double)out[i]), s.tolerance[RESULT][i]);
        cr_assert_leq(fabs(product + y[i] - (double)out[i]), s.tolerance[RESULT][i]);
        no_y += fabs(product - (double)out[i]) > s.tolerance[RESULT][i];
        no_product += fabs(y[i] - (double)out[i]) > s.tolerance[RESULT][i];
        no_factor += fabs(x[i] + y[i] - (double)out[i]) + fabs(*a - 1) > s.tolerance[RESULT][i];
    }
    cr_assert(no_y > 0.99 * c->n && no_product > 0.99 * c->n && no_factor > 0.99 * c->n,
              "%lu %lu %lu of %lu", no_y, no_product, no_factor, c->n);
    solved_free(&s);
}
