/* harness.c - the Black-Scholes lab: variants, cases, CPU reference, launch plan.
 *
 * A call's and a put's price for each of n options. Of the kernels alone inputs are on the device;
 * a schedule of the student's (device/schedule.cuh) brings them there, in chunks, and the results
 * back: what is carried out by run/streams.c.
 *
 * A case's `param` is the volatility in percent, its `k` the rate in percent. Of ANY_SCALE the
 * rate is k²/40, from 2.5 to 1000 percent, and the volatility 20 percent and four times param.
 */
#include "lab/black_scholes.h"
#include "lab/lab.h"
#include "lab/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A fixed grid has no more threads than an H200 holds at a time, 2048 on each of its 132 SMs: what
 * a record says beyond that is left away. */
enum {
    BLOCK = 256,
    FOURS = 4,
    USUAL_BLOCKS = 1024,
    MOST_BLOCKS = 132 * 16,
    IN_BLOCK = 1024,
    IN_GRID = 132 * 2048
};

/* Flags of variants. */
enum { STRIDED = 1, BY_FOURS = 2, COPIES = 4, SEVERAL_STREAMS = 8 };

/* What a case's `op` says, any of it at once. */
enum {
    SOME_ARE_NONE = 1, /* some of the n are no options */
    NO_VOLATILITY = 2, /* it is NaN */
    RATE_BELOW_0 = 4,
    ANY_PRICE = 8,  /* and any strike, any time */
    ANY_SCALE = 16, /* as far as floats are good for it */
};

/* Above this many options one in COMPARED_OF is compared. */
enum { FULL = 1 << 20, COMPARED_OF = 16 };

/* clang-format off */

/* What a schedule's variant is planned by where no file is: to try its cases. */
#define ON(s, do, chunk) {do, s, chunk, 1}
#define WHOLE(kind) {.memory = kind, .chunks = 1, .nsteps = 3, .steps = {ON(0, DO_COPY_IN, 0), ON(0, DO_KERNEL, 0), ON(0, DO_COPY_OUT, 0)}}
static const struct schedule by_pageable = WHOLE(PAGEABLE), by_pinned = WHOLE(PINNED);
static const struct schedule by_overlap = {.memory = PINNED, .chunks = 2, .nsteps = 6, .steps = {
    ON(0, DO_COPY_IN, 0), ON(0, DO_KERNEL, 0), ON(0, DO_COPY_OUT, 0), ON(1, DO_COPY_IN, 1), ON(1, DO_KERNEL, 1), ON(1, DO_COPY_OUT, 1)}};

#define FIXED .record = {.block_x = BLOCK, .block_y = 1}
#define GRID .has_record = true, .record = {.block_x = BLOCK, .block_y = 1, .items = 128}, \
    .min = {.block_x = 32, .items = 1}, .max = {.block_x = IN_BLOCK, .items = MOST_BLOCKS}, .flags = STRIDED
#define SCHEDULED(by) .kernels = "strided", .has_schedule = true, .record = {.block_x = BLOCK, .block_y = 1, .items = USUAL_BLOCKS, .schedule = &by}
static const struct lab_variant variants[] = {
    {.name = "move", .number = "0", .what = "as many bytes, and no price", FIXED, .flags = BY_FOURS},
    {.name = "direct", .number = "1", .what = "an option a thread", FIXED},
    {.name = "strided", .number = "2", .what = "a fixed grid, options in strides", GRID},
    {.name = "fast", .number = "3", .what = "with the special functions' units", GRID},
    {.name = "vector", .number = "4", .what = "four options a load", .has_record = true,
     .record = {.block_x = BLOCK, .block_y = 1}, .min = {.block_x = 32}, .max = {.block_x = IN_BLOCK}, .flags = BY_FOURS},
    {.name = "pageable", .number = "5", .what = "there and back, ordinary memory", SCHEDULED(by_pageable), .flags = STRIDED | COPIES},
    {.name = "pinned", .number = "6", .what = "there and back, pinned memory", SCHEDULED(by_pinned), .flags = STRIDED | COPIES},
    {.name = "overlap", .number = "7", .what = "copies and kernels at once", SCHEDULED(by_overlap), .flags = STRIDED | COPIES | SEVERAL_STREAMS},
};

