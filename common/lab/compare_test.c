/* compare_test.c - what is right, what is wrong, and what the errors are said to look like. */
#include "compare.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N 1000

static const struct compare_hints hints = {.poison = 0x7d, .block_threads = 64};

static struct comparison of_ints(void (*spoil)(int32_t *got))
{
    static int32_t expected[N], got[N];

    for (int i = 0; i < N; i++)
        expected[i] = got[i] = i * 7 + 3;
    spoil(got);
    return compare(DT_I32, expected, got, NULL, N, &hints);
}

static void nothing(int32_t *got)
{
    (void)got;
}
static void poison(int32_t *got)
{
    memset(got, 0x7d, N * sizeof(*got));
}
static void poison_tail(int32_t *got)
{
    memset(got + 960, 0x7d, 40 * sizeof(*got));
}
static void zeros(int32_t *got)
{
    memset(got, 0, N * sizeof(*got));
}
static void twice(int32_t *got)
{
    for (int i = 0; i < N; i++)
        got[i] *= 2;
}
static void shifted(int32_t *got)
{
    memmove(got, got + 1, (N - 1) * sizeof(*got));
    got[N - 1] = 0;
}
static void block_starts(int32_t *got)
{
    for (int i = 0; i < N; i += 64)
        got[i] += 5;
}
static void block_ends(int32_t *got)
{
    for (int i = 63; i < N; i += 64)
        got[i] += 5;
}
static void last_one(int32_t *got)
{
    got[N - 1] = 1;
}
static void first_one(int32_t *got)
{
    got[0] = 1;
}
static void last_three(int32_t *got)
{
    got[N - 1] = got[N - 2] = got[N - 3] = 1;
}
static void here_and_there(int32_t *got)
{
    got[10] = 1;
    got[77] = 2;
    got[500] = 4;
    got[501] = 5;
}

static const struct {
    void (*spoil)(int32_t *got);
    uint64_t nwrong;
    const char *cause;
} rows[] = {
    {nothing, 0, ""},
    {poison, N, "every element is wrong: never written"},
    {poison_tail, 40, "only the last, partly filled block (40 elements) is wrong: never written"},
    {zeros, N, "every element is wrong: zero"},
    {twice, N, "every element is wrong: twice what it should be"},
    {shifted, N, "every element is wrong: the value that belongs one place further on"},
    {block_starts, 16, "only the first element of blocks is wrong"},
    {block_ends, 15, "only the last element of blocks is wrong"},
    {last_one, 1, "only the last element is wrong"},
    {first_one, 1, "only the first element is wrong"},
    {last_three, 3, "only the last 3 of 1000 elements are wrong"},
    {here_and_there, 4, ""},
};

Test(compare, names_a_cause)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct comparison c = of_ints(rows[i].spoil);

        cr_expect_eq(c.nwrong, rows[i].nwrong, "row %zu: %llu wrong", i,
                     (unsigned long long)c.nwrong);
        cr_expect(!strncmp(c.cause, rows[i].cause, strlen(rows[i].cause)), "row %zu: \"%s\"", i,
                  c.cause);
        cr_expect(rows[i].cause[0] || !c.cause[0], "row %zu guesses \"%s\"", i, c.cause);
    }
}

Test(compare, tells_nan_without_its_sign)
{
    float expected[] = {1}, got[] = {-NAN};
    double tolerance[1] = {0};
    struct comparison c = compare(DT_F32, expected, got, tolerance, 1, &hints);

    cr_expect(c.nshown == 1 && isnan(c.shown[0].got) && !signbit(c.shown[0].got), "%g",
              c.shown[0].got);
}

Test(compare, tells_64_bits_to_the_last)
{
    int64_t expected[] = {1}, got[] = {INT64_MIN + 1};
    struct comparison c = compare(DT_I64, expected, got, NULL, 1, &hints);

    cr_expect(c.nshown == 1 && c.shown[0].got_i64 == INT64_MIN + 1 && c.shown[0].expected_i64 == 1);
}

