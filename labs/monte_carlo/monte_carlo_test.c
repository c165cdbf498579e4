/* monte_carlo_test.c - the lab's own logic, without a device: are the words and numbers that
 * kernels are held to as chance has them, and do prices gather around the formula's?
 *
 * A statistic is turned into a standard normal number, and has to be within LIMIT: of a right
 * generator with another seed one in 1.7 million is not (about 70 are looked at: one run in
 * 25,000). Seeds are fixed, so each run says the same. Generators that are wrong on purpose have to
 * be beyond it.
 */
#include "lab/black_scholes.h"
#include "lab/lab.h"
#include "lab/philox.h"
#include "lab/random.h"
#include "lab/twister.h"
#include "labs/testing.h"

extern const struct lab lab_monte_carlo;
static const struct device_limits h200 = {
    .sms = 132, .max_threads_per_block = 1024, .max_threads_per_sm = 2048};
#define LIMIT 5.0

static struct plan plan_of(const char *variant, const struct lab_case *c)
{
    const struct lab_variant *v = variant_of(&lab_monte_carlo, variant);
    struct plan p;
    char err[200] = "";

    cr_assert(lab_monte_carlo.plan(v, c, &v->record, &h200, &p, err, sizeof(err)), "%s", err);
    return p;
}

static void reference_of(const char *variant, const struct lab_case *c, const void *const *inputs,
                         void **outputs, double **tolerance)
{
    struct plan p = plan_of(variant, c);

    lab_monte_carlo.reference(&p, variant_of(&lab_monte_carlo, variant), c, inputs, outputs,
                              tolerance);
}

/* ---- statistics, each as a standard normal number ---- */

/* Pearson's sum over cells that are as likely, by Wilson and Hilferty's approximation. */
static double chi_squared(const unsigned *cells, unsigned n)
{
    double all = 0, sum = 0, free = n - 1;

    for (unsigned i = 0; i < n; i++)
        all += cells[i];
    for (unsigned i = 0; i < n; i++)
        sum += (cells[i] - all / n) * (cells[i] - all / n) / (all / n);
    return (cbrt(sum / free) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free));
}

/* Are the eight bits from `shift` on as likely as each other? */
static double uniformity(const uint32_t *w, unsigned n, unsigned shift)
{
    unsigned cells[256] = {0};

    for (unsigned i = 0; i < n; i++)
        cells[w[i] >> shift & 255]++;
    return chi_squared(cells, 256);
}

/* Four bits of a word and those of the one `apart` behind it, in pairs that share none. */
static double pairs(const uint32_t *w, unsigned n, unsigned apart, unsigned shift)
{
    unsigned cells[256] = {0};

    for (unsigned i = 0; i + apart < n; i++)
        if (i / apart % 2 == 0)
            cells[(w[i] >> shift & 15) << 4 | (w[i + apart] >> shift & 15)]++;
    return chi_squared(cells, 256);
}

static double correlation(const uint32_t *w, unsigned n, unsigned apart)
{
    double sum = 0;
    unsigned used = 0;

    for (unsigned i = 0; i + apart < n; i++)
        if (i / apart % 2 == 0) {
            sum += (w[i] * 0x1p-32 - 0.5) * (w[i + apart] * 0x1p-32 - 0.5) * 12;
            used++;
        }
    return sum / sqrt(used);
}

/* The worst of all of them: words in rows of m, one of each stream. */
static double worst_of_words(const uint32_t *w, unsigned n, unsigned m)
{
    double worst = 0;

    for (unsigned shift = 0; shift <= 24; shift += 8)
        worst = fmax(worst, fabs(uniformity(w, n, shift)));
    for (unsigned shift = 0; shift <= 28; shift += 28)
        for (unsigned k = 0; k < 3; k++)
            worst = fmax(worst, fabs(pairs(w, n, k == 0 ? 1 : k == 1 ? m : 4 * m, shift)));
    worst = fmax(worst, fabs(correlation(w, n, 1)));
    return fmax(worst, fabs(correlation(w, n, m)));
}

