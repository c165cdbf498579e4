/* multi_gpu_test.c - the lab's own logic, without a device. */
#include "lab/lab.h"
#include "lab/philox.h"
#include "labs/testing.h"
#include "near.h"

#include <criterion/criterion.h>
#include <string.h>

extern const struct lab lab_multi_gpu;
static const struct device_limits h200 = {
    .sms = 132, .max_threads_per_block = 1024, .max_threads_per_sm = 2048, .cc = 90};

#define STEP(what, stream, chunk)                                                                  \
    {                                                                                              \
        what, stream, chunk, 1                                                                     \
    }

static bool planned(const char *variant, const struct schedule *s, const struct lab_case *c,
                    struct plan *p, char err[300])
{
    const struct lab_variant *v = variant_of(&lab_multi_gpu, variant);
    struct launch_record r = v->record;

    r.schedule = s ? s : v->record.schedule;
    return plan_make(&lab_multi_gpu, v, c, &r, &h200, p, err, 300);
}

/* All ranks do what one list says: three kernels and their totals, then one sum. */
Test(multi_gpu, a_schedule_is_every_ranks)
{
    struct plan p;
    char err[300];

    cr_assert(planned("ball_sum", NULL, case_of(&lab_multi_gpu, "ranks=3-ball-n=1003"), &p, err),
              "%s", err);
    cr_assert(p.memory == RESIDENT && p.ranks == 3 && p.nops == 7 && p.nsteps == 6);
    for (int r = 0; r < 3; r++) {
        const struct plan_step *ball = &p.steps[2 * r], *total = &p.steps[2 * r + 1];

        cr_expect(p.ops[2 * r].kind == OP_LAUNCH && p.ops[2 * r].rank == (uint32_t)r);
        cr_expect(!strcmp(ball->kernel, "ball") && ball->grid[0] == 2, "335 points, 256 a block");
        cr_expect(ball->args[2].v.u32 == 1003 && ball->args[3].v.u32 == (uint32_t)r);
        cr_expect(ball->args[4].v.u32 == 3);
        cr_expect(!strcmp(total->kernel, "total") && total->args[1].buffer == 1);
        cr_expect(total->args[2].v.u32 == 2 && p.buffers[3].count == 2);
    }
    cr_expect(p.ops[6].kind == OP_SUM && p.ops[6].index == 1 && p.ops[6].count == 1);
}

/* Each rank has a row of `parts`; the first one fetches the others' and adds. */
Test(multi_gpu, results_are_fetched)
{
    struct plan p;
    char err[300];

    cr_assert(
        planned("many_gather", NULL, case_of(&lab_multi_gpu, "ranks=4-many-m=515-n=2"), &p, err),
        "%s", err);
    cr_assert(p.nops == 8 && p.nsteps == 5 && p.buffers[2].count == 4 * 515);
    for (uint32_t r = 0; r < 4; r++)
        cr_expect(p.steps[r].args[1].buffer == 2 && p.steps[r].args[1].offset == 515 * r);
    for (uint32_t r = 1; r < 4; r++) {
        const struct plan_op *o = &p.ops[3 + r];

        cr_expect(o->kind == OP_FETCH && o->rank == r && o->index == 2 && o->count == 515);
        cr_expect_eq(o->offset, 515 * r);
    }
    cr_expect(p.ops[7].kind == OP_LAUNCH && p.ops[7].rank == 0);
    cr_expect(!strcmp(p.steps[4].kernel, "add_parts") && p.steps[4].args[2].v.u32 == 515);
}

/* 1003 results in two chunks, a multiple of 32 each; of one there is only the first. */
Test(multi_gpu, results_come_in_chunks)
{
    struct lab_case c = *case_of(&lab_multi_gpu, "ranks=2-many-m=1003-n=7");
    struct plan p;
    char err[300];

    cr_assert(planned("many_chunks", NULL, &c, &p, err), "%s", err);
    cr_assert(p.nsteps == 4 && p.nops == 4 + 2 + 4);
    cr_expect(p.steps[2].args[1].offset == 512 && p.steps[2].args[2].v.u32 == 512);
    cr_expect(p.steps[2].args[3].v.u32 == 491 && p.steps[2].grid[0] == 2);
    cr_expect(p.ops[9].kind == OP_SUM && p.ops[9].offset == 512 && p.ops[9].count == 491);
    c.m = 1;
    cr_assert(planned("many_chunks", NULL, &c, &p, err), "%s", err);
    cr_expect(p.nsteps == 2 && p.nops == 2 + 4 + 1);
}

