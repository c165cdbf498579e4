/* harness.c - the first program: what its input file holds, and what its result has to be.
 *
 * The student's file is a whole program (lab.h: program), which computes y = a x + y. Its input is
 * n, a, then n numbers x and n numbers y; its result n numbers.
 */
#include "lab/lab.h"
#include "lab/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COUNT, FACTOR, X, Y, RESULT, NBUFFERS };

/* The program, and the parts of it that it times; flags: bytes an element. */
/* clang-format off */
static const struct lab_variant variants[] = {
    {.name = "saxpy", .number = "1", .what = "y = a x + y, host code and kernel", .flags = 12},
    {.name = "to_device", .number = "2", .what = "x and y are copied there", .flags = 8},
    {.name = "to_host", .number = "3", .what = "the result is copied back", .flags = 4},
    {.name = "cpu", .number = "4", .what = "the same on the CPU", .flags = 12},
};

static const enum lab_part parts[] = {PART_NONE, PART_DEVICE, PART_DEVICE, PART_HOST};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK
#define LARGE CASE_CHECK | CASE_TIME | CASE_GPU_ONLY
#define SIZE(id, count, flag) {.name = "n=" id, .n = count, .dtype = DT_F32, .flags = flag}
static const struct lab_case cases[] = {
    SIZE("0", 0, CHECK),
    SIZE("1", 1, CHECK),
    SIZE("1000", 1000, CHECK),
    SIZE("100003", 100003, CHECK),
    SIZE("2^6", 1 << 6, SMALL),
    SIZE("2^10", 1 << 10, SMALL),
    SIZE("2^14", 1 << 14, SMALL),
    SIZE("2^18", 1 << 18, SMALL),
    SIZE("2^20", 1 << 20, SMALL),
    SIZE("2^22", 1 << 22, LARGE),
};
/* clang-format on */

/* A part has no run of its own. */
static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    (void)c;
    return parts[v - variants] == PART_NONE;
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    (void)r, (void)d;
    if (c->dtype != DT_F32 || c->n > 1u << 22) {
        snprintf(err, errsize, "%s: this lab is about at most 2^22 numbers of type f32", c->name);
        return false;
    }
    memset(p, 0, sizeof(*p));
    p->nbuffers = NBUFFERS;
    p->buffers[COUNT] = (struct lab_buffer){.name = "n", .dtype = DT_U32, .count = 1};
    p->buffers[FACTOR] = (struct lab_buffer){.name = "a", .dtype = DT_F32, .count = 1};
    p->buffers[X] = (struct lab_buffer){.name = "x", .dtype = DT_F32, .count = c->n};
    p->buffers[Y] = (struct lab_buffer){.name = "y", .dtype = DT_F32, .count = c->n};
    p->buffers[RESULT] =
        (struct lab_buffer){.name = "result", .role = BUF_OUTPUT, .dtype = DT_F32, .count = c->n};
    p->bytes = v->flags * (double)c->n;
    p->flops = parts[v - variants] == PART_DEVICE ? 0 : 2 * (double)c->n;
    return true;
}

/* Most from -4 to 4, and never near 0: who forgets a, x or y is wrong. But one of 16 of x and y is
 * of any magnitude up to 8: of x from 2^-8 on, which still shows, of y from 2^-20 on, or 0. Who
 * compares with a tolerance of 1e-5 is right. */
static float number(uint64_t seed, uint64_t i)
{
    float f = random_f32(seed, i);

    return copysignf(1, f) + 3 * f;
}

/* down: how many powers of 2 below 1. */
static float any_number(uint64_t seed, uint64_t i, unsigned down)
{
    uint64_t drawn = random_u64(seed ^ 0x6d61676e, i);

    return drawn % 16 ? number(seed, i)
                      : ldexpf(number(seed, i), 1 - (int)(drawn / 16 % (down + 2)));
}

static float any_or_0(uint64_t seed, uint64_t i)
{
    return random_u64(seed ^ 0x7a65726f, i) % 256 ? any_number(seed, i, 20) : 0;
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint32_t n = (uint32_t)c->n;
    float *f = data;

    if (b == COUNT) {
        memcpy(data, &n, sizeof(n));
        return;
    }
    for (uint64_t i = 0; i < p->buffers[b].count; i++)
        f[i] = b == FACTOR ? number(seed + (uint64_t)b, i)
               : b == X    ? any_number(seed + (uint64_t)b, i, 8)
                           : any_or_0(seed + (uint64_t)b, i);
}

