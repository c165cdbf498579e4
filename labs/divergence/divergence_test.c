/* divergence_test.c - the lab's reference, without a device. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

extern const struct lab lab_divergence;
enum { N = 300 };

static float chain(float x, int path)
{
    for (int i = 0; i < 256; i++)
        x = fmaf(x, 0.9921875f + (float)path * 0.0001220703125f,
                 0.03125f + (float)path * 0.0078125f);
    return x;
}

/* Element i must have gone down path[i], bit by bit, whatever vectors the CPU has. */
static void check(const char *variant, int experiment, int64_t param, const int *path)
{
    static float in[N], out[N];
    static int32_t kind[N];
    const void *inputs[] = {in, NULL, kind};
    void *outputs[] = {NULL, out, NULL};
    const struct lab_variant *v = variant_of(&lab_divergence, variant);
    struct lab_case c = {.name = "test", .n = N, .op = experiment, .param = param, .dtype = DT_F32};
    struct plan p;
    char err[200];

    cr_assert(lab_divergence.plan(v, &c, &v->record, NULL, &p, err, sizeof(err)));
    lab_divergence.make_input(&p, 0, &c, 5, in);
    for (int i = 0; i < N; i++)
        kind[i] = path[i];
    lab_divergence.reference(&p, v, &c, inputs, outputs, NULL);
    for (int i = 0; i < N; i++)
        cr_assert_eq(out[i], chain(in[i], path[i]), "%s element %d", variant, i);
}

Test(divergence, reference_takes_the_kernels_paths)
{
    int by_warp[N], by_thread[N], by_five[N], by_four[N], data[N];

    for (int i = 0; i < N; i++) {
        by_warp[i] = i % 256 / 32 % 2;
        by_thread[i] = i % 2;
        by_five[i] = i % 256 % 5;
        by_four[i] = i % 4;
        data[i] = i * i % 4;
    }
    check("branch_warp", 0, 0, by_warp);
    check("branch_thread", 0, 0, by_thread);
    check("paths", 1, 5, by_five);
    check("coherent", 2, 0, by_four);
    check("coherent_data", 3, 0, data);
}

/* Special cases have elements of all sizes and of either sign, and as before of -1 to 1. */
Test(divergence, special_elements_are_of_any_size)
{
    static const float least[] = {0x1p-8f, 4, 0x1p20f, 0x1p-30f},
                       most[] = {1, 256, 0x1p30f, 0x1p-20f};
    float in[N];
    struct plan p = {.buffers = {{.count = N}}};
    struct lab_case c = {.n = N, .dtype = DT_F32, .flags = CASE_SPECIAL};
    int count[4][2] = {{0}};

    for (uint64_t seed = 1; seed < 32; seed++) {
        lab_divergence.make_input(&p, 0, &c, seed, in);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 4; k++)
                count[k][signbit(in[i]) != 0] += fabsf(in[i]) > least[k] && fabsf(in[i]) < most[k];
    }
    for (int k = 0; k < 4; k++)
        for (int sign = 0; sign < 2; sign++)
            cr_expect(count[k][sign] > 20, "%g to %g: %d", least[k], most[k], count[k][sign]);
    cr_expect(count[0][0] + count[0][1] > 31 * N / 3, "%d", count[0][0] + count[0][1]);
}

Test(divergence, kinds_are_four)
{
    struct plan p = {.buffers = {{.count = N}, {.count = N}, {.count = N}}};
    struct lab_case c = {.op = 3};
    int32_t kind[N];
    int seen[4] = {0};

    lab_divergence.make_input(&p, 2, &c, 1, kind);
    for (int i = 0; i < N; i++) {
        cr_assert(kind[i] >= 0 && kind[i] < 4);
        seen[kind[i]]++;
    }
    for (int k = 0; k < 4; k++)
        cr_assert_gt(seen[k], N / 8);
}

/* Blocks of one kind alone, blocks that have all four, and blocks of two of which one has nearly
 * all: who sorts must expect each. */
Test(divergence, kinds_may_be_uneven)
{
    enum { BLOCKS = 64 };
    static int32_t kind[BLOCKS * 256];
    struct plan p = {.buffers = {{.count = N}, {.count = N}, {.count = BLOCKS * 256}}};
    struct lab_case c = {.op = 3, .param = 1};
    int alone = 0, all = 0, most = 0;

    lab_divergence.make_input(&p, 2, &c, 1, kind);
    for (int b = 0; b < BLOCKS; b++) {
        int seen[4] = {0}, kinds = 0;

        for (int i = 0; i < 256; i++)
            seen[kind[b * 256 + i]]++;
        for (int k = 0; k < 4; k++) {
            kinds += seen[k] > 0;
            most += seen[k] > 176 && seen[k] < 232;
        }
        alone += kinds == 1;
        all += kinds == 4;
    }
    cr_expect_geq(alone, BLOCKS / 8);
    cr_expect_geq(all, BLOCKS / 8);
    cr_expect_gt(most, BLOCKS / 16);
}

/* All four in each block, equally often; of eight blocks in a row one has them by turns. */
Test(divergence, kinds_may_be_in_order)
{
    enum { BLOCKS = 64 };
    static int32_t kind[BLOCKS * 256];
    struct plan p = {.buffers = {{.count = N}, {.count = N}, {.count = BLOCKS * 256}}};
    struct lab_case c = {.op = 3, .param = 2};
    int by_turns = 0;

    lab_divergence.make_input(&p, 2, &c, 1, kind);
    for (int b = 0; b < BLOCKS; b++) {
        int seen[4] = {0}, as_place = 0;

        for (int i = 0; i < 256; i++) {
            seen[kind[b * 256 + i]]++;
            as_place += kind[b * 256 + i] == i % 4;
        }
        for (int k = 0; k < 4; k++)
            cr_expect_eq(seen[k], 64);
        by_turns += as_place == 256;
    }
    cr_expect_geq(by_turns, BLOCKS / 8);
}

Test(divergence, terms_make_the_reference)
{
    check_terms(&lab_divergence, 2000);
}
