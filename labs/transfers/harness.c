/* harness.c - the transfers lab: variants, cases, CPU reference, launch plan.
 *
 * One kernel, six ways to bring it its data: a variant is a schedule of the student's
 * (device/schedule.cuh), which is checked here, and carried out by run/streams.c. Input and results
 * begin and end in memory of the host, of the kind that the variant is about.
 */
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/special.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

/* Above this many elements one in COMPARED_OF is compared; all others have to be possible. */
enum { FULL = 1 << 16, COMPARED_OF = 64 };

/* Elements that have to be explained alike, where so many are wrong. */
enum { SEVERAL = 8 };

/* What a variant is about: the memory, the number of streams, and whether each stream keeps to one
 * sort of step. */
struct rule {
    const char *name;
    enum host_memory memory;
    uint32_t streams_min, streams_max;
    bool one_sort;
};

/* clang-format off */
static const struct rule rules[] = {
    {"pageable",    PAGEABLE, 1, 1, false},
    {"pinned",      PINNED,   1, 1, false},
    {"mapped",      MAPPED,   1, SCHEDULE_STREAMS, false},
    {"managed",     MANAGED,  1, SCHEDULE_STREAMS, false},
    {"two_streams", PINNED,   2, 2, false},
    {"pipeline",    PINNED,   3, SCHEDULE_STREAMS, true},
};

/* What a variant is planned by where no file is: to try its cases. */
#define ON(s, do, chunk) {do, s, chunk, 1}
#define WHOLE(kind) {.memory = kind, .chunks = 1, .nsteps = 3, .steps = {ON(0, DO_COPY_IN, 0), ON(0, DO_KERNEL, 0), ON(0, DO_COPY_OUT, 0)}}
static const struct schedule by_pageable = WHOLE(PAGEABLE), by_pinned = WHOLE(PINNED), by_managed = WHOLE(MANAGED);
static const struct schedule by_mapped = {.memory = MAPPED, .chunks = 1, .nsteps = 1, .steps = {ON(0, DO_KERNEL, 0)}};
static const struct schedule by_two_streams = {.memory = PINNED, .chunks = 2, .nsteps = 6, .steps = {
    ON(0, DO_COPY_IN, 0), ON(0, DO_KERNEL, 0), ON(0, DO_COPY_OUT, 0), ON(1, DO_COPY_IN, 1), ON(1, DO_KERNEL, 1), ON(1, DO_COPY_OUT, 1)}};
static const struct schedule by_pipeline = {.memory = PINNED, .chunks = 1, .nsteps = 7, .steps = {
    ON(0, DO_COPY_IN, 0), ON(0, DO_RECORD, 0), ON(1, DO_WAIT, 0), ON(1, DO_KERNEL, 0), ON(1, DO_RECORD, 1), ON(2, DO_WAIT, 1), ON(2, DO_COPY_OUT, 0)}};

#define SCHEDULED(by) .kernels = "work", .has_schedule = true, .record = {.block_x = BLOCK, .block_y = 1, .schedule = &by}
static const struct lab_variant variants[] = {
    {.name = "pageable", .number = "1", .what = "one stream, ordinary memory of the host", SCHEDULED(by_pageable)},
    {.name = "pinned", .number = "2", .what = "one stream, pinned memory", SCHEDULED(by_pinned)},
    {.name = "mapped", .number = "3", .what = "no copies: the kernel uses the host's memory", SCHEDULED(by_mapped)},
    {.name = "managed", .number = "4", .what = "managed memory, moved when touched or before", SCHEDULED(by_managed)},
    {.name = "two_streams", .number = "5", .what = "in chunks over two streams", SCHEDULED(by_two_streams)},
    {.name = "pipeline", .number = "6", .what = "a stream for each sort of step, with events", SCHEDULED(by_pipeline)},
};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define WORK(id, count, rounds, flag) {.name = id, .n = count, .k = rounds, .dtype = DT_F32, .flags = flag}
static const struct lab_case cases[] = {
    WORK("n=1003", 1003, 7, CHECK | CASE_SPECIAL),
    WORK("n=2^20", 1 << 20, 128, SMALL),
    WORK("n=2^26", 1 << 26, 128, LARGE),
    WORK("copy-n=1", 1, 1, CHECK | CASE_TIME),
    WORK("copy-n=2^8", 1 << 8, 1, CHECK | CASE_TIME),
    WORK("copy-n=2^12", 1 << 12, 1, CHECK | CASE_TIME),
    WORK("copy-n=2^16", 1 << 16, 1, CHECK | CASE_TIME),
    WORK("copy-n=2^20", 1 << 20, 1, CHECK | CASE_TIME),
    WORK("copy-n=2^22", 1 << 22, 1, LARGE),
    WORK("copy-n=2^24", 1 << 24, 1, LARGE),
    WORK("copy-n=2^26", 1 << 26, 1, LARGE),
    WORK("copy-n=2^28", 1 << 28, 1, LARGE),
};
/* clang-format on */