/* Mean, variance, skewness and kurtosis, and does the square of one go with that of the next? */
static double worst_of_numbers(const float *z, unsigned n)
{
    double sum[5] = {0}, squares = 0, worst;

    for (unsigned i = 0; i < n; i++) {
        double x = z[i], y = z[i ^ 1];

        for (int k = 1; k < 5; k++)
            sum[k] += pow(x, k);
        squares += (x * x - 1) * (y * y - 1) / 2;
    }
    for (int k = 1; k < 5; k++)
        sum[k] /= n;
    worst = fabs(sum[1] * sqrt(n));
    worst = fmax(worst, fabs((sum[2] - 1) * sqrt(n / 2.0)));
    worst = fmax(worst, fabs(sum[3] * sqrt(n / 15.0)));
    worst = fmax(worst, fabs((sum[4] - 3) * sqrt(n / 96.0)));
    return fmax(worst, fabs(squares / n * sqrt(n / 2.0)));
}

/* ---- generators ---- */

enum { WORDS = 1 << 17, STREAMS = 512 };

static uint32_t *words_of_twisters(uint32_t seed)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "twister-n=40");
    uint32_t *out = xcalloc(WORDS, sizeof(*out)), key[] = {seed, 0}, a[STREAMS];
    const void *inputs[] = {key, a, NULL};
    void *outputs[] = {NULL, NULL, out};

    c.n = WORDS / STREAMS;
    c.m = STREAMS;
    for (uint32_t s = 0; s < STREAMS; s++)
        a[s] = twister_a(s);
    reference_of("twister", &c, inputs, outputs, NULL);
    return out;
}

static uint32_t *words_of_philox(uint32_t seed)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "philox-n=1003");
    uint32_t *out = xcalloc(WORDS, sizeof(*out)), *counters = xcalloc(WORDS, sizeof(*out));
    uint32_t key[] = {seed, 0};
    const void *inputs[] = {key, counters, NULL};
    void *outputs[] = {NULL, NULL, out};

    c.n = WORDS / 4;
    for (uint32_t i = 0; i < c.n;
         i++) { /* as price_block draws them: quads of STREAMS / 4 options */
        counters[4 * i] = i / (STREAMS / 4);
        counters[4 * i + 2] = i % (STREAMS / 4);
    }
    reference_of("philox", &c, inputs, outputs, NULL);
    free(counters);
    return out;
}

Test(monte_carlo, words_are_as_chance_has_them)
{
    for (uint32_t seed = 0; seed < 3; seed++) {
        uint32_t *t = words_of_twisters(seed), *p = words_of_philox(seed);
        double worst = worst_of_words(t, WORDS, STREAMS);

        cr_expect_leq(worst, LIMIT, "twisters, seed %u: %.2f", seed, worst);
        worst = worst_of_words(p, WORDS, STREAMS);
        cr_expect_leq(worst, LIMIT, "philox, seed %u: %.2f", seed, worst);
        free(t);
        free(p);
    }
}

/* One seed for all twisters: they begin alike. Two rounds of Philox. One multiplication. */
Test(monte_carlo, wrong_words_are_found)
{
    uint32_t *w = xcalloc(WORDS, sizeof(*w));

    for (uint32_t s = 0; s < STREAMS; s++) {
        struct twister t;

        twister_start(&t, twister_a(s), 7, 0);
        for (uint32_t i = 0; i < WORDS / STREAMS; i++)
            w[i * STREAMS + s] = twister_next(&t);
    }
    cr_expect_gt(worst_of_words(w, WORDS, STREAMS), LIMIT);
    for (uint32_t i = 0; i < WORDS / 4; i++) {
        struct philox_words c = {{i, 0, 0, 0}};

        c = philox_round(philox_round(c, 7, 0), 8, 1);
        memcpy(w + 4 * i, c.w, sizeof(c.w));
    }
    cr_expect_gt(worst_of_words(w, WORDS, STREAMS), LIMIT);
    for (uint32_t i = 0; i < WORDS; i++)
        w[i] = 65539 * (i ? w[i - 1] : 1);
    cr_expect_gt(worst_of_words(w, WORDS, STREAMS), LIMIT);
    free(w);
}

