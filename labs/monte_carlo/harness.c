/* harness.c - the Monte Carlo lab: variants, cases, CPU reference, launch plan.
 *
 * Five experiments share the lab; a case's `op` says which one it belongs to. Two generators of
 * random words, Box and Muller's step from these to normal numbers, and European calls by simulated
 * paths, of numbers that lie in memory or that the kernel draws itself:
 *
 *   path i of option o:  words 4 (i / 4) … of counter {i / 4, 0, o, 0}, which make four normal
 *   numbers; number i % 4 of them is its own
 *
 * The reference takes the very same paths, in double precision: a price is right when it is theirs,
 * far closer than chance is to the formula's. That these are near the formula, as often as they
 * should be, is monte_carlo_test.c's.
 */
#include "base/alloc.h"
#include "lab/black_scholes.h"
#include "lab/lab.h"
#include "lab/philox.h"
#include "lab/random.h"
#include "lab/twister.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum experiment { TWISTER, PHILOX, NORMALS, ARRAY, PRICES };
enum { BLOCK = 256, NUMBERS = 4, FIELDS = 5, RATE = 3 };

/* Flags of variants: the experiment, and how blocks are given to options. */
enum { EXPERIMENT = 15, ONE_BLOCK = 16, LOOP = 32, SWITCH = 64 };

/* So many paths of all options together are simulated here; of more, some options are. */
enum { SIMULATED = 1 << 19, MANY_PATHS = 8192 };
enum { RARE = 1000 }; /* paths that end above the strike: fewer say little of their mean */

#define FLAT    .record = {.block_x = BLOCK, .block_y = 1}
#define SEVERAL "price_blocks price_sum"

/* clang-format off */
static const struct lab_variant variants[] = {
    {.name = "twister", .number = "1", .what = "Mersenne Twisters, a thread each", FLAT, .flags = TWISTER},
    {.name = "philox", .number = "2", .what = "Philox4x32-10, a thread a counter", FLAT, .flags = PHILOX},
    {.name = "normals", .number = "3", .what = "Box and Muller, two words a thread", FLAT, .flags = NORMALS},
    {.name = "price_array", .number = "4", .what = "numbers from memory, a block an option", FLAT, .flags = ARRAY | ONE_BLOCK},
    {.name = "price_block", .number = "5", .what = "own numbers, a block an option", FLAT, .flags = PRICES | ONE_BLOCK},
    {.name = "price_loop", .number = "6a", .what = "several blocks, a launch an option", .kernels = SEVERAL, FLAT, .flags = PRICES | LOOP},
    {.name = "price_blocks", .number = "6b", .what = "several blocks, all options at once", .kernels = SEVERAL, FLAT, .flags = PRICES},
    {.name = "price_switch", .number = "7", .what = "one block or several, as measured", .kernels = "price_block " SEVERAL, .has_record = true,
     .record = {.block_x = BLOCK, .block_y = 1, .items = 8192}, .min = {.items = 1}, .max = {.items = 1u << 30}, .flags = PRICES | SWITCH},
    {.name = "price_curand", .number = "8", .what = "cuRAND's numbers, a block an option", FLAT, .flags = PRICES | ONE_BLOCK, .optional = true},
};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define WORDS(id, what, count, streams, flag) {.name = id, .n = count, .m = streams, .dtype = DT_U32, .op = what, .flags = flag}
#define NUMBERS(id, count, flag) {.name = id, .n = count, .dtype = DT_F32, .op = NORMALS, .flags = flag}
#define CALLS(id, what, paths, options, bad, flag) {.name = id, .n = paths, .m = options, .param = bad, .dtype = DT_F32, .op = what, .flags = flag}
#define CALLS_OF(logn, flag) CALLS("paths=2^" #logn, PRICES, 1 << logn, 64, 0, flag)
#define OPTIONS_OF(m, logn) CALLS("options=" #m "-paths=2^" #logn, PRICES, 1 << logn, m, 0, LARGE)
#define SEVERAL_OPTIONS(m) OPTIONS_OF(m, 11), OPTIONS_OF(m, 13), OPTIONS_OF(m, 14), OPTIONS_OF(m, 15), OPTIONS_OF(m, 17)

static const struct lab_case cases[] = {
    WORDS("twister-n=1", TWISTER, 1, 1, CHECK),
    WORDS("twister-n=40", TWISTER, 40, 300, CHECK),
    WORDS("twister-m=4096", TWISTER, 64, 4096, SMALL),
    WORDS("twister-n=2^14", TWISTER, 1 << 14, 4096, LARGE),

    WORDS("philox-n=1", PHILOX, 1, 0, CHECK),
    WORDS("philox-n=1003", PHILOX, 1003, 0, CHECK),
    WORDS("philox-n=2^16", PHILOX, 1 << 16, 0, SMALL),
    WORDS("philox-n=2^24", PHILOX, 1 << 24, 0, LARGE),

    NUMBERS("normals-n=1", 1, CHECK),
    NUMBERS("normals-n=1003", 1003, CHECK),
    NUMBERS("normals-n=2^16", 1 << 16, SMALL),
    NUMBERS("normals-n=2^24", 1 << 24, LARGE),

    CALLS("array-n=1", ARRAY, 1, 2, 0, CHECK),
    CALLS("array-n=1003", ARRAY, 1003, 20, 1, CHECK),
    CALLS("array-options=70", ARRAY, 40, 70, 1, CHECK),
    CALLS("array-n=2^12", ARRAY, 1 << 12, 64, 0, SMALL),
    CALLS("array-n=2^20", ARRAY, 1 << 20, 64, 0, LARGE),

    CALLS("paths=1", PRICES, 1, 2, 0, CHECK),
    CALLS("options=1", PRICES, 4099, 1, 0, CHECK),
    CALLS("paths=1003", PRICES, 1003, 20, 1, CHECK),
    CALLS("options=70", PRICES, 40, 70, 1, CHECK),
    CALLS("paths=300000", PRICES, 300000, 1, 0, CHECK),
    CALLS("options=1056", PRICES, 1500, 1056, 0, CHECK), /* a block each, of fewer threads than paths */
    CALLS_OF(8, SMALL), CALLS_OF(10, SMALL), CALLS_OF(12, SMALL), CALLS_OF(14, SMALL),
    CALLS_OF(11, LARGE), CALLS_OF(13, LARGE), CALLS_OF(15, LARGE), CALLS_OF(16, LARGE), CALLS_OF(17, LARGE),
    CALLS_OF(18, LARGE), CALLS_OF(20, LARGE), CALLS_OF(22, LARGE), CALLS_OF(24, LARGE),
    SEVERAL_OPTIONS(1), SEVERAL_OPTIONS(16), SEVERAL_OPTIONS(256), SEVERAL_OPTIONS(1024),
};
/* clang-format on */

static enum experiment experiment_of(const struct lab_case *c)
{
    return (enum experiment)c->op;
}

static bool prices(const struct lab_case *c)
{
    return experiment_of(c) == ARRAY || experiment_of(c) == PRICES;
}

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return (v->flags & EXPERIMENT) == experiment_of(c) &&
           !(v->flags & LOOP && c->m >= LAB_MAX_STEPS);
}

/* ---- plan ---- */

/* Buffers, in the kernels' order of them. */
enum { KEY = 0, A = 1, COUNTERS = 1, OPTIONS = 1, PARTIAL = 3 };

static int add_buffer(struct plan *p, const char *name, enum buffer_role role, enum dtype type,
                      uint64_t count)
{
    struct lab_buffer *b = &p->buffers[p->nbuffers];

    *b = (struct lab_buffer){.role = role, .dtype = type, .count = count};
    lab_name(b->name, sizeof(b->name), "%s", name);
    return p->nbuffers++;
}

static void plan_buffers(struct plan *p, const struct lab_case *c)
{
    switch (experiment_of(c)) {
    case TWISTER:
        add_buffer(p, "key", BUF_INPUT, DT_U32, 2);
        add_buffer(p, "a", BUF_INPUT, DT_U32, c->m);
        add_buffer(p, "out", BUF_OUTPUT, DT_U32, c->n * c->m);
        p->bytes = 4.0 * (double)c->n * (double)c->m;
        break;
    case PHILOX:
        add_buffer(p, "key", BUF_INPUT, DT_U32, 2);
        add_buffer(p, "counters", BUF_INPUT, DT_U32, NUMBERS * c->n);
        add_buffer(p, "out", BUF_OUTPUT, DT_U32, NUMBERS * c->n);
        p->bytes = 32.0 * (double)c->n;
        break;
    case NORMALS:
        add_buffer(p, "words", BUF_INPUT, DT_U32, 2 * c->n);
        add_buffer(p, "out", BUF_OUTPUT, DT_F32, 2 * c->n);
        p->bytes = 16.0 * (double)c->n;
        break;
    default:
        add_buffer(p, experiment_of(c) == ARRAY ? "numbers" : "key", BUF_INPUT,
                   experiment_of(c) == ARRAY ? DT_F32 : DT_U32,
                   experiment_of(c) == ARRAY ? c->n : 2);
        add_buffer(p, "options", BUF_INPUT, DT_F32, FIELDS * c->m);
        add_buffer(p, "out", BUF_OUTPUT, DT_F32, 2 * c->m);
        p->bytes = experiment_of(c) == ARRAY ? 4.0 * (double)c->n * (double)c->m : 0;
    }
}