#define CHECK CASE_CHECK | CASE_QUICK
#define BOTH CASE_CHECK | CASE_TIME | CASE_QUICK
#define LARGE BOTH | CASE_GPU_ONLY
#define OPTIONS(id, count, what, percent, flag) {.name = id, .n = count, .k = 2, .param = percent, .op = what, .dtype = DT_F32, .flags = flag}
static const struct lab_case cases[] = {
    OPTIONS("options=0", 0, 0, 30, CHECK),
    OPTIONS("options=1", 1, 0, 30, CHECK),
    OPTIONS("options=1003", 1003, 0, 30, CHECK),
    OPTIONS("rate=-2", 1003, RATE_BELOW_0, 30, CHECK),
    OPTIONS("any-price", 1003, ANY_PRICE, 120, CHECK),
    OPTIONS("some-are-none", 1003, SOME_ARE_NONE, 30, CHECK),
    OPTIONS("some-of-many-are-none", (1 << 18) + 1003, SOME_ARE_NONE, 30, CHECK), /* more than most grids have threads */
    OPTIONS("volatility=-30", 10, 0, -30, CHECK),
    OPTIONS("volatility=0", 10, 0, 0, CHECK),
    OPTIONS("volatility=nan", 10, NO_VOLATILITY, 30, CHECK),
    /* kernels go by blockDim.x */
    {.name = "blocks-of-64", .n = 70003, .k = 2, .param = 30, .dtype = DT_F32, .flags = CHECK, .block = 64},
    OPTIONS("options=10^6", 1000000, 0, 30, BOTH),
    OPTIONS("options=2^16", 1 << 16, 0, 30, LARGE),
    OPTIONS("options=2^18", 1 << 18, 0, 30, LARGE),
    OPTIONS("options=2^20", 1 << 20, 0, 30, LARGE),
    OPTIONS("options=2^22", 1 << 22, 0, 30, LARGE),
    OPTIONS("options=2^24", 1 << 24, 0, 30, LARGE),
    OPTIONS("options=2^26", 1 << 26, 0, 30, LARGE),
};
/* clang-format on */

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return c->n || !(v->flags & COPIES);
}

/* ---- plan ---- */

enum { PRICE, STRIKE, YEARS, CALL, PUT, BUFFERS };
static const struct lab_buffer buffers[BUFFERS] = {
    {.name = "price", .role = BUF_INPUT, .dtype = DT_F32},
    {.name = "strike", .role = BUF_INPUT, .dtype = DT_F32},
    {.name = "years", .role = BUF_INPUT, .dtype = DT_F32},
    {.name = "call", .role = BUF_OUTPUT, .dtype = DT_F32},
    {.name = "put", .role = BUF_OUTPUT, .dtype = DT_F32},
};

static float rate_of(const struct lab_case *c)
{
    float size = c->op & ANY_SCALE ? (float)(c->k * c->k) / 40 : (float)c->k / 100;

    return c->op & RATE_BELOW_0 ? -size : size;
}

static float volatility_of(const struct lab_case *c)
{
    return c->op & NO_VOLATILITY ? NAN
           : c->op & ANY_SCALE   ? 0.2f + (float)c->param / 25
                                 : (float)c->param / 100;
}

static uint32_t blocks_of(const struct lab_variant *v, const struct launch_record *r,
                          uint64_t count)
{
    uint64_t each = (uint64_t)r->block_x * (v->flags & BY_FOURS ? FOURS : 1);
    uint64_t blocks = (count + each - 1) / each;

    if (v->flags & STRIDED) {
        uint64_t held = IN_GRID / r->block_x, most = r->items < held ? r->items : held;

        blocks = blocks < most ? blocks : most;
    }
    return blocks ? (uint32_t)blocks : 1;
}

static void add_launch(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                       const struct launch_record *r, uint64_t offset, uint64_t count)
{
    struct plan_step *s = &p->steps[p->nsteps++];

    lab_name(s->kernel, sizeof(s->kernel), "%s", v->kernels ? v->kernels : v->name);
    s->block[0] = r->block_x;
    s->grid[0] = blocks_of(v, r, count);
    s->block[1] = s->block[2] = s->grid[1] = s->grid[2] = 1;
    for (int b = 0; b < BUFFERS; b++)
        s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = b, .offset = offset};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)count};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_F32, .v.f32 = rate_of(c)};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_F32, .v.f32 = volatility_of(c)};
}

/* A step of the schedule: three copies in, or a kernel, or two copies out; an event stays one. */
static uint32_t ops_of(const struct schedule_step *x)
{
    return x->what == DO_COPY_IN ? 3 : x->what == DO_COPY_OUT ? 2 : 1;
}

