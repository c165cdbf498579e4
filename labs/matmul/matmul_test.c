/* matmul_test.c - the lab's own logic, without a device: plans, inputs, reference. */
#include "lab/dtype.h"
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_matmul;

static const struct device_limits h200 = {
    .sms = 132, .max_threads_per_block = 1024, .max_threads_per_sm = 2048, .cc = 90};

struct problem {
    const struct lab_variant *v;
    struct lab_case c;
    struct plan p;
    void *a, *b;
    float *want;
    double *tol;
};

static struct problem solve(const char *name, uint64_t m, uint64_t n, uint64_t k)
{
    struct problem q = {.v = variant_of(&lab_matmul, name)};
    char err[200] = "";

    q.c = (struct lab_case){.name = "test", .n = n, .m = m, .k = k, .dtype = DT_F32, .seed = 7};
    if (!lab_matmul.applies(q.v, &q.c))
        q.c.dtype = !strcmp(name, "mm_bf16") ? DT_BF16 : DT_F16;
    cr_assert(lab_matmul.plan(q.v, &q.c, &q.v->record, &h200, &q.p, err, sizeof(err)), "%s", err);
    q.a = calloc(m * k + 4, 4);
    q.b = calloc(k * n + 4, 4);
    q.want = calloc(m * n + 1, sizeof(float));
    q.tol = calloc(m * n + 1, sizeof(double));
    lab_matmul.make_input(&q.p, 0, &q.c, 7, q.a);
    lab_matmul.make_input(&q.p, 1, &q.c, 7, q.b);
    lab_matmul.reference(&q.p, q.v, &q.c, (const void *[]){q.a, q.b, NULL},
                         (void *[]){NULL, NULL, q.want}, (double *[]){NULL, NULL, q.tol});
    return q;
}

static void release(struct problem *q)
{
    free(q->a);
    free(q->b);
    free(q->want);
    free(q->tol);
}

/* The compiler's own half, as a second opinion on the lab's decoding. */
static double at(const struct problem *q, const void *data, uint64_t i)
{
    if (q->c.dtype == DT_BF16)
        return dtype_get(DT_BF16, data, i);
    return q->c.dtype == DT_F16 ? (double)((const _Float16 *)data)[i] : ((const float *)data)[i];
}

/* How many outputs are outside the bound when inputs go through `cut` and sums are floats. */
static int outside(const struct problem *q, float (*cut)(float))
{
    int bad = 0;

    for (uint64_t r = 0; r < q->c.m; r++)
        for (uint64_t j = 0; j < q->c.n; j++) {
            float sum = 0;

            for (uint64_t i = 0; i < q->c.k; i++)
                sum += cut((float)at(q, q->a, r * q->c.k + i)) *
                       cut((float)at(q, q->b, i * q->c.n + j));
            bad += !(fabs((double)sum - q->want[r * q->c.n + j]) <= q->tol[r * q->c.n + j]);
        }
    return bad;
}

static float whole(float x)
{
    return x;
}

static float tf32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, 4);
    bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&x, &bits, 4);
    return x;
}

Test(matmul, float_sums_are_inside_the_bound)
{
    static const struct {
        const char *name;
        uint64_t m, n, k;
    } problems[] = {{"mm_tiled", 1, 1, 1},      {"mm_tiled", 5, 7, 0},  {"mm_tiled", 33, 65, 17},
                    {"mm_tiled", 20, 30, 1000}, {"mm_tensor", 1, 1, 1}, {"mm_tensor", 33, 65, 17},
                    {"mm_tensor", 9, 31, 500},  {"mm_bf16", 9, 32, 504}};

    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
        struct problem q = solve(problems[i].name, problems[i].m, problems[i].n, problems[i].k);

        cr_expect_eq(outside(&q, whole), 0, "%s %zu", problems[i].name, i);
        release(&q);
    }
}