static bool usable(const struct lab_variant *v, const struct lab_case *c, char *err, size_t errsize)
{
    enum dtype type = experiment_of(c) == TWISTER || experiment_of(c) == PHILOX ? DT_U32 : DT_F32;

    if (c->dtype != type)
        snprintf(err, errsize, "%s: these kernels are for %s", c->name, dtype_name(type));
    else if (prices(c) && c->n == 0)
        snprintf(err, errsize, "%s: no paths (n), no price: at least one", c->name);
    else if (prices(c) && c->m == 0)
        snprintf(err, errsize, "%s: no options (m): there is at least one", c->name);
    else if (c->n == 0 || c->n > 1u << 30)
        snprintf(err, errsize, "%s: n is 1 to 2^30 here", c->name);
    else if (prices(c) && c->m > 65535)
        snprintf(err, errsize, "%s: at most 65535 options (m), a row of the grid each", c->name);
    else if (v->flags & LOOP && c->m > LAB_MAX_STEPS - 1)
        snprintf(err, errsize, "%s: a plan has %d launches: at most %d options (m), one by one",
                 c->name, LAB_MAX_STEPS, LAB_MAX_STEPS - 1);
    else if (experiment_of(c) == TWISTER && (!c->m || c->m > TWISTERS))
        snprintf(err, errsize, "%s: there are 1 to %d twisters (m)", c->name, TWISTERS);
    else if (experiment_of(c) == TWISTER && c->n * c->m > 1u << 30)
        snprintf(err, errsize, "%s: at most 2^30 words", c->name);
    else
        return true;
    return false;
}

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

static struct plan_step *add_step(struct plan *p, const char *kernel, uint32_t grid_x,
                                  uint32_t grid_y)
{
    struct plan_step *s = &p->steps[p->nsteps++];

    *s = (struct plan_step){.grid = {grid_x, grid_y, 1}, .block = {BLOCK, 1, 1}};
    lab_name(s->kernel, sizeof(s->kernel), "%s", kernel);
    return s;
}

static void buffer_arg(struct plan_step *s, int b)
{
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = b};
}

static void u32_arg(struct plan_step *s, uint64_t x)
{
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)x};
}

/* All buffers and n; m, where a thread asks for it. */
static void plan_one(struct plan *p, const char *kernel, uint32_t grid, uint64_t n, uint64_t m)
{
    struct plan_step *s = add_step(p, kernel, grid, 1);

    for (int b = 0; b < p->nbuffers; b++)
        buffer_arg(s, b);
    u32_arg(s, n);
    if (m)
        u32_arg(s, m);
}

/* As many blocks as the device holds threads for, shared by the options of one launch, and no
 * thread without a path. */
static uint32_t blocks_of(const struct lab_case *c, const struct device_limits *d, uint64_t options)
{
    uint64_t room = (uint64_t)d->sms * d->max_threads_per_sm / BLOCK / options;
    uint64_t most = ceil_div(c->n, (uint64_t)BLOCK * NUMBERS);

    return (uint32_t)(room < 1 ? 1 : room < most ? room : most);
}

/* A launch for each option, or one for all of them; where options are that are none, which is where
 * nothing is timed, two, so that it matters which option is the first. */
static void plan_several(struct plan *p, const struct lab_case *c, const struct device_limits *d,
                         bool loop)
{
    uint32_t blocks = blocks_of(c, d, loop ? 1 : c->m);
    uint64_t each = loop ? 1 : c->param ? ceil_div(c->m, 2) : c->m;
    struct plan_step *s;

    add_buffer(p, "partial", BUF_SCRATCH, DT_F32, 2 * c->m * blocks);
    p->parts[p->nbuffers - 1] = 2; /* a struct sums */
    for (uint64_t first = 0; first < c->m; first += each) {
        uint64_t options = c->m - first < each ? c->m - first : each;

        s = add_step(p, "price_blocks", blocks, (uint32_t)options);
        buffer_arg(s, KEY);
        buffer_arg(s, OPTIONS);
        buffer_arg(s, PARTIAL);
        u32_arg(s, c->n);
        u32_arg(s, first);
    }
    s = add_step(p, "price_sum", (uint32_t)c->m, 1);
    buffer_arg(s, OPTIONS);
    buffer_arg(s, PARTIAL);
    buffer_arg(s, 2);
    u32_arg(s, c->n);
    u32_arg(s, blocks);
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    if (!usable(v, c, err, errsize))
        return false;
    memset(p, 0, sizeof(*p));
    plan_buffers(p, c);
    if (experiment_of(c) == TWISTER)
        plan_one(p, v->name, ceil_div(c->m, BLOCK), c->n, c->m);
    else if (!prices(c))
        plan_one(p, v->name, ceil_div(c->n, BLOCK), c->n, 0);
    else if (v->flags & ONE_BLOCK)
        plan_one(p, v->name, (uint32_t)c->m, c->n, 0);
    else if (v->flags & SWITCH && c->n < r->items)
        plan_one(p, "price_block", (uint32_t)c->m, c->n, 0);
    else
        plan_several(p, c, d, v->flags & LOOP);
    return true;
}

/* ---- words, numbers, paths ---- */

/* A word as a number above 0 and up to 1, in single precision as every kernel has it. */
static float uniform(uint32_t word)
{
    return (float)word * 0x1p-32f + 0x1p-33f;
}

static void box_muller(uint32_t first, uint32_t second, double z[2])
{
    double r = sqrt(-2 * log((double)uniform(first)));
    double phi = 2 * M_PI * (double)uniform(second);

    z[0] = r * sin(phi);
    z[1] = r * cos(phi);
}

/* The four normal numbers of counter {quad, 0, stream, 0}. */
static void draw(const uint32_t *key, uint32_t quad, uint32_t stream, double z[NUMBERS])
{
    struct philox_words w = philox((struct philox_words){{quad, 0, stream, 0}}, key[0], key[1]);

    box_muller(w.w[0], w.w[1], z);
    box_muller(w.w[2], w.w[3], z + 2);
}

/* Of option o: its fields in their order. */
static struct option option_of(const float *options, uint64_t o)
{
    const float *f = options + FIELDS * o;

    return (struct option){
        .price = f[0], .strike = f[1], .years = f[2], .rate = f[3], .volatility = f[4]};
}

struct sums {
    double sum, squares, above; /* above: paths that end above the strike */
};

static void add_path(struct sums *s, const struct option *o, double z)
{
    double drift = (o->rate - o->volatility * o->volatility / 2) * o->years;
    double end = o->price * exp(drift + o->volatility * sqrt(o->years) * z);
    double payoff = fmax(end - o->strike, 0);

    s->sum += payoff;
    s->squares += payoff * payoff;
    s->above += payoff > 0;
}

/* What the sum of payoffs is mistaken for. */
enum slip {
    NO_SLIP,
    PUT,
    NOT_CUT,
    NO_VARIANCE,
    PLUS_VARIANCE,
    NO_ROOT,
    NO_YEARS,
    NATURAL_SPREAD,
    NATURAL_DRIFT,
    FIRST_OUT,
    BY_ONE,
    BY_BLOCK,
    FIRST_PAIR, /* the first two of each four, twice */
    IN_PAIRS,   /* the two of a pair in each other's place */
    OWN_KEY,    /* the option's number is added to the key */
    FIRST_ONLY, /* all threads begin with the first thread's paths */
    SLIPS
};

static double slipped(const struct option *o, double z, enum slip slip)
{
    double square = o->volatility * o->volatility / 2;
    double way = slip == NO_VARIANCE ? 0 : slip == PLUS_VARIANCE ? square : -square;
    double root = slip == NO_ROOT ? o->years : slip == NO_YEARS ? 1 : sqrt(o->years);
    double spread = slip == NATURAL_SPREAD ? M_LN2 : 1, drift = slip == NATURAL_DRIFT ? M_LN2 : 1;
    double end =
        o->price * exp(drift * (o->rate + way) * o->years + spread * o->volatility * root * z);

    return slip == PUT       ? fmax(o->strike - end, 0)
           : slip == NOT_CUT ? end - o->strike
                             : fmax(end - o->strike, 0);
}