/* A chunk that has no options, of a small n, is left out; events stay. */
static void add_ops(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                    const struct launch_record *r, const struct schedule_step *x)
{
    static const enum op_kind kinds[] = {[DO_COPY_IN] = OP_COPY_IN,
                                         [DO_KERNEL] = OP_LAUNCH,
                                         [DO_COPY_OUT] = OP_COPY_OUT,
                                         [DO_RECORD] = OP_RECORD,
                                         [DO_WAIT] = OP_WAIT};
    struct plan_op o = {.kind = kinds[x->what], .stream = x->stream};

    if (x->what >= DO_RECORD) {
        o.event = x->first;
        p->ops[p->nops++] = o;
        return;
    }
    schedule_range(r->schedule, x, c->n, &o.offset, &o.count);
    for (uint32_t i = 0; i < ops_of(x) && o.count; i++) {
        o.index =
            x->what == DO_KERNEL ? p->nsteps : (int)((x->what == DO_COPY_IN ? PRICE : CALL) + i);
        if (x->what == DO_KERNEL)
            add_launch(p, v, c, r, o.offset, o.count);
        p->ops[p->nops++] = o;
    }
}

static uint32_t streams_of(const struct schedule *s)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < s->nsteps; i++)
        used |= s->steps[i].what <= DO_COPY_OUT ? 1u << s->steps[i].stream : 0;
    return (uint32_t)__builtin_popcount(used);
}

static bool keeps_rule(const struct lab_variant *v, const struct schedule *s, char *err,
                       size_t errsize)
{
    enum host_memory memory = (enum host_memory)v->record.schedule->memory;
    uint32_t streams = streams_of(s), ops = 0;

    for (uint32_t i = 0; i < s->nsteps; i++)
        ops += ops_of(&s->steps[i]);
    if (s->memory != memory)
        snprintf(err, errsize, "%s is about %s memory, this is %s", v->name,
                 host_memory_names[memory], host_memory_names[s->memory]);
    else if ((streams > 1) != !!(v->flags & SEVERAL_STREAMS))
        snprintf(err, errsize, "%u stream%s at work; %s has %s", streams, streams == 1 ? "" : "s",
                 v->name, v->flags & SEVERAL_STREAMS ? "at least 2" : "1");
    else if (ops > LAB_MAX_OPS)
        snprintf(err, errsize,
                 "%u operations, of %u steps: a copy in is three, a copy out two; at most %d", ops,
                 s->nsteps, LAB_MAX_OPS);
    else
        return true;
    return false;
}

static bool usable(const struct lab_variant *v, const struct lab_case *c, char *err, size_t errsize)
{
    if (c->dtype != DT_F32)
        snprintf(err, errsize, "%s: prices are f32 here", c->name);
    else if (c->n > 1u << 28)
        snprintf(err, errsize, "%s: at most 2^28 options", c->name);
    else if (!c->n && v->flags & COPIES)
        snprintf(err, errsize, "%s: no option: there is nothing to copy", c->name);
    else if (c->k > 1000 || c->param > 1000 || c->param < -1000)
        snprintf(err, errsize, "%s: rate and volatility are at most 1000 percent", c->name);
    else
        return true;
    return false;
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    const struct schedule *s = r->schedule;
    bool copies = v->flags & COPIES;

    (void)d;
    if (copies && !s)
        snprintf(err, errsize, "%s: there is no schedule", v->name);
    if ((copies && !s) || !usable(v, c, err, errsize) ||
        (copies && (!schedule_check(s, err, errsize) || !keeps_rule(v, s, err, errsize))))
        return false;
    memset(p, 0, sizeof(*p));
    for (int b = 0; b < BUFFERS; b++) {
        p->buffers[p->nbuffers] = buffers[b];
        p->buffers[p->nbuffers++].count = c->n;
    }
    if (copies) {
        p->memory = (enum host_memory)s->memory;
        for (uint32_t i = 0; i < s->nsteps; i++)
            add_ops(p, v, c, r, &s->steps[i]);
    } else {
        add_launch(p, v, c, r, 0, c->n);
    }
    p->bytes = 20.0 * (double)c->n;
    return true;
}

/* ---- inputs ---- */

/* Prices, strikes and years that the lecture's example draws from. */
static const struct range {
    float low, high;
} ranges[] = {[PRICE] = {5, 30}, [STRIKE] = {1, 100}, [YEARS] = {0.25f, 10}};