static const struct rule *rule_of(const struct lab_variant *v)
{
    const struct rule *r = rules;

    while (strcmp(r->name, v->name))
        r++;
    return r;
}

/* ---- what a variant asks of its schedule ---- */

static bool keeps_to_one_sort(const struct schedule *s, char *err, size_t errsize)
{
    static const char *const words[] = {"", "copies in", "kernels", "copies out"};
    uint32_t sort[SCHEDULE_STREAMS] = {0};

    for (uint32_t i = 0; i < s->nsteps; i++) {
        const struct schedule_step *x = &s->steps[i];

        if (x->what > DO_COPY_OUT)
            continue;
        if (sort[x->stream] && sort[x->stream] != x->what) {
            snprintf(
                err, errsize,
                "step %u: stream %u has %s already; here each stream keeps to one sort of step", i,
                x->stream, words[sort[x->stream]]);
            return false;
        }
        sort[x->stream] = x->what;
    }
    return true;
}

static uint32_t streams_of(const struct schedule *s)
{
    bool used[SCHEDULE_STREAMS] = {false};
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->nsteps; i++) {
        n += s->steps[i].what <= DO_COPY_OUT && !used[s->steps[i].stream];
        used[s->steps[i].stream] |= s->steps[i].what <= DO_COPY_OUT;
    }
    return n;
}

/* Which steps there have to be hangs on the memory: it is asked for first. What is none,
 * schedule_check() says. */
static bool keeps_memory(const struct rule *r, const struct schedule *s, char *err, size_t errsize)
{
    if (s->memory == r->memory || s->memory >= HOST_MEMORIES)
        return true;
    snprintf(err, errsize, "%s is about %s memory, this is %s", r->name,
             host_memory_names[r->memory], host_memory_names[s->memory]);
    return false;
}

static bool keeps_rule(const struct rule *r, const struct schedule *s, char *err, size_t errsize)
{
    uint32_t n = streams_of(s);

    if (n < r->streams_min || n > r->streams_max) {
        snprintf(err, errsize, "%u stream%s at work; %s has %s%u", n, n == 1 ? "" : "s", r->name,
                 r->streams_max == SCHEDULE_STREAMS ? "at least " : "", r->streams_min);
        return false;
    }
    return !r->one_sort || keeps_to_one_sort(s, err, errsize);
}

/* ---- plan ---- */

static const struct lab_buffer buffers[] = {{.name = "in", .role = BUF_INPUT, .dtype = DT_F32},
                                            {.name = "out", .role = BUF_OUTPUT, .dtype = DT_F32}};
enum { IN, OUT, BUFFERS };

static void add_launch(struct plan *p, const struct lab_case *c, uint64_t offset, uint64_t count)
{
    struct plan_step *s = &p->steps[p->nsteps++];

    lab_name(s->kernel, sizeof(s->kernel), "work");
    s->block[0] = BLOCK;
    s->grid[0] = (uint32_t)((count + BLOCK - 1) / BLOCK);
    s->block[1] = s->block[2] = s->grid[1] = s->grid[2] = 1;
    for (int b = 0; b < BUFFERS; b++)
        s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = b, .offset = offset};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)count};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->k};
}