Test(compare, counts_alone_where_nobody_asks_for_looks)
{
    const struct compare_hints unsaid = {.poison = 0x7d, .unsaid = true};
    float expected[] = {1, 2, 3}, got[] = {2, 4, 6};
    double tolerance[3] = {0};
    struct comparison told = compare(DT_F32, expected, got, tolerance, 3, &hints);
    struct comparison c = compare(DT_F32, expected, got, tolerance, 3, &unsaid);

    cr_expect_eq(c.nwrong, 3);
    cr_expect_neq(told.cause[0], '\0');
    cr_expect_str_empty(c.cause);
}

/* Of a few blocks' results, most were not written: the counts are the same. */
Test(compare, passes_over_what_was_not_written)
{
    enum { COUNT = 2000 };
    static const enum dtype types[] = {DT_F16, DT_F32, DT_I32, DT_I64};
    static const int written[] = {0, 1, 63, 64, 500, 501, 1300, COUNT - 1};
    int64_t expected[COUNT] = {0}, got[COUNT];

    for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        const size_t size = dtype_size(types[k]);
        memset(got, 0x7d, sizeof(got));
        for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
            memset((char *)got + written[i] * size, i % 3 ? 0 : 1, size);
        uint64_t *bits = compare_written(types[k], got, COUNT, 0x7d);
        const struct compare_hints few = {.poison = 0x7d, .unsaid = true, .written = bits};
        struct comparison told = compare(types[k], expected, got, NULL, COUNT, &hints);
        cr_assert_not_null(bits);
        for (uint64_t i = 0; i < COUNT; i += 64) /* what is passed over is not looked at */
            if (!(bits[0] >> i / 64 & 1))
                memset((char *)expected + i * size, 0x7d, (COUNT - i < 64 ? COUNT - i : 64) * size);
        struct comparison c = compare(types[k], expected, got, NULL, COUNT, &few);
        memset(expected, 0, sizeof(expected));
        free(bits);
        cr_expect_eq(told.nwrong, COUNT - 5);
        cr_expect_eq(told.nunwritten, COUNT - 8);
        cr_expect(c.nwrong == told.nwrong && c.nunwritten == told.nunwritten, "%zu", k);
    }
}

/* 438526499 as a float is 438526496; a value that is off by more is not said to be rounded. */
Test(compare, integers_that_went_through_a_float)
{
    int32_t expected[] = {438526499, -868110449, 3}, got[] = {438526496, -868110464, 3};
    struct comparison c = compare(DT_I32, expected, got, NULL, 3, &hints);

    cr_expect_eq(c.nwrong, 2);
    cr_expect(strstr(c.cause, "rounded to 24 bits"), "\"%s\"", c.cause);
    got[1] += 1000;
    c = compare(DT_I32, expected, got, NULL, 3, &hints);
    cr_expect_null(strstr(c.cause, "rounded"), "\"%s\"", c.cause);
}

Test(compare, shows_the_first_three)
{
    struct comparison c = of_ints(here_and_there);

    cr_assert_eq(c.nshown, 3);
    cr_assert_eq(c.shown[1].index, 77);
    cr_assert_eq(c.shown[1].expected, 542.0);
    cr_assert_eq(c.shown[1].got, 2.0);
}

Test(compare, nan_and_infinity_never_pass_for_a_number)
{
    float expected[4] = {1, 2, 5, INFINITY}, got[4] = {1, NAN, INFINITY, 3};
    double tolerance[4] = {10, 1e300, 1e300, 10};
    struct comparison c = compare(DT_F32, expected, got, tolerance, 4, &hints);

    cr_assert_eq(c.nwrong, 3);
}

Test(compare, nan_passes_where_it_is_expected_and_nothing_else_does)
{
    float expected[4] = {NAN, NAN, NAN, NAN}, got[4] = {NAN, -NAN, 0, INFINITY};
    double tolerance[4] = {0, 0, 1e300, 1e300};
    uint16_t half = 0x7e00, unwritten = 0x7d7d;

    cr_expect_eq(compare(DT_F32, expected, got, tolerance, 4, &hints).nwrong, 2);
    cr_expect_eq(compare(DT_F16, &half, &half, tolerance, 1, &hints).nwrong, 0);
    cr_expect_eq(compare(DT_F16, &half, &unwritten, tolerance, 1, &hints).nwrong, 1);
}