/* From numbers in memory, where there are some, else own ones. */
static struct sums simulate(const struct option *o, const float *numbers, const uint32_t *key,
                            uint32_t stream, uint64_t n)
{
    struct sums s = {0};
    double z[NUMBERS];

    for (uint64_t i = 0; i < n; i++) {
        if (!numbers && i % NUMBERS == 0)
            draw(key, (uint32_t)(i / NUMBERS), stream, z);
        add_path(&s, o, numbers ? (double)numbers[i] : z[i % NUMBERS]);
    }
    return s;
}

/* How often path i is taken by mistake; BY_ONE: by each thread from its own first four on;
 * BY_BLOCK: by each block. */
static double times_taken(uint64_t i, enum slip slip)
{
    uint64_t quad = i / NUMBERS;

    return slip == FIRST_OUT    ? i != 0
           : slip == BY_ONE     ? fmin((double)quad + 1, BLOCK)
           : slip == BY_BLOCK   ? (double)(quad / BLOCK + 1)
           : slip == FIRST_ONLY ? (quad % BLOCK ? 0 : BLOCK)
                                : 1;
}

static void draw_slipped(const uint32_t *key, uint32_t quad, uint32_t stream, enum slip slip,
                         double z[NUMBERS])
{
    const uint32_t own[] = {key[0] + stream, key[1]};

    draw(slip == OWN_KEY ? own : key, quad, stream, z);
}

static double sum_slipped(const struct option *o, const float *numbers, const uint32_t *key,
                          uint32_t stream, uint64_t n, enum slip slip)
{
    double z[NUMBERS], sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = slip == FIRST_PAIR ? i % 2 : i % NUMBERS ^ (slip == IN_PAIRS);

        if (!numbers && i % NUMBERS == 0)
            draw_slipped(key, (uint32_t)(i / NUMBERS), stream, slip, z);
        sum += times_taken(i, slip) * slipped(o, numbers ? (double)numbers[i] : z[k], slip);
    }
    return sum;
}

/* Of whole fours, path k of each. */
static double sum_of_each(const struct option *o, const uint32_t *key, uint32_t stream, uint64_t n,
                          unsigned k)
{
    double z[NUMBERS], sum = 0;

    for (uint64_t quad = 0; quad < n / NUMBERS; quad++) {
        draw(key, (uint32_t)quad, stream, z);
        sum += slipped(o, z[k], NO_SLIP);
    }
    return sum;
}

/* Of a switch whose cases fall through the other way: of four that are left the last, of one all.
 */
static double sum_of_falls(const struct option *o, const uint32_t *key, uint32_t stream, uint64_t n)
{
    double z[NUMBERS], sum = 0;

    for (uint64_t quad = 0; quad * NUMBERS < n; quad++) {
        uint64_t left = n - quad * NUMBERS;

        draw(key, (uint32_t)quad, stream, z);
        for (uint64_t k = (left < NUMBERS ? left : NUMBERS) - 1; k < NUMBERS; k++)
            sum += slipped(o, z[k], NO_SLIP);
    }
    return sum;
}

/* ---- inputs ---- */

enum { BAD = 4 };
/* What a case's `param` says, any of it at once. */
enum { SOME_BAD = 1, ANY_SCALE = 2 };

/* Of five numbers from -1 to 1. A billionth to a billion for a share, a strike of 1/64 to 64 times
 * as much, many near it; an hour to 64 years, a rate of up to 1000 %, rate times years up to 3, of
 * either sign; a volatility of 0.8 to 800 %, as long as the logarithm's deviation is at most 1.5.
 */
static void scaled_option(const float *own, float *f)
{
    double years = exp2(-3.5 + 9.5 * (double)own[2]), volatility = exp2(-2 + 5 * (double)own[4]);

    f[0] = (float)exp2(30 * (double)own[0]);
    f[1] = f[0] * exp2f(6 * own[1] * own[1] * own[1]);
    f[2] = (float)years;
    f[3] = (float)(own[3] * fmin(10, 3 / years));
    f[4] = (float)fmin(volatility, (1.5 - 0.5 * fabs((double)own[4])) / sqrt(years));
}

/* The lecture's example; what is no option, each field's turn, and the next way at its next turn,
 * so that 75 options have all, and some that hardly move, whose payoffs are all alike; any other
 * one, some of them for less than 1. */
static void make_option(uint64_t seed, uint64_t o, int64_t what, float *f)
{
    static const float first[FIELDS] = {2, 1, 3, 0.05f, 0.25f};
    uint64_t r = random_u64(random_u64(seed, 1), o);
    bool some_bad = what & SOME_BAD;
    float own[FIELDS];

    for (uint64_t i = 0; i < FIELDS; i++)
        own[i] = random_f32(seed, FIELDS * o + i), f[i] = (own[i] + 1) / 2;
    if (what & ANY_SCALE) {
        scaled_option(own, f);
        return;
    }
    f[0] = (5 + 25 * f[0]) * (o % 8 == 4 ? 0.02f : 1);
    f[1] = f[0] * (0.75f + 0.5f * f[1]);
    f[2] = 0.5f + 2.5f * f[2];
    f[3] *= o % 8 == 6 ? -0.03f : 0.08f;
    f[4] = 0.15f + 0.25f * f[4];
    if (o == 0)
        memcpy(f, first, sizeof(first));
    else if (some_bad && o % 12 == 7)
        f[1] = f[0] / 2, f[4] *= 1e-4f;
    else if (some_bad && o % 3 == 2) {
        static const float bad[BAD] = {NAN, INFINITY, -1, 0};
        uint64_t field = o / 3 % FIELDS, turn = random_u64(seed, 2) + o / 3 / FIELDS;
        uint64_t two = field != RATE && turn % (BAD + 1) == BAD;

        f[field] = bad[field == RATE ? turn % 2 : turn % (BAD + 1) % BAD];
        /* below 0 is anywhere there; two fields that are, whose product is not */
        if (f[field] < 0 || two)
            f[field] = -0.01f * (float)(1 + (r >> 16) % 1000);
        if (two)
            f[field ? 0 : 1] *= -1;
    }
}

/* Words of which some are the least and greatest there are. */
static uint32_t any_word(uint64_t seed, uint64_t i)
{
    static const uint32_t ends[] = {0, 0xffffffff, 1, 0x80000000};
    uint64_t r = random_u64(seed, i);

    return r % 16 ? (uint32_t)(r >> 32) : ends[r >> 8 & 3];
}

/* Of a key and of counters, all that are counted up from 0 and more: of every fourth some words, or
 * all, are 0, as great as can be, or small. */
static uint32_t counter_word(uint64_t seed, uint64_t i)
{
    uint64_t r = random_u64(seed, i), kind = random_u64(~seed, i / 4);

    if (kind % 4 || (kind / 4 % 4 && r % 2)) /* of one in four of these all words are such */
        return (uint32_t)(r >> 32);
    if (kind / 16 % 4)
        return kind / 16 % 2 ? 0 : (uint32_t)(r >> 32) % 4;
    return UINT32_MAX;
}

/* Normal ones; where `far` some are anything that Box and Muller's step can make. */
static void make_numbers(uint64_t seed, bool far, float *f, uint64_t count)
{
    const uint32_t key[] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    double z[NUMBERS];

    for (uint64_t i = 0; i < count; i++) {
        if (i % NUMBERS == 0)
            draw(key, (uint32_t)(i / NUMBERS), 0, z);
        f[i] = far && i % 16 == 5 ? 6.7f * random_f32(seed, i) : (float)z[i % NUMBERS];
    }
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b), count = p->buffers[b].count;
    uint32_t *u = data;

    if (prices(c) && b == OPTIONS)
        for (uint64_t o = 0; o < c->m; o++)
            make_option(stream, o, c->param, (float *)data + FIELDS * o);
    else if (experiment_of(c) == ARRAY)
        make_numbers(stream, c->param & ANY_SCALE, data, count);
    else if (experiment_of(c) == TWISTER && b == A)
        for (uint64_t i = 0; i < count; i++)
            u[i] = twister_a((uint32_t)i);
    else if (experiment_of(c) == NORMALS)
        for (uint64_t i = 0; i < count; i++)
            u[i] = any_word(stream, i);
    else if (experiment_of(c) == PHILOX)
        for (uint64_t i = 0; i < count; i++)
            u[i] = counter_word(stream, i);
    else
        for (uint64_t i = 0; i < count; i++)
            u[i] = (uint32_t)(random_u64(stream, i) >> 32);
}

