/* black_scholes_test.c - the lab's own logic, without a device. */
#include "lab/black_scholes.h"
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <string.h>

extern const struct lab lab_black_scholes;
static const struct device_limits h200 = {.max_threads_per_block = 1024};

static bool planned(const char *variant, const struct launch_record *r, uint64_t n, struct plan *p,
                    char err[300])
{
    struct lab_case c = *case_of(&lab_black_scholes, "options=1003");

    c.n = n;
    return plan_make(&lab_black_scholes, variant_of(&lab_black_scholes, variant), &c, r, &h200, p,
                     err, 300);
}

static uint32_t blocks(const char *variant, uint32_t block, uint32_t items, uint64_t n)
{
    struct launch_record r = {.block_x = block, .block_y = 1, .items = items};
    struct plan p;
    char err[300] = "";

    cr_assert(planned(variant, &r, n, &p, err), "%s", err);
    cr_assert(p.nsteps == 1 && p.steps[0].block[0] == block && p.bytes == 20.0 * (double)n);
    return p.steps[0].grid[0];
}

/* The lecture's grid is fixed; fewer options need fewer blocks, none need one that does nothing. */
Test(black_scholes, grids)
{
    cr_expect_eq(blocks("direct", 256, 0, 1003), 4);
    cr_expect_eq(blocks("strided", 256, 128, 1003), 4);
    cr_expect_eq(blocks("strided", 256, 128, 1000000), 128);
    cr_expect_eq(blocks("fast", 64, 1000, 1000000), 1000);
    cr_expect_eq(blocks("fast", 1024, 2112, 1000000), 264, "an H200 holds no more");
    cr_expect_eq(blocks("vector", 256, 0, 1025), 2);
    cr_expect_eq(blocks("vector", 256, 0, 1024), 1);
    cr_expect_eq(blocks("direct", 256, 0, 0), 1);
    cr_expect_eq(blocks("vector", 256, 0, 0), 1);
}

/* 1003 options in chunks of 512: three copies, a launch, two copies each. */
Test(black_scholes, a_schedule_becomes_operations)
{
    const struct lab_variant *v = variant_of(&lab_black_scholes, "overlap");
    struct plan p;
    char err[300] = "";

    cr_assert(planned("overlap", &v->record, 1003, &p, err), "%s", err);
    cr_assert(p.memory == PINNED && p.nops == 12 && p.nsteps == 2);
    for (int i = 0; i < 3; i++)
        cr_expect(p.ops[6 + i].kind == OP_COPY_IN && p.ops[6 + i].index == i &&
                  p.ops[6 + i].offset == 512 && p.ops[6 + i].count == 491);
    cr_expect(p.ops[9].kind == OP_LAUNCH && p.ops[9].index == 1 && p.ops[9].stream == 1);
    cr_expect(p.ops[10].kind == OP_COPY_OUT && p.ops[10].index == 3 && p.ops[11].index == 4);
    cr_expect(p.steps[1].args[4].offset == 512 && p.steps[1].args[5].v.u32 == 491);
    cr_expect_str_eq(p.steps[1].kernel, "strided");
    cr_assert(planned("overlap", &v->record, 1, &p, err), "%s", err);
    cr_expect(p.nops == 6 && p.nsteps == 1, "the second chunk has no option");
}

Test(black_scholes, what_cannot_be_is_refused)
{
    static struct schedule whole = {.memory = PAGEABLE, .chunks = 1, .nsteps = 3};
    static struct schedule small = {.memory = PINNED, .chunks = 64};
    struct launch_record r = variant_of(&lab_black_scholes, "pinned")->record;
    struct plan p;
    char err[300] = "";

    for (uint32_t i = 0; i < 3; i++)
        whole.steps[i] = (struct schedule_step){DO_COPY_IN + i, 0, 0, 1};
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t what = DO_COPY_IN; what <= DO_COPY_OUT; what++)
            small.steps[small.nsteps++] = (struct schedule_step){what, i % 2, i, 1};
    while (small.nsteps < 321)
        small.steps[small.nsteps++] = (struct schedule_step){DO_RECORD, 0, 0, 1};

    cr_expect_not(planned("pinned", &r, 0, &p, err));
    cr_expect(strstr(err, "there is nothing to copy"), "%s", err);
    cr_expect_not(planned("direct", &r, (1u << 28) + 1, &p, err));
    cr_expect(strstr(err, "at most 2^28 options"), "%s", err);
    r.schedule = &whole;
    cr_expect_not(planned("pinned", &r, 100, &p, err));
    cr_expect(strstr(err, "pinned is about PINNED memory, this is PAGEABLE"), "%s", err);
    cr_expect_not(planned("overlap", &r, 100, &p, err));
    whole.memory = PINNED;
    cr_expect_not(planned("overlap", &r, 100, &p, err));
    cr_expect(strstr(err, "1 stream at work; overlap has at least 2"), "%s", err);
    r.schedule = &small;
    cr_expect_not(planned("pinned", &r, 100, &p, err));
    cr_expect(strstr(err, "2 streams at work; pinned has 1"), "%s", err);
    cr_expect_not(planned("overlap", &r, 100, &p, err));
    cr_expect(strstr(err, "513 operations, of 321 steps"), "%s", err);
    small.nsteps--;
    cr_expect(planned("overlap", &r, 4096, &p, err), "%s", err);
    r.schedule = NULL;
    cr_expect_not(planned("pinned", &r, 100, &p, err));
    cr_expect(strstr(err, "there is no schedule"), "%s", err);
}