/* A chunk that has no elements, of a small n, is left out; events stay. */
static void add_op(struct plan *p, const struct lab_case *c, const struct schedule *s,
                   const struct schedule_step *x)
{
    static const enum op_kind kinds[] = {[DO_COPY_IN] = OP_COPY_IN,
                                         [DO_KERNEL] = OP_LAUNCH,
                                         [DO_COPY_OUT] = OP_COPY_OUT,
                                         [DO_RECORD] = OP_RECORD,
                                         [DO_WAIT] = OP_WAIT};
    struct plan_op o = {.kind = kinds[x->what], .stream = x->stream};

    if (x->what >= DO_RECORD) {
        o.event = x->first;
    } else {
        schedule_range(s, x, c->n, &o.offset, &o.count);
        if (!o.count)
            return;
        o.index = x->what == DO_KERNEL ? p->nsteps : x->what == DO_COPY_IN ? IN : OUT;
        if (x->what == DO_KERNEL)
            add_launch(p, c, o.offset, o.count);
    }
    p->ops[p->nops++] = o;
}

static bool usable(const struct lab_case *c, char *err, size_t errsize)
{
    if (c->dtype != DT_F32)
        snprintf(err, errsize, "%s: the kernel is for f32", c->name);
    else if (c->n == 0 || c->n > 1u << 30 || c->k > 1 << 20)
        snprintf(err, errsize, "%s: n is 1 to 2^30 here, k at most 2^20", c->name);
    else
        return true;
    return false;
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    const struct schedule *s = r->schedule;

    (void)d;
    if (!s)
        snprintf(err, errsize, "%s: there is no schedule", v->name);
    if (!s || !usable(c, err, errsize) || !keeps_memory(rule_of(v), s, err, errsize) ||
        !schedule_check(s, err, errsize) || !keeps_rule(rule_of(v), s, err, errsize))
        return false;
    memset(p, 0, sizeof(*p));
    p->memory = (enum host_memory)s->memory;
    for (int b = 0; b < BUFFERS; b++) {
        p->buffers[p->nbuffers] = buffers[b];
        p->buffers[p->nbuffers++].count = c->n;
    }
    for (uint32_t i = 0; i < s->nsteps; i++)
        add_op(p, c, s, &s->steps[i]);
    p->bytes = 8.0 * (double)c->n;
    return true;
}

/* ---- inputs, reference ---- */

/* Numbers that a = 1 and its like say nothing of: those between 0 and 0.75, of either sign, of any
 * size, and some that are huge, tiny or 0. */
static void add_special(float *f, uint64_t n, uint64_t stream)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = random_u64(~stream, i);

        if (r % 8 == 0)
            f[i] = 0.75f * random_f32(~stream, i);
        if (r % 8 == 1)
            f[i] = ldexpf(random_f32(~stream, i), (int)(r / 8 % 64) - 32);
    }
    special_sprinkle(DT_F32, SPECIAL_FINITE, stream, n, f);
}

/* From 0.75 on the steps never come to rest: x² - 1.5 x + a has no root. Of 0 a step makes no
 * number; some are 0 where all are compared. */
static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b);
    float *f = data;

    for (uint64_t i = 0; i < p->buffers[b].count; i++) {
        uint64_t which = random_u64(stream, ~i) % 16;

        f[i] = 1.0f + 0.25f * random_f32(stream, i);
        if (which < 4) /* these come to rest within some steps, and the others never */
            f[i] = which ? -f[i] : 64 * f[i];
        if (c->n <= FULL && (which == 2 || which == 3)) /* at rest after thousands of steps only */
            f[i] *= (float)(256 << random_u64(stream, ~i) / 1024 % 13);
        if (c->n <= FULL && random_u64(stream, ~i) / 16 % 64 == 0)
            f[i] = 0;
    }
    if (c->flags & CASE_SPECIAL && c->n <= FULL)
        add_special(f, p->buffers[b].count, stream);
}

static float steps(float a, uint64_t k)
{
    float x = a;

    while (k--)
        x = 1.5f - a / x;
    return x;
}

static bool compared(const struct lab_case *c, uint64_t i)
{
    return c->n <= FULL || i + 64 > c->n || random_u64(c->seed, i) % COMPARED_OF == 0;
}

/* Exact: a division and a subtraction are rounded there as here. Of some millions one ends at
 * infinity, from an x of 0: such ones are not compared. */
static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    const float *in = inputs[IN];
    float *out = expected[OUT];

    (void)p, (void)v;
    for (uint64_t i = 0; i < c->n; i++) {
        bool now = compared(c, i);

        if (!lab_asks(c, OUT, i))
            continue;
        out[i] = now ? steps(in[i], c->k) : 0;
        now = now && !isinf(out[i]);
        out[i] = now ? out[i] : 0;
        tolerance[OUT][i] = now ? 0 : INFINITY;
    }
}