/* The product may be rounded or not (fma), the sum always is: u |a x| + u |a x + y|, twice over. */
static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    const float *a = inputs[FACTOR], *x = inputs[X], *y = inputs[Y];
    float *out = expected[RESULT];

    (void)p, (void)v;
    for (uint64_t i = 0; i < c->n; i++) {
        double product = (double)*a * x[i];

        out[i] = (float)(product + y[i]);
        tolerance[RESULT][i] = 0x1p-23 * (fabs(product) + fabs(product + y[i]));
    }
}

/* ---- why is it wrong? ---- */

enum slip {
    TIMES_X,
    TIMES_Y,
    NO_FACTOR,
    PRODUCT,
    MINUS_Y,
    ALL_TIMES,
    TWICE,
    WHOLE,
    AS_X,
    AS_Y,
    ZERO,
    SLIPS
};

static double slipped(enum slip slip, double a, double x, double y)
{
    switch (slip) {
    case TIMES_X:
        return a * x + x;
    case TIMES_Y:
        return a * y + x;
    case NO_FACTOR:
        return x + y;
    case PRODUCT:
        return a * x;
    case MINUS_Y:
        return a * x - y;
    case ALL_TIMES:
        return a * (x + y);
    case TWICE:
        return a * x + (a * x + y);
    case WHOLE:
        return trunc(a) * x + y;
    case AS_X:
        return x;
    case AS_Y:
        return y;
    default:
        return 0;
    }
}

/* From some element on nobody has worked, and all before it are y and several times a x. */
static bool recognise_again(const struct lab_case *c, const float *a, const float *x,
                            const float *y, const float *got, char *words, size_t size)
{
    uint64_t first = c->n;

    while (first > 0 && got[first - 1] == y[first - 1])
        first--;
    for (uint64_t i = 0; i < first; i++) {
        double product = (double)*a * x[i], times = rint((got[i] - (double)y[i]) / product);
        double bound = 1e-5 * (fabs(times * product) + fabs((double)y[i]));

        if (times < 1 || !(fabs(got[i] - y[i] - times * product) <= bound))
            return false;
        if (i == 0 && times < 2)
            return false;
    }
    if (first == 0 || first == c->n)
        return false;
    snprintf(
        words, size,
        "what adding a x more than once makes of y, and result[%lu] to result[%lu] are y as it "
        "was: nobody works on these, and several on those before",
        first, c->n - 1);
    return true;
}

/* The block, of usual ones, whose whole number ends where the first of the last `left` is; 0: none.
 */
static uint64_t block_of_rest(uint64_t n, uint64_t left)
{
    for (uint64_t block = 1024; block >= 32; block /= 2) {
        if (left && n % block == left)
            return block;
    }
    return 0;
}

/* All that are wrong are it. */
static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    static const char *const slips[SLIPS] = {
        [TIMES_X] = "a x + x",
        [TIMES_Y] = "a y + x",
        [NO_FACTOR] = "x + y",
        [PRODUCT] = "a x",
        [MINUS_Y] = "a x - y",
        [ALL_TIMES] = "a (x + y)",
        [TWICE] = "a x + (a x + y)",
        [WHOLE] = "a x + y with a without its fraction",
        [AS_X] = "x as it was",
        [AS_Y] = "y as it was",
        [ZERO] = "0",
    };
    const float *a = inputs[FACTOR], *x = inputs[X], *y = inputs[Y], *got = output;

    (void)p, (void)v, (void)b;
    for (enum slip slip = 0; slip < SLIPS; slip++) {
        uint64_t wrong = 0, so = 0, last = 0;

        for (uint64_t i = 0; i < c->n; i++) {
            double right = *a * (double)x[i] + y[i], other = slipped(slip, *a, x[i], y[i]);
            double bound = 4e-7 * (fabs(*a * (double)x[i]) + fabs((double)y[i]) + fabs(other));

            if (fabs(got[i] - right) <= bound)
                continue;
            wrong++;
            so += fabs(got[i] - other) <= bound;
            last = i;
        }
        if (!wrong || so < wrong)
            continue;
        bool rest = wrong < c->n && last - element == wrong - 1 && last == c->n - 1;
        uint64_t block = rest && slip == AS_Y ? block_of_rest(c->n, wrong) : 0;
        int used = snprintf(words, size,
                            "%s, not a x + y; so are all that are wrong, %lu of %lu, the last "
                            "result[%lu]",
                            slips[slip], wrong, c->n, last);
        if (block && (size_t)used < size)
            snprintf(words + used, size - (size_t)used,
                     ": as many as %lu leaves over when it is divided by %lu; is the number of "
                     "blocks rounded up?",
                     c->n, block);
        return element < c->n;
    }
    return recognise_again(c, a, x, y, got, words, size);
}