/* No block has nothing to do, but one of a rank that has nothing; none is more than fits. */
Test(multi_gpu, blocks_fit_the_share)
{
    struct lab_case c = *case_of(&lab_multi_gpu, "ranks=4-ball-n=2");
    struct plan p;
    char err[300];

    cr_assert(planned("ball_sum", NULL, &c, &p, err));
    cr_expect_eq(p.steps[0].grid[0], 1);
    c.n = 1u << 31;
    cr_assert(planned("ball_sum", NULL, &c, &p, err));
    cr_expect(p.steps[6].grid[0] == 132 * 8 && p.steps[7].args[2].v.u32 == 132 * 8);
}

Test(multi_gpu, a_variant_has_its_rule)
{
    static const struct {
        const char *variant, *says;
        struct schedule s;
    } rows[] = {
        {"ball_sum",
         "step 1: ball_sum is about sum, this is gather",
         {RESIDENT, 1, 2, {STEP(DO_KERNEL, 0, 0), STEP(DO_GATHER, 0, 0)}}},
        {"many_gather",
         "step 1: many_gather is about gather, this is sum",
         {RESIDENT, 1, 2, {STEP(DO_KERNEL, 0, 0), STEP(DO_SUM, 0, 0)}}},
        {"many_sum",
         "2 steps of sum; many_sum has one",
         {RESIDENT,
          2,
          4,
          {STEP(DO_KERNEL, 0, 0), STEP(DO_SUM, 0, 0), STEP(DO_KERNEL, 0, 1), STEP(DO_SUM, 0, 1)}}},
        {"many_chunks",
         "one chunk: many_chunks has at least 2",
         {RESIDENT, 1, 2, {STEP(DO_KERNEL, 0, 0), STEP(DO_SUM, 0, 0)}}},
        {"many_chunks",
         "step 1, a sum: no kernel can work meanwhile",
         {RESIDENT,
          2,
          4,
          {STEP(DO_KERNEL, 0, 0), STEP(DO_SUM, 0, 0), STEP(DO_KERNEL, 0, 1), STEP(DO_SUM, 0, 1)}}},
        {"many_chunks",
         "step 4, a sum of 15 chunks: kernels of no more than 1 can work meanwhile",
         {RESIDENT,
          16,
          6,
          {{DO_KERNEL, 0, 0, 15},
           STEP(DO_RECORD, 0, 0),
           STEP(DO_KERNEL, 0, 15),
           STEP(DO_WAIT, 1, 0),
           {DO_SUM, 1, 0, 15},
           STEP(DO_SUM, 0, 15)}}},
        {"many_chunks",
         "step 5, a sum that no kernel can work beside, has 15 of 16 chunks",
         {RESIDENT,
          16,
          6,
          {STEP(DO_KERNEL, 0, 0),
           STEP(DO_RECORD, 0, 0),
           {DO_KERNEL, 0, 1, 15},
           STEP(DO_WAIT, 1, 0),
           STEP(DO_SUM, 1, 0),
           {DO_SUM, 0, 1, 15}}}},
        {"many_chunks",
         "kernels of 2 of 16 chunks can work while there is a sum",
         {RESIDENT,
          16,
          8,
          {{DO_KERNEL, 0, 0, 14},
           STEP(DO_RECORD, 0, 0),
           {DO_KERNEL, 0, 14, 2},
           STEP(DO_WAIT, 1, 0),
           {DO_SUM, 1, 0, 4},
           {DO_SUM, 1, 4, 4},
           {DO_SUM, 1, 8, 4},
           {DO_SUM, 0, 12, 4}}}},
        {"many_chunks",
         "17 chunks; many_chunks has at most 16",
         {RESIDENT, 17, 3, {{DO_KERNEL, 0, 0, 8}, {DO_KERNEL, 1, 8, 9}, {DO_SUM, 0, 0, 8}}}},
        {"ball_sum",
         "ball_sum is about RESIDENT data, this is PINNED",
         {PINNED, 1, 3, {STEP(DO_COPY_IN, 0, 0), STEP(DO_KERNEL, 0, 0), STEP(DO_COPY_OUT, 0, 0)}}},
        {"ball_sum",
         "the results of chunk 0 stay on each rank",
         {RESIDENT, 1, 1, {STEP(DO_KERNEL, 0, 0)}}},
        {"ball_sum", "still to be written", {0}},
    };
    struct plan p;
    char err[300];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lab_case c =
            *case_of(&lab_multi_gpu,
                     rows[i].variant[0] == 'b' ? "ranks=3-ball-n=1003" : "ranks=2-many-m=1003-n=7");
        struct schedule s = rows[i].s;

        if (s.chunks == 17) /* of which each is summed */
            s.steps[s.nsteps++] = (struct schedule_step){DO_SUM, 1, 8, 9};
        cr_expect_not(planned(rows[i].variant, &s, &c, &p, err), "%s", rows[i].says);
        cr_expect(strstr(err, rows[i].says), "%s: %s", rows[i].says, err);
    }
}

