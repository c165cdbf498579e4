/* ladders_test.c - modelled against measured times: of every launch that a kept record of an H200
 * has a time for, and of the lecture's reductions on a G80.
 *
 * testdata/launches-*.csv holds what the emulator counted and sampled of them (make launches);
 * plots/records/h200 and plots/published.csv hold the times. Asserted: the median error, the order
 * within each ladder, and that constants fitted without a lab hold for that lab. Run alone, with
 * --verbose, it prints the figures of MODEL.md.
 */
#include "base/alloc.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "model.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES "common/emulator/testdata/launches-%s.csv"
#define RECORDS  "plots/records/h200/%s%s.csv"

static const char *const lab_names[] = {
    "bank_conflicts", "black_scholes", "coalescing",  "conv1d",    "divergence",
    "latency_hiding", "matmul",        "monte_carlo", "reduction", "reduction_uses"};
#define NLABS (sizeof(lab_names) / sizeof(lab_names[0]))

struct one_launch {
    struct counters c;
    struct model_launch l;
    uint32_t registers, shared;
};
struct kernel { /* a row of a record: one or more launches, and the time of all */
    char *lab, *variant, *name, *dtype; /* name: of the case */
    struct one_launch *launches;
    int nlaunches;
    double ms, lo, hi;           /* measured, hot: median and confidence interval; 0: not known */
    double again_lo, again_hi;   /* in another session; 0: not measured */
    double modelled, other_half; /* by the profile's constants; by those of the other half */
    int half, pairs, inverted;   /* pairs of its ladder in which it is the slower one */
};
struct kernels {
    struct kernel *all;
    int n;
};

/* ---- reading ---- */

static struct csv *read_table(const char *path)
{
    size_t length, skip = 0;
    char *text;
    int e = file_read(path, 1 << 24, &text, &length);
    cr_assert_eq(e, 0, "%s: %s", path, file_why(e));
    while (text[skip] == '#')
        skip += strcspn(text + skip, "\n") + 1;
    struct csv *c = csv_parse(text + skip, length - skip);
    free(text);
    return c;
}

static const char *cell(const struct csv *c, int row, const char *column)
{
    int k = csv_column(c, column);
    cr_assert_geq(k, 0, "no column %s", column);
    return csv_cell(c, row, k);
}

static double number(const struct csv *c, int row, const char *column)
{
    return strtod(cell(c, row, column), NULL);
}