/* ---- reference ---- */

static void reference_twister(const struct lab_case *c, const uint32_t *key, const uint32_t *a,
                              uint32_t *out)
{
    for (uint32_t s = 0; s < c->m; s++) {
        struct twister t;

        twister_start(&t, a[s], key[0], s);
        for (uint64_t i = 0; i < c->n; i++)
            out[i * c->m + s] = twister_next(&t);
    }
}

static void reference_philox(const struct lab_case *c, const uint32_t *key,
                             const uint32_t *counters, uint32_t *out)
{
    for (uint64_t i = 0; i < c->n; i++) {
        struct philox_words w;

        memcpy(w.w, counters + NUMBERS * i, sizeof(w.w));
        w = philox(w, key[0], key[1]);
        memcpy(out + NUMBERS * i, w.w, sizeof(w.w));
    }
}

static void reference_normals(const struct lab_case *c, const uint32_t *words, float *out,
                              double *tolerance)
{
    for (uint64_t i = 0; i < c->n; i++) {
        double z[2];

        box_muller(words[2 * i], words[2 * i + 1], z);
        for (int k = 0; k < 2; k++) {
            out[2 * i + (uint64_t)k] = (float)z[k];
            if (tolerance)
                tolerance[2 * i + (uint64_t)k] = 4e-6;
        }
    }
}

struct value {
    double price, width;
};

/* Discounted mean of n payoffs, and half the width of its 95 % interval: NaN of one. */
static struct value value_of(const struct option *o, struct sums s, uint64_t n)
{
    double now = exp(-o->rate * o->years), paths = (double)n;
    double variance = (s.squares - s.sum * s.sum / paths) / (paths - 1);

    if (variance < 0)
        variance = 0;
    return (struct value){.price = now * s.sum / paths,
                          .width = n == 1 ? NAN : 1.96 * now * sqrt(variance / paths)};
}

/* By how much sums in single precision may be off: a path by a share of where it ends, of what
 * numbers and powers are rounded to, more in longer sums. Only those that end above the strike
 * count, and one or two that may seem to: an option that few of them reach has a small price and a
 * small width, and they are as well known as others. A payoff's square is off by twice the payoff
 * times that share; of a difference of squares it is their own size. */
static struct value bound_of(const struct option *o, struct sums s, uint64_t n)
{
    double paths = (double)n, off = 1e-5 + 2e-8 * sqrt(paths / BLOCK);
    ;
    double squares = s.squares / paths, mean = s.sum / paths, variance = squares - mean * mean;
    double now = exp(-o->rate * o->years), owed = o->strike * (s.above + 2) / paths;
    double wrong = 4 * off * (squares + mean * o->strike + off * o->strike * owed);

    variance = variance > 0 ? variance : 0;
    return (struct value){.price = 2 * off * now * (mean + owed),
                          .width = 1.96 * now / sqrt(paths) *
                                   (sqrt(variance + wrong) - sqrt(fmax(variance - wrong, 0)))};
}

/* Of d2 normal_below() is the part of all paths that end above the strike. */
static double d2_of(const struct option *o)
{
    double spread = o->volatility * sqrt(o->years);

    return (log(o->price / o->strike) + o->rate * o->years) / spread - spread / 2;
}

/* Too few paths end above the strike, of n, to be told by a mean and its standard error. */
static bool is_rare(const struct option *o, uint64_t n)
{
    return (double)n * normal_below(d2_of(o)) < RARE;
}

/* What n paths of an option come to when chance has them as they should be. */
static struct sums expected_sums(const struct option *o, uint64_t n)
{
    double grown = exp(o->rate * o->years), spread = o->volatility * sqrt(o->years);
    double d2 = d2_of(o);
    double square = o->price * o->price * grown * grown * exp(spread * spread);

    return (struct sums){.above = (double)n * normal_below(d2),
                         .sum = (double)n * grown * black_scholes(o).call,
                         .squares = (double)n *
                                    (square * normal_below(d2 + 2 * spread) -
                                     2 * o->price * grown * o->strike * normal_below(d2 + spread) +
                                     o->strike * o->strike * normal_below(d2))};
}

/* Of few paths all options are simulated, of many those that the seed draws. */
static bool is_simulated(const struct lab_case *c, uint64_t o)
{
    uint64_t of = c->n * c->m / SIMULATED;

    return c->n < MANY_PATHS || of < 2 || (o + c->seed) % (of < c->m ? of : c->m) == 0;
}

/* What is not simulated has to be within 6.5 standard errors of the formula: of 10^8 right prices
 * one is not; where few paths end above the strike, that is no measure, and they are simulated. The
 * width's own error is at most 60 / sqrt(n) of it where one path in 60 ends above, else more. */
static void reference_price(const struct lab_case *c, const float *numbers, const uint32_t *key,
                            const struct option *o, uint64_t i, float *out, double *tolerance)
{
    bool none = isnan(black_scholes(o).call), own = is_simulated(c, i) || is_rare(o, c->n);
    struct sums s = none  ? (struct sums){NAN, NAN, NAN}
                    : own ? simulate(o, numbers, key, (uint32_t)i, c->n)
                          : expected_sums(o, c->n);
    struct value v = value_of(o, s, c->n), bound = bound_of(o, s, c->n);

    out[0] = (float)v.price;
    out[1] = (float)v.width;
    if (!tolerance)
        return;
    double chance = own ? 0 : 6.5 / 1.96 * v.width,
           rare = own ? 0 : fmax(60, 60 / sqrt(60 * normal_below(d2_of(o))));
    tolerance[0] = fmax(bound.price, chance);
    tolerance[1] = fmax(bound.width, rare / sqrt((double)c->n) * v.width);
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    int out = experiment_of(c) == NORMALS ? 1 : 2;
    double *bounds = tolerance ? tolerance[out] : NULL;

    (void)p, (void)v;
    switch (experiment_of(c)) {
    case TWISTER:
        reference_twister(c, inputs[KEY], inputs[A], expected[out]);
        break;
    case PHILOX:
        reference_philox(c, inputs[KEY], inputs[COUNTERS], expected[out]);
        break;
    case NORMALS:
        reference_normals(c, inputs[0], expected[out], bounds);
        break;
    default:
        for (uint64_t i = 0; i < c->m; i++) {
            struct option o = option_of(inputs[OPTIONS], i);

            reference_price(c, experiment_of(c) == ARRAY ? inputs[0] : NULL, inputs[KEY], &o, i,
                            (float *)expected[out] + 2 * i, bounds ? bounds + 2 * i : NULL);
        }
    }
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    (void)p;
    return prices(c) && b == OPTIONS               ? FIELDS
           : prices(c) && b == 2                   ? 2
           : experiment_of(c) == TWISTER && b == 2 ? c->m
                                                   : 0;
}

/* Word `at` of a twister whose state is filled, or made, by other numbers. */
struct other_twister {
    unsigned shift, times, middle; /* right: 30, 1, TWISTER_MIDDLE */
    unsigned lower;                /* bits of the next word: 23 */
    bool old;                      /* the old word says whether a is added, not the mixed one */
};

static uint32_t other_word(const struct other_twister *o, uint32_t a, uint32_t seed, uint32_t s,
                           uint32_t at)
{
    uint32_t x[TWISTER_WORDS] = {seed ^ s * 0x9e3779b9}, got = 0;

    for (uint32_t i = 1; i < TWISTER_WORDS; i++)
        x[i] = 1812433253 * (x[i - 1] ^ (x[i - 1] >> o->shift)) + o->times * i;
    for (uint32_t i = 0; i <= at; i++) {
        uint32_t *now = &x[i % TWISTER_WORDS], low = (1u << o->lower) - 1;
        uint32_t y = (*now & 0xff800000) | (x[(i + 1) % TWISTER_WORDS] & low);
        uint32_t odd = (o->old ? *now : y) & 1;

        got = *now = x[(i + o->middle) % TWISTER_WORDS] ^ (y >> 1) ^ (odd ? a : 0);
    }
    return twister_tempered(got);
}

