/* cases_test.c - what is drawn for a submission: within bounds, the same again, no other's. */
#include "cases.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "lab/plan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_reduction;

enum { SUM, MIN, MAX };

static const struct lab_case cases[] = {
    {.name = "tail", .n = 1000, .dtype = DT_I32, .op = SUM},
    {.name = "min", .n = 1000, .dtype = DT_I32, .op = MIN},
    {.name = "float", .n = 1000, .dtype = DT_F32, .op = SUM},
};
static const struct hidden_case hidden[] = {
    {.name = "any", .kind = "anything", .like = "tail min float", .n_min = 100, .n_max = 90000},
    {.name = "block",
     .kind = "a block of its own",
     .like = "tail",
     .n_min = 5,
     .n_max = 500,
     .multiple = 4,
     .blocks = ONE_OF(32, 64, 256)},
    {.name = "ref", .kind = "with the reference", .like = "tail", .n_min = 1, .n_max = 1 << 20},
    {.name = "typed",
     .kind = "another type",
     .like = "tail",
     .dtypes = ONE_OF(DT_F32, DT_F64),
     .param_min = 3,
     .param_max = 9},
    {.name = "listed",
     .kind = "a min or max",
     .like = "min",
     .ops = ONE_OF(MIN, MAX),
     .params = ONE_OF(2, 8)},
    {.name = "scale",
     .kind = "any size",
     .like = "tail",
     .n_min = 100,
     .n_max = 1000,
     .any_scale = true},
    {.name = "whole",
     .kind = "whole tiles",
     .like = "tail",
     .n_min = 1,
     .n_max = 256,
     .m_min = 1,
     .m_max = 64,
     .k_min = 17,
     .k_max = 48,
     .multiple = 128,
     .m_multiple = 64,
     .k_multiple = 16},
    {.name = "prime",
     .kind = "a prime",
     .like = "tail",
     .n_min = 2,
     .n_max = 40,
     .param_min = 1,
     .param_max = 50,
     .prime = true},
    {.name = "cut",
     .kind = "any size, the last octave by half",
     .like = "tail",
     .n_min = 100,
     .n_max = 1199,
     .any_scale = true},
    {.name = "work",
     .kind = "great by great, within bounds",
     .like = "tail",
     .n_min = 64,
     .n_max = 1 << 17,
     .param_min = 1,
     .param_max = 255,
     .any_scale = true,
     .work_max = 1 << 20},
};
static const struct rubric_row rows[] = {
    {"ok", 1, "right", ROW_CORRECT, "reduce3", .cases = "tail any block", .hint = "?"},
    {"gate", 1, "gate", ROW_GATE, "reduce3", .cases = "ref", .gate = "barriers <= ref.barriers",
     .hint = "?"},
};
static const struct rubric rubric = {.lab = "reduction",
                                     .rows = rows,
                                     .nrows = 2,
                                     .cases = cases,
                                     .ncases = 3,
                                     .hidden = hidden,
                                     .nhidden = sizeof(hidden) / sizeof(hidden[0])};

static struct lab_case drawn(const char *name, const char *variant, const char *secret,
                             const char *submission)
{
    struct draw d = {secret, submission};
    struct marked_case c;
    cr_assert(case_named(&lab_reduction, &rubric, variant, name, &d, &c), "%s", name);
    cr_assert_eq(c.kind != NULL, secret && strcmp(name, "tail"));
    return c.c;
}

/* How many different n 200 submissions get. */
static int sizes_of(const char *name, const char *secret)
{
    uint64_t seen[200];
    int n = 0;
    for (int i = 0; i < 200; i++) {
        char submission[24];
        snprintf(submission, sizeof(submission), "%d", i);
        seen[n] = drawn(name, "reduce3", secret, submission).n;
        int k = 0;
        while (seen[k] != seen[n])
            k++;
        n += k == n;
    }
    return n;
}

Test(cases, follow_secret_submission_and_variant)
{
    struct lab_case a = drawn("any", "reduce3", "a secret", "12ab"),
                    b = drawn("any", "reduce3", "a secret", "12ab");
    cr_assert(a.n == b.n && a.dtype == b.dtype && a.op == b.op);
    cr_assert(a.n >= 100 && a.n <= 90000);
    cr_assert_neq(a.n, drawn("any", "reduce4", "a secret", "12ab").n);
    cr_assert_neq(a.n, drawn("any", "reduce3", "a secret", "12ac").n);
    cr_assert_neq(a.n, drawn("any", "reduce3", "another", "12ab").n);
    cr_assert_eq(drawn("tail", "reduce3", "a secret", "12ab").n, 1000);
}