/* From the generator's authors: the least and the greatest counter and key, and digits of pi. */
Test(monte_carlo, philox_known_answers)
{
    static const uint32_t known[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    struct lab_case c = *case_of(&lab_monte_carlo, "philox-n=1");

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        uint32_t out[4];
        const void *inputs[] = {known[i] + 4, known[i], NULL};
        void *outputs[] = {NULL, NULL, out};

        reference_of("philox", &c, inputs, outputs, NULL);
        cr_assert_arr_eq(out, known[i] + 6, sizeof(out));
    }
}

static void numbers_of(const uint32_t *words, unsigned n, float *z)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "normals-n=1");
    const void *inputs[] = {words, NULL};
    void *outputs[] = {NULL, z};

    c.n = n / 2;
    reference_of("normals", &c, inputs, outputs, NULL);
}

Test(monte_carlo, numbers_are_normal)
{
    float *z = xcalloc(WORDS, sizeof(*z));

    for (uint32_t seed = 0; seed < 3; seed++) {
        uint32_t *w = words_of_philox(seed);

        numbers_of(w, WORDS, z);
        cr_expect_leq(worst_of_numbers(z, WORDS), LIMIT, "seed %u", seed);
        for (unsigned i = 0; i < WORDS; i += 2) /* one word for radius and angle */
            w[i + 1] = w[i];
        numbers_of(w, WORDS, z);
        cr_expect_gt(worst_of_numbers(z, WORDS), LIMIT);
        for (unsigned i = 0; i < WORDS; i++) /* twelve uniform numbers would do, six do not */
            z[i] = 0;
        for (unsigned i = 0; i < WORDS; i++)
            for (unsigned k = 1; k < 7; k++)
                z[i] += (float)((random_u64(seed, 6 * i + k) >> 40) * 0x1p-24 - 0.5) * 1.41421f;
        cr_expect_gt(worst_of_numbers(z, WORDS), LIMIT);
        free(w);
    }
    free(z);
}

/* The least and the greatest word have a number, too. */
Test(monte_carlo, numbers_of_the_ends)
{
    static const uint32_t words[] = {0, 0, 0xffffffff, 0x80000000};
    float z[4];

    numbers_of(words, 4, z);
    cr_assert_float_eq(hypotf(z[0], z[1]), sqrt(2 * 33 * log(2)), 1e-5); /* u is 2^-33 */
    cr_assert_eq(z[2], 0);
    cr_assert_eq(z[3], 0);
}

/* ---- prices ---- */

enum { CALLS = 16, PATHS = 4096, SEEDS = 40, FIELDS = 5 };

/* What is wrong with the numbers that paths take. */
enum wrong { NOTHING, A_LITTLE_MORE, TOO_WIDE, UPPER_HALF, ONE_FOR_ALL, FEW_AGAIN };

static double number_of(enum wrong wrong, const uint32_t *key, uint32_t i, uint32_t o)
{
    uint32_t path = wrong == FEW_AGAIN ? i % 256 : i;
    struct philox_words w =
        philox((struct philox_words){{path / 4, 0, wrong == ONE_FOR_ALL ? 0 : o, 0}}, key[0],
               wrong == ONE_FOR_ALL ? 0 : key[1]);
    const uint32_t *two = w.w + path % 4 / 2 * 2;
    double u = two[0] * 0x1p-32 + 0x1p-33, v = two[1] * 0x1p-32 + 0x1p-33;
    double r = sqrt(-2 * log(wrong == UPPER_HALF ? (u + 1) / 2 : u)), phi = 2 * M_PI * v;

    return r * (path % 2 ? cos(phi) : sin(phi)) * (wrong == TOO_WIDE ? 1.03 : 1) +
           (wrong == A_LITTLE_MORE ? 0.01 : 0);
}