static bool recognise_other_twister(uint32_t a, uint32_t seed, uint32_t s, uint32_t at,
                                    uint32_t got, char *words, size_t size)
{
    const struct other_twister unmixed = {30, 0, TWISTER_MIDDLE, 23, false};
    const struct other_twister old = {30, 1, TWISTER_MIDDLE, 23, true};

    if (other_word(&unmixed, a, seed, s, at) == got) {
        snprintf(words, size, "what it would be if no i were added where the state is filled");
        return true;
    }
    if (other_word(&old, a, seed, s, at) == got) {
        snprintf(words, size,
                 "what it would be if a were added where the word itself is odd, not y");
        return true;
    }
    for (unsigned lower = 1; lower < 32; lower++) {
        const struct other_twister o = {30, 1, TWISTER_MIDDLE, lower, false};

        if (lower == 23 || other_word(&o, a, seed, s, at) != got)
            continue;
        snprintf(words, size, "what comes of the lower %u bits of the next word, where 23 belong",
                 lower);
        return true;
    }
    for (unsigned shift = 1; shift < 32; shift++) {
        const struct other_twister o = {shift, 1, TWISTER_MIDDLE, 23, false};

        if (shift == 30 || other_word(&o, a, seed, s, at) != got)
            continue;
        snprintf(words, size, "what it would be if the state were filled with >> %u, not >> 30",
                 shift);
        return true;
    }
    for (unsigned middle = 0; middle < TWISTER_WORDS; middle++) {
        const struct other_twister o = {30, 1, middle, 23, false};

        if (middle == TWISTER_MIDDLE || other_word(&o, a, seed, s, at) != got)
            continue;
        snprintf(words, size, "what comes of the word %u further on, where that %d on belongs",
                 middle, TWISTER_MIDDLE);
        return true;
    }
    return false;
}

/* Words of the same twister or another one, and of what is no step of it. */
static bool recognise_twister(const struct lab_case *c, const uint32_t *key, const uint32_t *a,
                              uint32_t got, uint64_t element, char *words, size_t size)
{
    uint32_t at = (uint32_t)(element / c->m), own = (uint32_t)(element % c->m);
    struct twister t;

    twister_start(&t, a[own], key[0], 0);
    for (uint32_t i = 0; own && i <= at; i++)
        if (twister_next(&t) == got && i == at) {
            snprintf(words, size,
                     "what it would be if twister %u began with the words of twister 0", own);
            return true;
        }
    twister_start(&t, a[0], key[0], own);
    for (uint32_t i = 0; own && i <= at; i++)
        if (twister_next(&t) == got && i == at) {
            snprintf(words, size, "what it would be if twister %u had the constant a of twister 0",
                     own);
            return true;
        }
    for (uint32_t s = 0; s < c->m; s++) {
        twister_start(&t, a[s], key[0], s);
        for (uint32_t i = 0; i < c->n + TWISTER_WORDS; i++) {
            bool same = twister_next(&t) == got,
                 bare = t.x[(t.at + TWISTER_WORDS - 1) % TWISTER_WORDS] == got;

            if (!same && !bare)
                continue;
            snprintf(words, size, "word %u of twister %u%s, where word %u of twister %u belongs", i,
                     s, same ? "" : ", not tempered", at, own);
            return true;
        }
    }
    const struct {
        uint32_t first;
        const char *words;
    } firsts[] = {
        {key[0] ^ own, "key[0] ^ s"},
        {key[0] + own, "key[0] + s"},
        {key[0] + own * 0x9e3779b9, "key[0] + s * 0x9e3779b9"},
        {key[0] * own, "key[0] * s"},
    };
    for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
        const struct other_twister right = {30, 1, TWISTER_MIDDLE, 23, false};
        uint32_t seed = firsts[i].first ^ own * 0x9e3779b9;

        if (seed == key[0] || other_word(&right, a[own], seed, own, at) != got)
            continue;
        snprintf(words, size, "what it would be if the state began with %s", firsts[i].words);
        return true;
    }
    return recognise_other_twister(a[own], key[0], own, at, got, words, size);
}

/* Ten rounds with something else: which multiplier each product has, and of how many bits it is; by
 * how much the words of the key go on from round to round. */
struct other_rounds {
    uint32_t a, b;
    uint64_t mask_a, mask_b;
    unsigned first; /* the word that the upper half of b's product is mixed with: 1, or 3 */
    uint32_t step[2];
    const char *words;
};
enum { A_IS = 0xd2511f53, B_IS = 0xcd9e8d57, STEP_0 = 0x9e3779b9, STEP_1 = 0xbb67ae85 };
#define ALL (~0ull)
#define LOW UINT32_MAX
/* clang-format off */
static const struct other_rounds other_rounds[] = {
    {B_IS, A_IS, ALL, ALL, 1, {STEP_0, STEP_1}, "its two multipliers were in each other's place"},
    {A_IS, B_IS, LOW, LOW, 1, {STEP_0, STEP_1}, "both products had 32 bits: their upper halves are lost"},
    {A_IS, B_IS, LOW, ALL, 1, {STEP_0, STEP_1}, "the product of word 0 had 32 bits: its upper half is lost"},
    {A_IS, B_IS, ALL, LOW, 1, {STEP_0, STEP_1}, "the product of word 2 had 32 bits: its upper half is lost"},
    {A_IS, B_IS, ALL, ALL, 3, {STEP_0, STEP_1}, "words 1 and 3 were in each other's place in a round"},
    {A_IS, B_IS, ALL, ALL, 1, {STEP_0, STEP_0}, "both words of the key went on by 0x9e3779b9: the second one's step is 0xbb67ae85"},
    {A_IS, B_IS, ALL, ALL, 1, {STEP_1, STEP_1}, "both words of the key went on by 0xbb67ae85: the first one's step is 0x9e3779b9"},
    {A_IS, B_IS, ALL, ALL, 1, {STEP_1, STEP_0}, "the key's two steps were in each other's place"},
    {A_IS, A_IS, ALL, ALL, 1, {STEP_0, STEP_1}, "both products had the first multiplier, 0xd2511f53"},
    {B_IS, B_IS, ALL, ALL, 1, {STEP_0, STEP_1}, "both products had the second multiplier, 0xcd9e8d57"},
    {A_IS, B_IS, ALL, ALL, 1, {0, STEP_1}, "the key's first word were the same in all rounds"},
    {A_IS, B_IS, ALL, ALL, 1, {STEP_0, 0}, "the key's second word were the same in all rounds"},
    {A_IS, B_IS, ALL, ALL, 1, {0, 0}, "all rounds had the first one's key"},
};
/* clang-format on */
enum { OTHER_ROUNDS = sizeof(other_rounds) / sizeof(other_rounds[0]) };

static struct philox_words other_philox(const struct other_rounds *o, const uint32_t *w,
                                        const uint32_t *key)
{
    struct philox_words c = {{w[0], w[1], w[2], w[3]}};

    for (uint32_t r = 0; r < 10; r++) {
        uint64_t a = (uint64_t)o->a * c.w[0] & o->mask_a, b = (uint64_t)o->b * c.w[2] & o->mask_b;

        c = (struct philox_words){
            {(uint32_t)(b >> 32) ^ c.w[o->first] ^ (key[0] + r * o->step[0]), (uint32_t)b,
             (uint32_t)(a >> 32) ^ c.w[4 - o->first] ^ (key[1] + r * o->step[1]), (uint32_t)a}};
    }
    return c;
}

static bool recognise_rounds(const uint32_t *w, const uint32_t *key, uint64_t k, uint32_t got,
                             char *words, size_t size)
{
    for (size_t i = 0; i < OTHER_ROUNDS; i++) {
        if (other_philox(&other_rounds[i], w, key).w[k] != got)
            continue;
        snprintf(words, size, "what it would be if %s", other_rounds[i].words);
        return true;
    }
    return false;
}