static struct one_launch launch_of(const struct csv *c, int row)
{
    struct one_launch x = {.registers = (uint32_t)number(c, row, "registers"),
                           .shared = (uint32_t)number(c, row, "shared")};
    x.l.blocks = (uint64_t)number(c, row, "blocks");
    x.l.threads_per_block = (uint32_t)number(c, row, "threads");
#define X(id, metric, unit, text)                                                                  \
    if (csv_column(c, #id) >= 0)                                                                   \
        x.c.id = (uint64_t)number(c, row, #id);
    COUNTERS(X)
#undef X
    x.l.sampled = (struct sampled){.known = true,
                                   .l2_sectors = (uint64_t)number(c, row, "l2_sectors"),
                                   .dram_sectors = (uint64_t)number(c, row, "dram_sectors"),
                                   .l1_passes = (uint64_t)number(c, row, "l1_passes"),
                                   .shared_skipped = (uint64_t)number(c, row, "shared_skipped"),
                                   .shared_joined = (uint64_t)number(c, row, "shared_joined"),
                                   .l2_repeated = (uint64_t)number(c, row, "l2_repeated"),
                                   .life_l2 = number(c, row, "life_l2"),
                                   .life_dram = number(c, row, "life_dram"),
                                   .const_visits = (uint64_t)number(c, row, "const_visits"),
                                   .const_bytes = (uint64_t)number(c, row, "const_bytes"),
                                   .atom_chain = (uint64_t)number(c, row, "atom_chain"),
                                   .cluster_sectors = (uint64_t)number(c, row, "cluster_sectors")};
    return x;
}

static bool is(const struct kernel *k, const struct csv *c, int row)
{
    return !strcmp(k->variant, cell(c, row, "variant")) && !strcmp(k->name, cell(c, row, "case")) &&
           !strcmp(k->dtype, cell(c, row, "dtype")) && !strcmp(k->lab, cell(c, row, "lab"));
}

static struct kernels read_before; /* a test's, until it ends */

static void forget(void)
{
    for (int i = 0; i < read_before.n; i++) {
        free(read_before.all[i].lab);
        free(read_before.all[i].variant);
        free(read_before.all[i].name);
        free(read_before.all[i].dtype);
        free(read_before.all[i].launches);
    }
    free(read_before.all);
}

TestSuite(ladders, .fini = forget);

static struct kernels read_launches(const char *device)
{
    char *path = xformat(LAUNCHES, device);
    struct csv *c = read_table(path);
    struct kernels ks = {xcalloc((size_t)c->nrows, sizeof(*ks.all)), 0};
    for (int row = 1; row < c->nrows; row++) {
        struct kernel *k = ks.n ? &ks.all[ks.n - 1] : NULL;
        if (!k || !is(k, c, row)) {
            k = &ks.all[ks.n++];
            k->lab = xstrdup(cell(c, row, "lab"));
            k->variant = xstrdup(cell(c, row, "variant"));
            k->name = xstrdup(cell(c, row, "case"));
            k->dtype = xstrdup(cell(c, row, "dtype"));
        }
        k->launches = xrealloc(k->launches, (size_t)(k->nlaunches + 1) * sizeof(*k->launches));
        k->launches[k->nlaunches++] = launch_of(c, row);
    }
    csv_free(c);
    free(path);
    read_before = ks;
    return ks;
}

static void take_times(struct kernels *ks, const char *lab, const char *which)
{
    char *path = xformat(RECORDS, lab, which);
    struct csv *c = read_table(path);
    for (int i = 0; i < ks->n; i++)
        for (int row = 1; row < c->nrows; row++)
            if (is(&ks->all[i], c, row)) {
                ks->all[i].ms = number(c, row, "hot_ms");
                ks->all[i].lo = number(c, row, "hot_lo_ms");
                ks->all[i].hi = number(c, row, "hot_hi_ms");
            }
    csv_free(c);
    free(path);
}

/* Another session's, of those that were in it (make fidelity-again). */
static void take_again(struct kernels *ks)
{
    struct csv *c = read_table("plots/records/h200/again.txt");
    for (int i = 0; i < ks->n; i++)
        for (int row = 1; row < c->nrows; row++)
            if (is(&ks->all[i], c, row)) {
                ks->all[i].again_lo = number(c, row, "hot_lo_ms");
                ks->all[i].again_hi = number(c, row, "hot_hi_ms");
            }
    csv_free(c);
}

static void model_all(struct kernels *ks, const struct device_profile *d)
{
    for (int i = 0; i < ks->n; i++) {
        ks->all[i].modelled = 0;
        for (int j = 0; j < ks->all[i].nlaunches; j++) {
            struct one_launch *x = &ks->all[i].launches[j];
            struct emu_result out = {0};
            x->l.occupancy = occupancy_of(d, x->l.threads_per_block, x->registers, x->shared);
            model_time(&x->c, &x->l, d, &out);
            ks->all[i].modelled += out.modelled_ms;
        }
    }
}

static struct device_profile profile_of(const char *name)
{
    struct device_profile d;
    cr_assert(device_profile_named(name, &d));
    return d;
}

static struct kernels kept(void)
{
    struct kernels ks = read_launches("h200");
    for (size_t i = 0; i < NLABS; i++)
        take_times(&ks, lab_names[i], "");
    take_times(&ks, "bank_conflicts", "-small");
    take_again(&ks);
    cr_assert_gt(ks.n, 450);
    for (int i = 0; i < ks.n; i++)
        cr_assert_gt(ks.all[i].ms, 0, "%s, %s has no time", ks.all[i].variant, ks.all[i].name);
    return ks;
}

/* The emulator's own records, where they have a kernel too, were made by the same counts, samples
 * and constants: neither is out of date. */
Test(ladders, the_emulators_records_say_the_same)
{
    static const char *const files[] = {
        "bank_conflicts", "bank_conflicts-beside", "black_scholes", "coalescing-beside",
        "conv1d-beside",  "divergence-beside",     "matmul-beside", "reduction"};
    struct kernels ks = read_launches("h200");
    struct device_profile d = profile_of("h200");
    int n = 0;
    model_all(&ks, &d);
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
        char *path = xformat("plots/records/emulator/%s.csv", files[f]);
        struct csv *c = read_table(path);
        for (int row = 1; row < c->nrows; row++)
            for (int i = 0; i < ks.n; i++) {
                const struct kernel *k = &ks.all[i];
                if (!is(k, c, row))
                    continue;
                double ms = number(c, row, "hot_ms");
                n++;
                cr_expect(fabs(k->modelled / ms - 1) < 1e-4,
                          "%s on %s: %.6g ms, in its record %.6g: make launches records",
                          k->variant, k->name, k->modelled, ms);
            }
        csv_free(c);
        free(path);
    }
    cr_expect_gt(n, 150, "%d kernels", n);
}

/* ---- errors ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof(*x), by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* |modelled / measured - 1| of a lab's kernels (NULL: of all), into `to`; returns how many. */
static int errors_of(const struct kernels *ks, const char *lab, double *to)
{
    int n = 0;
    for (int i = 0; i < ks->n; i++)
        if (!lab || !strcmp(ks->all[i].lab, lab))
            to[n++] = fabs(ks->all[i].modelled / ks->all[i].ms - 1);
    return n;
}

Test(ladders, times_are_near_the_measured_ones)
{
    struct kernels ks = kept();
    struct device_profile d = profile_of("h200");
    double *e = xcalloc((size_t)ks.n, sizeof(*e));
    model_all(&ks, &d);
    for (size_t i = 0; i < NLABS; i++) {
        int n = errors_of(&ks, lab_names[i], e);
        double of_lab = median(e, n);
        cr_log_info("%-15s %3d kernels, median error %4.1f %%", lab_names[i], n, 100 * of_lab);
        cr_expect_lt(of_lab, 0.25, "%s: the median error is %.1f %%", lab_names[i], 100 * of_lab);
    }
    double all = median(e, errors_of(&ks, NULL, e));
    cr_log_info("%-15s %3d kernels, median error %4.1f %%", "all", ks.n, 100 * all);
    cr_expect(all < 0.09, "the median error is %.1f %%", 100 * all);
    free(e);
}

/* ---- order ---- */

/* Kernels that the model takes to be faster than others which are faster, each with the reason:
 * FIDELITY.md shows them pair by pair. */
#define UNLIKE "common/emulator/testdata/unlike-h200.csv"

/* The row that names this kernel; 0: none. */
static int unlike_row(const struct csv *c, const struct kernel *k)
{
    int row = c->nrows - 1;
    while (row > 0 && (strcmp(cell(c, row, "variant"), k->variant) != 0 ||
                       strcmp(cell(c, row, "case"), k->name) != 0))
        row--;
    return row;
}

/* Times that are the same as far as was measured: their intervals meet, in this session or, where
 * both were in it, in another one, which may have them the other way round; or they are nearer than
 * 5 %, or than what a launch's own time varies by: half a microsecond (of 164 kernels' two sessions
 * 95 % are nearer), and two for each launch that has to follow another. */
static bool tied(const struct kernel *slow, const struct kernel *fast)
{
    int n = slow->nlaunches > fast->nlaunches ? slow->nlaunches : fast->nlaunches;
    double jitter = 0.5e-3 + 2e-3 * (n - 1);
    if (slow->again_lo > 0 && fast->again_lo > 0 && slow->again_lo <= fast->again_hi)
        return true;
    return slow->lo <= fast->hi || slow->ms < 1.05 * fast->ms || slow->ms - fast->ms < jitter;
}

/* "stride=" of "stride=8 n=2^22", and what follows the number: cases of one knob. */
static bool one_knob(const char *a, const char *b)
{
    size_t n = strcspn(a, "=") + 1;
    if (strncmp(a, b, n) != 0 || !strchr(a, '='))
        return false;
    static const char *const knobs[] = {"stride=", "offset=", "paths=", "width="};
    bool knob = false;
    for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++)
        knob |= !strncmp(a, knobs[i], n);
    a += n, b += n;
    return knob && !strcmp(a + strspn(a, "0123456789"), b + strspn(b, "0123456789"));
}

/* A ladder: the variants on one case, or one variant over a knob's values. */
static bool one_ladder(const struct kernel *a, const struct kernel *b)
{
    const char *x = !strncmp(a->name, "f16 ", 4) ? a->name + 4 : a->name;
    const char *y = !strncmp(b->name, "f16 ", 4) ? b->name + 4 : b->name;
    if (strcmp(a->lab, b->lab) != 0)
        return false;
    return strcmp(a->variant, b->variant) ? !strcmp(x, y) : one_knob(a->name, b->name);
}

/* Is `slow` measurably slower than another of its ladder? */
static bool is_asked(const struct kernel *slow, const struct kernel *fast)
{
    return slow->ms > fast->ms && one_ladder(slow, fast) && !tied(slow, fast);
}

Test(ladders, order_is_the_measured_one)
{
    struct kernels ks = kept();
    struct device_profile d = profile_of("h200");
    struct csv *unlike = read_table(UNLIKE);
    int *needed = xcalloc((size_t)unlike->nrows, sizeof(*needed)), pairs = 0;
    model_all(&ks, &d);
    for (int i = 0; i < ks.n; i++)
        for (int j = 0; j < ks.n; j++) {
            const struct kernel *slow = &ks.all[i], *fast = &ks.all[j];
            if (!is_asked(slow, fast))
                continue;
            pairs++;
            int named = unlike_row(unlike, slow);
            needed[named] += slow->modelled <= fast->modelled;
            if (named)
                continue;
            cr_expect_gt(slow->modelled, fast->modelled,
                         "%s on %s: measured %.4g ms, %s on %s %.4g; modelled %.4g and %.4g",
                         slow->variant, slow->name, slow->ms, fast->variant, fast->name, fast->ms,
                         slow->modelled, fast->modelled);
        }
    cr_log_info("%d pairs", pairs);
    cr_expect_gt(pairs, 1050);
    for (int row = 1; row < unlike->nrows; row++)
        cr_expect_gt(needed[row], 0, "%s on %s is in order now", cell(unlike, row, "variant"),
                     cell(unlike, row, "case"));
    csv_free(unlike);
    free(needed);
}

/* ---- whole schedules: copies, kernels and cuFFT's calls ---- */

static struct kernels schedules(void)
{
    char *path = xformat("common/emulator/testdata/schedules-h200.csv");
    struct csv *c = read_table(path);
    struct kernels ks = {xcalloc((size_t)c->nrows, sizeof(*ks.all)), 0};