static const struct lab_column columns[] = {
    {"sectors", "loaded", "global_ld_sectors"},
    {"sectors", "stored", "global_st_sectors"},
    {"warp", "instr.", "inst_executed"},
    {0},
};

/* What the events have between them, and what is printed of it. Copies are given some slack, as the
 * grader's row of times does, and rates what printing with one decimal takes off. */
/* clang-format off */
static const struct lab_goal goals[] = {
    {"saxpy", "n=100003", "record.launches == 1", "it takes more than one launch"},
    {"saxpy", "n=100003", "inst_executed_max_warp <= n / 1000 + 300", "one warp does far more than its part: are there as many blocks as n asks for?"},
    {"saxpy", "n=100003", "thread_inst_executed_pred_on / inst_executed >= 16", "most lanes of its warps are idle: how many threads has a block?"},
    {"saxpy", "n=100003", "printed.kernel >= record.modelled_ms", "the kernel takes longer than the time that is printed for it: is there one event before the launch and one after it, and are they milliseconds?"},
    {"saxpy", "n=100003", "printed.kernel <= record.modelled_ms + 0.003", "the kernel takes less than the time that is printed for it: is it the time between two events, what else is between them, and are they milliseconds?"},
    {"saxpy", "n=100003", "printed.to_device >= 0.99 * record.in_ns / 1e6", "the copies there take longer than the time that is printed for them (to_device): are both of them between its two events?"},
    {"saxpy", "n=100003", "printed.to_device <= 2 * record.in_ns / 1e6 + 0.05", "the copies there take less than the time that is printed for them (to_device)"},
    {"saxpy", "n=100003", "printed.to_host >= 0.99 * record.out_ns / 1e6", "the copy back takes longer than the time that is printed for it (to_host)"},
    {"saxpy", "n=100003", "printed.to_host <= 2 * record.out_ns / 1e6 + 0.05", "the copy back takes less than the time that is printed for it (to_host)"},
    {"saxpy", "n=100003", "printed.cpu >= 12 * n / 500e6 && printed.cpu <= record.wall_ms", "no CPU takes the time that is printed for it (cpu): are they milliseconds?"},
    {"saxpy", "n=100003", "rate.kernel * printed.kernel >= 0.97 * 12 * n / 1e6 - 0.06 * printed.kernel && rate.kernel * printed.kernel <= 1.03 * 12 * n / 1e6 + 0.06 * printed.kernel", "the kernel's GB/s are not 12 n bytes by the time before them"},
    {"saxpy", "n=100003", "rate.to_device * printed.to_device >= 0.97 * 8 * n / 1e6 - 0.06 * printed.to_device && rate.to_device * printed.to_device <= 1.03 * 8 * n / 1e6 + 0.06 * printed.to_device", "to_device's GB/s are not 8 n bytes by the time before them"},
    {"saxpy", "n=100003", "rate.to_host * printed.to_host >= 0.97 * 4 * n / 1e6 - 0.06 * printed.to_host && rate.to_host * printed.to_host <= 1.03 * 4 * n / 1e6 + 0.06 * printed.to_host", "to_host's GB/s are not 4 n bytes by the time before them"},
    {0},
};
/* clang-format on */

static const struct lab_prediction predictions[] = {
    {"loaded", "sectors of 32 bytes that the kernel loads, n = 2^20", "global_ld_sectors", "saxpy",
     "n=2^20", 0.05},
    {"stored", "sectors that it stores", "global_st_sectors", "saxpy", "n=2^20", 0.05},
    {"rate_small", "the kernel's GB/s, n = 2^6", "bytes / ms / 1e6", "saxpy", "n=2^6", 0.5},
    {"rate_large", "the kernel's GB/s, n = 2^20", "bytes / ms / 1e6", "saxpy", "n=2^20", 0.5},
    {"copy_large", "GB/s of the copies to the device, n = 2^20", "bytes / ms / 1e6", "to_device",
     "n=2^20", 0.5},
};

const struct lab lab_first_program = {
    .name = "first_program",
    .title = "A first program: allocate, copy, launch, compare, free",
    .program = true,
    .parts = parts,
    .applies = applies,
    .bytes_formula = "12 n (x and y read, y written), 8 n there, 4 n back",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .recognise = recognise,
    .extents = "n",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