/* Every eighth option is odd: no option, and each input is why, or with a number near 0, which is
 * one. The last way is a price and a strike below 0, of which the quotient is not. What is below 0
 * is anywhere there: from that number on a hundredth of the way to 0. */
static float odd_one(int b, uint64_t why, float usual)
{
    static const struct {
        int buffer;
        float value;
    } ways[] = {
        {PRICE, NAN},    {STRIKE, NAN},   {YEARS, NAN}, {PRICE, -20}, {STRIKE, -20},
        {YEARS, -1.25f}, {PRICE, 0},      {STRIKE, 0},  {YEARS, 0},   {PRICE, 0.375f},
        {STRIKE, 0.5f},  {YEARS, 0.125f}, {PRICE, -20},
    };
    enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

    float less = (float)(1 + (why >> 16) % 100) / 100;

    why %= WAYS;
    if (why == WAYS - 1 && b == STRIKE)
        return -25 * less;
    if (ways[why].buffer != b)
        return usual;
    return ways[why].value < 0 ? less * ways[why].value : ways[why].value;
}

/* 0.01 to 2,000 for a share, a quarter to four times as much for a strike, many of them near it, as
 * the third power of their draw is; an hour to 30 years; by the logarithm, so that small ones are
 * as many as great ones. Of -1 to 1: what a price is drawn by, and its own. */
static float any_one(int b, float price, float own)
{
    double share = exp2(2.2 + 8.8 * (double)price), far = (double)own * (double)own * (double)own;

    return (float)(b == PRICE    ? share
                   : b == STRIKE ? share * exp2(2 * far)
                                 : exp2(-4.1 + 9 * (double)own));
}

/* A billionth to a billion for a share, a millionth of that to a million times as much for a
 * strike, many of them near it; from a second on, until rate times years is 32. So that e^(-rT) is
 * anything, half of the times are drawn as they are, the others by the logarithm. */
static float scaled_one(int b, const struct lab_case *c, float price, float own)
{
    double far = (double)own * (double)own * (double)own, share = exp2(30 * (double)price);
    double longest = c->k ? 5 - log2(fabs(rate_of(c))) : 7;

    return (float)(b == PRICE    ? share
                   : b == STRIKE ? share * exp2(20 * far)
                   : own > 0     ? exp2(longest) * (double)own
                                 : exp2(longest + (25 + longest) * (double)own));
}

static float drawn(int b, const struct lab_case *c, float price, float own)
{
    float half = (ranges[b].high - ranges[b].low) / 2;

    return c->op & ANY_SCALE   ? scaled_one(b, c, price, own)
           : c->op & ANY_PRICE ? any_one(b, price, own)
                               : ranges[b].low + half * (1 + own);
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b), odd = random_u64(seed, BUFFERS);
    float *f = data;
    const uint64_t prices = random_u64(seed, PRICE);

    for (uint64_t i = 0; i < p->buffers[b].count; i++) {
        uint64_t r = c->op & SOME_ARE_NONE ? random_u64(odd, i) : 1;

        f[i] = drawn(b, c, random_f32(prices, i), random_f32(stream, i));
        if (r % 8 == 0)
            f[i] = odd_one(b, r >> 8, f[i]);
    }
}

/* ---- reference ---- */

static struct option option_of(const struct lab_case *c, const void *const *inputs, uint64_t i)
{
    return (struct option){
        .price = ((const float *)inputs[PRICE])[i],
        .strike = ((const float *)inputs[STRIKE])[i],
        .years = ((const float *)inputs[YEARS])[i],
        .rate = rate_of(c),
        .volatility = volatility_of(c),
    };
}

/* Some millionths of price and strike, or of what is owed where that is more: the five terms' error
 * of 7.5e-8 and some roundings of numbers near 1. However small v √T is by which the logarithm's
 * error is divided: where d1 and d2 are off alike, call and put are not, as S N'(d1) is what is
 * owed times N'(d2). e^x is off by its argument's rounding, so much more the greater x is: it is
 * allowed that beyond 6. */
static double bound(const struct option *o)
{
    double grown = -o->rate * o->years;
    double owed = o->strike * fmax(1, exp(grown) * fmax(1, grown / 6));

    return 0x1p-20 * (o->price + owed);
}