/* What is no option is NaN on both sides, all others are in parity and have a small bound. */
Test(black_scholes, reference)
{
    static const char *const names[] = {"options=1003", "some-are-none", "volatility=-30",
                                        "volatility=0", "volatility=nan"};

    for (int k = 0; k < 5; k++) {
        const struct lab_case *c = case_of(&lab_black_scholes, names[k]);
        struct solved s;
        uint64_t none = 0;

        cr_assert(solve_case(&s, &lab_black_scholes, variant_of(&lab_black_scholes, "fast"), c));
        const float *price = s.data[0], *strike = s.data[1], *years = s.data[2];
        const float *call = s.expected[3], *put = s.expected[4];
        for (uint64_t i = 0; i < c->n; i++) {
            double owed = strike[i] * exp(-0.02 * years[i]), sum = price[i] + owed;
            bool option = k < 2 && price[i] > 0 && strike[i] > 0 && years[i] > 0;

            none += !option;
            cr_expect_eq(isnan(call[i]), !option, "%s: %lu", c->name, i);
            cr_expect_eq(isnan(put[i]), !option, "%s: %lu", c->name, i);
            cr_expect(!option || fabs(call[i] - put[i] - price[i] + owed) < 3e-7 * sum);
            cr_expect(!option ||
                      (s.tolerance[3][i] > 0.5e-6 * sum && s.tolerance[4][i] < 5e-6 * sum));
        }
        cr_expect(k == 0 ? !none : k > 1 ? none == c->n : none > 60 && none < 150, "%lu", none);
        solved_free(&s);
    }
}

/* A rate below 0 makes more than the strike be owed. Shares, strikes and times of any size. */
Test(black_scholes, any_option)
{
    const struct lab_variant *v = variant_of(&lab_black_scholes, "direct");
    float least[3] = {1e9f, 1e9f, 1e9f}, most[3] = {0};
    struct solved s;

    cr_assert(solve_case(&s, &lab_black_scholes, v, case_of(&lab_black_scholes, "rate=-2")));
    for (uint64_t i = 0; i < s.p.buffers[0].count; i++) {
        double owed = ((float *)s.data[1])[i] * exp(0.02 * ((float *)s.data[2])[i]);
        double call = ((float *)s.expected[3])[i], put = ((float *)s.expected[4])[i];
        double parity = call - put - ((float *)s.data[0])[i] + owed;

        cr_expect(fabs(parity) < 1e-6 * (owed + 30), "%lu: %g", i, parity);
    }
    solved_free(&s);
    cr_assert(solve_case(&s, &lab_black_scholes, v, case_of(&lab_black_scholes, "any-price")));
    for (uint64_t i = 0; i < s.p.buffers[0].count; i++)
        for (int b = 0; b < 3; b++) {
            float x = ((float *)s.data[b])[i] / (b == 1 ? ((float *)s.data[0])[i] : 1);

            least[b] = fminf(least[b], x);
            most[b] = fmaxf(most[b], x);
        }
    cr_expect(least[0] > 0.009f && least[0] < 0.02f && most[0] > 1000 && most[0] < 2100);
    cr_expect(least[1] >= 0.25f && least[1] < 0.27f && most[1] > 3.8f && most[1] <= 4);
    cr_expect(least[2] > 0.0001f && least[2] < 0.0005f && most[2] > 20 && most[2] < 30);
    solved_free(&s);
}

/* What is as far from the usual as floats are good for: rate times years of any size up to 32, most
 * of them where e^(-rT) is still to be seen in the price; and bounds go with what is owed. */