static bool recognise_philox(const uint32_t *key, const uint32_t *counters, uint32_t got,
                             uint64_t element, char *words, size_t size)
{
    const uint32_t *w = counters + element / NUMBERS * NUMBERS;
    struct philox_words x = {{w[0], w[1], w[2], w[3]}}, same = x, start = x, kept[2] = {x, x};

    for (uint32_t r = 0; r <= 12; r++) {
        if (r != 10 && x.w[element % NUMBERS] == got) {
            snprintf(words, size, "what it is after %u round%s, not 10", r, r == 1 ? "" : "s");
            return true;
        }
        if (r == 10 && same.w[element % NUMBERS] == got) {
            snprintf(words, size, "what it would be if all rounds had the first one's key");
            return true;
        }
        for (int k = 0; r == 10 && k < 2; k++)
            if (kept[k].w[element % NUMBERS] == got) {
                snprintf(words, size, "what it would be if key[%d] were the same in all rounds", k);
                return true;
            }
        x = philox_round(x, key[0] + r * 0x9e3779b9, key[1] + r * 0xbb67ae85);
        same = philox_round(same, key[0], key[1]);
        kept[0] = philox_round(kept[0], key[0], key[1] + r * 0xbb67ae85);
        kept[1] = philox_round(kept[1], key[0] + r * 0x9e3779b9, key[1]);
    }
    const struct {
        struct philox_words x;
        const char *words;
    } others[] = {
        {philox(start, key[1], key[0]), "with its two keys in each other's place"},
        {philox((struct philox_words){{(uint32_t)(element / NUMBERS)}}, key[0], key[1]),
         "of its index for a counter"},
        {philox(start, 0, 0), "with a key of 0"},
        {philox((struct philox_words){{w[2], w[1], w[0], w[3]}}, key[0], key[1]),
         "with words 0 and 2 of its counter in each other's place"},
        {philox(start, key[0] + 0x9e3779b9, key[1] + 0xbb67ae85),
         "with keys that are a round ahead: the first round has the key as it is"},
    };
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
        if (others[k].x.w[element % NUMBERS] == got) {
            snprintf(words, size, "what it is %s", others[k].words);
            return true;
        }
    x = philox(start, key[0], key[1]);
    for (unsigned k = 0; k < NUMBERS; k++)
        if (x.w[k] == got) {
            snprintf(words, size, "word %u of its four, where word %lu belongs", k,
                     element % NUMBERS);
            return true;
        }
    return recognise_rounds(w, key, element % NUMBERS, got, words, size);
}

/* What a result may be instead. */
struct guess {
    double value;
    const char *words;
};

/* got is far from what it should be, and as near to one of the others as rounding explains: to one
 * alone, or nothing is said. */
static bool is_one_of(const struct guess *others, size_t n, double right, double got, char *words,
                      size_t size)
{
    int found = 0;

    for (size_t i = 0; i < n && isfinite(got); i++) {
        double value = others[i].value, apart = 1e-5 * (1 + fabs(value));

        if (!(fabs(got - value) <= apart) || fabs(right - value) <= 4 * apart)
            continue;
        found++;
        snprintf(words, size, "%s", others[i].words);
    }
    return found == 1;
}
#define IS_ONE_OF(others, right, got)                                                              \
    is_one_of(others, sizeof(others) / sizeof((others)[0]), right, got, words, size)

/* A number made of it, or what is left of 1 then, may be 0. */
static bool is_next_to_end(uint32_t word)
{
    return word < 256 || word > UINT32_MAX - 256;
}

static bool recognise_normal(const uint32_t *words_of, float got, uint64_t element, char *words,
                             size_t size)
{
    const uint32_t *two = words_of + element / 2 * 2;
    double z[2], turned[2], first[2], r = sqrt(-2 * log((double)uniform(two[0])));
    double half = M_PI * (double)uniform(two[1]);
    unsigned k = element % 2;

    double own = (double)uniform(two[1]), angle = 2 * own;
    double low = (double)((float)two[0] * 0x1p-32f), low_angle = 2 * M_PI * (two[1] * 0x1p-32);

    box_muller(two[0], two[1], z);
    box_muller(two[1], two[0], turned);
    box_muller(two[0], two[0], first);
    const struct guess others[] = {
        {z[1 - k], "the other number of its pair: sine and cosine have changed places"},
        {turned[k], "what comes of the second word's radius and the first one's angle"},
        {first[k], "what comes of the first word's angle: the second word is not used"},
        {z[k] * r, "what comes of a radius of -2 ln u: the root is missing"},
        {z[k] / M_SQRT2, "what comes of a radius of sqrt(-ln u): the factor 2 is missing"},
        {r * (k ? cos(half) : sin(half)), "what comes of an angle of pi v: half of it"},
        {r * (k ? cos(angle) : sin(angle)), "what comes of an angle of 2 v: without the pi"},
        {r * (k ? cos(own) : sin(own)), "what comes of an angle of v: without the 2 pi"},
        {sqrt(-2 * log(low)) * (k ? cos(low_angle) : sin(low_angle)),
         "what comes of word / 2^32: uniform() adds half a step, 2^-33"},
    };
    if (!isfinite((double)got)) {
        bool logarithm = is_next_to_end(two[0]) || is_next_to_end(two[1]);

        snprintf(words, size, "no number: its words are %u and %u; is the %s?", two[0], two[1],
                 logarithm ? "logarithm taken of what can be 0" : "root taken of what is below 0");
        return logarithm || isnan(got);
    }
    return IS_ONE_OF(others, z[k], (double)got);
}

/* Own numbers come by fours: of each, one may be missing, twice there, or another one's again. */
static bool recognise_each(const struct lab_case *c, const uint32_t *key, const struct option *o,
                           uint32_t stream, double own, double got, char *words, size_t size)
{
    static const char *const nth[NUMBERS] = {"first", "second", "third", "fourth"};
    double by = exp(-o->rate * o->years) / (double)c->n, each[NUMBERS];
    struct guess others[NUMBERS * (NUMBERS + 1)];
    char names[NUMBERS * (NUMBERS + 1)][80];
    size_t n = 0;

    for (unsigned k = 0; k < NUMBERS; k++)
        each[k] = sum_of_each(o, key, stream, c->n, k);
    for (unsigned k = 0; k < NUMBERS; k++) {
        for (unsigned j = 0; j <= NUMBERS; j++) {
            if (j == k)
                snprintf(names[n], sizeof(*names),
                         "what comes of all but the %s of each four numbers", nth[k]);
            else if (j == NUMBERS)
                snprintf(names[n], sizeof(*names),
                         "what comes of the %s of each four numbers twice", nth[k]);
            else
                snprintf(names[n], sizeof(*names),
                         "what comes of the %s of each four numbers, where the %s belongs", nth[j],
                         nth[k]);
            double sum = j == NUMBERS ? each[k] : j == k ? -each[k] : each[j] - each[k];
            others[n] = (struct guess){(own + sum) * by, names[n]};
            n++;
        }
    }
    return is_one_of(others, n, own * by, got, words, size);
}

/* A number of the option's in each place of the formula. */
enum place {
    START,
    CUT,
    DRIFT_RATE,
    DRIFT_VOLATILITY,
    DRIFT_YEARS,
    SPREAD_VOLATILITY,
    SPREAD_YEARS,
    NOW_RATE,
    NOW_YEARS,
    PLACES
};
static const struct {
    int field;
    const char *words;
} places[PLACES] = {
    [START] = {0, "what the price grows from"},
    [CUT] = {1, "what is taken off"},
    [DRIFT_RATE] = {3, "the drift, for r"},
    [DRIFT_VOLATILITY] = {4, "the drift, for v"},
    [DRIFT_YEARS] = {2, "the drift, for T"},
    [SPREAD_VOLATILITY] = {4, "what z is multiplied with, for v"},
    [SPREAD_YEARS] = {2, "what z is multiplied with, for T"},
    [NOW_RATE] = {3, "the discount, for r"},
    [NOW_YEARS] = {2, "the discount, for T"},
};

static double price_with(const double v[PLACES], const float *numbers, const uint32_t *key,
                         uint32_t stream, uint64_t n)
{
    double drift = (v[DRIFT_RATE] - v[DRIFT_VOLATILITY] * v[DRIFT_VOLATILITY] / 2) * v[DRIFT_YEARS];
    double spread = v[SPREAD_VOLATILITY] * sqrt(v[SPREAD_YEARS]), sum = 0, z[NUMBERS];

    for (uint64_t i = 0; i < n; i++) {
        if (!numbers && i % NUMBERS == 0)
            draw(key, (uint32_t)(i / NUMBERS), stream, z);
        double number = numbers ? (double)numbers[i] : z[i % NUMBERS];
        sum += fmax(v[START] * exp(drift + spread * number) - v[CUT], 0);
    }
    return exp(-v[NOW_RATE] * v[NOW_YEARS]) * sum / (double)n;
}

/* One number of the option's where another belongs. */
static bool recognise_field(const struct lab_case *c, const float *numbers, const uint32_t *key,
                            const struct option *o, uint32_t stream, double right, double got,
                            char *words, size_t size)
{
    static const char *const fields[FIELDS] = {"the price", "the strike", "the years", "the rate",
                                               "the volatility"};
    const double of[FIELDS] = {o->price, o->strike, o->years, o->rate, o->volatility};
    struct guess others[PLACES * FIELDS];
    char names[PLACES * FIELDS][120];
    double v[PLACES];
    size_t n = 0;

    for (int p = 0; p < PLACES; p++)
        v[p] = of[places[p].field];
    for (int p = 0; p < PLACES; p++) {
        for (int f = 0; f < FIELDS; f++) {
            if (f == places[p].field)
                continue;
            v[p] = of[f];
            snprintf(names[n], sizeof(*names), "what comes of %s in %s", fields[f],
                     places[p].words);
            others[n] = (struct guess){price_with(v, numbers, key, stream, c->n), names[n]};
            n++;
        }
        v[p] = of[places[p].field];
    }
    return is_one_of(others, n, right, got, words, size);
}