static bool compared(const struct lab_case *c, uint64_t i)
{
    return c->n <= FULL || i + 64 > c->n || random_u64(c->seed, i) % COMPARED_OF == 0;
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    float *call = expected[CALL], *put = expected[PUT];
    bool moved = !strcmp(v->name, "move");

    for (uint64_t i = 0; i < p->buffers[CALL].count; i++) {
        struct option o = option_of(c, inputs, i);

        if (!lab_asks(c, CALL, i) && !lab_asks(c, PUT, i)) {
            continue;
        } else if (!compared(c, i)) {
            call[i] = put[i] = 0;
            tolerance[CALL][i] = tolerance[PUT][i] = INFINITY;
        } else if (moved) {
            call[i] = (float)o.price + (float)o.strike;
            put[i] = (float)o.years;
        } else {
            struct option_value value = black_scholes(&o);

            call[i] = (float)value.call;
            put[i] = (float)value.put;
            tolerance[CALL][i] = tolerance[PUT][i] = isnan(value.call) ? 0 : bound(&o);
        }
    }
}

/* ---- why is it wrong? ---- */

/* A price near 0 stays there, whatever the strike: no element has to matter. */
static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v, (void)c;
    return MADE_UNKNOWN;
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    (void)p, (void)v, (void)c;
    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{PRICE + (int)t, element}}};
    return t < 3;
}

enum flaw {
    WHOLE_STRIKE,
    GROWN_STRIKE,
    PLUS_SPREAD,
    UPSIDE_DOWN,
    NOT_SQUARED,
    MINUS_HALF,
    WHOLE_SQUARE,
    NO_SQUARE,
    NO_RATE,
    RATE_ALONE,
    NO_YEARS,
    NOT_DIVIDED,
    ERF_AS_IT_IS,
    ONE_D,
    NO_ROOT,
    ROOT_OF_BOTH,
    PER_ROOT,
    LOG_OF_TEN,
    LOG_OF_TWO,
    IN_DAYS,
    NOT_REFLECTED,
    OTHER_TAIL,
    SAME_TAIL,
    PARITY_NEGATED,
    PARITY_WHOLE,
    EXCHANGED,
    NEGATED,
    OTHER_RATE,
    OTHER_VOLATILITY,
    FLAWS
};
static const char *const flaw_words[FLAWS] = {
    [WHOLE_STRIKE] =
        "the price with the strike as it is, which is only owed at the end: e^(-rT) of it",
    [GROWN_STRIKE] = "the price with e^(rT) times the strike, not e^(-rT)",
    [PLUS_SPREAD] = "the price with d2 = d1 + v √T, not minus",
    [UPSIDE_DOWN] = "the price with the logarithm of X / S, not S / X",
    [NOT_SQUARED] = "the price with v / 2 in d1, not v² / 2",
    [MINUS_HALF] = "the price with r - v² / 2 in d1, not plus",
    [WHOLE_SQUARE] = "the price with v² in d1, not v² / 2",
    [NO_SQUARE] = "the price with r alone in d1, not r + v² / 2",
    [NO_RATE] = "the price with v² / 2 alone in d1, not r + v² / 2",
    [RATE_ALONE] = "the price with r + v² / 2 T in d1, not (r + v² / 2) T",
    [NO_YEARS] = "the price with r + v² / 2 in d1, not (r + v² / 2) T",
    [NOT_DIVIDED] = "the price with d1 as it is before it is divided by v √T",
    [ERF_AS_IT_IS] = "the price with (1 + erf(d)) / 2 for N(d), which is (1 + erf(d / √2)) / 2",
    [ONE_D] = "the price with d1 in both places, where d2 = d1 - v √T belongs in the second",
    [NO_ROOT] = "the price with v T where v √T belongs",
    [ROOT_OF_BOTH] = "the price with √(v T) where v √T belongs",
    [PER_ROOT] = "the price with d2 = d1 - v / √T, not v √T",
    [LOG_OF_TEN] = "the price with the logarithm to base 10: log10 for log",
    [LOG_OF_TWO] = "the price with the logarithm to base 2: log2 for log",
    [IN_DAYS] = "the price with e^(-rT / 365) times the strike: T is in years",
    [NOT_REFLECTED] =
        "the price with the polynomial of |d| alone, which is N(-|d|): where d > 0, N is 1 less it",
    [OTHER_TAIL] = "the price with N(-d) in place of N(d)",
    [SAME_TAIL] = "the put with S N(d1), where S N(-d1) belongs",
    [PARITY_NEGATED] = "call + S - X e^(-rT): the put is call - S + X e^(-rT)",
    [PARITY_WHOLE] = "call - S + X: the put is call - S + X e^(-rT)",
    [EXCHANGED] = "the other one's price, of the call and the put",
    [NEGATED] = "the price with the other sign",
    [OTHER_RATE] = "the price with a rate of 0.02, not what the kernel is given",
    [OTHER_VOLATILITY] = "the price with a volatility of 0.3, not what the kernel is given",
};