/* In practice everybody gets the same, and nothing of it is kept back. */
Test(cases, practice_is_the_same_for_all)
{
    cr_assert_eq(sizes_of("any", NULL), 1);
    cr_assert_eq(sizes_of("ref", NULL), 1);
}

/* The reference runs on few sizes, others are each submission's own. */
Test(cases, what_meets_the_reference_comes_from_a_pool)
{
    cr_assert_gt(sizes_of("any", "a secret"), 190);
    int n = sizes_of("ref", "a secret");
    cr_assert(n > 1 && n <= POOL_DRAWS, "%d", n);
    for (int i = 0; i < 4; i++) {
        struct draw d = {i < 3 ? "a secret" : NULL, "12ab"};
        struct marked_case c;
        const char *variant = i == 1 ? "reduce4" : "reduce3"; /* no row of which has a ref. */
        cr_assert(case_named(&lab_reduction, &rubric, variant, i == 2 ? "any" : "ref", &d, &c));
        cr_expect_eq(c.pooled, i == 0, "%d", i);
    }
}

Test(cases, each_listed_value_is_drawn)
{
    int likes = 0, blocks = 0, types = 0, ops = 0;
    for (int i = 0; i < 60; i++) {
        char submission[24];
        snprintf(submission, sizeof(submission), "%d", i);
        struct lab_case c = drawn("any", "reduce3", "a secret", submission);
        likes |= c.dtype == DT_F32 ? 1 : c.op == MIN ? 2 : 4;
        c = drawn("block", "reduce3", "a secret", submission);
        blocks |= c.block == 32 ? 1 : c.block == 64 ? 2 : c.block == 256 ? 4 : 8;
        cr_assert(c.n % 4 == 0 && c.n >= 8 && c.n <= 500, "%d", (int)c.n);
        c = drawn("typed", "reduce3", "a secret", submission);
        types |= c.dtype == DT_F32 ? 1 : c.dtype == DT_F64 ? 2 : 4;
        cr_assert(c.n == 1000 && c.param >= 3 && c.param <= 9);
        c = drawn("listed", "reduce6", "a secret", submission);
        ops |= c.op == MIN ? 1 : c.op == MAX ? 2 : 4;
        cr_assert(c.param == 2 || c.param == 8);
    }
    cr_assert(likes == 7 && blocks == 7 && types == 3 && ops == 3, "%d %d %d %d", likes, blocks,
              types, ops);
}

/* What it draws it could draw, and nothing beside that. */
Test(cases, what_could_be_drawn)
{
    for (int i = 0; i < rubric.nhidden; i++) {
        const struct hidden_case *h = &hidden[i];
        for (int k = 0; k < 50; k++) {
            char submission[24];
            snprintf(submission, sizeof(submission), "%d", k);
            struct lab_case c = drawn(h->name, "reduce3", "a secret", submission);
            cr_assert(could_draw(&lab_reduction, &rubric, h, &c), "%s: n %llu, param %lld", h->name,
                      (unsigned long long)c.n, (long long)c.param);
            struct lab_case odd = c, other = c, flagged = c, param = c;
            odd.n = h->prime ? 49 : h->n_max ? h->n_max + 130 : c.n + 1;
            other.dtype = DT_U32;
            flagged.flags ^= CASE_SPECIAL;
            param.param = 1000;
            cr_assert(!could_draw(&lab_reduction, &rubric, h, &odd), "%s", h->name);
            cr_assert(!could_draw(&lab_reduction, &rubric, h, &other), "%s", h->name);
            cr_assert(!could_draw(&lab_reduction, &rubric, h, &flagged), "%s", h->name);
            cr_assert(!could_draw(&lab_reduction, &rubric, h, &param), "%s", h->name);
        }
    }
    struct lab_case ragged = drawn("whole", "reduce3", "a secret", "1"),
                    listed = drawn("listed", "reduce3", "a secret", "1");
    ragged.k = 20;
    listed.param = 0; /* as in the case that it is like */
    cr_assert(!could_draw(&lab_reduction, &rubric, &hidden[6], &ragged));
    cr_assert(!could_draw(&lab_reduction, &rubric, &hidden[4], &listed));
}