Test(matmul, rounded_inputs_are_outside)
{
    struct problem q = solve("mm_tiled", 33, 65, 17);

    cr_expect_gt(outside(&q, tf32), 33 * 65 / 2);
    release(&q);
}

/* The input of both is the same: it does not tell which rows are compared. */
Test(matmul, large_cases_compare_rows_the_seed_picks)
{
    struct problem q = solve("mm_tiled", 4000, 260, 260);
    double *other = calloc(q.c.m * q.c.n, sizeof(double));
    int compared = 0, alike = 0;

    q.c.seed = 8;
    lab_matmul.reference(&q.p, q.v, &q.c, (const void *[]){q.a, q.b, NULL},
                         (void *[]){NULL, NULL, q.want}, (double *[]){NULL, NULL, other});
    for (uint64_t r = 0; r < q.c.m; r++) {
        compared += q.tol[r * q.c.n] < 1;
        alike += q.tol[r * q.c.n] < 1 && other[r * q.c.n] < 1;
    }
    cr_expect(compared >= 15 && compared <= 70, "%d rows", compared);
    cr_expect(alike < compared / 2, "%d of %d are compared with any seed", alike, compared);
    cr_expect(q.tol[0] < 1 && q.tol[(q.c.m - 1) * q.c.n] < 1, "first and last row");
    for (uint64_t i = 0; i < q.c.m * q.c.n; i++)
        cr_assert(q.tol[i] <= 260, "a huge or infinite bound would let unwritten outputs pass");
    free(other);
    release(&q);
}

/* In 227 KiB of dynamic shared memory, of which the record says how much is wanted. */
Test(matmul, shared_bytes_come_from_the_record)
{
    for (int i = 0; i < lab_matmul.nvariants; i++)
        cr_expect_eq(lab_matmul.variants[i].max.shared_bytes, 227u << 10, "%s",
                     lab_matmul.variants[i].name);
}

Test(matmul, grids_cover_the_output)
{
    for (int i = 0; i < lab_matmul.nvariants; i++) {
        struct problem q = solve(lab_matmul.variants[i].name, 130, 67, 3);
        const struct plan_step *s = &q.p.steps[0];
        uint64_t v = q.v->record.items, x = s->grid[0], y = s->grid[1];

        cr_assert_eq(q.p.nsteps, 1);
        if (!strcmp(q.v->name, "mm_naive"))
            cr_expect(x == (130 + 31) / 32 && y == (67 + 31) / 32);
        else if (!strcmp(q.v->name, "mm_tensor"))
            cr_expect(x * v >= 67 && (x - 1) * v < 67 && y * v >= 130 && (y - 1) * v < 130);
        else if (!strcmp(q.v->name, "mm_small"))
            cr_expect(x == 3 && y == 1, "64 x 128");
        else if (q.v->has_tensor) /* 2 x 1 tiles of 128 x 128 or 256, side by side */
            cr_expect(x == 2 && y == 1, "%s: %u x %u", q.v->name, s->grid[0], s->grid[1]);
        else if (!strcmp(q.v->name, "mm_sliced"))
            cr_expect(x * 64 >= 67 && y * 64 >= 130, "small: half of V");
        else
            cr_expect(x * v * s->block[0] >= 67 && y * v * s->block[1] >= 130, "%s", q.v->name);
        release(&q);
    }
}

/* Rows of a tensor map begin at multiples of 16 bytes, and it has no empty arrays. */
Test(matmul, maps_are_for_shapes_that_have_them)
{
    static const struct lab_case shapes[] = {{.m = 3, .n = 8, .k = 16, .dtype = DT_F16},
                                             {.m = 3, .n = 9, .k = 16, .dtype = DT_F16},
                                             {.m = 3, .n = 8, .k = 12, .dtype = DT_F16},
                                             {.m = 3, .n = 8, .k = 0, .dtype = DT_F16},
                                             {.m = 3, .n = 8, .k = 16, .dtype = DT_F32}};

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        cr_expect_eq(lab_matmul.applies(variant_of(&lab_matmul, "mm_store"), &shapes[i]), i == 0);
        cr_expect_eq(lab_matmul.applies(variant_of(&lab_matmul, "mm_mma"), &shapes[i]), i < 4);
    }
}