/* The call, or the put, that comes out with one thing wrong. */
static double flawed(const struct option *o, enum flaw f, bool put)
{
    double r = f == OTHER_RATE ? 0.02 : o->rate, v = f == OTHER_VOLATILITY ? 0.3 : o->volatility;
    double root = sqrt(o->years), scale = f == LOG_OF_TEN   ? M_LOG10E
                                          : f == LOG_OF_TWO ? M_LOG2E
                                                            : 1;
    double spread = f == NO_ROOT ? v * o->years : f == ROOT_OF_BOTH ? sqrt(v * o->years) : v * root;
    double ratio = f == UPSIDE_DOWN ? o->strike / o->price : o->price / o->strike;
    double half = f == NOT_SQUARED    ? v / 2
                  : f == MINUS_HALF   ? -v * v / 2
                  : f == WHOLE_SQUARE ? v * v
                  : f == NO_SQUARE    ? 0
                                      : v * v / 2;
    double drift = f == RATE_ALONE ? r + half * o->years
                   : f == NO_YEARS ? r + half
                   : f == NO_RATE  ? half * o->years
                                   : (r + half) * o->years;
    double d1 = (scale * log(ratio) + drift) / (f == NOT_DIVIDED ? 1 : spread);
    double d2 = f == PLUS_SPREAD ? d1 + spread
                : f == ONE_D     ? d1
                                 : d1 - (f == PER_ROOT ? v / root : spread);
    double grows = f == WHOLE_STRIKE ? 0 : f == GROWN_STRIKE ? r : f == IN_DAYS ? -r / 365 : -r;
    double owed = o->strike * exp(grows * o->years), plain = o->strike * exp(-r * o->years);

    if (f == ERF_AS_IT_IS)
        d1 *= M_SQRT2, d2 *= M_SQRT2;
    if (f == NOT_REFLECTED) /* of a put 1 less it */
        d1 = -fabs(d1), d2 = -fabs(d2);
    if (f == OTHER_TAIL)
        d1 = -d1, d2 = -d2;
    if (put && f == SAME_TAIL)
        return owed * normal_below(-d2) - o->price * normal_below(d1);
    if (put && (f == PARITY_NEGATED || f == PARITY_WHOLE)) {
        double call = o->price * normal_below(d1) - plain * normal_below(d2);

        return f == PARITY_WHOLE ? call - o->price + o->strike : call + o->price - plain;
    }
    double sign = put == (f != EXCHANGED) ? -1 : 1;
    double value = o->price * normal_below(sign * d1) - owed * normal_below(sign * d2);
    return f == NEGATED ? -sign * value : sign * value;
}

static double value_of(const struct option *o, bool put)
{
    struct option_value v = black_scholes(o);

    return put ? v.put : v.call;
}

/* So many places off an index may be; so many options are looked at for one thing wrong. */
enum { NEAR = 4, OTHERS = 64 };

static bool near(double got, double flawed, double right, double bound)
{
    return fabs(got - flawed) <= 4 * bound && fabs(flawed - right) > 16 * bound;
}

/* ---- N with another number in it ---- */

/* Of the lower tail, e^(-d²/2) / √(2 pi) times a polynomial in k = 1 / (1 + 0.2316419 |d|) without
 * a constant; or N(d) = (1 + erf(d / √2)) / 2. */
static const double in_tail[] = {0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429};
enum { TERMS = sizeof(in_tail) / sizeof(in_tail[0]), IN_K = TERMS, IN_ERF, NUMBERS };

/* With one of the numbers s times what it is. */
static double tail_by(double d, int number, double s)
{
    double k = 1 / (1 + (number == IN_K ? s : 1) * 0.2316419 * fabs(d)), power = 1, sum = 0;

    for (int i = 0; i < TERMS; i++)
        sum += (number == i ? s : 1) * in_tail[i] * (power *= k);
    return exp(-d * d / 2) / sqrt(2 * M_PI) * sum;
}