/* Numbers from counters with the path's four and the option in other words of it, or from other
 * rounds. */
static double price_drawn(const struct lab_case *c, const uint32_t *key, const struct option *o,
                          const struct other_rounds *rounds, unsigned path, unsigned option,
                          uint32_t times, uint32_t stream)
{
    double sum = 0, z[NUMBERS];

    for (uint64_t i = 0; i < c->n; i++) {
        struct philox_words w = {{0, 0, 0, 0}};

        if (i % NUMBERS == 0) {
            w.w[path] = times * (uint32_t)(i / NUMBERS);
            w.w[option] = stream;
            w = rounds ? other_philox(rounds, w.w, key) : philox(w, key[0], key[1]);
            box_muller(w.w[0], w.w[1], z);
            box_muller(w.w[2], w.w[3], z + 2);
        }
        sum += slipped(o, z[i % NUMBERS], NO_SLIP);
    }
    return exp(-o->rate * o->years) / (double)c->n * sum;
}

static bool recognise_drawn(const struct lab_case *c, const uint32_t *key, const struct option *o,
                            uint32_t stream, double right, double got, char *words, size_t size)
{
    enum { MOST = OTHER_ROUNDS + NUMBERS * NUMBERS + 1 };
    struct guess others[MOST];
    char names[MOST][160];
    size_t n = 0;

    for (size_t i = 0; i < OTHER_ROUNDS; i++, n++) {
        snprintf(names[n], sizeof(*names), "what comes of Philox if %s", other_rounds[i].words);
        others[n] =
            (struct guess){price_drawn(c, key, o, &other_rounds[i], 0, 2, 1, stream), names[n]};
    }
    for (unsigned path = 0; path < NUMBERS; path++) {
        for (unsigned option = 0; option < NUMBERS; option++) {
            /* Of one four that word is 0 wherever it is. */
            if (option == path || (path == 0 && option == 2) ||
                (c->n <= NUMBERS && (option == 2 || path != (option == 0))))
                continue;
            if (c->n <= NUMBERS)
                snprintf(names[n], sizeof(*names),
                         "what comes of counters with the option as word %u: it is word 2", option);
            else
                snprintf(names[n], sizeof(*names),
                         "what comes of counters with path / 4 as word %u and the option as word "
                         "%u: they are words 0 and 2",
                         path, option);
            others[n] =
                (struct guess){price_drawn(c, key, o, NULL, path, option, 1, stream), names[n]};
            n++;
        }
    }
    others[n++] = (struct guess){price_drawn(c, key, o, NULL, 0, 2, NUMBERS, stream),
                                 "what comes of counters of the path's number: it is path / 4, as "
                                 "each counter makes four"};
    return is_one_of(others, n, right, got, words, size);
}

/* Paths of some of a block's threads alone. */
static bool recognise_threads(const struct lab_case *c, const float *numbers, const uint32_t *key,
                              const struct option *o, uint32_t stream, double right, double got,
                              char *words, size_t size)
{
    double z[NUMBERS], first = 0, warp = 0, lanes = 0, by = exp(-o->rate * o->years) / (double)c->n;

    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t thread = (numbers ? i : i / NUMBERS) % BLOCK;

        if (!numbers && i % NUMBERS == 0)
            draw(key, (uint32_t)(i / NUMBERS), stream, z);
        double payoff = slipped(o, numbers ? (double)numbers[i] : z[i % NUMBERS], NO_SLIP);
        first += thread == 0 ? payoff : 0;
        warp += thread < 32 ? payoff : 0;
        lanes += thread % 32 == 0 ? payoff : 0;
    }
    const struct guess others[] = {
        {first * by, "what comes of the paths of thread 0 of a block: the others' are not added"},
        {warp * by, "what comes of the paths of a block's first warp: the others' are not added"},
        {lanes * by, "what comes of the paths of each warp's lane 0: the others' are not added"},
    };
    return c->n > BLOCK && IS_ONE_OF(others, right, got);
}

static bool recognise_times(double right, double got, char *words, size_t size)
{
    double times = round(got / right);

    if (!(right > 1e-3 && times >= 2 && fabs(got / right - times) <= 1e-5 * times))
        return false;
    snprintf(words, size, "%.0f times the price: each path is counted %.0f times", times, times);
    return true;
}

/* Of a launch for all options by several blocks each: the sum of payoffs that is in partial where
 * that of option i belongs, if it were stored block by block, partial[b * options + o]. NAN: there
 * is no such launch. */
static double sum_transposed(const struct plan *p, const struct lab_case *c,
                             const struct option *options, const uint32_t *key, uint64_t i)
{
    const struct plan_step *s = &p->steps[0];
    uint64_t blocks = s->grid[0], quads = (c->n + NUMBERS - 1) / NUMBERS;
    struct sums sums = {0};
    double z[NUMBERS];

    if (strcmp(s->kernel, "price_blocks") || s->grid[1] != c->m || c->m < 2 || blocks < 2)
        return NAN;
    for (uint64_t at = i * blocks; at < (i + 1) * blocks; at++) {
        for (uint64_t q = at / c->m * BLOCK; q < quads; q++) {
            if (q / BLOCK % blocks != at / c->m)
                continue;
            draw(key, (uint32_t)q, (uint32_t)(at % c->m), z);
            for (uint64_t k = 0; k < NUMBERS && NUMBERS * q + k < c->n; k++)
                add_path(&sums, &options[at % c->m], z[k]);
        }
    }
    return sums.sum;
}

/* Prices of other paths, or of the right ones by another formula. 0 comes of anything. */
static bool recognise_price(const struct plan *p, const struct lab_case *c, const float *numbers,
                            const uint32_t *key, const struct option *options, uint64_t i,
                            double got, char *words, size_t size)
{
    const struct option *o = options + i, *zero = options;
    const uint32_t stream = (uint32_t)i, none[] = {0, 0};
    double now = exp(-o->rate * o->years), n = (double)c->n, by = now / n;
    uint64_t whole = c->n - c->n % NUMBERS;
    double own = simulate(o, numbers, key, stream, c->n).sum;
    char some[80];
    const struct guess others[] = {
        {black_scholes(o).call, "the formula's price: it has no path in it"},
        {own / n, "the mean payoff, not discounted"},
        {own / n / now, "the mean payoff times e^(rT), not e^(-rT)"},
        {now * own, "the discounted sum, not the mean"},
        {now * own / (n - 1), "what comes of dividing by one path less than there are"},
        {simulate(o, numbers, key, 0, c->n).sum * by, "what comes of the paths of option 0"},
        {simulate(zero, numbers, key, stream, c->n).sum / n * exp(-zero->rate * zero->years),
         "the price of option 0 by its own paths"},
        {simulate(o, numbers, key, stream, whole).sum * by, some},
        {simulate(o, numbers, none, stream, c->n).sum * by, "what comes of a key of 0"},
        {sum_slipped(o, numbers, key, stream, c->n, PUT) * by, "the put's price"},
        {sum_slipped(o, numbers, key, stream, c->n, NOT_CUT) * by,
         "what comes of payoffs that may be below 0"},
        {sum_slipped(o, numbers, key, stream, c->n, NO_VARIANCE) * by,
         "what comes of a drift of r: v^2 / 2 is missing"},
        {sum_slipped(o, numbers, key, stream, c->n, PLUS_VARIANCE) * by,
         "what comes of a drift of r + v^2 / 2, not minus"},
        {sum_slipped(o, numbers, key, stream, c->n, NO_ROOT) * by,
         "what comes of v T where v times the root of T belongs"},
        {sum_slipped(o, numbers, key, stream, c->n, NO_YEARS) * by,
         "what comes of v where v times the root of T belongs"},
        {sum_slipped(o, numbers, key, stream, c->n, NATURAL_SPREAD) * by,
         "what comes of exp2() of v times the root of T times z: the 1 / ln 2 is missing there"},
        {sum_slipped(o, numbers, key, stream, c->n, NATURAL_DRIFT) * by,
         "what comes of exp2() of the drift as it is: the 1 / ln 2 is missing there"},
        {sum_slipped(o, numbers, key, stream, c->n, FIRST_OUT) * by,
         "what comes of all paths but the first"},
        {now * own / (n + 1), "what comes of dividing by one path more than there are"},
        {numbers ? NAN : sum_slipped(o, numbers, key, stream, c->n, BY_ONE) * by,
         "what comes of threads that each take four paths after the other from their first on: the "
         "next is as many fours on as there are threads"},
        {numbers ? NAN : sum_slipped(o, numbers, key, stream, c->n, BY_BLOCK) * by,
         "what comes of blocks that each take all paths from their first on: a thread's next is as "
         "many fours on as all blocks have threads"},
        {numbers ? NAN : sum_slipped(o, numbers, key, stream, c->n, IN_PAIRS) * by,
         "what comes of pairs whose two numbers are in each other's place"},
        {numbers ? NAN : sum_slipped(o, numbers, key, stream, c->n, FIRST_PAIR) * by,
         "what comes of the first pair of each four twice: the second is not used"},
        {numbers ? NAN : sum_slipped(o, numbers, key, stream, c->n, OWN_KEY) * by,
         "what comes of the option's number added to the key: it is in the counter already"},
        {numbers || c->n < 2 * NUMBERS
             ? NAN
             : sum_slipped(o, numbers, key, stream, c->n, FIRST_ONLY) * by,
         "what comes of threads that all begin with the first thread's paths"},
        {numbers ? NAN : simulate(o, numbers, key, stream, c->n + 1).sum * by,
         c->n % NUMBERS == NUMBERS - 1
             ? "what comes of one path more than there are: four where the last are three"
             : "what comes of one path more than there are"},
        {numbers || whole == 0 || c->n % NUMBERS == 0 || c->n % NUMBERS == NUMBERS - 1
             ? NAN
             : simulate(o, numbers, key, stream, whole + NUMBERS).sum * by,
         "what comes of four paths where the last ones are fewer"},
        {numbers || whole == 0 ? NAN : sum_of_falls(o, key, stream, c->n) * by,
         "what comes of threads that take of four paths that are left the last alone, and more "
         "where "
         "fewer are left, as if the cases of a switch fell through the other way"},
        {sum_transposed(p, c, options, key, i) * by,
         "what comes of partial[b * options + o], rows for columns, in one of the two kernels: the "
         "other has the sum of block b and option o at o * blocks + b"},
    };

    snprintf(some, sizeof(some), "what comes of the first %lu of %lu paths", whole, c->n);
    return got != 0 &&
           (IS_ONE_OF(others, own * by, got) ||
            (!numbers && recognise_each(c, key, o, stream, own, got, words, size)) ||
            recognise_times(own * by, got, words, size) ||
            recognise_field(c, numbers, key, o, stream, own * by, got, words, size) ||
            recognise_threads(c, numbers, key, o, stream, own * by, got, words, size) ||
            (!numbers && recognise_drawn(c, key, o, stream, own * by, got, words, size)));
}

