/* reduction_test.c - the lab's own logic, without a device: plans, inputs, reference. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_reduction;

static const struct device_limits h200 = {
    .sms = 132, .max_threads_per_block = 1024, .max_threads_per_sm = 2048, .cc = 90};

static struct plan plan_of(const char *variant, const char *kase)
{
    const struct lab_variant *v = variant_of(&lab_reduction, variant);
    struct plan p;
    char err[200] = "";

    cr_assert(lab_reduction.plan(v, case_of(&lab_reduction, kase), &v->record, &h200, &p, err,
                                 sizeof(err)),
              "%s", err);
    return p;
}

/* Each level must take over exactly what the one before left, in buffers that hold it. */
static void check_levels(const struct plan *p, const struct lab_variant *v,
                         const struct lab_case *c)
{
    uint64_t n = c->n;

    for (int i = 0; i < p->nsteps; i++) {
        const struct plan_step *s = &p->steps[i];
        int from = s->args[0].buffer, to = s->args[1].buffer;
        uint64_t left = s->nargs == 4 ? 1 : s->grid[0];

        cr_assert_eq(s->args[2].v.u32, n, "%s %s level %d", v->name, c->name, i);
        cr_assert_neq(from, to);
        cr_assert_leq(n, p->buffers[from].count);
        cr_assert_leq(left, p->buffers[to].count);
        cr_assert(left < n || n <= 1, "%s %s level %d does not shrink", v->name, c->name, i);
        n = left;
    }
    cr_assert_eq(n, p->buffers[1].count, "%s %s", v->name, c->name);
    cr_assert_eq(p->steps[p->nsteps - 1].args[1].buffer, 1);
}

Test(reduction, every_plan_ends_in_its_output)
{
    struct plan p;
    char err[200];

    for (int v = 0; v < lab_reduction.nvariants; v++)
        for (int c = 0; c < lab_reduction.ncases; c++) {
            const struct lab_variant *variant = &lab_reduction.variants[v];

            if (!lab_reduction.applies(variant, &lab_reduction.cases[c]))
                continue;
            cr_assert(lab_reduction.plan(variant, &lab_reduction.cases[c], &variant->record, &h200,
                                         &p, err, sizeof(err)));
            check_levels(&p, variant, &lab_reduction.cases[c]);
        }
}

Test(reduction, levels_are_the_lectures)
{
    static const uint32_t grids[] = {32768, 256, 2, 1};
    struct plan p = plan_of("reduce1", "n=2^22");

    cr_assert_eq(p.nsteps, 4);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(p.steps[i].grid[0], grids[i]);
    cr_assert_eq(p.bytes, 4.0 * (1 << 22));
    cr_assert_eq(plan_of("reduce1", "n=2^22-all-levels").bytes,
                 4.0 * ((1 << 22) + 2 * (32768 + 256 + 2) + 1));
    cr_assert_eq(plan_of("reduce7_g80", "n=2^22").steps[0].grid[0], 64);
    cr_assert_eq(plan_of("reduce7", "n=2^22").steps[0].grid[0], 132 * 16);
    cr_assert_eq(plan_of("reduce9", "n=2^22").nsteps, 1);
}