/* Of four numbers: two are off, one is not compared, one is NaN. */
Test(compare, errors_are_added_up)
{
    float expected[4] = {3, -1, 100, NAN}, got[4] = {3.5f, -1.25f, 0, NAN};
    double tolerance[4] = {1, 1, INFINITY, 0};

    for (int last = 0; last < 3; last++) { /* without the NaN, with an infinity, with both */
        got[2] = last ? INFINITY : 0;
        struct comparison c = compare(DT_F32, expected, got, tolerance, last < 2 ? 3 : 4, &hints);
        cr_expect_eq(c.nwrong, 0);
        cr_expect(c.off == 0.75 && c.size == 4 && c.most_off == 0.5, "%d: %g %g %g", last, c.off,
                  c.size, c.most_off);
    }
}

Test(compare, the_bound_itself_passes)
{
    double expected[2] = {1, 1}, got[2] = {1.5, nextafter(1.5, 2)}, tolerance[2] = {0.5, 0.5};
    struct comparison c = compare(DT_F64, expected, got, tolerance, 2, &hints);

    cr_assert_eq(c.nwrong, 1);
    cr_assert_eq(c.shown[0].index, 1);
}

Test(compare, integers_beyond_2_53_differ_by_one)
{
    int64_t expected = (1ll << 60) + 1, got = 1ll << 60;

    cr_assert_eq(compare(DT_I64, &expected, &got, NULL, 1, &hints).nwrong, 1);
}

/* Poison must be wrong for any plausible result, with any sane tolerance. */
Test(compare, poison_is_far_from_everything)
{
    static const unsigned char bytes[] = {0x7c, 0x7d, 0x7e, 0x7f, 0xfc, 0xfd, 0xfe};

    for (size_t i = 0; i < sizeof(bytes); i++) {
        unsigned char raw[8];
        float f;
        double d;

        memset(raw, bytes[i], sizeof(raw));
        memcpy(&f, raw, sizeof(f));
        memcpy(&d, raw, sizeof(d));
        cr_assert(!(fabsf(f) <= 1e30f) && !(fabs(d) <= 1e30));
    }
}

/* out[0] += x leaves a float that is so large as it was: that it was never written is not known. */
Test(compare, a_large_float_takes_nothing)
{
    const double tolerance[] = {0, 0};
    const float expected[] = {1, 2};
    float got[2];

    memset(got, hints.poison, sizeof(got));
    got[1] += 1e20f;
    struct comparison c = compare(DT_F32, expected, got, tolerance, 2, &hints);
    cr_expect_str_eq(c.cause, "every element is wrong: never written, or only added to");
    const uint16_t half[] = {0x3c00, 0x3c00}, none[] = {0x7d7d, 0x7d7d};
    c = compare(DT_F16, half, none, tolerance, 2, &hints);
    cr_expect_str_eq(c.cause, "every element is wrong: never written");
}

/* A copy keeps every bit; what is computed need not keep a zero's sign or which NaN it is. */
Test(compare, bits_where_nothing_is_computed)
{
    const float expected[] = {-0.0f, INFINITY, NAN, 0x1p-149f, -INFINITY};
    float got[] = {-0.0f, INFINITY, NAN, 0x1p-149f, -INFINITY};
    const double zeros[5] = {0};
    uint32_t quiet;

    cr_expect_eq(compare(DT_F32, expected, got, NULL, 5, &hints).nwrong, 0);
    cr_expect_eq(compare(DT_F32, expected, got, zeros, 5, &hints).nwrong, 0);
    got[0] = 0;
    struct comparison c = compare(DT_F32, expected, got, NULL, 5, &hints);
    cr_expect_eq(c.nwrong, 1);
    cr_expect(strstr(c.cause, "a zero of the other sign"), "%s", c.cause);
    memcpy(&quiet, &got[2], sizeof(quiet));
    quiet ^= 1;
    memcpy(&got[2], &quiet, sizeof(quiet));
    cr_expect_eq(compare(DT_F32, expected, got, NULL, 5, &hints).nwrong, 2);
    cr_expect_eq(compare(DT_F32, expected, got, zeros, 5, &hints).nwrong, 0);
    got[1] = -INFINITY;
    got[3] = 0;
    cr_expect_eq(compare(DT_F32, expected, got, zeros, 5, &hints).nwrong, 2);
}