static void prices_of(enum wrong wrong, const uint32_t *key, const float *options, float *out)
{
    for (uint32_t o = 0; o < CALLS; o++) {
        const float *f = options + FIELDS * o;
        double sum = 0, squares = 0, now = exp(-(double)f[3] * f[2]);

        for (uint32_t i = 0; i < PATHS; i++) {
            double z = number_of(wrong, key, i, o);
            double end =
                f[0] * exp(((double)f[3] - (double)f[4] * f[4] / 2) * f[2] + f[4] * sqrt(f[2]) * z);
            double payoff = fmax(end - f[1], 0);

            sum += payoff;
            squares += payoff * payoff;
        }
        out[2 * o] = (float)(now * sum / PATHS);
        out[2 * o + 1] =
            (float)(now * 1.96 * sqrt((squares - sum * sum / PATHS) / (PATHS - 1) / PATHS));
    }
}

/* Of how many standard errors a price is off the formula, what are the mean, the mean square, and
 * the share within 1.96? The worst of the three. */
static double worst_of_prices(enum wrong wrong)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "paths=1003");
    double sum = 0, squares = 0, inside = 0, n = 0;

    c.n = PATHS, c.m = CALLS, c.param = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct plan p = plan_of("price_block", &c);
        uint32_t key[2];
        float options[FIELDS * CALLS], out[2 * CALLS];
        const void *inputs[] = {key, options, NULL};
        void *outputs[] = {NULL, NULL, out};

        lab_monte_carlo.make_input(&p, 0, &c, seed, key);
        lab_monte_carlo.make_input(&p, 1, &c, seed, options);
        if (wrong == NOTHING)
            reference_of("price_block", &c, inputs, outputs, NULL);
        else
            prices_of(wrong, wrong == ONE_FOR_ALL ? (const uint32_t[]){7, 0} : key, options, out);
        for (int o = 0; o < CALLS; o++) {
            const float *f = options + FIELDS * o;
            struct option call = {f[0], f[1], f[2], f[3], f[4]};
            double off = (out[2 * o] - black_scholes(&call).call) / (out[2 * o + 1] / 1.96);

            n++;
            sum += off;
            squares += off * off;
            inside += fabs(off) <= 1.96;
        }
    }
    return fmax(fmax(fabs(sum / sqrt(n)), fabs((squares - n) / sqrt(2 * n))),
                fabs(inside - 0.95 * n) / sqrt(0.95 * 0.05 * n));
}

Test(monte_carlo, prices_gather_around_the_formula)
{
    static const char *const names[] = {"",
                                        "1/100 to the right",
                                        "3/100 too wide",
                                        "half of all",
                                        "one key for all",
                                        "256 paths again"};
    double worst = worst_of_prices(NOTHING);

    cr_expect_leq(worst, LIMIT, "%.2f", worst);
    for (enum wrong w = A_LITTLE_MORE; w <= FEW_AGAIN; w++) {
        worst = worst_of_prices(w);
        cr_expect_gt(worst, LIMIT, "%s: %.2f", names[w], worst);
    }
}

/* The reference against the loop above, which shares no line with it. */
Test(monte_carlo, prices_by_another_loop)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "paths=1003");
    float options[FIELDS * CALLS], out[2 * CALLS], other[2 * CALLS];
    uint32_t key[2];
    const void *inputs[] = {key, options, NULL};
    void *outputs[] = {NULL, NULL, out};

    c.n = PATHS, c.m = CALLS, c.param = 0;
    struct plan p = plan_of("price_block", &c);
    lab_monte_carlo.make_input(&p, 0, &c, 3, key);
    lab_monte_carlo.make_input(&p, 1, &c, 3, options);
    reference_of("price_block", &c, inputs, outputs, NULL);
    prices_of(NOTHING, key, options, other);
    for (int i = 0; i < 2 * CALLS; i++)
        cr_expect_float_eq(out[i], other[i], 1e-5, "%d: %g, %g", i, out[i], other[i]);
    cr_assert_eq(options[0], 2, "the lecture's example is the first option");
}

/* What is not simulated is held to the formula: the paths of the same case lie within the bound,
 * and the bound is no wider than 6.5 standard errors. */