Test(cases, each_side_is_rounded_to_its_own_multiple)
{
    int n = 0, k = 0;
    for (int i = 0; i < 60; i++) {
        char submission[24];
        snprintf(submission, sizeof(submission), "%d", i);
        struct lab_case c = drawn("whole", "reduce3", "a secret", submission);
        cr_assert(c.m == 64 && c.n % 128 == 0 && c.k % 16 == 0);
        n |= c.n == 128 ? 1 : c.n == 256 ? 2 : 4;
        k |= c.k == 32 ? 1 : c.k == 48 ? 2 : 4;
    }
    cr_assert(n == 3 && k == 3, "%d %d", n, k);
}

Test(cases, a_prime_is_above_its_param)
{
    for (int i = 0; i < 60; i++) {
        char submission[24];
        snprintf(submission, sizeof(submission), "%d", i);
        struct lab_case c = drawn("prime", "reduce3", "a secret", submission);
        cr_assert(c.n > (uint64_t)c.param && c.n <= 53);
        for (uint64_t k = 2; k < c.n; k++)
            cr_assert(c.n % k);
    }
    cr_assert(next_prime(0, 0) == 2 && next_prime(7, 3) == 7 && next_prime(8, 11) == 13);
}

/* 100 to 199, 200 to 399, 400 to 799 and from there to max get a fourth each, or, where that is
 * less than half of an octave, 400 to max a third. */
Test(cases, any_scale_draws_small_ones_as_often)
{
    static const struct {
        const char *name;
        uint64_t last, max;
        int parts;
    } of[] = {{"scale", 400, 1000, 3}, {"cut", 800, 1199, 4}};
    for (int k = 0; k < 2; k++) {
        int in[4] = {0};
        for (int i = 0; i < 400; i++) {
            char submission[24];
            snprintf(submission, sizeof(submission), "%d", i);
            uint64_t n = drawn(of[k].name, "reduce3", "a secret", submission).n;
            cr_assert(n >= 100 && n <= of[k].max, "%d", (int)n);
            in[(n >= 200) + (n >= 400) + (n >= 800 && of[k].last == 800)]++;
        }
        for (int i = 0; i < of[k].parts; i++)
            cr_expect(abs(in[i] - 400 / of[k].parts) < 40, "%s, %d: %d", of[k].name, i, in[i]);
    }
}

/* Both of n and param have each octave, also where the other is in its uppermost one; no product is
 * above the bound, and most of those that were are no less than half of it. */
Test(cases, work_max_bounds_the_product)
{
    unsigned n_of = 0, param_of = 0, wide = 0;
    int full = 0;
    for (int i = 0; i < 400; i++) {
        char submission[24];
        snprintf(submission, sizeof(submission), "%d", i);
        struct lab_case c = drawn("work", "reduce3", "a secret", submission);
        uint64_t param = (uint64_t)c.param, work = c.n * param;
        cr_assert(c.n >= 64 && c.n <= 1 << 17 && param >= 1 && param <= 255);
        cr_assert_leq(work, 1 << 20, "%d x %d", (int)c.n, (int)c.param);
        full += work >= 1 << 19;
        n_of |= 1u << (63 - __builtin_clzll(c.n));
        param_of |= 1u << (63 - __builtin_clzll(param));
        wide |= param >= 128 ? 1u << (63 - __builtin_clzll(c.n)) : 0;
    }
    cr_expect(n_of >> 6 == 0x7ff || n_of >> 6 == 0xfff, "%x", n_of);
    cr_expect_eq(param_of, 0xff, "%x", param_of);
    cr_expect_eq(wide >> 6 & 0x7f, 0x7f, "%x", wide);
    cr_expect(full > 40 && full < 300, "%d", full);
}