Test(multi_gpu, sizes_have_bounds)
{
    static const struct {
        const char *variant, *like, *says;
        uint64_t n, m;
        int64_t ranks;
        enum dtype dtype;
    } rows[] = {
        {"ball_sum", "ranks=3-ball-n=1003", "n is 1 to 2^31", 0, 1, 1, DT_I64},
        {"ball_sum", "ranks=3-ball-n=1003", "n is 1 to 2^31", (1ull << 31) + 1, 1, 1, DT_I64},
        {"ball_sum", "ranks=3-ball-n=1003", "0 ranks; 1 to 4 here", 9, 1, 0, DT_I64},
        {"ball_sum", "ranks=3-ball-n=1003", "5 ranks; 1 to 4 here", 9, 1, 5, DT_I64},
        {"ball_sum", "ranks=3-ball-n=1003", "one result", 9, 2, 1, DT_I64},
        {"vector_sum", "ranks=1-vector-n=1003", "results are i64", 9, 1, 1, DT_F32},
        {"many_sum", "ranks=2-many-m=1003-n=7", "m is 1 to 2^28", 9, 0, 1, DT_I64},
        {"shares", "shares-n=1003", "one rank here", 9, 1, 2, DT_U32},
        {"shares", "shares-n=1003", "results are u32", 9, 1, 1, DT_I64},
    };
    struct plan p;
    char err[300];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lab_case c = *case_of(&lab_multi_gpu, rows[i].like);

        c.n = rows[i].n;
        c.m = rows[i].m;
        c.param = rows[i].ranks;
        c.dtype = rows[i].dtype;
        cr_expect_not(planned(rows[i].variant, NULL, &c, &p, err), "%s", rows[i].says);
        cr_expect(strstr(err, rows[i].says), "%s: %s", rows[i].says, err);
    }
}

/* 7 for 3 ranks: 0 to 2, to 4, to 7. The greatest n needs more than 32 bits on the way. */
Test(multi_gpu, shares_by_hand)
{
    struct lab_case c = *case_of(&lab_multi_gpu, "shares-n=1003");
    uint32_t asked[] = {7, 0, 3, 7, 1, 3, 7, 2, 3, 2, 0, 4, 2, 1, 4, 1u << 31, 2, 3}, out[12];
    static const uint32_t want[] = {0, 2, 2, 4, 4, 7, 0, 0, 0, 1, 1431655765, 1u << 31};
    const void *inputs[LAB_MAX_BUFFERS] = {asked};
    void *expected[LAB_MAX_BUFFERS] = {NULL, out};
    double some[12], *bounds[LAB_MAX_BUFFERS] = {NULL, some};
    struct plan p;
    char err[300];

    c.n = 6;
    cr_assert(planned("shares", NULL, &c, &p, err), "%s", err);
    lab_multi_gpu.reference(&p, lab_multi_gpu.variants, &c, inputs, expected, bounds);
    for (int i = 0; i < 12; i++)
        cr_expect_eq(out[i], want[i], "%d: %u", i, out[i]);
    cr_expect_null(bounds[1], "exactly these");
}