/* ---- why is it wrong? ---- */

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v, (void)c;
    return MADE_OTHERWISE;
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    (void)p, (void)v, (void)c;
    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{IN, element}}};
    return t < 1;
}

/* The one element whose result this is; n: that of none, or of several. */
static uint64_t only_source(const float *results, uint64_t n, float got)
{
    uint64_t source = n;

    for (uint64_t j = 0; j < n; j++) {
        if (results[j] != got)
            continue;
        if (source < n)
            return n;
        source = j;
    }
    return source;
}

/* Another element's result. One value may be so by chance, as many elements come to rest at the
 * same: others that are wrong, of other values, have to be other elements' results as well. */
static bool recognise_other(const struct lab_case *c, const float *in, const float *out,
                            uint64_t element, char *words, size_t size)
{
    float *results = c->n <= FULL ? calloc(c->n + 1, sizeof(*results)) : NULL;
    uint64_t source = c->n, wrong = 0, others = 0;
    bool so = results;

    for (uint64_t j = 0; results && j < c->n; j++)
        results[j] = steps(in[j], c->k);
    if (results)
        source = only_source(results, c->n, out[element]);
    for (uint64_t i = 0; so && i < c->n && others < SEVERAL; i++) {
        if (out[i] == results[i] || (isnan(out[i]) && isnan(results[i])))
            continue;
        wrong++;
        if (out[i] == out[element])
            continue;
        others++;
        so = only_source(results, c->n, out[i]) < c->n;
    }
    so = so && source < c->n && source != element && (others || wrong == 1);
    if (so)
        snprintf(words, size, "the result of in[%lu]", source);
    free(results);
    return so;
}

static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    const float *in = inputs[IN];
    float got = ((const float *)output)[element];

    (void)p, (void)v, (void)b;
    float x = in[element];
    for (uint64_t k = 0; k <= c->k + 4; k++, x = 1.5f - in[element] / x)
        if (k != c->k && x == got && in[element] != 0) {
            snprintf(words, size, "in[%lu] after %lu steps, not %lu", element, k, c->k);
            return true;
        }
    return recognise_other(c, in, output, element, words, size);
}

static const struct lab_column columns[] = {
    {"copies", "made", "copies"},
    {"streams", "used", "streams"},
    {"kernels", "run", "launches"},
    {0},
};

/* clang-format off */
static const struct lab_prediction predictions[] = {
    {"us_nothing", "microseconds that one element takes, pinned on copy-n=1", "1000 * ms", "pinned", "copy-n=1", 0.3},
    {"us_pageable", "microseconds, pageable on copy-n=2^20", "1000 * ms", "pageable", "copy-n=2^20", 0.3},
    {"us_pinned", "the same, pinned", "1000 * ms", "pinned", "copy-n=2^20", 0.2},
    {"us_mapped", "the same, mapped", "1000 * ms", "mapped", "copy-n=2^20", 0.2},
};
/* clang-format on */

static const struct lab_goal goals[] = {
    {"mapped", "n=2^20", "launches <= 1", "it launches in pieces, and there is no copy to overlap"},
    {"managed", "n=2^20", "bytes_in >= 4 * n",
     "not all of its pages are moved before the kernel touches them"},
    {"managed", "n=2^20", "bytes_out >= 4 * n",
     "not all of its pages are moved back before they are read"},
    {"two_streams", "n=2^20", "streams >= 2", "all of it is in one stream"},
    {"pipeline", "n=2^20", "streams >= 3", "there is no stream for each sort of step"},
    {"two_streams", "n=2^20", "ms / pinned.ms <= 0.88",
     "it gains too little over one stream: what waits for more than it needs?"},
    {"pipeline", "n=2^20", "ms / pinned.ms <= 0.82",
     "it gains too little over one stream: what waits for more than it needs?"},
    {0},
};

const struct lab lab_transfers = {
    .name = "transfers",
    .title = "Transfers: what it costs to bring data, and how to hide it",
    .bytes_formula = "8 n (4 n to the device, 4 n back)",
    .flops_formula = "",
    .record_items = "not used",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .compares = compared,
    .made = made,
    .term = term,
    .recognise = recognise,
    .extents = "nk",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