Test(cases, seeds_are_nobody_elses)
{
    struct draw one = {"a secret", "12ab"}, two = {"a secret", "12ac"}, practice = {NULL, "12ab"};
    struct lab_case c = cases[0], seeded = cases[0];
    seeded.seed = 99;
    const uint64_t seeds[] = {
        case_seed(&lab_reduction, &c, "reduce3", &one, 0),
        case_seed(&lab_reduction, &c, "reduce3", &one, 1),
        case_seed(&lab_reduction, &c, "reduce4", &one, 0),
        case_seed(&lab_reduction, &c, "reduce3", &two, 0),
        case_seed(&lab_reduction, &cases[1], "reduce3", &one, 0),
        case_seed(&lab_reduction, &c, "reduce3", &practice, 0),
        reference_seed(&lab_reduction, &c, "reduce3"),
        99,
    };
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < i; k++)
            cr_assert_neq(seeds[i], seeds[k], "%zu and %zu", i, k);
    cr_assert_eq(seeds[0], case_seed(&lab_reduction, &seeded, "reduce3", &one, 0));
    cr_assert_eq(case_seed(&lab_reduction, &seeded, "reduce3", &practice, 0), 99);
}

/* Which octaves [2^o, 2^(o + 1)) the sizes of a row's cases fall into, n, m and k, those of many
 * submissions together. */
static void octaves_of(const struct lab *lab, const struct rubric *r, const struct rubric_row *row,
                       unsigned seen[3])
{
    for (int i = 0; i < 200; i++) {
        char whose[24];
        int n;
        snprintf(whose, sizeof(whose), "whose is it: %d", i);
        struct draw d = {whose, whose};
        struct marked_case *c = row_cases(lab, r, row, &d, &n);
        for (int k = 0; k < n; k++) {
            const uint64_t size[3] = {c[k].c.n, c[k].c.m, c[k].c.k};
            for (int e = 0; e < 3; e++)
                seen[e] |= size[e] ? 1u << (63 - __builtin_clzll(size[e])) : 0;
        }
        free(c);
    }
}

/* What is wrong from some size on, or up to another four times as large, is found in some
 * submissions at least: from 32 to the largest size that results are compared at no two octaves in
 * a row are left out, and an array's is beyond what 16 bits count. */
Test(cases, sizes_are_looked_at_without_a_gap)
{
    enum { FIRST = 5, SHORT = 16 };
    static const char *const labs[] = {"reduction",  "reduction_uses", "coalescing",
                                       "divergence", "bank_conflicts", "conv1d",
                                       "matmul"};
    for (size_t l = 0; l < sizeof(labs) / sizeof(labs[0]); l++) {
        const struct lab *lab = lab_named(labs[l]);
        const struct rubric *r = rubric_of(labs[l]);
        for (int i = 0; i < r->nrows; i++) {
            unsigned seen[3] = {0};
            if (r->rows[i].kind != ROW_CORRECT || !(r->rows[i].points > 0))
                continue;
            octaves_of(lab, r, &r->rows[i], seen);
            for (int e = 0; e < 3; e++)
                for (int o = FIRST; o < SHORT && seen[e] >> o; o++)
                    cr_expect(seen[e] >> o & 3, "%s, %s: no %c from %d to %d", lab->name,
                              r->rows[i].id, "nmk"[e], 1 << o, (4 << o) - 1);
            cr_expect(seen[1] || seen[2] || seen[0] >> SHORT, "%s, %s: 16 bits are enough",
                      lab->name, r->rows[i].id);
        }
    }
}

static uint64_t extents_of(const struct lab *lab, const struct lab_case *c)
{
    uint64_t all = 1;
    for (const char *e = lab->extents; *e; e++) {
        uint64_t x = *e == 'n' ? c->n : *e == 'm' ? c->m : *e == 'k' ? c->k : (uint64_t)c->param;
        all *= x ? x : 1;
    }
    return all;
}

/* The most that the lab's own program runs of a variant on the emulator, unless told otherwise. */
static uint64_t own_most(const struct lab *lab, const struct lab_variant *v)
{
    uint64_t most = 0;
    for (int i = 0; i < lab->ncases; i++) {
        const struct lab_case *c = &lab->cases[i];
        if (!(c->flags & CASE_GPU_ONLY) && (!lab->applies || lab->applies(v, c)))
            most = extents_of(lab, c) > most ? extents_of(lab, c) : most;
    }
    return most;
}

/* Does a row look at the cases of another one, too? A gate does, where results are compared. */
static bool looks_at(const struct rubric_row *row, const struct rubric_row *of)
{
    return row == of || (row->kind == ROW_GATE && row->elsewhere != HERE_ONLY &&
                         of->kind == ROW_CORRECT && !strcmp(row->variant, of->variant));
}