Test(reduction, useless_records_are_refused)
{
    static const struct {
        const char *variant;
        uint32_t block, items;
        const char *says;
    } rows[] = {
        {"reduce3", 96, 1, "not a power of two"}, {"reduce8", 100, 0, "not a multiple of 32"},
        {"reduce3", 2048, 1, "1 to 1024"},        {"reduce3", 0, 1, "1 to 1024"},
        {"reduce7", 1, 1, "reduces nothing"},     {"reduce6", 1024, 2, "not 1024"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct launch_record r = {.block_x = rows[i].block, .block_y = 1, .items = rows[i].items};
        struct plan p;
        char err[200] = "";

        cr_assert_not(lab_reduction.plan(variant_of(&lab_reduction, rows[i].variant),
                                         case_of(&lab_reduction, "n=1000"), &r, &h200, &p, err,
                                         sizeof(err)));
        cr_assert(strstr(err, rows[i].says), "%s", err);
    }
}

/* The output of the reference for one seed: element 0, and the bound where it has one. */
static double expected_of(const char *variant, const char *kase, double *bound)
{
    struct plan p = plan_of(variant, kase);
    const struct lab_case *c = case_of(&lab_reduction, kase);
    void *in = malloc(p.buffers[0].count * 8 + 8), *out = malloc(p.buffers[1].count * 8);
    double *tolerance = malloc(8 * p.buffers[1].count);
    const void *inputs[4] = {in};
    void *outputs[4] = {NULL, out};
    double *tolerances[4] = {NULL, tolerance}, result;

    lab_reduction.make_input(&p, 0, c, 7, in);
    lab_reduction.reference(&p, variant_of(&lab_reduction, variant), c, inputs, outputs,
                            tolerances);
    result = c->dtype == DT_I32   ? *(int32_t *)out
             : c->dtype == DT_F32 ? *(float *)out
                                  : *(double *)out;
    if (bound)
        *bound = *tolerance;
    free(in);
    free(out);
    free(tolerance);
    return result;
}

Test(reduction, reference)
{
    double bound;

    cr_assert_eq(expected_of("reduce1", "n=0", NULL), 0);
    cr_assert_eq(expected_of("reduce1", "min-n=0", NULL), INT32_MAX);
    cr_assert_gt(expected_of("reduce1", "min", NULL), 0);
    cr_assert_lt(expected_of("reduce1", "max-n=1", NULL), 0);
    expected_of("reduce1", "f32", &bound);
    cr_assert(bound > 0 && bound < 1, "%g: a lost element of size 1 must show", bound);
}

/* Where the least of n numbers lies, and which it is. */
static uint64_t least_of(uint64_t seed, int32_t *least)
{
    const struct lab_case *c = case_of(&lab_reduction, "min");
    struct plan p = plan_of("reduce1", "min");
    int32_t *in = malloc(c->n * sizeof(*in));
    uint64_t at = 0;

    lab_reduction.make_input(&p, 0, c, seed, in);
    for (uint64_t i = 1; i < c->n; i++)
        if (in[i] < in[at])
            at = i;
    *least = in[at];
    free(in);
    return at;
}

/* Neither the value nor the place of an extreme can be known beforehand. */
Test(reduction, extremes_are_drawn)
{
    uint64_t n = case_of(&lab_reduction, "min")->n, last = 0, first = 0, inside = 0;
    int32_t value, before = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t at = least_of(seed, &value);

        last += at == n - 1;
        first += at == 0;
        inside += at > 0 && at < n - 1;
        cr_assert_neq(value, before);
        before = value;
    }
    cr_assert(last > 4 && first > 4 && inside > 10, "%d, %d, %d", (int)last, (int)first,
              (int)inside);
}

/* What a block of one warp would not show is looked at in a larger one. */
Test(reduction, least_block)
{
    const struct lab_case *c = case_of(&lab_reduction, "n=1000");
    struct lab_case least = *c;

    least.param = -64;
    for (uint32_t block = 16; block <= 256; block *= 4) {
        struct launch_record r = {.block_x = block, .block_y = 1, .items = 1};
        char err[200] = "";
        struct plan p;

        cr_assert(lab_reduction.plan(variant_of(&lab_reduction, "reduce3"), &least, &r, &h200, &p,
                                     err, sizeof(err)),
                  "%s", err);
        cr_assert_eq(p.steps[0].block[0], block < 64 ? 64 : block);
    }
}