Test(black_scholes, any_scale)
{
    const struct lab_variant *v = variant_of(&lab_black_scholes, "direct");
    struct lab_case c = *case_of(&lab_black_scholes, "any-price");

    c.param = 30, c.k = 5;
    for (int below = 0; below < 2; below++) {
        float least[3] = {1e30f, 1e30f, 1e30f}, most[3] = {0};
        unsigned seen = 0;
        struct solved s;

        c.op = 16 | (below ? 4 : 0);
        cr_assert(solve_case(&s, &lab_black_scholes, v, &c));
        for (uint64_t i = 0; i < c.n; i++) {
            const float x[3] = {((float *)s.data[0])[i],
                                ((float *)s.data[1])[i] / ((float *)s.data[0])[i],
                                ((float *)s.data[2])[i]};
            double grown = (below ? 0.625 : -0.625) * x[2];
            double owed = ((float *)s.data[1])[i] * fmax(1, exp(grown) * fmax(1, grown / 6));

            for (int b = 0; b < 3; b++) {
                least[b] = fminf(least[b], x[b]);
                most[b] = fmaxf(most[b], x[b]);
            }
            seen += fabs(grown) > 6.5 && fabs(grown) < 14;
            cr_assert(isfinite(((float *)s.expected[3])[i]) &&
                      isfinite(((float *)s.expected[4])[i]));
            cr_expect_float_eq(s.tolerance[3][i] / (0x1p-20 * (((float *)s.data[0])[i] + owed)), 1,
                               1e-3);
        }
        cr_expect(least[0] < 2e-9f && most[0] > 5e8f, "%g %g", least[0], most[0]);
        cr_expect(least[1] < 2e-6f && most[1] > 5e5f, "%g %g", least[1], most[1]);
        cr_expect(least[2] < 1e-7f && most[2] > 50 && most[2] < 51.3f, "%g %g", least[2], most[2]);
        cr_expect(seen > c.n / 16, "%u", seen);
        solved_free(&s);
    }
}

/* Each way to be none is among the thousand: also a price and a strike that are both below 0. */
Test(black_scholes, every_way_to_be_none)
{
    struct solved s;
    uint64_t nan = 0, zero = 0, below = 0, both = 0;

    cr_assert(solve_case(&s, &lab_black_scholes, variant_of(&lab_black_scholes, "fast"),
                         case_of(&lab_black_scholes, "some-are-none")));
    for (int b = 0; b < 3; b++)
        for (uint64_t i = 0; i < s.p.buffers[b].count; i++) {
            float x = ((const float *)s.data[b])[i];

            nan |= isnan(x) ? 1u << b : 0;
            zero |= x == 0 ? 1u << b : 0;
            below |= x < 0 ? 1u << b : 0;
            both += !b && x < 0 && ((const float *)s.data[1])[i] < 0;
        }
    cr_expect(nan == 7 && zero == 7 && below == 7 && both > 0, "%lx %lx %lx %lu", nan, zero, below,
              both);
    solved_free(&s);
}

/* Words for a price that one known mistake makes. */
Test(black_scholes, mistakes_are_recognised)
{
    const struct lab_case *c = case_of(&lab_black_scholes, "options=1003");
    struct solved s;
    char words[200];

    cr_assert(solve_case(&s, &lab_black_scholes, variant_of(&lab_black_scholes, "direct"), c));
    const void *const *inputs = (const void *const *)s.data;
    float *call = s.expected[3];
    float right = call[0], other = call[3], put = ((float *)s.expected[4])[0];
    struct lab_case some = *case_of(&lab_black_scholes, "some-are-none");
    float *puts = s.expected[4];
#define TOLD_OF(of, b)                                                                             \
    lab_black_scholes.recognise(&s.p, variant_of(&lab_black_scholes, "direct"), of, inputs, b,     \
                                s.expected[b], 0, words, sizeof(words))
#define TOLD(of) TOLD_OF(of, 3)
    cr_expect_not(TOLD(c), "a right one is no mistake");
    call[0] = put;
    cr_expect(TOLD(c) && strstr(words, "the other one's price"), "%s", words);
    cr_expect_not(TOLD_OF(c, 4), "the put is right");
    puts[0] = -put;
    cr_expect(TOLD_OF(c, 4) && strstr(words, "the other sign"), "%s", words);
    puts[0] = puts[3];
    cr_expect(TOLD_OF(c, 4) && strstr(words, "the price of option 3"), "%s", words);
    puts[0] = right;
    cr_expect(TOLD_OF(c, 4) && strstr(words, "the other one's price"), "%s", words);
    call[0] = other;
    cr_expect(TOLD(c) && strstr(words, "the price of option 3"), "%s", words);
    call[0] = right + 1;
    cr_expect_not(TOLD(c));
    ((float *)s.data[0])[0] = -3;
    cr_expect(TOLD(&some) && strstr(words, "no option: price -3"), "%s", words);
    solved_free(&s);
}