Test(monte_carlo, long_simulations_are_held_to_the_formula)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "paths=2^14");
    float options[FIELDS * 64], out[2 * 64], whole[2 * 64];
    double bounds[2 * 64], tight[2 * 64], *tolerance[] = {NULL, NULL, bounds};
    double *own[] = {NULL, NULL, tight};
    uint32_t key[2];
    const void *inputs[] = {key, options, NULL};
    void *outputs[] = {NULL, NULL, out}, *others[] = {NULL, NULL, whole};
    int formula = 0;

    c.seed = 1;
    struct plan p = plan_of("price_block", &c);
    lab_monte_carlo.make_input(&p, 0, &c, 1, key);
    lab_monte_carlo.make_input(&p, 1, &c, 1, options);
    reference_of("price_block", &c, inputs, outputs, tolerance);
    c.m = 16; /* few enough to be simulated, all of them */
    reference_of("price_block", &c, inputs, others, own);
    for (int o = 0; o < 16; o++) {
        formula += out[2 * o] != whole[2 * o];
        cr_expect_lt(fabs(out[2 * o] - whole[2 * o]), bounds[2 * o], "option %d", o);
        cr_expect_lt(fabs(out[2 * o + 1] - whole[2 * o + 1]), bounds[2 * o + 1], "option %d", o);
        cr_expect_leq(bounds[2 * o], 6.6 / 1.96 * out[2 * o + 1] + tight[2 * o]);
        cr_expect_lt(20 * tight[2 * o], whole[2 * o + 1], "a bound that chance may hide in");
    }
    cr_assert(formula > 4 && formula < 16, "%d", formula);
}

/* Options of any size and numbers as far from 0 as they come, for which floats are still good. */
Test(monte_carlo, options_of_any_size)
{
    enum { MANY = 500 };
    struct lab_case c = *case_of(&lab_monte_carlo, "array-n=1003");
    float options[FIELDS * MANY], numbers[1003], out[2 * MANY], price[] = {1, 0}, far = 0;
    const void *inputs[] = {numbers, options, NULL};
    void *outputs[] = {NULL, NULL, out};

    c.m = MANY, c.param = 2;
    struct plan p = plan_of("price_array", &c);
    lab_monte_carlo.make_input(&p, 0, &c, 3, numbers);
    lab_monte_carlo.make_input(&p, 1, &c, 3, options);
    reference_of("price_array", &c, inputs, outputs, NULL);
    for (int i = 0; i < 1003; i++)
        far = fmaxf(far, fabsf(numbers[i]));
    cr_expect(far > 6 && far <= 6.7f, "%g", far);
    for (int o = 0; o < MANY; o++) {
        const float *f = options + FIELDS * o;

        price[0] = fminf(price[0], f[0]), price[1] = fmaxf(price[1], f[0]);
        cr_expect(f[1] > f[0] / 65 && f[1] < f[0] * 65 && f[2] > 1 / 8800.0f && f[2] < 65);
        cr_expect(fabsf(f[3] * f[2]) < 3.01f && fabsf(f[3]) <= 10);
        cr_expect(f[4] > 0.007f && f[4] * sqrtf(f[2]) < 1.51f);
        cr_expect(isfinite(out[2 * o]) && isfinite(out[2 * o + 1]) && out[2 * o] >= 0);
    }
    cr_expect(price[0] < 2e-9f && price[1] > 5e8f, "%g %g", price[0], price[1]);
}

/* Each field has its turn of what makes no option. */
Test(monte_carlo, what_is_no_option_has_no_price)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "paths=1003");
    float options[FIELDS * 20], out[40];
    uint32_t key[] = {1, 2};
    const void *inputs[] = {key, options, NULL};
    void *outputs[] = {NULL, NULL, out};
    struct plan p = plan_of("price_block", &c);

    lab_monte_carlo.make_input(&p, 1, &c, 9, options);
    reference_of("price_block", &c, inputs, outputs, NULL);
    for (int o = 0; o < 20; o++) {
        bool bad = o % 3 == 2;

        cr_expect_eq(isnan(out[2 * o]) && isnan(out[2 * o + 1]), bad, "option %d", o);
        cr_expect_eq(!isnan(out[2 * o]) && out[2 * o + 1] >= 0, !bad, "option %d", o);
    }
    c.n = 1;
    reference_of("price_block", &c, inputs, outputs, NULL);
    cr_assert(!isnan(out[0]) && isnan(out[1]), "one path has a price and no interval");
}