/* The most that every submission's hidden cases of a row have. */
static uint64_t hidden_most(const struct lab *lab, const struct rubric *r,
                            const struct rubric_row *row)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
        char whose[24];
        snprintf(whose, sizeof(whose), "whose is it: %d", i);
        struct draw d = {whose, whose};
        uint64_t most = 0;
        for (int k = 0; k < r->nrows; k++) {
            int n = 0;
            struct marked_case *c =
                looks_at(row, &r->rows[k]) ? row_cases(lab, r, &r->rows[k], &d, &n) : NULL;
            for (int j = 0; j < n; j++)
                if (c[j].kind && extents_of(lab, &c[j].c) > most)
                    most = extents_of(lab, &c[j].c);
            free(c);
        }
        least = most < least ? most : least;
    }
    return least;
}

/* Rows that end below the lab's own sizes in some submissions, and what they have in all of them:
 * no less from now on. More is more steps for each marking. */
static const struct {
    const char *lab, *rows; /* NULL: the others of the lab */
    uint64_t most;
} ends_at[] = {
    {"bank_conflicts", "once-ok once-reads", 1 << 16},
    {"bank_conflicts", NULL, 1 << 20},
    {"black_scholes", "direct-none fast-none vector-none", 12000},
    {"black_scholes", "direct-ok direct-float", 1 << 17},
    {"black_scholes", "strided-ok fast-ok fast-short", 1 << 18},
    {"black_scholes", NULL, 700000},
    {"coalescing", "tile-ok tile-coalesced tile-banks", 480000},
    {"coalescing", NULL, 1 << 17},
    {"conv1d", NULL, 1 << 22},
    {"divergence", "warp-ok warp-lanes thread-ok thread-both", 1 << 17},
    {"latency_hiding", "copy-ok copy-whole", 150000},
    {"latency_hiding", "steps-ok", 8000000},
    {"latency_hiding", NULL, 4000000},
    {"matmul", NULL, 4000000},
    {"monte_carlo", "block-ok blocks-ok blocks-order", 500000},
    {"multi_gpu", "gather-ok", 250000},
    {"multi_gpu", NULL, 500000},
    {"poisson", NULL, 512 * 512},
    {"reduction", "r7-ok r7-gate", 1 << 24},
    {"reduction", NULL, 1 << 20},
    {"reduction_uses", "block-ok block-atomics warp-ok warp-atomics bins-ok bins-atomics", 1 << 17},
    {"reduction_uses", NULL, 45000},
    {"transfers", NULL, 1000000},
};

static uint64_t least_end(const char *lab, const char *row, uint64_t own)
{
    for (size_t i = 0; i < sizeof(ends_at) / sizeof(ends_at[0]); i++)
        if (!strcmp(ends_at[i].lab, lab) && (!ends_at[i].rows || word_in(ends_at[i].rows, row)))
            return own < ends_at[i].most ? own : ends_at[i].most;
    return own;
}

/* What a student's own run shows is looked at in each marking, too: hidden cases are as large as
 * the lab's own that its program runs on the emulator. */
Test(cases, hidden_ones_are_as_large_as_the_labs)
{
    for (int l = 0; l < all_labs_count; l++) {
        const struct lab *lab = all_labs[l];
        const struct rubric *r = rubric_of(lab->name);
        for (int i = 0; !lab->program && i < r->nrows; i++) {
            const struct rubric_row *row = &r->rows[i];
            if (!(row->points > 0) || (row->kind != ROW_CORRECT && row->kind != ROW_GATE))
                continue;
            uint64_t own = own_most(lab, variant_named(lab, row->variant)),
                     least = least_end(lab->name, row->id, own), most = hidden_most(lab, r, row);
            cr_expect(most >= least, "%s, %s: %llu, not %llu", lab->name, row->id,
                      (unsigned long long)most, (unsigned long long)least);
        }
    }
}

static const char *kernels_of(const struct lab *lab, const char *variant)
{
    const struct lab_variant *v = variant_named(lab, variant);
    return v->kernels ? v->kernels : v->name;
}

