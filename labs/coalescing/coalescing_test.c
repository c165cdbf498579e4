/* coalescing_test.c - the lab's own logic, without a device. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_coalescing;
enum { STRIDE, OFFSET, ENERGY, TRANSPOSE };
static const struct device_limits device = {.max_threads_per_block = 1024};

/* stride * i mod n must reach every element once, in 32 bits: or threads race in the copy. */
Test(coalescing, strides_reach_every_element_once)
{
    for (int k = 0; k < lab_coalescing.ncases; k++) {
        const struct lab_case *c = &lab_coalescing.cases[k];

        if (c->op != STRIDE)
            continue;
        cr_assert_eq((c->n * (uint64_t)c->param) >> 32, 0, "%s overflows", c->name);
        if (c->n > 1 << 22)
            continue;

        char *seen = calloc(c->n, 1);

        for (uint32_t i = 0; i < c->n; i++)
            cr_assert_eq(seen[(uint32_t)c->param * i % c->n]++, 0, "%s i=%u", c->name, i);
        free(seen);
    }
    for (uint64_t d = 2; d * d <= 33554393; d++)
        cr_assert_neq(33554393 % d, 0, "the large length is no prime");
}

static struct plan plan_of(const char *variant, const char *kase)
{
    const struct lab_variant *v = variant_of(&lab_coalescing, variant);
    struct plan p;
    char err[200] = "";

    cr_assert(lab_coalescing.plan(v, case_of(&lab_coalescing, kase), &v->record, &device, &p, err,
                                  sizeof(err)),
              "%s", err);
    return p;
}

Test(coalescing, grids_cover_the_matrix)
{
    struct plan p = plan_of("transpose_shared", "100x333");

    cr_assert_eq(p.steps[0].grid[0], 4);
    cr_assert_eq(p.steps[0].grid[1], 11);
    cr_assert_eq(p.buffers[1].count, 33300);
    cr_assert_eq(p.bytes, 8.0 * 33300);
    p = plan_of("transpose_vec", "100x333"); /* tiles of 64 */
    cr_assert_eq(p.steps[0].grid[0], 2);
    cr_assert_eq(p.steps[0].grid[1], 6);
    p = plan_of("copy_four", "offset=3-n=1000"); /* 1024 elements a block */
    cr_assert_eq(p.steps[0].grid[0], 1);
    p = plan_of("copy_four", "offset=0");
    cr_assert_eq(p.steps[0].grid[0], (1 << 21) / 1024);
    p = plan_of("offset_copy", "offset=3-n=1000");
    cr_assert_eq(p.buffers[0].count, 1003);
    cr_assert_eq(p.buffers[1].count, 1000);
}

/* Both layouts hold the same particles when the input is the same in every particle. */
Test(coalescing, reference)
{
    float in[33 * 31 * 8], out[33 * 31];
    double tolerance[33 * 31];
    const void *inputs[] = {in, NULL};
    void *outputs[] = {NULL, out};
    double *bounds[] = {NULL, tolerance};
    struct plan p = plan_of("transpose_naive", "33x31");

    for (int i = 0; i < 33 * 31; i++)
        in[i] = (float)i;
    lab_coalescing.reference(&p, variant_of(&lab_coalescing, "transpose_naive"),
                             case_of(&lab_coalescing, "33x31"), inputs, outputs, bounds);
    cr_assert_eq(out[1], 33, "row 0, column 1 of the output is row 1, column 0 of the input");
    cr_assert_eq(out[31], 1);
    cr_assert_null(bounds[1], "a copy is exact");
    bounds[1] = tolerance;

    p = plan_of("energy_aos", "particles=1");
    for (int i = 0; i < 8; i++)
        in[i] = (float)(i + 1); /* v = (1, 2, 3), mass 4 */
    lab_coalescing.reference(&p, variant_of(&lab_coalescing, "energy_aos"),
                             case_of(&lab_coalescing, "particles=1"), inputs, outputs, bounds);
    cr_assert_eq(out[0], 28);
    lab_coalescing.reference(&p, variant_of(&lab_coalescing, "energy_soa"),
                             case_of(&lab_coalescing, "particles=1"), inputs, outputs, bounds);
    cr_assert_eq(out[0], 28);
}

/* No bit of a number can be known beforehand: neither how large it is nor what it begins with. */
Test(coalescing, numbers_of_all_sizes)
{
    const struct lab_case *c = case_of(&lab_coalescing, "particles=1000");
    struct plan p = plan_of("energy_aos", "particles=1000");
    float *in = malloc(p.buffers[0].count * sizeof(*in)), least = INFINITY, most = 0;

    lab_coalescing.make_input(&p, 0, c, 7, in);
    for (uint64_t i = 0; i < p.buffers[0].count; i++) {
        least = fminf(least, in[i]);
        most = fmaxf(most, in[i]);
    }
    cr_assert(least > 0 && least < 0.1, "%g", least);
    cr_assert(most > 10 && most < 16, "%g", most);
    free(in);
}

static int of_size(float x, float least, float most)
{
    return fabsf(x) > least && fabsf(x) < most ? signbit(x) ? 2 : 1 : 0;
}

/* Special cases have usual numbers of either sign, too, and all of another size. */
Test(coalescing, special_cases_have_numbers_of_any_sign)
{
    static const char *const of[][2] = {{"transpose_naive", "33x31"},
                                        {"energy_aos", "particles=1000"}};
    float in[8000];

    for (int k = 0; k < 2; k++) {
        struct lab_case c = *case_of(&lab_coalescing, of[k][1]);
        struct plan p = plan_of(of[k][0], c.name);
        uint64_t n = p.buffers[0].count, usual[3] = {0}, large[3] = {0}, small[3] = {0};

        c.flags |= CASE_SPECIAL;
        for (uint64_t seed = 1; seed < 32; seed++) {
            lab_coalescing.make_input(&p, 0, &c, seed, in);
            for (uint64_t i = 0; i < n; i++) {
                usual[of_size(in[i], 0x1p-8f, 256)]++;
                large[of_size(in[i], 0x1p20f, 0x1p30f)]++;
                small[of_size(in[i], 0x1p-30f, 0x1p-20f)]++;
            }
        }
        for (int sign = 1; sign < 3; sign++) {
            cr_expect(usual[sign] > n && large[sign] > n / 4 && small[sign] > n / 4,
                      "%s: %lu %lu %lu", of[k][0], usual[sign], large[sign], small[sign]);
        }
    }
}

Test(coalescing, terms_make_the_reference)
{
    check_terms(&lab_coalescing, 40000);
}
