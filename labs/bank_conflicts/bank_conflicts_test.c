/* bank_conflicts_test.c - the lab's reference against the kernels' loops written out. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_bank_conflicts;

static const struct lab *const lab = &lab_bank_conflicts;
static const struct device_limits h200 = {
    .sms = 132, .max_threads_per_block = 1024, .max_threads_per_sm = 2048, .cc = 90};

struct problem {
    const struct lab_variant *v;
    const struct lab_case *c;
    struct plan p;
    void *in, *want;
};

static struct problem solve(const char *variant, const char *kase)
{
    struct problem q = {0};
    char err[200] = "";

    q.v = variant_of(lab, variant);
    q.c = case_of(lab, kase);
    cr_assert(lab->applies(q.v, q.c));
    cr_assert(lab->plan(q.v, q.c, &q.v->record, &h200, &q.p, err, sizeof(err)), "%s", err);
    q.in = calloc(q.p.buffers[0].count + 1, 8);
    q.want = calloc(q.p.buffers[1].count + 1, 8);
    lab->make_input(&q.p, 0, q.c, 3, q.in);
    lab->reference(&q.p, q.v, q.c, (const void *[]){q.in, NULL}, (void *[]){NULL, q.want},
                   (double *[]){NULL, NULL});
    return q;
}

static void release(struct problem *q)
{
    free(q->in);
    free(q->want);
}

/* What thread t of a block adds up in bank_loop8, as bank_conflicts.cu says it. */
static uint64_t loop8(const uint64_t *in, int t, int stride)
{
    int start = t * stride % 1024;
    uint64_t sum = 0;

    for (int round = 0; round < 8; round++) {
        for (int r = 0; r < 32; r++)
            sum += in[start + r * 32];
        start = (start + 32) % 1024;
    }
    return sum;
}

Test(bank_conflicts, loop_sums_are_the_kernels)
{
    struct problem q = solve("bank_loop8", "n=1000");

    for (int i = 0; i < 1000; i++)
        cr_assert_eq(((uint64_t *)q.want)[i], loop8(q.in, i % (int)q.p.steps[0].block[0], 5), "%d",
                     i);
    release(&q);
}

Test(bank_conflicts, wide_words_are_sums_of_halves)
{
    struct problem wide = solve("bank_loop16", "n=1000");
    uint64_t *low = calloc(2016, 8);

    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 2016; i++)
            low[i] = ((uint64_t *)wide.in)[2 * i + half];
        for (int i = 0; i < 1000; i++)
            cr_assert_eq(((uint64_t *)wide.want)[2 * i + half],
                         loop8(low, i % (int)wide.p.steps[0].block[0], 5));
    }
    free(low);
    release(&wide);
}

Test(bank_conflicts, once_permutes_each_block)
{
    struct problem q = solve("bank_once", "n=1000");
    const double *in = q.in, *want = q.want;

    cr_expect_eq(want[1], in[5]);
    cr_expect_eq(want[103], in[3]); /* 515 mod 512 */
    cr_expect_eq(want[512 + 2], in[512 + 10]);
    cr_expect_eq(want[512 + 98], 0, "past the end of the input"); /* 490 + 512 = 1002 */
    release(&q);
}

Test(bank_conflicts, transposed_twice_is_the_input)
{
    struct problem q = solve("transpose_padded", "31x33");
    const float *in = q.in, *want = q.want;

    for (int y = 0; y < 31; y++)
        for (int x = 0; x < 33; x++)
            cr_assert_eq(want[x * 31 + y], in[y * 33 + x]);
    release(&q);
}

Test(bank_conflicts, rows_of_a_tile_must_add_up)
{
    struct launch_record r = {.block_x = 32, .block_y = 8, .items = 3};
    struct problem q = solve("transpose_padded", "31x33");
    char err[200] = "";

    cr_expect_not(lab->plan(q.v, q.c, &r, &h200, &q.p, err, sizeof(err)));
    cr_expect(strstr(err, "32"), "%s", err);
    release(&q);
}

/* So that a tile of whole numbers, or of halves, does not keep them. */
Test(bank_conflicts, elements_are_of_every_size)
{
    struct problem q = solve("transpose_padded", "100x65");
    const float *in = q.in;
    int small = 0, large = 0;

    for (int i = 0; i < 6500; i++) {
        cr_assert(fabsf(in[i]) < 1e30f);
        small += fabsf(in[i]) < 1e-6f;
        large += fabsf(in[i]) > 1e6f;
    }
    cr_expect_gt(small, 650);
    cr_expect_gt(large, 650);
    release(&q);
}

/* So that what cuts doubles off somewhere is seen. */
Test(bank_conflicts, special_doubles_are_of_every_size)
{
    struct problem q = solve("bank_once", "n=1000");
    struct lab_case c = *q.c;
    const double *in = q.in;
    int above_1 = 0, far_above_1 = 0, far_below_1 = 0;

    c.flags |= CASE_SPECIAL;
    lab->make_input(&q.p, 0, &c, 3, q.in);
    for (int i = 0; i < 1000; i++) {
        above_1 += fabs(in[i]) > 1 && fabs(in[i]) < 256;
        far_above_1 += fabs(in[i]) > 1e9 && fabs(in[i]) < 1e200;
        far_below_1 += fabs(in[i]) < 1e-9 && fabs(in[i]) > 1e-200;
    }
    cr_expect(above_1 > 100 && far_above_1 > 100 && far_below_1 > 100, "%d %d %d", above_1,
              far_above_1, far_below_1);
    release(&q);
}

Test(bank_conflicts, shared_memory_may_be_dynamic)
{
    struct problem q = solve("transpose_swizzled", "31x33");
    struct launch_record r = {.block_x = 32, .block_y = 8, .items = 4, .shared_bytes = 4096};

    cr_expect_geq(q.v->max.shared_bytes, r.shared_bytes);
    cr_assert(lab->plan(q.v, q.c, &r, &h200, &q.p, NULL, 0));
    cr_expect_eq(q.p.steps[0].shared_bytes, 4096);
    release(&q);
}

Test(bank_conflicts, terms_make_the_reference)
{
    check_terms(&lab_bank_conflicts, 10000);
}
