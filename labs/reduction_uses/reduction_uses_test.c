/* reduction_uses_test.c - the lab's own logic, without a device. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_reduction_uses;
static const struct device_limits h200 = {.max_threads_per_block = 1024};

static struct plan plan_of(const char *variant, const struct lab_case *c)
{
    const struct lab_variant *v = variant_of(&lab_reduction_uses, variant);
    struct plan p;
    char err[200] = "";

    cr_assert(lab_reduction_uses.plan(v, c, &v->record, &h200, &p, err, sizeof(err)), "%s", err);
    return p;
}

static void reference_of(const char *variant, const struct lab_case *c, const void *in, void *out)
{
    struct plan p = plan_of(variant, c);
    double bounds[64];
    const void *inputs[] = {in, NULL};
    void *outputs[] = {NULL, out};
    double *tolerance[] = {NULL, bounds};

    lab_reduction_uses.reference(&p, variant_of(&lab_reduction_uses, variant), c, inputs, outputs,
                                 tolerance);
}

/* A block a row, or a thread; a block for 4,096 numbers of a list; as many as the case says. */
Test(reduction_uses, blocks)
{
    static const struct {
        const char *variant, *of;
        uint32_t blocks, block;
    } all[] = {
        {"product_rows", "product-n=1003", 5, 256},    {"tree_8", "tree-m=1056", 1056, 512},
        {"count_warp", "count-n=2^19", 128, 256},      {"count_warp", "count-n=0", 1, 256},
        {"softmax_block", "softmax-n=1024", 264, 256}, {"softmax_thread", "softmax-n=1024", 2, 256},
        {"sum_grid", "grid=1056", 1056, 128},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct plan p = plan_of(all[i].variant, case_of(&lab_reduction_uses, all[i].of));
        const struct plan_step *last = &p.steps[p.nsteps - 1];

        cr_assert_eq(last->grid[0], all[i].blocks, "%s: %u blocks", all[i].of, last->grid[0]);
        cr_assert_eq(last->block[0], all[i].block);
    }
}

/* Who adds by atomics starts from zero. */
Test(reduction_uses, counters_are_cleared_first)
{
    struct plan p = plan_of("histogram", case_of(&lab_reduction_uses, "bins-n=10007"));

    cr_assert_eq(p.nsteps, 2);
    cr_assert_str_eq(p.steps[0].kernel, "clear");
    cr_assert_eq(p.steps[0].args[0].buffer, 1);
    cr_assert_eq(p.steps[0].args[1].v.u32, 64);
    cr_assert_eq(plan_of("tree_2", case_of(&lab_reduction_uses, "tree-n=512")).nsteps, 1);
}