    for (int row = 1; row < c->nrows; row++)
        ks.all[ks.n++] = (struct kernel){.lab = xstrdup(cell(c, row, "lab")),
                                         .variant = xstrdup(cell(c, row, "variant")),
                                         .name = xstrdup(cell(c, row, "case")),
                                         .dtype = xstrdup(cell(c, row, "dtype")),
                                         .nlaunches = 1,
                                         .modelled = number(c, row, "ms")};
    csv_free(c);
    free(path);
    read_before = ks;
    return ks;
}

Test(ladders, schedules_are_near_and_in_order)
{
    static const char *const labs[] = {"black_scholes", "poisson", "transfers"};
    struct kernels ks = schedules();
    double *e = xcalloc((size_t)ks.n, sizeof(*e));
    int pairs = 0;

    for (size_t i = 0; i < 3; i++) {
        take_times(&ks, labs[i], "");
        double of_lab = median(e, errors_of(&ks, labs[i], e));
        cr_log_info("%-15s median error %4.1f %%", labs[i], 100 * of_lab);
        cr_expect_lt(of_lab, 0.25, "%s: the median error is %.1f %%", labs[i], 100 * of_lab);
    }
    for (int i = 0; i < ks.n; i++)
        for (int j = 0; j < ks.n; j++) {
            const struct kernel *slow = &ks.all[i], *fast = &ks.all[j];

            if (strcmp(slow->name, fast->name) || slow->ms <= fast->ms || tied(slow, fast))
                continue;
            pairs++;
            cr_expect_gt(slow->modelled, fast->modelled, "%s and %s on %s", slow->variant,
                         fast->variant, slow->name);
        }
    cr_log_info("%d pairs", pairs);
    cr_expect_gt(pairs, 30);
    free(e);
}

/* ---- the constants that were fitted ---- */

#define FITTED(x)                                                                                  \
    {                                                                                              \
#x, offsetof(struct device_profile, x)                                                     \
    }
static const struct {
    const char *name;
    size_t at;
} fitted[] = {FITTED(bounds_norm), FITTED(launch_overhead_us)};
#define NFITTED (sizeof(fitted) / sizeof(fitted[0]))

static double *constant(struct device_profile *d, size_t i)
{
    return (double *)((char *)d + fitted[i].at);
}

/* Labs that constants are fitted without: one of them, or a half, or none. */
struct left_out {
    const char *lab;
    int half; /* 1 or 2; 0: none */
};

static int half_of(size_t lab)
{
    return 1 + (int)(lab % 2);
}

static bool is_out(struct left_out out, size_t lab)
{
    return (out.lab && !strcmp(lab_names[lab], out.lab)) || out.half == half_of(lab);
}

/* Mean over the labs of their kernels' mean error, of which none counts more than a factor of 2;
 * without those left out. */
static double loss(struct kernels *ks, struct device_profile *d, struct left_out out)
{
    double all = 0;
    int n = 0;
    model_all(ks, d);
    for (size_t i = 0; i < NLABS; i++) {
        double sum = 0;
        int of = 0;
        for (int k = 0; k < ks->n; k++)
            if (!strcmp(ks->all[k].lab, lab_names[i]) && ++of)
                sum += fmin(fabs(log(ks->all[k].modelled / ks->all[k].ms)), log(2));
        if (is_out(out, i))
            continue;
        all += sum / of;
        n++;
    }
    return all / n;
}

/* One constant after the other up or down, by steps that get smaller. */
static double fit(struct kernels *ks, struct device_profile *d, struct left_out out)
{
    double best = loss(ks, d, out);
    for (double step = 1.2; step > 1.02; step = sqrt(step))
        for (int again = 1; again;) {
            again = 0;
            for (size_t i = 0; i < 2 * NFITTED; i++) {
                double *x = constant(d, i / 2), old = *x, now;
                *x *= i % 2 ? step : 1 / step;
                now = *x >= 1 || strcmp(fitted[i / 2].name, "bounds_norm") ? loss(ks, d, out) : 1e9;
                if (now < best - 1e-5)
                    best = now, again = 1;
                else
                    *x = old;
            }
        }
    return best;
}

/* From constants that nobody fitted. */
static struct device_profile unfitted(void)
{
    struct device_profile d = profile_of("h200");
    d.bounds_norm = 2;
    d.launch_overhead_us = 2.5;
    return d;
}

Test(ladders, constants_hold_for_a_lab_they_were_not_fitted_on)
{
    struct kernels ks = kept();
    double *e = xcalloc((size_t)ks.n, sizeof(*e));
    int n = 0;
    for (size_t i = 0; i < NLABS; i++) {
        struct device_profile d = unfitted();
        fit(&ks, &d, (struct left_out){.lab = lab_names[i]});
        model_all(&ks, &d);
        int of = errors_of(&ks, lab_names[i], e + n);
        cr_log_info("without %-15s median error on it %4.1f %%", lab_names[i],
                    100 * median(e + n, of));
        for (size_t k = 0; k < NFITTED; k++)
            cr_log_info("    %s = %.3g", fitted[k].name, *constant(&d, k));
        n += of;
    }
    cr_assert_eq(n, ks.n);
    double all = median(e, n);
    cr_log_info("median error of kernels left out: %.1f %%", 100 * all);
    cr_expect(all < 0.09, "the median error of kernels left out is %.1f %%", 100 * all);
    free(e);
}

Test(ladders, the_profile_has_the_fitted_constants)
{
    struct kernels ks = kept();
    struct device_profile d = profile_of("h200"), f = unfitted();
    double now = loss(&ks, &d, (struct left_out){0}), best = fit(&ks, &f, (struct left_out){0});
    for (size_t k = 0; k < NFITTED; k++)
        cr_log_info("%s = %.3g", fitted[k].name, *constant(&f, k));
    cr_log_info("mean error %.2f %% with the profile's, %.2f %% with these", 100 * now, 100 * best);
    cr_expect(now < best + 0.005, "%.2f %%, but %.2f %% can be had", 100 * now, 100 * best);
}

/* ---- what the page shows (plots/fidelity.py) ---- */

#define MODELLED "common/emulator/testdata/modelled-h200.csv"
#define INVERTED "common/emulator/testdata/inverted-h200.csv"

static bool is_of_half(const struct kernel *k, int half)
{
    size_t lab = 0;
    while (strcmp(k->lab, lab_names[lab]) != 0)
        lab++;
    return half_of(lab) == half;
}

/* Each half's times by constants that were fitted on the other. */
static void model_halves(struct kernels *ks)
{
    for (int half = 1; half <= 2; half++) {
        struct device_profile d = unfitted();
        fit(ks, &d, (struct left_out){.half = half});
        model_all(ks, &d);
        for (int i = 0; i < ks->n; i++)
            if (is_of_half(&ks->all[i], half)) {
                ks->all[i].half = half;
                ks->all[i].other_half = ks->all[i].modelled;
            }
    }
}

static char *modelled_table(struct kernels *ks)
{
    struct text t = {0};
    text_add(&t, "# command: make fidelity\nlab,variant,case,dtype,measured_ms,modelled_ms,"
                 "other_half_ms,half,pairs,inverted\n");
    for (int i = 0; i < ks->n; i++) {
        struct kernel *k = &ks->all[i];
        for (int j = 0; j < ks->n; j++)
            if (is_asked(k, &ks->all[j])) {
                k->pairs++;
                k->inverted += k->modelled <= ks->all[j].modelled;
            }
        text_addf(&t, "%s,%s,%s,%s,%.6g,%.6g,%.6g,%d,%d,%d\n", k->lab, k->variant, k->name,
                  k->dtype, k->ms, k->modelled, k->other_half, k->half, k->pairs, k->inverted);
    }
    return text_take(&t);
}

/* The pairs whose order is not the measured one. */
static char *inverted_table(const struct kernels *ks)
{
    struct csv *unlike = read_table(UNLIKE);
    struct text t = {0};
    text_add(&t, "# command: make fidelity\nslow,slow_case,fast,fast_case,slow_ms,fast_ms,"
                 "slow_modelled_ms,fast_modelled_ms,why\n");
    for (int i = 0; i < ks->n; i++)
        for (int j = 0; j < ks->n; j++) {
            const struct kernel *a = &ks->all[i], *b = &ks->all[j];
            if (is_asked(a, b) && a->modelled <= b->modelled)
                text_addf(&t, "%s,%s,%s,%s,%.6g,%.6g,%.6g,%.6g,\"%s\"\n", a->variant, a->name,
                          b->variant, b->name, a->ms, b->ms, a->modelled, b->modelled,
                          cell(unlike, unlike_row(unlike, a), "why"));
        }
    csv_free(unlike);
    return text_take(&t);
}

/* `make fidelity` has it written (WARPLAB_KEEP=1); otherwise it has to be there as it would be. */
static void keep(const char *path, char *text)
{
    struct text why = {0};
    char *kept_text;
    size_t size;
    if (getenv("WARPLAB_KEEP"))
        cr_assert(file_save(path, text, strlen(text), &why), "%s", text_str(&why));
    int e = file_read(path, 1 << 24, &kept_text, &size);
    cr_assert_eq(e, 0, "%s: %s", path, file_why(e));
    cr_expect(size == strlen(text) && !memcmp(text, kept_text, size),
              "%s is of another model: make fidelity", path);
    free(kept_text);
    free(text);
}

Test(ladders, kept_times_are_the_models)
{
    struct kernels ks = kept();
    struct device_profile d = profile_of("h200");
    model_halves(&ks);
    model_all(&ks, &d);
    keep(MODELLED, modelled_table(&ks));
    keep(INVERTED, inverted_table(&ks));
}

/* ---- G80 ---- */

Test(ladders, g80_as_the_lecture_has_it)
{
    struct kernels ks = read_launches("g80");
    struct device_profile d = profile_of("g80");
    struct csv *c = read_table("plots/published.csv");
    double last = 0, first = 0;
    model_all(&ks, &d);
    for (int row = 1; row < c->nrows; row++) {
        const struct kernel *k = NULL;
        if (!*cell(c, row, "ms")) /* of 32 M ints no time is printed */
            continue;
        for (int i = 0; i < ks.n; i++)
            if (!strcmp(ks.all[i].variant, cell(c, row, "variant")))
                k = &ks.all[i];
        cr_assert_not_null(k, "%s", cell(c, row, "variant"));
        double ratio = k->modelled / number(c, row, "ms");
        cr_log_info("%s: %.3f ms, measured %s", k->variant, k->modelled, cell(c, row, "ms"));
        cr_expect(ratio > 0.6 && ratio < 1.7, "%s: %.2f of the measured time", k->variant, ratio);
        cr_expect(row == 1 || k->modelled < last, "%s is slower than the one before", k->variant);
        first = row == 1 ? k->modelled : first;
        last = k->modelled;
    }
    cr_expect(first / last > 25 && first / last < 40, "30 x in all, modelled %.1f", first / last);
    csv_free(c);
}