/* price: what came before it. 0 is where a variance below 0 is cut. */
static bool recognise_width(const struct lab_case *c, const float *numbers, const uint32_t *key,
                            const struct option *o, uint64_t i, double price, double got,
                            char *words, size_t size)
{
    double now = exp(-o->rate * o->years), n = (double)c->n;
    struct value own = value_of(o, simulate(o, numbers, key, (uint32_t)i, c->n), c->n);
    const struct guess others[] = {
        {own.width / 1.96, "the standard error, without the 1.96"},
        {own.width * 2, "the whole width of the interval, not half"},
        {own.width / now, "the width, not discounted"},
        {own.width * sqrt(n), "the spread of single payoffs: divide by the root of their number"},
        {own.width * sqrt((n - 1) / n), "what comes of n, where n - 1 belongs"},
    };

    if (got == 0 && own.width > 1e-3 && fabs(price - own.price) <= 1e-5 * (1 + own.price)) {
        snprintf(words, size,
                 "0, and the price beside it is right: so the sum of payoffs is there, and the sum "
                 "of squares, or what is made of it, is too small");
        return true;
    }
    return got != 0 && IS_ONE_OF(others, own.width, got);
}

/* All widths are so many standard errors. One alone may be by chance. */
static bool recognise_factor(const struct lab_case *c, const float *numbers, const uint32_t *key,
                             const float *options, const float *out, char *words, size_t size)
{
    double least = INFINITY, most = 0;
    uint64_t same = 0;

    for (uint64_t i = 0; i < c->m && c->n * c->m <= SIMULATED; i++) {
        struct option o = option_of(options, i);
        double width =
            isnan(black_scholes(&o).call)
                ? 0
                : value_of(&o, simulate(&o, numbers, key, (uint32_t)i, c->n), c->n).width;

        if (!(width > 1e-3))
            continue;
        double errors = 1.96 * (double)out[2 * i + 1] / width;
        least = fmin(least, errors);
        most = fmax(most, errors);
        same++;
    }
    if (same < 4 || !(most - least <= 1e-4 * most) || fabs(most - 1.96) < 1e-3)
        return false;
    snprintf(
        words, size,
        "%.4g standard errors, and so are the widths of all options: 1.96 of them belong there",
        (least + most) / 2);
    return true;
}

static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    const float *numbers = experiment_of(c) == ARRAY ? inputs[0] : NULL;
    const uint32_t *key = inputs[KEY], *u = output;
    const float *f = output;

    (void)v, (void)b;
    if (experiment_of(c) == TWISTER)
        return recognise_twister(c, key, inputs[A], u[element], element, words, size);
    if (experiment_of(c) == PHILOX)
        return recognise_philox(key, inputs[COUNTERS], u[element], element, words, size);
    if (experiment_of(c) == NORMALS)
        return recognise_normal(inputs[0], f[element], element, words, size);

    struct option o = option_of(inputs[OPTIONS], element / 2);
    double got = (double)f[element];

    if (isnan(black_scholes(&o).call)) {
        snprintf(words, size,
                 "%g, where NaN belongs: price %g, strike %g, years %g, rate %g, volatility %g are "
                 "no option",
                 got, o.price, o.strike, o.years, o.rate, o.volatility);
        return true;
    }
    if (element % 2)
        return recognise_width(c, numbers, key, &o, element / 2, (double)f[element - 1], got, words,
                               size) ||
               recognise_factor(c, numbers, key, inputs[OPTIONS], f, words, size);
    struct option *all = xcalloc(c->m, sizeof(*all));
    for (uint64_t k = 0; k < c->m; k++)
        all[k] = option_of(inputs[OPTIONS], k);
    bool told = recognise_price(p, c, numbers, key, all, element / 2, got, words, size);
    free(all);
    return told;
}

static const struct lab_column columns[] = {
    {"inst", "a warp", "inst_executed/warps"},
    {"special", "functns", "sfu_ops"},
    {"sectors", "moved", "global_sectors"},
    {0},
};

/* clang-format off */
static const struct lab_prediction predictions[] = {
    {"launches_loop", "launches, price_loop on paths=2^14", "launches", "price_loop", "paths=2^14", 0.001},
    {"launches_blocks", "launches, price_blocks on paths=2^14", "launches", "price_blocks", "paths=2^14", 0.001},
    {"blocks_block", "blocks, price_block on paths=2^14", "blocks", "price_block", "paths=2^14", 0.001},
    {"blocks_blocks", "blocks of both launches, price_blocks on paths=2^14", "blocks", "price_blocks", "paths=2^14", 0.001},
    {"sectors_array", "sectors that price_array loads on array-n=2^12", "global_ld_sectors", "price_array", "array-n=2^12", 0.1},
};
/* clang-format on */

static const struct lab_goal goals[] = {
    {"twister", "twister-m=4096", "local_ld_requests + local_st_requests == 0",
     "its state is in local memory"},
    {"price_array", "array-n=2^12", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes load distant numbers"},
    {"price_block", "paths=2^12", "32 * inst_executed / (n * m) <= 130",
     "it takes more instructions a path than four numbers of a counter need"},
    {"price_blocks", "paths=2^12", "32 * inst_executed / (n * m) <= 165",
     "it takes more instructions a path than four numbers of a counter need"},
    {"price_blocks", "paths=2^12",
     "global_atom_requests + global_red_requests + shared_atom_requests == 0",
     "its sums are added by atomics, in any order"},
    {"price_switch", "paths=2^12", "ms / price_block.ms <= 1.1",
     "few paths take longer than with one block an option"},
    {0},
};

const struct lab lab_monte_carlo = {
    .name = "monte_carlo",
    .title = "Monte Carlo: options priced by chance",
    .bytes_formula = "4 n m (twister, array), 32 n (philox), 16 n (normals)",
    .param_name = "bad",
    .record_items = "paths of an option from which on several blocks price it",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .applies = applies,
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .recognise = recognise,
    .any_numbers = true,
    .row = row,
    .extents = "nm",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