static float serial_sum(const float *x, uint64_t n)
{
    float sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* One thread that adds them all is right, whatever record it came with, and no record makes
 * the bound longer. */
Test(reduction, the_bound_knows_no_record)
{
    const struct lab_case *c = case_of(&lab_reduction, "f32-n=2^22");
    struct launch_record serial = {.block_x = 32, .block_y = 1, .items = 1 << 20};
    struct plan p[2] = {plan_of("reduce8", "f32-n=2^22")};
    char err[200];
    float *in = malloc(c->n * sizeof(*in)), out;
    double bound[2];

    cr_assert(lab_reduction.plan(variant_of(&lab_reduction, "reduce8"), c, &serial, &h200, &p[1],
                                 err, sizeof(err)));
    lab_reduction.make_input(&p[0], 0, c, 7, in);
    for (int i = 0; i < 2; i++) {
        const void *inputs[4] = {in};
        void *outputs[4] = {NULL, &out};
        double *tolerances[4] = {NULL, &bound[i]};

        lab_reduction.reference(&p[i], variant_of(&lab_reduction, "reduce8"), c, inputs, outputs,
                                tolerances);
    }
    cr_assert_eq(bound[0], bound[1]);
    cr_assert(fabs((double)out - (double)serial_sum(in, c->n)) <= bound[0]);
    /* the mean is a half, and one is an eighth as large as all others together */
    cr_assert(bound[0] < 0x1p-24 * 64 * (double)c->n / 2 * 9 / 8, "%g", bound[0]);
    free(in);
}

Test(reduction, terms_make_the_reference)
{
    check_terms(&lab_reduction, 20000);
}

/* By unsigned numbers, or by the sign of a difference, another one would be the least. */
Test(reduction, one_int_is_far_from_all_others)
{
    enum { N = 200, MIN = 1, APART = 6 };
    static int32_t a[N];

    for (uint64_t seed = 1; seed < 40; seed++)
        for (int op = MIN; op <= MIN + 1; op++) {
            struct lab_case c = {.name = "special",
                                 .n = N,
                                 .m = APART,
                                 .dtype = DT_I32,
                                 .op = op,
                                 .flags = CASE_CHECK | CASE_SPECIAL};
            struct plan p = {.buffers = {{.dtype = c.dtype, .count = c.n}, {.count = 1}}};
            int64_t far = 0, side = op == MIN ? 1 : -1;

            lab_reduction.make_input(&p, 0, &c, seed, a);
            for (int i = 0; i < N; i++) {
                far += a[i] * side < 0;
                for (int k = 0; k < N; k++)
                    cr_assert(a[i] * side > 0 || i == k ||
                              (a[k] - (int64_t)a[i]) * side > INT32_MAX);
            }
            cr_assert_eq(far, 1);
        }
}

/* A sum of special numbers is the same from the front as from the back, so it has no bound. */
Test(reduction, special_sums_are_the_same_in_any_order)
{
    enum { N = 600, GREAT = 2, NOT_A_NUMBER = 5 };
    static float f[N];
    static double d[N];

    for (uint64_t seed = 1; seed < 40; seed++)
        for (uint64_t kind = GREAT; kind <= NOT_A_NUMBER; kind++)
            for (int wide = 0; wide < 2; wide++) {
                struct lab_case c = {.name = "special",
                                     .n = N - seed,
                                     .m = kind,
                                     .dtype = wide ? DT_F64 : DT_F32,
                                     .flags = CASE_CHECK | CASE_SPECIAL};
                struct plan p = {.buffers = {{.dtype = c.dtype, .count = c.n}, {.count = 1}}};
                const void *in[4] = {wide ? (void *)d : (void *)f};
                float out_f, front_f = 0, back_f = 0;
                double out_d, front = 0, back = 0, bound = 1;
                void *out[4] = {NULL, wide ? (void *)&out_d : (void *)&out_f};
                double *bounds[4] = {NULL, &bound};

                lab_reduction.make_input(&p, 0, &c, seed, wide ? (void *)d : (void *)f);
                lab_reduction.reference(&p, variant_of(&lab_reduction, "reduce3"), &c, in, out,
                                        bounds);
                for (uint64_t i = 0; i < c.n; i++) {
                    front_f += f[i], back_f += f[c.n - 1 - i];
                    front += d[i], back += d[c.n - 1 - i];
                }
                cr_assert_eq(bound, 0);
                if (!wide)
                    out_d = out_f, front = front_f, back = back_f;
                cr_assert_eq(isnan(out_d) != 0, kind == NOT_A_NUMBER);
                cr_assert(isnan(out_d) ? isnan(front) && isnan(back)
                                       : front == out_d && back == out_d && out_d != 0,
                          "kind %d, %s: %a, %a, %a", (int)kind, wide ? "double" : "float", out_d,
                          front, back);
            }
}