/* Does it run all kernels of the other one? */
static bool runs_all(const struct lab *lab, const char *variant, const char *other)
{
    bool all = true;
    char *words = xstrdup(kernels_of(lab, other)), *rest = NULL;
    for (char *k = strtok_r(words, " ", &rest); k; k = strtok_r(NULL, " ", &rest))
        all &= word_in(kernels_of(lab, variant), k);
    free(words);
    return all;
}

/* Do the kernels of a row of checks that earns points, on a drawn case, have this one? */
static bool checked_for_points(const struct lab *lab, const struct rubric *r, const char *kernel)
{
    for (int i = 0; i < r->nrows; i++) {
        const struct rubric_row *row = &r->rows[i];
        if (row->kind == ROW_CHECKS && row->points > 0 && row->cases &&
            strstr(row->cases, "hidden") && word_in(kernels_of(lab, row->variant), kernel))
            return true;
    }
    return false;
}

/* A kernel that is right here, and on a GPU only now and then, loses something. */
Test(cases, races_of_what_earns_points_cost_some)
{
    for (int l = 0; l < all_labs_count; l++) {
        const struct lab *lab = all_labs[l];
        const struct rubric *r = rubric_of(lab->name);
        for (int i = 0; i < r->nrows; i++) {
            if (!(r->rows[i].points > 0))
                continue;
            char *words = xstrdup(kernels_of(lab, r->rows[i].variant)), *rest = NULL;
            for (char *k = strtok_r(words, " ", &rest); k; k = strtok_r(NULL, " ", &rest))
                cr_expect(checked_for_points(lab, r, k), "%s, %s: %s", lab->name, r->rows[i].id, k);
            free(words);
        }
    }
}

static uint64_t *extent(struct lab_case *c, char e)
{
    return e == 'n' ? &c->n : e == 'm' ? &c->m : e == 'k' ? &c->k : (uint64_t *)&c->param;
}

/* Does the lab launch something for the case with this extent? */
static bool takes(const struct lab *lab, const struct lab_variant *v, struct lab_case c, char e,
                  uint64_t x)
{
    static struct plan p;
    static const struct device_limits d = {132, 1024, 2048, 227 << 10, 90};
    char err[256];
    *extent(&c, e) = x;
    return (!lab->applies || lab->applies(v, &c)) &&
           plan_make(lab, v, &c, &v->record, &d, &p, err, sizeof(err)) && p.nsteps > 0;
}

enum { OTHERS, NONE, ONE }; /* 0 and 1, as bits */

/* Of an extent the 0 and the 1 that the lab takes on a row's cases; what they have is added. */
static unsigned least_of(const struct lab *lab, const struct rubric *r,
                         const struct rubric_row *row, char e, unsigned *seen)
{
    const struct lab_variant *v = variant_named(lab, row->variant);
    unsigned taken = OTHERS;
    for (int i = 0; i < 50; i++) {
        char whose[24];
        int n;
        snprintf(whose, sizeof(whose), "whose is it: %d", i);
        struct draw d = {whose, whose};
        struct marked_case *c = row_cases(lab, r, row, &d, &n);
        for (int k = 0; k < n; k++) {
            uint64_t x = *extent(&c[k].c, e);
            *seen |= x == 0 ? NONE : x == 1 ? ONE : OTHERS;
            for (x = 0; i == 0 && x < 2; x++)
                taken |= takes(lab, v, c[k].c, e, x) ? 1u << x : 0;
        }
        free(c);
    }
    return taken;
}

/* Where a loop is left after its first round, or a guard asks for the last element, it shows at the
 * least size alone: of what a lab launches its kernels for, a row on results of the same kernels
 * has 0, or 1 where it takes no 0. The lengths of a copy with a stride are primes. */
Test(cases, the_least_that_a_lab_takes_is_looked_at)
{
    for (int l = 0; l < all_labs_count; l++) {
        const struct lab *lab = all_labs[l];
        const struct rubric *r = rubric_of(lab->name);
        for (int i = 0; !lab->program && i < r->nrows; i++)
            for (const char *e = lab->extents; *e; e++) {
                unsigned seen = 0, taken = 0;
                if (!(r->rows[i].points > 0) || r->rows[i].kind != ROW_CORRECT ||
                    !strcmp(r->rows[i].variant, "strided_copy"))
                    continue;
                for (int k = 0; k < r->nrows; k++)
                    if (r->rows[k].kind == ROW_CORRECT &&
                        runs_all(lab, r->rows[k].variant, r->rows[i].variant))
                        taken |= least_of(lab, r, &r->rows[k], *e, &seen);
                unsigned least = taken & -taken;
                cr_expect_eq(seen & least, least, "%s, %s: no case with %c = %d", lab->name,
                             r->rows[i].id, *e, least == ONE);
            }
    }
}