Test(reduction_uses, what_cannot_be_is_refused)
{
    static const struct {
        const char *like;
        uint64_t n, m;
        int64_t param;
        const char *word;
    } bad[] = {
        {"tree-n=512", 513, 1, 0, "at most 512"},   {"softmax-n=1", 0, 1, 0, "not defined"},
        {"product-n=1", 1, 0, 0, "one row"},        {"grid-n=1003", 1, 0, 0, "1 to 2^24 blocks"},
        {"dot-n=1", 1 << 20, 2048, 0, "at most 2"}, {"grid-n=1003", 1, 0, -4, "1 to 2^24 blocks"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lab_case c = *case_of(&lab_reduction_uses, bad[i].like);
        const struct lab_variant *v = &lab_reduction_uses.variants[0];
        struct plan p;
        char err[200] = "";

        c.n = bad[i].n, c.m = bad[i].m, c.param = bad[i].param;
        cr_assert_not(lab_reduction_uses.plan(v, &c, &v->record, &h200, &p, err, sizeof(err)));
        cr_assert(strstr(err, bad[i].word), "%s", err);
    }
}

/* Two rows of three. 65537 * 65537 is 2^32 + 2^17 + 1. */
Test(reduction_uses, operations_by_hand)
{
    struct lab_case c = *case_of(&lab_reduction_uses, "product-n=1");
    const uint32_t in[] = {65537, 65537, 1, 6, 12, 14};
    uint32_t out[2];

    c.n = 3, c.m = 2;
    reference_of("product_rows", &c, in, out);
    cr_assert(out[0] == (1 << 17) + 1 && out[1] == 1008, "%u %u", out[0], out[1]);
    c.op = case_of(&lab_reduction_uses, "and-n=1")->op;
    reference_of("and_rows", &c, in, out);
    cr_assert(out[0] == 1 && out[1] == 4, "%u %u", out[0], out[1]);
    c.op = case_of(&lab_reduction_uses, "or-n=1")->op;
    reference_of("or_rows", &c, in, out);
    cr_assert(out[0] == 65537 && out[1] == 14, "%u %u", out[0], out[1]);
}

Test(reduction_uses, nothing_gives_the_neutral_element)
{
    uint32_t out[3];

    reference_of("product_rows", case_of(&lab_reduction_uses, "product-n=0"), NULL, out);
    cr_assert_eq(out[2], 1);
    reference_of("and_rows", case_of(&lab_reduction_uses, "and-n=0"), NULL, out);
    cr_assert_eq(out[2], UINT32_MAX);
    reference_of("or_rows", case_of(&lab_reduction_uses, "or-n=0"), NULL, out);
    cr_assert_eq(out[2], 0);
}

Test(reduction_uses, counts_by_hand)
{
    struct lab_case c = *case_of(&lab_reduction_uses, "count-n=1");
    const uint32_t in[] = {3, 4, 7, 1u << 26, 0xffffffff};
    uint32_t count, bins[64];

    c.n = 5;
    reference_of("count_block", &c, in, &count);
    cr_assert_eq(count, 3); /* 3, 7 and 2^32 - 1 leave 3 by 4 */
    c.op = case_of(&lab_reduction_uses, "bins-n=1")->op;
    reference_of("histogram", &c, in, bins);
    cr_assert(bins[0] == 3 && bins[1] == 1 && bins[63] == 1 && bins[2] == 0);
}

/* 1 : 2 : 1, however far from 0 the row lies. */
Test(reduction_uses, softmax_by_hand)
{
    struct lab_case c = *case_of(&lab_reduction_uses, "softmax-n=1");

    c.n = 3, c.m = 1;
    for (int middle = -200; middle <= 200; middle += 100) {
        const float in[] = {(float)middle, (float)(middle + log(2)), (float)middle};
        float out[3];

        reference_of("softmax_block", &c, in, out);
        cr_assert(fabs(out[0] - 0.25) < 1e-5 && fabs(out[1] - 0.5) < 1e-5, "%g %g", out[0], out[1]);
    }
}

/* Some elements of a row lie where a power is small and still counts, of each ten by themselves;
 * and where one is above all others, what these come to is more than the bound of its own. */
Test(reduction_uses, rows_of_any_spread)
{
    struct lab_case c = *case_of(&lab_reduction_uses, "softmax-n=1003");
    unsigned below[10] = {0};
    struct solved s;

    c.n = 700, c.m = 24, c.param = 1;
    cr_assert(
        solve_case(&s, &lab_reduction_uses, variant_of(&lab_reduction_uses, "softmax_block"), &c));
    for (uint64_t row = 0; row < c.m; row++) {
        const float *x = (float *)s.data[0] + row * c.n;
        float most = x[0];

        for (uint64_t i = 1; i < c.n; i++)
            most = fmaxf(most, x[i]);
        for (uint64_t i = 0; i < c.n; i++)
            below[(int)fminf((most - x[i]) / 10, 9)]++;
    }
    for (int k = 0; k < 10; k++)
        cr_expect_gt(below[k], 100, "%d: %u", k, below[k]);
    solved_free(&s);
    c.n = 7000, c.m = 12, c.param = 2;
    cr_assert(
        solve_case(&s, &lab_reduction_uses, variant_of(&lab_reduction_uses, "softmax_block"), &c));
    for (uint64_t row = 0; row < c.m; row++) {
        const float *share = (float *)s.expected[1] + row * c.n;
        float most = 0;

        for (uint64_t i = 0; i < c.n; i++)
            most = fmaxf(most, share[i]);
        cr_expect(most < 1 - 0x1p-15f && most > 0.98f, "%g", most);
    }
    solved_free(&s);
}

/* In a quarter of the rows one element is so far above the others that exp() of what lies between
 * them is no float: nothing but the largest does for the largest. */
Test(reduction_uses, some_rows_have_one_far_above)
{
    struct lab_case c = *case_of(&lab_reduction_uses, "softmax-n=1003");
    unsigned far = 0;

    c.m = 400;
    struct plan p = plan_of("softmax_block", &c);
    float *in = malloc(1003 * 400 * sizeof(*in));

    lab_reduction_uses.make_input(&p, 0, &c, 5, in);
    for (int row = 0; row < 400; row++) {
        float most = -INFINITY, second = -INFINITY;

        for (int i = 0; i < 1003; i++) {
            float x = in[row * 1003 + i];

            second = x > most ? most : fmaxf(second, x);
            most = fmaxf(most, x);
        }
        far += most - second > 89;
    }
    cr_assert(far > 70 && far < 130, "%u of 400", far);
    free(in);
}

/* No result is the same for all rows, or what an empty row gives: an operation that is another
 * one's, or that leaves elements out, would show. */
Test(reduction_uses, rows_differ)
{
    static const char *const names[] = {"product-n=1003", "and-n=1003", "or-n=1003"};

    for (int i = 0; i < 3; i++) {
        struct lab_case c = *case_of(&lab_reduction_uses, names[i]);

        c.m = 64;
        struct plan p = plan_of("product_rows", &c);
        uint32_t *in = malloc(1003 * 64 * sizeof(*in)), out[64], even = 0, same = 0;

        lab_reduction_uses.make_input(&p, 0, &c, 5, in);
        reference_of("product_rows", &c, in, out);
        for (int r = 0; r < 64; r++) {
            even += out[r] % 2 == 0;
            same += r && out[r] == out[r - 1];
        }
        cr_assert(!same && even && even < 64, "%s: %u same, %u even", names[i], same, even);
        free(in);
    }
}
