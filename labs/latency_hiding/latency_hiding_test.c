/* latency_hiding_test.c - the lab's own logic, without a device. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_latency_hiding;
static const struct device_limits h200 = {.max_threads_per_block = 1024,
                                          .shared_per_block = 227 << 10};

static struct plan plan_of(const char *variant, const struct lab_case *c)
{
    const struct lab_variant *v = variant_of(&lab_latency_hiding, variant);
    struct plan p;
    char err[200] = "";

    cr_assert(lab_latency_hiding.plan(v, c, &v->record, &h200, &p, err, sizeof(err)), "%s", err);
    return p;
}

/* Every SM gets the warps that the case's name says, and four chains a thread a quarter. */
Test(latency_hiding, warps_of_an_sm)
{
    struct plan p = plan_of("steps_1", case_of(&lab_latency_hiding, "steps-warps=8"));

    cr_assert_eq(p.steps[0].grid[0], 132);
    cr_assert_eq(p.steps[0].block[0], 8 * 32);
    p = plan_of("steps_4", case_of(&lab_latency_hiding, "steps-warps=8"));
    cr_assert_eq(p.steps[0].grid[0], 132);
    cr_assert_eq(p.steps[0].block[0], 2 * 32);
    p = plan_of("walk_1", case_of(&lab_latency_hiding, "walk-warps=64"));
    cr_assert_eq(p.steps[0].grid[0], 2 * 132);
    cr_assert_eq(p.steps[0].block[0], 1024);
    cr_assert_eq(p.bytes, 4.0 * 132 * 64 * 32 * 16);
}

/* 228 KiB an SM, one of them kept for each block: what is asked for holds `blocks` blocks, and
 * no more. */
Test(latency_hiding, shared_memory_keeps_blocks_out)
{
    for (uint32_t blocks = 1; blocks <= 8; blocks *= 2) {
        struct lab_case c = *case_of(&lab_latency_hiding, "copy-n=5003");

        c.param = blocks * 8;
        uint32_t bytes = plan_of("copy_1", &c).steps[0].shared_bytes + 1024;

        cr_assert(bytes * blocks <= 228 << 10 && bytes * (blocks + 1) > 228 << 10, "%u", bytes);
    }
}

