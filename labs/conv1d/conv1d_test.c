/* conv1d_test.c - the lab's reference, its bound, and where the weights go. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_conv1d;

static const struct lab *const lab = &lab_conv1d;
static const struct device_limits h200 = {
    .sms = 132, .max_threads_per_block = 1024, .max_threads_per_sm = 2048, .cc = 90};

struct problem {
    const struct lab_variant *v;
    struct lab_case c;
    struct plan p;
    float *in, *weights, *want;
    double *tol;
};

static struct problem solve(const char *variant, uint64_t n, int width, uint64_t seed)
{
    struct problem q = {
        .c = {.name = "test", .n = n, .param = width, .dtype = DT_F32, .seed = seed}};
    char err[200] = "";

    q.v = variant_of(lab, variant);
    cr_assert(lab->applies(q.v, &q.c));
    cr_assert(lab->plan(q.v, &q.c, &q.v->record, &h200, &q.p, err, sizeof(err)), "%s", err);
    q.in = calloc(q.p.buffers[0].count + 1, sizeof(float));
    q.want = calloc(n + 1, sizeof(float));
    q.tol = calloc(n + 1, sizeof(double));
    q.weights = calloc((size_t)width, sizeof(float));
    lab->make_input(&q.p, 0, &q.c, seed, q.in);
    lab->make_input(&q.p, 2, &q.c, seed, q.weights);
    lab->reference(&q.p, q.v, &q.c, (const void *[]){q.in, NULL, q.weights},
                   (void *[]){NULL, q.want, NULL}, (double *[]){NULL, q.tol, NULL});
    return q;
}

static void release(struct problem *q)
{
    free(q->in);
    free(q->weights);
    free(q->want);
    free(q->tol);
}

/* Outputs outside the bound when summed up in float, from the last weight to the first. */
static int outside(const struct problem *q, int shift)
{
    int bad = 0;

    for (uint64_t i = 0; i < q->c.n; i++) {
        float sum = 0;

        for (int j = (int)q->c.param - 1; j >= 0; j--)
            sum += q->weights[j] * q->in[i + (uint64_t)(j + shift) % (uint64_t)q->c.param];
        bad += !(fabs((double)sum - q->want[i]) <= q->tol[i]);
    }
    return bad;
}

Test(conv1d, float_sums_are_inside_the_bound)
{
    static const int widths[] = {1, 3, 17, 255};

    for (int i = 0; i < 4; i++) {
        struct problem q = solve("conv_naive", 3000, widths[i], 5);

        cr_expect_eq(outside(&q, 0), 0, "width %d", widths[i]);
        if (widths[i] > 1)
            cr_expect_gt(outside(&q, 1), 2900, "shifted weights, width %d", widths[i]);
        release(&q);
    }
}

/* Weights and inputs of a special case are of any size, and no sum of their products overflows. */
Test(conv1d, special_cases_are_of_any_size)
{
    enum { WIDTH = 255, INPUTS = 600, SEEDS = 64 };
    int large[2] = {0}, small[2] = {0}, whole[2] = {0};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct problem q = solve("conv_shared", INPUTS - WIDTH + 1, WIDTH, seed);

        q.c.flags |= CASE_SPECIAL;
        for (int b = 0; b < 3; b += 2) {
            const float *f = b ? q.weights : q.in;
            int n = b ? WIDTH : INPUTS, above = 0, below = 0, integers = 0;

            lab->make_input(&q.p, b, &q.c, seed, b ? q.weights : q.in);
            for (int i = 0; i < n; i++) {
                above += fabsf(f[i]) > 1 && fabsf(f[i]) < 0x1p20f;
                below += fabsf(f[i]) > 0x1p-22f && fabsf(f[i]) < 0x1p-3f;
                integers += f[i] == rintf(f[i]);
            }
            large[b / 2] += above > n / 3;
            small[b / 2] += below > n / 3;
            whole[b / 2] += integers == n || integers > n * 9 / 10;
        }
        for (uint64_t i = 0; i < q.c.n; i++) {
            float sum = 0;

            for (int j = 0; j < WIDTH; j++)
                sum += fabsf(q.in[i + (uint64_t)j] * q.weights[j]);
            cr_assert(isfinite(sum), "seed %lu: %g", seed, sum);
        }
        release(&q);
    }
    for (int k = 0; k < 2; k++)
        cr_expect(large[k] > SEEDS / 8 && small[k] > SEEDS / 16 && whole[k] > SEEDS / 16,
                  "%d %d %d", large[k], small[k], whole[k]);
}

Test(conv1d, the_lectures_kernels_take_the_mean)
{
    struct problem q = solve("conv3_shared", 1025, 3, 5);

    for (int i = 0; i < 1025; i++) {
        float mean = (q.in[i] + q.in[i + 1] + q.in[i + 2]) / 3.f;

        cr_assert(fabs((double)mean - q.want[i]) <= q.tol[i], "%d", i);
    }
    release(&q);
}

/* Else a kernel could know them by heart. */
Test(conv1d, weights_follow_the_seed)
{
    struct problem one = solve("conv_const", 100, 31, 1), two = solve("conv_const", 100, 31, 2);

    cr_expect_str_eq(one.p.buffers[2].symbol, "conv_weights");
    cr_expect_neq(memcmp(one.weights, two.weights, 31 * sizeof(float)), 0);
    cr_expect_neq(memcmp(one.weights, one.in, 31 * sizeof(float)), 0);
    cr_expect_neq(memcmp(one.in, two.in, 100 * sizeof(float)), 0);
    for (int a = 0; a < one.p.steps[0].nargs; a++)
        cr_expect(one.p.steps[0].args[a].kind != ARG_BUFFER || one.p.steps[0].args[a].buffer != 2);
    release(&one);
    release(&two);
}

/* The input of both is the same: it does not tell which stretches are compared. */
Test(conv1d, large_cases_compare_stretches_the_seed_picks)
{
    struct problem q = solve("conv_multi", 3 << 20, 127, 9);
    double *other = calloc(q.c.n, sizeof(double));
    uint64_t compared = 0, alike = 0;

    q.c.seed = 10;
    lab->reference(&q.p, q.v, &q.c, (const void *[]){q.in, NULL, q.weights},
                   (void *[]){NULL, q.want, NULL}, (double *[]){NULL, other, NULL});
    for (uint64_t i = 0; i < q.c.n; i++) {
        cr_assert(q.tol[i] <= 127);
        compared += q.tol[i] < 1;
        alike += q.tol[i] < 1 && other[i] < 1;
    }
    cr_expect(compared >= 2 * 1024 && compared < q.c.n / 50, "%lu", (unsigned long)compared);
    cr_expect(q.tol[0] < 1 && q.tol[q.c.n - 1] < 1);
    cr_expect_lt(alike, compared);
    free(other);
    release(&q);
}

/* In 227 KiB of dynamic shared memory, of which the record says how much is wanted. */
Test(conv1d, shared_bytes_come_from_the_record)
{
    for (int i = 0; i < lab->nvariants; i++)
        cr_expect_eq(lab->variants[i].max.shared_bytes, 227u << 10, "%s", lab->variants[i].name);
}

Test(conv1d, terms_make_the_reference)
{
    check_terms(&lab_conv1d, 5000);
}