/* Key 0: point 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8, of which 0.399² + 0.881² + … is above 1.
 */
Test(multi_gpu, points_by_hand)
{
    const struct lab_variant *v = variant_of(&lab_multi_gpu, "ball_sum");
    struct lab_case c = *case_of(&lab_multi_gpu, "ranks=3-ball-n=1003");
    uint32_t key[2] = {0, 0};
    int64_t out[1];
    const void *inputs[LAB_MAX_BUFFERS] = {key};
    void *expected[LAB_MAX_BUFFERS] = {NULL, out};
    double some[1], *bounds[LAB_MAX_BUFFERS] = {NULL, some};
    struct plan p;
    char err[300];

    cr_assert(planned("ball_sum", NULL, &c, &p, err));
    c.n = 1;
    lab_multi_gpu.reference(&p, v, &c, inputs, expected, bounds);
    cr_expect(out[0] == 0 && !bounds[1]);
    c.n = 1u << 22;
    bounds[1] = some;
    lab_multi_gpu.reference(&p, v, &c, inputs, expected, bounds);
    cr_expect_float_eq(sqrt(32.0 * (double)out[0] / (double)c.n), M_PI, 0.006, "%ld", out[0]);
    cr_expect_null(bounds[1]);
    int64_t counted = out[0];
    c.n = 1u << 23; /* too many to count: what there should be, and how far off that may be */
    bounds[1] = some;
    lab_multi_gpu.reference(&p, v, &c, inputs, expected, bounds);
    cr_expect(bounds[1] && some[0] > 7500 && some[0] < 8500, "%g", some[0]);
    cr_expect(llabs(out[0] - 2 * counted) < some[0]);
}

Test(multi_gpu, terms_make_the_reference)
{
    check_terms(&lab_multi_gpu, 20000);
}

/* How far point `i` of set 0 is outside the ball. */
static int64_t outside_by(const uint32_t *key, uint32_t i)
{
    struct philox_words w = philox((struct philox_words){{i, 0, 0, 0}}, key[0], key[1]);
    uint64_t far = 0;

    for (int k = 0; k < 4; k++)
        far += (uint64_t)(w.w[k] >> 1) * (w.w[k] >> 1);
    return (int64_t)(far - (1ull << 62));
}

/* Each key's point is there, on its side, and no other is near enough to make up for it. */
Test(multi_gpu, points_next_to_the_surface)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < NEAR_KEYS; k++) {
            unsigned near = 0;

            for (uint32_t i = 0; i < NEAR_POINTS; i++) {
                int64_t by = outside_by(near_keys[side][k], i);

                near += llabs(by) < 1 << 24;
                cr_assert(llabs(by) >= 1 << 24 || (by < 0) == side);
            }
            cr_expect_eq(near, 1, "%d %d: %u", side, k, near);
        }
}

/* The key of a case is of the side that n says; sums of a vector are as great as they can be, and
 * its blocks few. */
Test(multi_gpu, special_cases)
{
    struct lab_case c = *case_of(&lab_multi_gpu, "ranks=3-ball-n=1003");
    struct solved s;

    c.flags |= CASE_SPECIAL;
    for (c.n = 4096; c.n < 4100; c.n++) {
        bool known = false;

        cr_assert(solve_case(&s, &lab_multi_gpu, variant_of(&lab_multi_gpu, "ball_sum"), &c));
        for (int k = 0; k < NEAR_KEYS; k++)
            known |= !memcmp(s.data[0], near_keys[c.n % 2][k], sizeof(near_keys[0][k]));
        cr_expect(known);
        solved_free(&s);
    }
    c = *case_of(&lab_multi_gpu, "ranks=4-vector-n=70001");
    c.flags |= CASE_SPECIAL;
    cr_assert(solve_case(&s, &lab_multi_gpu, variant_of(&lab_multi_gpu, "vector_sum"), &c));
    cr_expect_eq(s.p.steps[0].grid[0], 2);
    cr_expect_gt(llabs(((int64_t *)s.expected[1])[0]), 70001ll << 29);
    solved_free(&s);
}