static double normal_by(double d, int number, double s)
{
    double more = number == IN_ERF ? 0 : tail_by(d, number, s) - tail_by(d, number, 1);

    return normal_below(number == IN_ERF ? s * d : d) + (d > 0 ? -more : more);
}

static double price_by(const struct option *o, bool put, int number, double s)
{
    double spread = o->volatility * sqrt(o->years), owed = o->strike * exp(-o->rate * o->years);
    double d1 =
        (log(o->price / o->strike) + (o->rate + o->volatility * o->volatility / 2) * o->years) /
        spread;
    double call = o->price * normal_by(d1, number, s) - owed * normal_by(d1 - spread, number, s);

    return put ? call - o->price + owed : call;
}

/* The s between a quarter and four with which the price is this one; 1: there is none. */
static double number_for(const struct option *o, bool put, int number, double price)
{
    double low = 0.25, high = 4;
    bool below = price_by(o, put, number, low) < price;

    if (below == (price_by(o, put, number, high) < price))
        return 1;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        *((price_by(o, put, number, middle) < price) == below ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Of all options the one whose price goes with that number most. */
static struct option most_by(const struct lab_case *c, const void *const *inputs, bool put,
                             int number, uint64_t *at)
{
    double most = 0;

    *at = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        struct option o = option_of(c, inputs, i);
        double by =
            fabs(price_by(&o, put, number, 1.01) - price_by(&o, put, number, 1)) / bound(&o);

        if (by > most)
            most = by, *at = i;
    }
    return option_of(c, inputs, *at);
}

static bool all_by(const struct lab_case *c, const void *const *inputs, const float *got, bool put,
                   int number, double s)
{
    bool so = true;

    for (uint64_t i = 0; so && i < c->n; i++) {
        struct option o = option_of(c, inputs, i);
        double right = value_of(&o, put), its = price_by(&o, put, number, s);

        so = isnan(right) || fabs(got[i] - its) <= 4 * bound(&o) + 1e-5 * fabs(its - right);
    }
    return so;
}

enum { ENOUGH = 16 }; /* options, for what is so of all to be no chance */

static bool recognise_number(const struct lab_case *c, const void *const *inputs, const float *got,
                             bool put, char *words, size_t size)
{
    static const char *const names[NUMBERS] = {
        "0.319381530 in N's polynomial", "0.356563782 in N's polynomial",
        "1.781477937 in N's polynomial", "1.821255978 in N's polynomial",
        "1.330274429 in N's polynomial", "0.2316419 in N",
        "argument of N (of erf: d / √2)"};

    for (int number = 0; number < NUMBERS && c->n >= ENOUGH; number++) {
        uint64_t at;
        struct option o = most_by(c, inputs, put, number, &at);
        double s = number_for(&o, put, number, got[at]);

        if (!near(got[at], price_by(&o, put, number, s), value_of(&o, put), bound(&o)) ||
            !all_by(c, inputs, got, put, number, s))
            continue;
        snprintf(words, size, "the price with %.4g times the %s; so are all others", s,
                 names[number]);
        return true;
    }
    return false;
}

/* With one of an option's numbers taken from one of its neighbours. */
static bool recognise_mixed(const struct lab_case *c, const void *const *inputs, uint64_t i,
                            double got, bool put, char *words, size_t size)
{
    static const char *const names[] = {"price", "strike", "years"};
    struct option right = option_of(c, inputs, i);

    for (uint64_t j = i < NEAR ? 0 : i - NEAR; j < c->n && j <= i + NEAR; j++) {
        struct option other = option_of(c, inputs, j);
        struct option mixed[] = {right, right, right};

        mixed[0].price = other.price;
        mixed[1].strike = other.strike;
        mixed[2].years = other.years;
        for (int k = 0; k < 3 && j != i; k++) {
            double its = value_of(&mixed[k], put);

            if (its <= 16 * bound(&mixed[k]) ||
                !near(got, its, value_of(&right, put), bound(&mixed[k])))
                continue;
            snprintf(words, size, "the price with %s[%lu] in place of %s[%lu]", names[k], j,
                     names[k], i);
            return true;
        }
    }
    return false;
}

/* The first options are right or this, too, as far as they are some: one may be so by chance. */
static bool all_flawed(const struct lab_case *c, const void *const *inputs, const float *output,
                       bool put, enum flaw f)
{
    bool all = true;

    for (uint64_t i = 0; i < c->n && i < OTHERS && all; i++) {
        struct option o = option_of(c, inputs, i);
        double right = value_of(&o, put), is = flawed(&o, f, put), off = 16 * bound(&o);

        all = !isfinite(right) || !isfinite(output[i]) || !isfinite(is) ||
              fabs(output[i] - right) <= off || fabs(output[i] - is) <= off;
    }
    return all;
}

static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    struct option o = option_of(c, inputs, element);
    double got = ((const float *)output)[element], right = value_of(&o, b == PUT);

    (void)p;
    if (!strcmp(v->name, "move"))
        return false;
    if (isnan(right)) {
        snprintf(words, size,
                 "a number for what is no option: price %g, strike %g, years %g, volatility %g",
                 o.price, o.strike, o.years, o.volatility);
        return !isnan(got);
    }
    for (enum flaw f = 0; f < FLAWS; f++)
        if (near(got, flawed(&o, f, b == PUT), right, bound(&o)) &&
            all_flawed(c, inputs, output, b == PUT, f)) {
            snprintf(words, size, "%s", flaw_words[f]);
            return true;
        }
    for (uint64_t j = element < NEAR ? 0 : element - NEAR; j < c->n && j <= element + NEAR; j++) {
        struct option other = option_of(c, inputs, j);
        double its = value_of(&other, b == PUT);

        if (j != element && its > 16 * bound(&o) && near(got, its, right, bound(&o))) {
            snprintf(words, size, "the price of option %lu", j);
            return true;
        }
    }
    return recognise_mixed(c, inputs, element, got, b == PUT, words, size) ||
           recognise_number(c, inputs, output, b == PUT, words, size);
}