Test(monte_carlo, what_cannot_be_is_refused)
{
    static const struct {
        const char *like, *variant;
        uint64_t n, m;
        const char *word;
    } bad[] = {
        {"paths=1003", "price_block", 0, 1, "no paths"},
        {"paths=1003", "price_block", 10, 0, "no options"},
        {"paths=1003", "price_block", 10, 65536, "65535 options"},
        {"paths=1003", "price_loop", 10, LAB_MAX_STEPS, "one by one"},
        {"twister-n=40", "twister", 10, 4097, "4096 twisters"},
        {"twister-n=40", "twister", 10, 0, "1 to 4096"},
        {"philox-n=1", "philox", 0, 0, "n is 1"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct lab_case c = *case_of(&lab_monte_carlo, bad[i].like);
        const struct lab_variant *v = variant_of(&lab_monte_carlo, bad[i].variant);
        struct plan p;
        char err[200] = "";

        c.n = bad[i].n, c.m = bad[i].m;
        cr_assert_not(lab_monte_carlo.plan(v, &c, &v->record, &h200, &p, err, sizeof(err)));
        cr_assert(strstr(err, bad[i].word), "%s", err);
    }
}

/* 132 SMs hold 1056 blocks of 256 threads: 16 for each of 64 options, and no thread without a
 * path; one launch for all of them, or one for each. */
Test(monte_carlo, blocks_of_an_option)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "paths=2^14");
    struct plan p = plan_of("price_blocks", &c);

    cr_assert_eq(p.nsteps, 2);
    cr_assert_eq(p.steps[0].grid[0], 16);
    cr_assert_eq(p.steps[0].grid[1], 64);
    cr_assert_eq(p.steps[1].grid[0], 64);
    cr_assert_eq(p.buffers[3].count, 2 * 16 * 64);
    p = plan_of("price_loop", &c);
    cr_assert_eq(p.nsteps, 65);
    cr_assert_eq(p.steps[63].grid[0], 16);
    cr_assert_eq(p.steps[63].args[4].v.u32, 63);
    c.n = 1 << 24;
    cr_assert_eq(plan_of("price_loop", &c).steps[0].grid[0], 1056);
    c.n = 100;
    cr_assert_eq(plan_of("price_blocks", &c).steps[0].grid[0], 1);
}

/* Ten options a launch: `first` is not always 0. */
Test(monte_carlo, options_come_in_two_launches_where_some_are_none)
{
    struct plan p = plan_of("price_blocks", case_of(&lab_monte_carlo, "paths=1003"));

    cr_assert_eq(p.nsteps, 3);
    cr_expect_eq(p.steps[0].grid[1], 10);
    cr_expect_eq(p.steps[0].args[4].v.u32, 0);
    cr_expect_eq(p.steps[1].grid[1], 10);
    cr_expect_eq(p.steps[1].args[4].v.u32, 10);
    cr_expect_str_eq(p.steps[2].kernel, "price_sum");
}

/* By the paths of an option, as the record says. */
Test(monte_carlo, the_switch_is_the_records)
{
    struct lab_case c = *case_of(&lab_monte_carlo, "paths=2^14");
    const struct lab_variant *v = variant_of(&lab_monte_carlo, "price_switch");
    struct launch_record r = v->record;
    struct plan p;
    char err[200];

    r.items = 1 << 14;
    cr_assert(lab_monte_carlo.plan(v, &c, &r, &h200, &p, err, sizeof(err)));
    cr_assert_str_eq(p.steps[0].kernel, "price_blocks");
    r.items++;
    cr_assert(lab_monte_carlo.plan(v, &c, &r, &h200, &p, err, sizeof(err)));
    cr_assert_str_eq(p.steps[0].kernel, "price_block");
    cr_assert_eq(p.nsteps, 1);
}