Test(latency_hiding, what_cannot_be_is_refused)
{
    static const struct {
        const char *like;
        uint64_t n, m, k;
        int64_t param;
        const char *word;
    } bad[] = {
        {"steps-n=1003", 0, 0, 1, 0, "n is 1"},
        {"walk-n=1003", 10, 0, 1, 0, "m is 1"},
        {"steps-n=1003", 10, 0, 1, 65, "1 to 64 warps"},
        {"copy-n=5003", 10, 0, 0, 12, "8, 16"},
        {"copy-n=5003", 10, 0, 0, 0, "8, 16"},
        {"grids=1", 10, 0, 0, 0, "at least one block"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lab_case c = *case_of(&lab_latency_hiding, bad[i].like);
        const struct lab_variant *v = &lab_latency_hiding.variants[0];
        struct plan p;
        char err[200] = "";

        c.n = bad[i].n, c.m = bad[i].m, c.k = bad[i].k, c.param = bad[i].param;
        cr_assert_not(lab_latency_hiding.plan(v, &c, &v->record, &h200, &p, err, sizeof(err)));
        cr_assert(strstr(err, bad[i].word), "%s", err);
    }
}

static void reference_of(const char *variant, const struct lab_case *c, const void *const *inputs,
                         void **outputs)
{
    struct plan p = plan_of(variant, c);
    double bounds[64];
    double *tolerance[] = {bounds, bounds, bounds, bounds, bounds};

    lab_latency_hiding.reference(&p, variant_of(&lab_latency_hiding, variant), c, inputs, outputs,
                                 tolerance);
}

Test(latency_hiding, steps_by_hand)
{
    struct lab_case c = *case_of(&lab_latency_hiding, "steps-n=1");
    float x[] = {0.5f}, add[] = {-1.75f}, out[1];
    const void *inputs[] = {x, add, NULL};
    void *outputs[] = {NULL, NULL, out};

    c.k = 2; /* 0.25 - 1.75 = -1.5, 2.25 - 1.75 = 0.5 */
    reference_of("steps_4", &c, inputs, outputs);
    cr_assert_eq(out[0], 0.5f);
}

/* However many steps, and wherever between -2 and -1.5 the constant is: no number leaves -2 … 2. */
Test(latency_hiding, steps_stay_small)
{
    const struct lab_case *c = case_of(&lab_latency_hiding, "steps-n=1003");
    struct plan p = plan_of("steps_1", c);
    float x[1003], add[1003];

    lab_latency_hiding.make_input(&p, 0, c, 3, x);
    lab_latency_hiding.make_input(&p, 1, c, 3, add);
    for (int i = 0; i < 1003; i++)
        for (int k = 0; k < 5000; k++) {
            x[i] = fmaf(x[i], x[i], add[i]);
            cr_assert(fabsf(x[i]) <= 2, "%g", x[i]);
        }
}

/* Of a special case numbers come down to constants of any size, subnormal ones, too. Where only
 * some are compared all stay in the bounds of the rest. */
Test(latency_hiding, special_steps_come_to_any_size)
{
    enum { MANY = (1 << 16) + 1, STEPS = 100 };
    struct lab_case c = *case_of(&lab_latency_hiding, "steps-n=1003");
    float *x = malloc(MANY * sizeof(*x)), *add = malloc(MANY * sizeof(*add));

    c.flags |= CASE_SPECIAL;
    for (int many = 0; many < 2; many++) {
        int below[2] = {0}, small[2] = {0}, outside = 0;

        c.n = many ? MANY : 1003;
        struct plan p = plan_of("steps_1", &c);
        lab_latency_hiding.make_input(&p, 0, &c, 3, x);
        lab_latency_hiding.make_input(&p, 1, &c, 3, add);
        for (uint64_t i = 0; i < c.n; i++) {
            for (int k = 0; k < STEPS; k++)
                x[i] = fmaf(x[i], x[i], add[i]);
            outside += !(fabsf(x[i]) <= 2);
            below[x[i] < 0] += x[i] != 0 && fabsf(x[i]) < 0x1p-126f;
            small[x[i] < 0] += fabsf(x[i]) >= 0x1p-126f && fabsf(x[i]) < 0x1p-12f;
        }
        for (int s = 0; s < 2; s++)
            cr_expect(below[s] > 1 && small[s] > 5, "%d %d", below[s], small[s]);
        cr_expect(many ? !outside : outside > 50, "%d", outside);
    }
    free(x);
    free(add);
}

/* One list through all elements, whatever its length and seed. */
Test(latency_hiding, lists_are_whole)
{
    for (uint64_t m = 1; m <= 4096; m += m < 9 ? 1 : m / 5)
        for (uint64_t seed = 1; seed < 4; seed++) {
            struct lab_case c = *case_of(&lab_latency_hiding, "walk-n=1003");
            uint32_t *next = malloc(m * sizeof(*next)), at = 0;
            uint64_t length = 0;

            c.m = m;
            struct plan p = plan_of("walk_1", &c);

            lab_latency_hiding.make_input(&p, 0, &c, seed, next);
            do {
                at = next[at];
                length++;
            } while (at && length <= m);
            cr_assert_eq(length, m, "a list of %lu has a circle of %lu", m, length);
            free(next);
        }
}

/* From the CUDA Occupancy Calculator and, the last two, the lecture: 130 floats and 128 threads on
 * an SM of 64 warps and 96 KiB, and on one that has 1.5 KB. */
Test(latency_hiding, blocks_by_hand)
{
#define ON_H200       2048, 32, 65536, 256, 228 << 10, 128, 1024
#define ON_SMM(bytes) 2048, 32, 65536, 256, bytes, 1, 0
    static const uint32_t facts[][10] = {
        {256, 32, 0, ON_H200},         {1024, 40, 0, ON_H200},
        {1024, 65, 0, ON_H200},        {32, 16, 0, ON_H200},
        {128, 32, 113 << 10, ON_H200}, {128, 32, (113 << 10) + 1, ON_H200},
        {33, 33, 0, ON_H200},          {128, 16, 520, ON_SMM(96 << 10)},
        {128, 16, 520, ON_SMM(1536)},
    };
    static const uint32_t fit[] = {8, 1, 0, 32, 2, 1, 25, 16, 2};
    struct lab_case c = *case_of(&lab_latency_hiding, "kernels=1");
    uint32_t out[9];
    const void *inputs[] = {facts, NULL};
    void *outputs[] = {NULL, out};

    c.n = 9;
    reference_of("blocks_fit", &c, inputs, outputs);
    for (int i = 0; i < 9; i++)
        cr_assert_eq(out[i], fit[i], "kernel %d: %u blocks, not %u", i, out[i], fit[i]);
}

/* The lecture's walk: two SMs of two places. Blocks 0 to 3 are given out in turns; block 0 is done
 * first, then block 2, both on SM 0. */
Test(latency_hiding, schedule_of_the_lecture)
{
    struct lab_case c = *case_of(&lab_latency_hiding, "grids=1");
    uint32_t sms[] = {2}, places[] = {2}, cycles[] = {10, 40, 20, 40, 40, 40};
    uint32_t sm[6], start[6];
    const void *inputs[] = {sms, places, cycles, NULL, NULL};
    void *outputs[] = {NULL, NULL, NULL, sm, start};
    static const uint32_t where[] = {0, 1, 0, 1, 0, 0}, when[] = {0, 0, 0, 0, 10, 20};

    c.k = 6;
    reference_of("schedule", &c, inputs, outputs);
    for (int b = 0; b < 6; b++) {
        cr_assert_eq(sm[b], where[b], "block %d runs on SM %u", b, sm[b]);
        cr_assert_eq(start[b], when[b], "block %d starts at %u", b, start[b]);
    }
}