/* Large products: tiles of 128, whole. Few tiles: slices of k. Small ones: tiles of 64. */
Test(matmul, few_tiles_are_sliced)
{
    static const struct {
        uint64_t m, n, k;
        const char *kernel;
        uint32_t x, y, z;
    } products[] = {
        {4096, 4096, 4096, "mm_sliced", 32, 32, 1}, {1024, 1024, 1024, "mm_sliced", 8, 8, 2},
        {256, 256, 16384, "mm_sliced", 2, 2, 33},   {4096, 4096, 64, "mm_sliced", 32, 32, 1},
        {512, 512, 512, "mm_sliced_half", 8, 8, 4}, {256, 256, 256, "mm_sliced_half", 4, 4, 8},
        {33, 65, 17, "mm_sliced_half", 2, 1, 1},    {7, 5, 0, "mm_sliced_half", 1, 1, 1}};
    const struct lab_variant *v = variant_of(&lab_matmul, "mm_sliced");

    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        struct lab_case c = {
            .n = products[i].n, .m = products[i].m, .k = products[i].k, .dtype = DT_F32};
        struct plan p;
        char err[200] = "";

        cr_assert(lab_matmul.plan(v, &c, &v->record, &h200, &p, err, sizeof(err)), "%s", err);
        cr_expect_str_eq(p.steps[0].kernel, products[i].kernel, "%zu", i);
        cr_expect(p.steps[0].grid[0] == products[i].x && p.steps[0].grid[1] == products[i].y &&
                      p.steps[0].grid[2] == products[i].z,
                  "%zu: %u x %u x %u", i, p.steps[0].grid[0], p.steps[0].grid[1],
                  p.steps[0].grid[2]);
        cr_expect_eq(p.buffers[3].count > 0, products[i].z > 1, "%zu", i);
    }
}

Test(matmul, too_large_a_block_is_refused)
{
    const struct lab_variant *v = variant_of(&lab_matmul, "mm_shared");
    struct launch_record r = {.block_x = 64, .block_y = 32, .items = 1};
    struct plan p;
    char err[200] = "";

    cr_expect_not(lab_matmul.plan(v, &lab_matmul.cases[0], &r, &h200, &p, err, sizeof(err)));
    cr_expect(strstr(err, "1024"), "%s", err);
}

Test(matmul, terms_make_the_reference)
{
    check_terms(&lab_matmul, 3000000);
}

/* Of halves, too: no number, sums beyond the greatest half, factors below the least normal one. */
Test(matmul, special_halves_reach_past_their_range)
{
    static const struct lab_case c = {
        .name = "special16", .n = 48, .m = 40, .k = 56, .dtype = DT_F16, .flags = CASE_SPECIAL};
    const struct lab_variant *v = &lab_matmul.variants[0];
    struct solved s;
    uint64_t none = 0, beyond = 0, subnormal = 0;

    while (strcmp(v->name, "mm_tensor"))
        v++;
    cr_assert(solve_case(&s, &lab_matmul, v, &c));
    for (uint64_t i = 0; i < c.m * c.n; i++) {
        float f = ((const float *)s.expected[2])[i];

        none += isnan(f);
        beyond += fabsf(f) > 65504;
        cr_expect(isnan(f) || isfinite(f));
    }
    for (uint64_t i = 0; i < c.m * c.k; i++) {
        uint16_t h = ((const uint16_t *)s.data[0])[i] & 0x7fff;

        subnormal += h && h < 0x0400;
    }
    cr_expect(none && beyond && subnormal, "%lu %lu %lu", none, beyond, subnormal);
    solved_free(&s);
}