static const struct {
    struct hidden_case h;
    const char *says;
} wrong[] = {
    {{.name = "h", .kind = "k", .like = "tail none"}, "no case to be like: none"},
    {{.name = "h", .kind = "k"}, "no case to be like"},
    {{.name = "h", .like = "tail"}, "no kind"},
    {{.name = "h", .kind = "k", .like = "tail", .n_min = 9, .n_max = 1}, "a minimum above"},
    {{.name = "h", .kind = "k", .like = "tail", .n_max = 9, .any_scale = true}, "from 0 on"},
    {{.name = "h", .kind = "k", .like = "tail", .n_min = 9, .n_max = 12, .work_max = 8},
     "its minima are more than work_max"},
    {{.name = "h", .kind = "k", .like = "tail", .blocks = ONE_OF(64, 4096)}, "a block of 4096"},
    {{.name = "h", .kind = "k", .like = "tail", .blocks = ONE_OF(64, 96)}, "not a power of two"},
    {{.name = "h", .kind = "k", .like = "tail", .params = ONE_OF(8)}, "does not apply"},
    {{.name = "h", .kind = "k", .like = "min", .dtypes = ONE_OF(DT_F32)}, "there are kernels"},
};

Test(cases, mistakes_in_a_table_are_said)
{
    static const struct rubric_row row[] = {
        {"ok", 1, "right", ROW_CORRECT, "reduce3", .cases = "h", .hint = "?"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct rubric r = {"reduction", row, 1, cases, 3, &wrong[i].h, 1};
        struct text t = {0};
        cr_assert_gt(rubric_problems(&lab_reduction, &r, &t), 0);
        cr_assert(strstr(text_str(&t), wrong[i].says), "%s: %s", wrong[i].says, text_str(&t));
        text_free(&t);
    }
}

Test(cases, only_gates_have_cases_that_need_not_be_right)
{
    static const struct hidden_case none = {.name = "h", .kind = "k", .like = "tail"};
    static const struct {
        struct rubric_row row;
        const char *says;
    } of[] = {
        {{"ok", 1, "right", ROW_CORRECT, "reduce3", .cases = "tail", .if_right = "h", .hint = "?"},
         "if_right is for gates"},
        {{"gate", 1, "gate", ROW_GATE, "reduce3", .cases = "tail", .if_right = "nowhere",
          .gate = "barriers == 0", .hint = "?"},
         "case nowhere: there is none"},
        {{"gate", 1, "gate", ROW_GATE, "reduce3", .cases = "tail", .if_right = "h",
          .gate = "barriers == 0", .hint = "?"},
         ""},
    };
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        struct rubric r = {"reduction", &of[i].row, 1, cases, 3, &none, 1};
        struct text t = {0};
        cr_expect_eq(rubric_problems(&lab_reduction, &r, &t), of[i].says[0] ? 1 : 0);
        cr_expect(strstr(text_str(&t), of[i].says), "%s", text_str(&t));
        text_free(&t);
    }
}

Test(cases, words_stand_for_conditions_that_are_too_long)
{
    char gate[GATE_READABLE + 40];
    struct rubric_row row = {"gate",       1,          "gate", ROW_GATE, "reduce3", .cases = "tail",
                             .gate = gate, .hint = "?"};
    struct rubric r = {"reduction", &row, 1, cases, 3, NULL, 0};
    static const struct {
        int spaces; /* of which the condition's left side has so many */
        const char *asks;
        int bad;
    } of[] = {{0, NULL, 0}, {0, "?", 1}, {GATE_READABLE, NULL, 1}, {GATE_READABLE, "?", 0}};
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        struct text t = {0};
        snprintf(gate, sizeof(gate), "warps >= 1 && barriers%*s == 0", of[i].spaces, "");
        row.asks = of[i].asks;
        cr_expect_eq(rubric_problems(&lab_reduction, &r, &t), of[i].bad, "%zu: %s", i,
                     text_str(&t));
        text_free(&t);
    }
}