static const struct lab_column columns[] = {
    {"global", "sectors", "global_sectors"},
    {"special", "inst.", "sfu_ops"},
    {0},
};

/* clang-format off */
static const struct lab_prediction predictions[] = {
    {"us_move", "microseconds that a million options' bytes take, move on options=10^6", "1000 * ms", "move", "options=10^6", 0.2},
    {"us_pageable", "microseconds there and back, pageable on options=10^6", "1000 * ms", "pageable", "options=10^6", 0.2},
    {"us_pinned", "the same, pinned", "1000 * ms", "pinned", "options=10^6", 0.2},
    {"us_overlap", "the same, overlap", "1000 * ms", "overlap", "options=10^6", 0.2},
};
/* clang-format on */

static const struct lab_goal goals[] = {
    {"direct", "options=10^6", "thread_inst_fp64 == 0",
     "some of its arithmetic is in double precision"},
    {"strided", "options=10^6", "thread_inst_fp64 == 0",
     "some of its arithmetic is in double precision"},
    {"strided", "options=10^6", "n / threads <= 12",
     "its grid leaves most of an H200's places for threads empty"},
    {"strided", "options=10^6", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {"fast", "options=10^6", "thread_inst_fp64 == 0",
     "some of its arithmetic is in double precision"},
    {"fast", "options=10^6", "thread_inst_executed_pred_on / n <= 90.9 + 20 * threads / n",
     "it takes over 15 % more instructions than ours, which takes 79 an option"},
    {"fast", "options=10^6", "div_ops <= 3 * warps + 0.1 * n / 32",
     "it divides the exact way, `/` or sqrtf(), more than three times a thread"},
    {"vector", "options=10^6", "thread_inst_fp64 == 0",
     "some of its arithmetic is in double precision"},
    {"vector", "options=10^6", "global_ld_bytes / global_ld_requests >= 256",
     "its loads are of 4 bytes a lane"},
    {"vector", "options=10^6", "global_st_bytes / global_st_requests >= 256",
     "its stores are of 4 bytes a lane"},
    {"pinned", "options=10^6", "ms / pageable.ms <= 0.35",
     "it gains less than pinned memory brings"},
    {"overlap", "options=10^6", "streams >= 2", "all of it is in one stream"},
    {"overlap", "options=10^6", "ms / pinned.ms < 1", "it gains nothing by overlap"},
    {0},
};

const struct lab lab_black_scholes = {
    .name = "black_scholes",
    .title = "Black-Scholes: a whole application, and what it waits for",
    .bytes_formula = "20 n (three numbers in, two out)",
    .flops_formula = NULL,
    .record_items = "blocks of the grid, of strided and fast",
    .param_name = "volatility",
    .tells_errors = true,
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .applies = applies,
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .compares = compared,
    .made = made,
    .term = term,
    .recognise = recognise,
    .extents = "n",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
