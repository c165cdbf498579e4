/* harness.c - the latency lab: variants, cases, CPU reference, launch plan.
 *
 * Five experiments share the lab; a case's `op` says which one it belongs to. In three of them
 * the work stays the same while the number of warps that an SM can switch between does not:
 * arithmetic (steps of x*x + c), loads (walks along a list), and a copy. In the other two the
 * student's kernel works out what an SM would do: how many blocks fit it, and which block runs
 * where and when.
 *
 * How many warps an SM has is a case's `param`, of a device with SMS multiprocessors.
 */
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/special.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum experiment { ARITHMETIC, WALK, COPY, FIT, SCHEDULE };
enum { SMS = 132, WARP = 32, MANY = 4 };
enum { COPY_BLOCK = 256, KIB = 1024, RESERVED = 1 * KIB }; /* an SM keeps 1 KiB a block */

/* Flags of variants: the experiment, and whether a thread has one piece of work or MANY. */
enum { EXPERIMENT = 15, IN_PARALLEL = 16 };

/* So many walks, kernels or blocks that are explained by one rule are no chance. */
enum { ENOUGH = 16 };

/* Elements of a ring, on average, where a list is of several. */
enum { RING = 37 };

/* Elements of a copy among which some are special. */
enum { STRETCH = 1 << 12 };

/* Above this many numbers one in COMPARED_OF is compared; all others have to be possible. */
enum { FULL = 1 << 16, COMPARED_OF = 16 };

#define FLAT .record = {.block_x = 128, .block_y = 1}

/* clang-format off */
static const struct lab_variant variants[] = {
    {.name = "steps_1", .number = "1", .what = "one chain of multiply-adds a thread", FLAT, .flags = ARITHMETIC},
    {.name = "steps_4", .number = "2", .what = "four chains a thread", FLAT, .flags = ARITHMETIC | IN_PARALLEL},
    {.name = "walk_1", .number = "3", .what = "one walk along a list a thread", FLAT, .flags = WALK},
    {.name = "walk_4", .number = "4", .what = "four walks a thread", FLAT, .flags = WALK | IN_PARALLEL},
    {.name = "copy_1", .number = "5", .what = "copy, one element a thread", FLAT, .flags = COPY},
    {.name = "copy_4", .number = "6", .what = "copy, four elements a thread", FLAT, .flags = COPY | IN_PARALLEL},
    {.name = "blocks_fit", .number = "7", .what = "how many blocks an SM can hold", FLAT, .flags = FIT},
    {.name = "schedule", .number = "8", .what = "which block runs where, and when", FLAT, .flags = SCHEDULE},
};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define ON_SMS(w) (uint64_t)SMS * WARP * (w)
#define STEPS(id, count, rounds, w, flag) {.name = id, .n = count, .k = rounds, .param = w, .dtype = DT_F32, .op = ARITHMETIC, .flags = flag}
#define STEPS_OF(w) \
    STEPS("steps-warps=" #w, ON_SMS(w), 256, w, SMALL), STEPS("steps-warps=" #w "-k=4096", ON_SMS(w), 4096, w, LARGE)
#define WALKS(id, count, length, rounds, w, flag) {.name = id, .n = count, .m = length, .k = rounds, .param = w, .dtype = DT_U32, .op = WALK, .flags = flag}
#define WALKS_OF(w) \
    WALKS("walk-warps=" #w, ON_SMS(w), 1 << 20, 16, w, SMALL), WALKS("walk-warps=" #w "-m=2^25", ON_SMS(w), 1 << 25, 64, w, LARGE)
#define COPIES(id, count, w, flag) {.name = id, .n = count, .param = w, .dtype = DT_F32, .op = COPY, .flags = flag}
#define COPIES_OF(w) \
    COPIES("copy-warps=" #w, 1 << 20, w, SMALL), COPIES("copy-warps=" #w "-n=2^26", 1 << 26, w, LARGE)
#define KERNELS(id, count, flag) {.name = id, .n = count, .dtype = DT_U32, .op = FIT, .flags = flag}
#define GRIDS(id, count, blocks, flag) {.name = id, .n = count, .k = blocks, .dtype = DT_U32, .op = SCHEDULE, .flags = flag}

static const struct lab_case cases[] = {
    STEPS("steps-n=1", 1, 1, 0, CHECK),
    STEPS("steps-n=1003", 1003, 33, 0, CHECK),
    STEPS_OF(4), STEPS_OF(8), STEPS_OF(16), STEPS_OF(32), STEPS_OF(64),

    WALKS("walk-n=1", 1, 1, 1, 0, CHECK),
    WALKS("walk-n=1003", 1003, 256, 7, 0, CHECK),
    WALKS("walk-rings", 203, 300, 433, 0, CHECK | CASE_SPECIAL),
    WALKS("walk-in-L1", ON_SMS(4), 1 << 12, 64, 4, SMALL), WALKS("walk-in-L1-k=256", ON_SMS(4), 1 << 12, 256, 4, LARGE),
    WALKS("walk-in-L2-k=256", ON_SMS(4), 1 << 20, 256, 4, LARGE),
    WALKS_OF(4), WALKS_OF(8), WALKS_OF(16), WALKS_OF(32), WALKS_OF(64),

    COPIES("copy-n=1", 1, 8, CHECK),
    COPIES("copy-n=5003", 5003, 16, CHECK),
    COPIES_OF(8), COPIES_OF(16), COPIES_OF(32), COPIES_OF(64),

    KERNELS("kernels=1", 1, CHECK),
    KERNELS("kernels=1000", 1000, CHECK),
    GRIDS("grids=1", 1, 1000, CHECK),
    GRIDS("grids=300", 300, 37, CHECK),
};
/* clang-format on */

static enum experiment experiment_of(const struct lab_case *c)
{
    return (enum experiment)c->op;
}

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return (v->flags & EXPERIMENT) == experiment_of(c);
}

/* ---- plan ---- */

/* What a kernel and an SM are described by, in this order: as in the student's file. */
enum {
    THREADS,
    REGISTERS,
    SHARED,
    SM_THREADS,
    SM_BLOCKS,
    SM_REGISTERS,
    REGISTER_UNIT,
    SM_SHARED,
    SHARED_UNIT,
    SHARED_RESERVED,
    FACTS
};

static void add_buffers(struct plan *p, const struct lab_buffer *buffers, int count)
{
    memcpy(p->buffers, buffers, (size_t)count * sizeof(*buffers));
    p->nbuffers = count;
}

#define BUFFER(id, r, t, n)                                                                        \
    {                                                                                              \
        .name = id, .role = r, .dtype = t, .count = n                                              \
    }
enum { START = 4 }; /* of the schedule's buffers */
/* The buffers of each experiment, inputs first; a kernel gets them in this order. */
static void plan_buffers(struct plan *p, const struct lab_case *c)
{
    const struct lab_buffer steps[] = {BUFFER("x", BUF_INPUT, DT_F32, c->n),
                                       BUFFER("c", BUF_INPUT, DT_F32, c->n),
                                       BUFFER("out", BUF_OUTPUT, DT_F32, c->n)};
    const struct lab_buffer walk[] = {BUFFER("next", BUF_INPUT, DT_U32, c->m),
                                      BUFFER("out", BUF_OUTPUT, DT_U32, c->n)};
    const struct lab_buffer copy[] = {BUFFER("in", BUF_INPUT, DT_F32, c->n),
                                      BUFFER("out", BUF_OUTPUT, DT_F32, c->n)};
    const struct lab_buffer fit[] = {BUFFER("facts", BUF_INPUT, DT_U32, FACTS * c->n),
                                     BUFFER("out", BUF_OUTPUT, DT_U32, c->n)};
    const struct lab_buffer schedule[] = {BUFFER("sms", BUF_INPUT, DT_U32, c->n),
                                          BUFFER("places", BUF_INPUT, DT_U32, c->n),
                                          BUFFER("cycles", BUF_INPUT, DT_U32, c->n * c->k),
                                          BUFFER("sm", BUF_OUTPUT, DT_U32, c->n * c->k),
                                          BUFFER("start", BUF_OUTPUT, DT_U32, c->n * c->k)};

#define ADD(buffers) add_buffers(p, buffers, (int)(sizeof(buffers) / sizeof((buffers)[0])))
    switch (experiment_of(c)) {
    case ARITHMETIC:
        ADD(steps);
        break;
    case WALK:
        ADD(walk);
        break;
    case COPY:
        ADD(copy);
        break;
    case FIT:
        ADD(fit);
        break;
    case SCHEDULE:
        ADD(schedule);
        break;
    }
#undef ADD
#undef BUFFER
}

static uint32_t at_least(uint32_t x, uint32_t least)
{
    return x < least ? least : x;
}

/* Threads of a block. Where the SM's warps are given: a block an SM, of all of them, or as few
 * blocks as can hold them, so that the work is spread over all SMs alike. */
static uint32_t block_of(const struct lab_variant *v, const struct lab_case *c,
                         const struct launch_record *r)
{
    uint32_t threads = WARP * (uint32_t)c->param;

    if (experiment_of(c) == COPY)
        return COPY_BLOCK;
    if (!c->param || experiment_of(c) == FIT || experiment_of(c) == SCHEDULE)
        return r->block_x;
    if (threads > 1024)
        threads = 1024;
    return v->flags & IN_PARALLEL ? at_least(threads / MANY, WARP) : threads;
}

/* So much shared memory for a block that an SM holds `warps` warps of such blocks. */
static uint32_t shared_of(const struct lab_case *c, const struct device_limits *d)
{
    uint32_t blocks = (uint32_t)c->param * WARP / COPY_BLOCK;
    uint32_t most = d->shared_per_block + RESERVED;

    return blocks ? most / KIB / blocks * KIB - RESERVED : 0;
}

static bool usable(const struct lab_case *c, char *err, size_t errsize)
{
    static const enum dtype types[] = {[ARITHMETIC] = DT_F32,
                                       [WALK] = DT_U32,
                                       [COPY] = DT_F32,
                                       [FIT] = DT_U32,
                                       [SCHEDULE] = DT_U32};

    if (c->dtype != types[c->op])
        snprintf(err, errsize, "%s: these kernels are for %s", c->name, dtype_name(types[c->op]));
    else if (c->n == 0 || c->n > 1u << 30 || c->k > 1 << 20)
        snprintf(err, errsize, "%s: n is 1 to 2^30 here, k at most 2^20", c->name);
    else if (experiment_of(c) == WALK && (!c->m || c->m > 1u << 30))
        snprintf(err, errsize, "%s: a list's length m is 1 to 2^30", c->name);
    else if (c->param < 0 || c->param > 64)
        snprintf(err, errsize, "%s: an SM has 1 to 64 warps; 0: a block as usual", c->name);
    else if (experiment_of(c) == COPY && (!c->param || c->param % (COPY_BLOCK / WARP)))
        snprintf(err, errsize, "%s: the copy's blocks have %d warps: 8, 16, … 64 an SM", c->name,
                 COPY_BLOCK / WARP);
    else if (experiment_of(c) == SCHEDULE && !c->k)
        snprintf(err, errsize, "%s: a grid has at least one block (k)", c->name);
    else
        return true;
    return false;
}

static void plan_step(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      uint32_t block, uint32_t shared_bytes)
{
    struct plan_step *s = &p->steps[p->nsteps++];
    uint64_t threads = v->flags & IN_PARALLEL ? (c->n + MANY - 1) / MANY : c->n;

    lab_name(s->kernel, sizeof(s->kernel), "%s", v->name);
    s->block[0] = block;
    s->grid[0] = (uint32_t)((threads + block - 1) / block);
    s->block[1] = s->block[2] = s->grid[1] = s->grid[2] = 1;
    s->shared_bytes = shared_bytes;
    for (int b = 0; b < p->nbuffers; b++)
        s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = b};
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->n};
    if (experiment_of(c) == WALK)
        s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->m};
    if (experiment_of(c) != COPY && experiment_of(c) != FIT)
        s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->k};
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    uint32_t block = block_of(v, c, r);

    if (!usable(c, err, errsize))
        return false;
    if (!block || block > d->max_threads_per_block) {
        snprintf(err, errsize, "%s: a block of %u threads; this device allows 1 to %u", v->name,
                 block, d->max_threads_per_block);
        return false;
    }
    memset(p, 0, sizeof(*p));
    plan_buffers(p, c);
    if (experiment_of(c) == ARITHMETIC)
        p->flops = 2.0 * (double)c->n * (double)c->k;
    if (experiment_of(c) == WALK)
        p->bytes = 4.0 * (double)c->n * (double)c->k;
    if (experiment_of(c) == COPY)
        p->bytes = 8.0 * (double)c->n;
    plan_step(p, v, c, block, experiment_of(c) == COPY ? shared_of(c, d) : 0);
    return true;
}

/* ---- inputs ---- */

/* A permutation of 0 … m-1, m = 2^bits: it makes a list's random order, a place at a time. */
static uint32_t place(uint64_t seed, uint32_t m, uint32_t i)
{
    uint32_t mask = m - 1, shift = 1;

    while (m >> (2 * shift))
        shift++;
    for (uint64_t round = 0; round < 3; round++) {
        uint64_t r = random_u64(seed, round);

        i = (i * (uint32_t)(r | 1) + (uint32_t)(r >> 32)) & mask;
        i ^= i >> shift;
    }
    return i & mask;
}

/* One list through all m elements, in an order that the seed draws: that of the next power of two,
 * what is beyond m left out. In several rings, the list closes now and then: no ring's length then
 * tells where a walk is after as many steps. */
static void make_list(uint32_t *next, uint64_t m, bool rings, uint64_t seed)
{
    uint32_t all = 1, here = UINT32_MAX, first = 0;

    while (all < m)
        all *= 2;
    for (uint32_t i = 0; i < all; i++) {
        uint32_t there = place(seed, all, i);

        if (there >= m)
            continue;
        if (rings && here != UINT32_MAX && random_u64(~seed, i) % RING == 0) {
            next[here] = first;
            here = UINT32_MAX;
        }
        if (here == UINT32_MAX)
            first = there;
        else
            next[here] = there;
        here = there;
    }
    next[here] = first;
}

/* Of a kernel what programs have, and sometimes more than there is; of an SM what a generation
 * of them has or had: G80, GTX 980, A100, H200; one in four is none of these. */
static void make_facts(uint32_t *facts, uint64_t seed, uint64_t i)
{
    static const uint32_t sms[][FACTS - SM_THREADS] = {
        {768, 8, 8192, 256, 16 * KIB, 512, 0},
        {2048, 32, 65536, 256, 96 * KIB, 256, 0},
        {2048, 32, 65536, 256, 164 * KIB, 128, 1 * KIB},
        {2048, 32, 65536, 256, 228 * KIB, 128, 1 * KIB},
    };
    uint64_t r = random_u64(seed, 2 * i), more = random_u64(seed, 2 * i + 1);
    uint64_t other = random_u64(~seed, i);
    const uint32_t *sm = sms[r % 4];

    facts[THREADS] = 1 + (uint32_t)(r >> 8) % (sm[0] < 1024 ? 512 : 1024);
    if (r >> 2 & 1)
        facts[THREADS] = (facts[THREADS] + WARP - 1) / WARP * WARP;
    facts[REGISTERS] = 8 + (uint32_t)(r >> 24) % (more & 1 ? 40 : 248);
    facts[SHARED] = more >> 1 & 1 ? (uint32_t)(more >> 8) % (sm[4] / 4)
                                  : (uint32_t)(more >> 8) % (sm[4] + sm[4] / 8);
    if ((more >> 2 & 3) == 0)
        facts[SHARED] = 0;
    memcpy(facts + SM_THREADS, sm, sizeof(sms[0]));
    if ((more >> 4 & 3) == 0) {
        /* as much as lets so many blocks fit, or a byte more */
        facts[THREADS] = 1 + facts[THREADS] % 128;
        facts[SHARED] = sm[4] / (1 + (uint32_t)(more >> 8) % 8) / sm[5] * sm[5] - sm[6];
        facts[SHARED] += more >> 6 & 1;
    }
    if (other % 4 == 0) { /* an SM that nobody has built */
        facts[SM_THREADS] -= (uint32_t)(other >> 48) % 8 * WARP;
        if (other >> 3 & 1) /* some take fewer threads than a block has */
            facts[SM_THREADS] = WARP * (1 + (uint32_t)(other >> 52) % 32);
        facts[SM_BLOCKS] = 4 + (uint32_t)(other >> 8) % 40;
        facts[SM_REGISTERS] -= (uint32_t)(other >> 16) % 8 * 512;
        facts[REGISTER_UNIT] = 64 * (1 + (uint32_t)(other >> 24) % 16);
        facts[SHARED_UNIT] = 64 * (1 + (uint32_t)(other >> 32) % 16);
        facts[SHARED_RESERVED] = (uint32_t)(other >> 40) % 4 * 768;
        if (other >> 2 & 1) { /* and whose shared memory the system's parts fill, or nearly */
            facts[THREADS] = 1 + facts[THREADS] % 64;
            facts[REGISTERS] = 8 + facts[REGISTERS] % 40;
            facts[SHARED] = more >> 7 & 1 ? (uint32_t)(more >> 8) % 256 : 0;
            facts[SM_SHARED] =
                (1 + (uint32_t)(other >> 56) % 24) * (768 + (uint32_t)(more >> 32) % 2048);
        }
    }
}

/* So long does a block take. Of some grids there are few such times: more than one place becomes
 * free at once, also later than at the start. Of others they are long: as long as a grid of k
 * blocks can have them, one after the other, without its times' reaching 2^32. */
static uint32_t cycles_of(uint64_t seed, uint64_t grid, uint64_t k, uint64_t r)
{
    uint64_t kind = random_u64(~seed, grid) % 6;

    if (kind == 3)
        return 1 + (uint32_t)((r >> 32) % ((UINT32_MAX - 1) / k));
    return kind < 2 ? 100 * (1 + (uint32_t)(r >> 40) % 3)
                    : 1 + (uint32_t)(r >> 40) % (kind == 2 ? 100000 : 1000);
}

/* The number that is added in each step. With most a small difference grows; one in eight is any of
 * those with which x, which begins in -1 … 1, stays in -2 … 2: above 0 only beside a small x. Of a
 * special case another one in eight is of any size below, down to the least: x comes down to it. */
static float added(uint64_t seed, uint64_t i, float x, bool special)
{
    uint64_t r = random_u64(~seed, i), kind = r % 16;
    float f = random_f32(seed, i);

    if (kind == 0 && fabsf(x) < 0.5f)
        return 0.125f + 0.125f * f;
    if (special && kind >= 2 && kind < 4) {
        f = ldexpf(1 + 0.5f * f, -3 - (int)(r / 16 % 147));
        return r >> 63 && fabsf(x) < 0.5f ? f : -f;
    }
    return kind < 2 ? f - 1 : -1.75f + 0.125f * f;
}

/* Some of the numbers x, and what is added to them: of those that are all compared, for most x
 * leaves any bounds, or is no number. */
static void add_special_steps(float *f, uint64_t n, uint64_t seed, uint64_t stream)
{
    uint64_t length = (n + 3) / 4;

    special_fill(DT_F32, stream, length, f + random_u64(seed, n) % (n - length + 1));
}

/* In a stretch that begins anywhere: all of a million would take longer than the copy. */
static void add_special(float *f, uint64_t n, uint64_t seed)
{
    uint64_t length = n < STRETCH ? n : STRETCH;

    special_fill(DT_F32, seed, length, f + random_u64(seed, n) % (n - length + 1));
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    const struct lab_buffer *buffer = &p->buffers[b];
    uint64_t stream = random_u64(seed, (uint64_t)b);
    uint32_t *u = data, most = c->m && c->m < 8 ? (uint32_t)c->m : 8; /* SMs, and places of each */
    float *f = data;

    if (!strcmp(buffer->name, "next")) {
        make_list(u, buffer->count, c->flags & CASE_SPECIAL, stream);
        return;
    }
    for (uint64_t i = 0; i < buffer->count; i++) {
        uint64_t r = random_u64(stream, i);

        if (!strcmp(buffer->name, "facts")) {
            if (i % FACTS == 0)
                make_facts(u + i, stream, i);
        } else if (!strcmp(buffer->name, "cycles")) {
            u[i] = cycles_of(stream, i / c->k, c->k, r);
        } else if (buffer->dtype == DT_U32) {
            u[i] = 1 + (uint32_t)(r >> 40) % most;
        } else if (experiment_of(c) == ARITHMETIC && b == 1) {
            f[i] = added(stream, i, random_f32(random_u64(seed, 0), i), c->flags & CASE_SPECIAL);
        } else {
            f[i] = random_f32(stream, i);
        }
    }
    if (experiment_of(c) == COPY && c->flags & CASE_SPECIAL)
        add_special(f, buffer->count, stream);
    if (experiment_of(c) == ARITHMETIC && c->flags & CASE_SPECIAL && c->n <= FULL)
        add_special_steps(f, buffer->count, seed, stream);
}

/* ---- reference ---- */

static bool compared(const struct lab_case *c, uint64_t i)
{
    return c->n <= FULL || random_u64(c->seed, i) % COMPARED_OF == 0;
}

/* … of any of the experiments. */
static bool compares(const struct lab_case *c, uint64_t element)
{
    return experiment_of(c) != ARITHMETIC || compared(c, element);
}

static float steps(float x, float add, uint64_t k)
{
    while (k--)
        x = fmaf(x, x, add);
    return x;
}

/* Exact: a multiply-add is rounded once, there as here. */
static void reference_steps(const struct lab_case *c, const float *x, const float *add, float *out,
                            double *tolerance)
{
    for (uint64_t i = 0; i < c->n; i++) {
        tolerance[i] = 0;
        if (!lab_asks(c, 2, i))
            continue;
        if (!compared(c, i)) {
            out[i] = 0;
            tolerance[i] = 2; /* no x is further from 0 */
            continue;
        }
        out[i] = steps(x[i], add[i], c->k);
    }
}

static uint32_t walk(const uint32_t *next, uint32_t at, uint64_t k)
{
    while (k--)
        at = next[at];
    return at;
}

static void reference_walk(const struct lab_case *c, const uint32_t *next, uint32_t *out)
{
    for (uint64_t i = 0; i < c->n; i++)
        if (lab_asks(c, 1, i))
            out[i] = walk(next, (uint32_t)(i % c->m), c->k);
}

static uint32_t round_up(uint32_t x, uint32_t unit)
{
    return (x + unit - 1) / unit * unit;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t greatest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What can be forgotten in working out how many blocks fit. */
enum slip {
    NO_SLIP,
    THREADS_NOT_WARPS,
    THREADS_AS_THEY_ARE,
    WARPS_ROUNDED_DOWN,
    REGISTERS_BY_BLOCK,
    REGISTERS_NOT_ROUNDED,
    REGISTERS_OF_THREADS,
    REGISTERS_AS_THEY_ARE,
    SHARED_NOT_ROUNDED,
    RESERVE_BEHIND,
    NO_RESERVE,
    NO_RESERVE_ALONE,
    RESERVE_OF_SM,
    NO_THREADS,
    WARPS_64,
    NO_BLOCKS,
    BLOCKS_32,
    NO_REGISTERS,
    NO_SHARED,
    GREATER_OF_BOTH,
    AT_LEAST_ONE,
    SLIPS
};

/* The rules of the CUDA Occupancy Calculator, but for two: that a quarter of an SM has a quarter
 * of its registers, and that a G80 gives a block its registers in one piece. */
static uint32_t blocks_fit(const uint32_t *f, enum slip slip)
{
    uint32_t warps = (f[THREADS] + (slip == WARPS_ROUNDED_DOWN ? 0 : WARP - 1)) / WARP;
    uint32_t threads = slip == THREADS_NOT_WARPS ? f[THREADS] : warps * WARP;
    uint32_t unit = slip == REGISTERS_NOT_ROUNDED ? 1 : f[REGISTER_UNIT];
    uint32_t registers = slip == THREADS_NOT_WARPS || slip == REGISTERS_BY_BLOCK
                             ? round_up(threads * f[REGISTERS], unit)
                         : slip == REGISTERS_OF_THREADS ? round_up(f[THREADS] * f[REGISTERS], unit)
                         : slip == REGISTERS_AS_THEY_ARE
                             ? f[THREADS] * f[REGISTERS]
                             : warps * round_up(WARP * f[REGISTERS], unit);
    uint32_t once = slip == RESERVE_OF_SM ? least(f[SHARED_RESERVED], f[SM_SHARED]) : 0;
    uint32_t shared =
        f[SHARED] + (slip == NO_RESERVE || slip == RESERVE_OF_SM ? 0 : f[SHARED_RESERVED]);
    uint32_t fit = slip == NO_BLOCKS ? UINT32_MAX : slip == BLOCKS_32 ? 32 : f[SM_BLOCKS];

    if (slip == NO_RESERVE_ALONE && !f[SHARED])
        shared = 0;
    if (slip == RESERVE_BEHIND)
        shared = round_up(f[SHARED], f[SHARED_UNIT]) + f[SHARED_RESERVED];
    else if (slip != SHARED_NOT_ROUNDED)
        shared = round_up(shared, f[SHARED_UNIT]);
    if (slip == WARPS_64)
        fit = least(fit, warps ? 64 / warps : UINT32_MAX);
    else if (slip != NO_THREADS)
        fit = least(fit, threads
                             ? f[SM_THREADS] / (slip == THREADS_AS_THEY_ARE ? f[THREADS] : threads)
                             : UINT32_MAX);
    if (slip != NO_REGISTERS)
        fit = least(fit, registers ? f[SM_REGISTERS] / registers : UINT32_MAX);
    if (shared && slip != NO_SHARED)
        fit = slip == GREATER_OF_BOTH ? greatest(fit, f[SM_SHARED] / shared)
                                      : least(fit, (f[SM_SHARED] - once) / shared);
    return slip == AT_LEAST_ONE && fit == 0 ? 1 : fit;
}

/* How blocks are given out: as asked for, and otherwise. LAST_…: of equals the last. */
enum choice {
    MOST_FREE,
    LAST_OF_MOST,
    FIRST_FREE,
    LAST_FREE,
    FEWEST_FREE,
    START_ONLY,
    LAST_START_ONLY,
    FIRST_BY_PLACE,
    LAST_BY_PLACE,
    IN_TURNS,
    PLACES_IN_TURNS_BY_SM,
    RUNS_ROUNDED_UP,
    RUNS_ROUNDED_DOWN,
    RUNS_EVEN,
    LAST_PLACE_FIRST,
    ONE_AT_A_TIME,
    EXCHANGED,
    BY_SMS,
    LAST_BY_SMS,
    BY_PLACES,
    LAST_BY_PLACES,
    FROM_ZERO,
    CHOICES
};

enum { MOST_SMS = 8 }; /* and places of each */

struct gpu {
    enum choice how;
    uint32_t sms, places, now; /* now: when a place is free first */
    uint64_t blocks;
    uint32_t until[MOST_SMS * MOST_SMS];
};

/* Until when a place is taken. */
static uint32_t *until(struct gpu *g, uint32_t s, uint32_t p)
{
    if (g->how == BY_SMS || g->how == LAST_BY_SMS)
        return &g->until[s * g->sms + p];
    if (g->how == BY_PLACES || g->how == LAST_BY_PLACES)
        return &g->until[p * g->places + s];
    return &g->until[s * g->places + p];
}

/* Of an SM's places: how many are free, the first and the last of these; and when one is free
 * first, and when all are. */
struct look {
    uint32_t n_free, first, last, earliest, latest;
};

static struct look look_at(struct gpu *g, uint32_t s)
{
    struct look l = {.earliest = UINT32_MAX};

    for (uint32_t p = 0; p < g->places; p++) {
        uint32_t t = *until(g, s, p);

        l.earliest = least(l.earliest, t);
        l.latest = greatest(l.latest, t);
        if (t > g->now)
            continue;
        l.first = l.n_free++ ? l.first : p;
        l.last = p;
    }
    return l;
}

/* Which of the SMs block b runs on by a rule that asks nothing but its number. */
static uint64_t by_number(const struct gpu *g, uint64_t b)
{
    uint64_t run =
        g->how == RUNS_ROUNDED_UP ? (g->blocks + g->sms - 1) / g->sms : g->blocks / g->sms;

    switch (g->how) {
    case PLACES_IN_TURNS_BY_SM:
        return b / g->places % g->sms;
    case RUNS_ROUNDED_UP:
    case RUNS_ROUNDED_DOWN:
        return run && b / run < g->sms ? b / run : g->sms - 1;
    case RUNS_EVEN:
        return b * g->sms / g->blocks;
    default:
        return b % g->sms;
    }
}

/* The SM of the least rank gets block b. */
static uint64_t rank(struct gpu *g, uint32_t s, uint64_t b)
{
    struct look l = look_at(g, s);
    uint64_t none = UINT32_MAX;

    switch (g->how) {
    case FIRST_FREE:
    case LAST_FREE:
        return l.n_free ? 0 : none;
    case FEWEST_FREE:
        return l.n_free ? l.n_free : none;
    case START_ONLY:
    case LAST_START_ONLY:
        return !l.n_free ? none : g->now ? 0 : g->places - l.n_free;
    case FIRST_BY_PLACE:
        return l.n_free ? l.first : none;
    case LAST_BY_PLACE:
        return l.n_free ? g->places - l.last : none;
    case LAST_PLACE_FIRST:
        return l.latest;
    case IN_TURNS:
    case PLACES_IN_TURNS_BY_SM:
    case RUNS_ROUNDED_UP:
    case RUNS_ROUNDED_DOWN:
    case RUNS_EVEN:
        return s != by_number(g, b);
    default:
        return g->places - l.n_free;
    }
}

static bool takes_last(const struct gpu *g, bool sm)
{
    switch (g->how) {
    case LAST_OF_MOST:
    case LAST_FREE:
        return sm;
    case LAST_START_ONLY:
        return sm && g->now;
    case LAST_BY_PLACE:
        return true;
    case LAST_BY_SMS:
    case LAST_BY_PLACES:
        return !sm;
    default:
        return false;
    }
}

/* Which place of the SM: the first that is free first. */
static uint32_t place_of(struct gpu *g, uint32_t s, uint64_t b)
{
    uint32_t earliest = look_at(g, s).earliest, best = UINT32_MAX;

    if (g->how == PLACES_IN_TURNS_BY_SM)
        return (uint32_t)(b % g->places);
    for (uint32_t p = 0; p < g->places; p++)
        if (*until(g, s, p) == earliest && (best == UINT32_MAX || takes_last(g, false)))
            best = p;
    return best;
}

static void give(struct gpu *g, uint64_t b, uint32_t cycles, uint32_t *sm, uint32_t *start)
{
    uint32_t best = 0;

    g->now = UINT32_MAX;
    for (uint32_t s = 0; s < g->sms; s++)
        g->now = least(g->now, look_at(g, s).earliest);
    for (uint32_t s = 1; s < g->sms; s++)
        if (rank(g, s, b) < rank(g, best, b) + takes_last(g, true))
            best = s;

    uint32_t p = place_of(g, best, b);
    *sm = best;
    *start = *until(g, best, p);
    *until(g, best, p) = (g->how == FROM_ZERO ? 0 : *start) + cycles;
}

/* Blocks in their order, each to the place that is free first; where several are, to the SM with
 * the most free places, and of those to the first. Or by another rule. */
static void schedule(enum choice how, uint32_t sms, uint32_t places, const uint32_t *cycles,
                     uint64_t blocks, uint32_t *sm, uint32_t *start)
{
    struct gpu g = {.how = how,
                    .sms = least(sms, MOST_SMS),
                    .places = how == ONE_AT_A_TIME ? 1 : least(places, MOST_SMS),
                    .blocks = blocks};

    if (how == EXCHANGED) {
        g.sms = least(places, MOST_SMS);
        g.places = least(sms, MOST_SMS);
    }
    for (uint64_t b = 0; b < blocks; b++)
        give(&g, b, cycles[b], &sm[b], &start[b]);
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    (void)p, (void)v;
    switch (experiment_of(c)) {
    case ARITHMETIC:
        reference_steps(c, inputs[0], inputs[1], expected[2], tolerance[2]);
        break;
    case WALK:
        reference_walk(c, inputs[0], expected[1]);
        break;
    case COPY:
        memcpy(expected[1], inputs[0], c->n * sizeof(float));
        if (tolerance)
            tolerance[1] = NULL;
        break;
    case FIT:
        for (uint64_t i = 0; i < c->n; i++)
            ((uint32_t *)expected[1])[i] =
                blocks_fit((const uint32_t *)inputs[0] + i * FACTS, NO_SLIP);
        break;
    case SCHEDULE:
        for (uint64_t i = 0; i < c->n; i++)
            schedule(MOST_FREE, ((const uint32_t *)inputs[0])[i], ((const uint32_t *)inputs[1])[i],
                     (const uint32_t *)inputs[2] + i * c->k, c->k,
                     (uint32_t *)expected[3] + i * c->k, (uint32_t *)expected[4] + i * c->k);
        break;
    }
}

/* ---- why is it wrong? ---- */

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v;
    return experiment_of(c) == COPY         ? MADE_SUM
           : experiment_of(c) == ARITHMETIC ? MADE_OTHERWISE
                                            : MADE_UNKNOWN;
}

/* Of a copy the element, of a chain its number and constant; not known of the others. */
static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    (void)p, (void)v;
    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{(int)t, element}}};
    return made(v, c) != MADE_UNKNOWN && t < (experiment_of(c) == COPY ? 1 : 2);
}

static float steps_rounded_twice(float x, float add, uint64_t k)
{
    while (k--) {
        volatile float square = x * x; /* or the compiler makes one multiply-add of the two */

        x = square + add;
    }
    return x;
}

static float steps_rounded_last(float x, float add, uint64_t k)
{
    double wide = (double)x;

    while (k--)
        wide = wide * wide + (double)add;
    return (float)wide;
}

/* A number after hundreds of steps is like no other: one that is the same came the same way. */
static bool recognise_steps(const struct lab_case *c, const float *x, const float *add, float got,
                            uint64_t i, char *words, size_t size)
{
    if (steps_rounded_twice(x[i], add[i], c->k) == got) {
        snprintf(words, size, "what comes of it when x * x is rounded before c is added");
        return true;
    }
    if (c->k > 1 && steps_rounded_last(x[i], add[i], c->k) == got) {
        snprintf(words, size,
                 "what comes of it when x is a double, rounded at the end, and not in each step");
        return true;
    }
    for (uint64_t k = 0; k <= c->k + 4; k++)
        if (k != c->k && steps(x[i], add[i], k) == got) {
            snprintf(words, size, "x[%lu] after %lu step%s, not %lu", i, k, k == 1 ? "" : "s",
                     c->k);
            return true;
        }
    if (steps(x[i], x[i], c->k) == got) { /* one c of many may be the same number */
        snprintf(words, size, "what comes of x[%lu] in place of c[%lu], too", i, i);
        return true;
    }
    for (uint64_t j = 0; j < c->n; j++) {
        bool own = steps(x[i], add[j], c->k) == got; /* of another x the same may come */

        if (j != i && (own || steps(x[j], add[j], c->k) == got)) {
            snprintf(words, size, "what comes of x[%lu] with c[%lu]", own ? i : j, j);
            return true;
        }
    }
    return false;
}

/* Where walk i starts, and how many steps it takes, if its thread does something else: of the
 * threads of walk_4, thread t has the walks t, t + threads and so on. */
struct other_walk {
    uint64_t start, steps;
};
typedef struct other_walk instead(const struct lab_case *c, uint64_t i);

static uint64_t threads_of(const struct lab_case *c)
{
    return (c->n + MANY - 1) / MANY;
}

static struct other_walk first_of_thread(const struct lab_case *c, uint64_t i)
{
    return (struct other_walk){i % threads_of(c), c->k};
}

static struct other_walk one_behind_first(const struct lab_case *c, uint64_t i)
{
    return (struct other_walk){i % threads_of(c), c->k + (i >= threads_of(c))};
}

static struct other_walk neighbours(const struct lab_case *c, uint64_t i)
{
    return (struct other_walk){i % threads_of(c) * MANY + i / threads_of(c), c->k};
}

static struct other_walk steps_of_first(const struct lab_case *c, uint64_t i)
{
    return (struct other_walk){i, i < threads_of(c) ? MANY * c->k : 0};
}

/* An end is one of few, so all walks have to be explained. */
static bool all_walks(const struct lab_case *c, const uint32_t *next, const uint32_t *out,
                      instead *of)
{
    for (uint64_t i = 0; i < c->n; i++) {
        struct other_walk w = of(c, i);

        if (out[i] != walk(next, (uint32_t)(w.start % c->m), w.steps))
            return false;
    }
    return true;
}

static bool all_walks_take(const struct lab_case *c, const uint32_t *next, const uint32_t *out,
                           uint64_t steps)
{
    for (uint64_t i = 0; i < c->n; i++)
        if (out[i] != walk(next, (uint32_t)(i % c->m), steps))
            return false;
    return true;
}

static bool recognise_walk(const struct lab_case *c, const uint32_t *next, const uint32_t *out,
                           char *words, size_t size)
{
    static const struct {
        instead *of;
        const char *words;
    } others[] = {
        {first_of_thread, "where the first walk of its thread ends, as all four do"},
        {one_behind_first, "where the first walk of its thread was going: each of the four steps "
                           "on from the first's place"},
        {steps_of_first, "what it would be if a thread's first walk took the steps of all four, "
                         "and the others none; so are all others"},
        {neighbours, "where a walk ends that starts at 4 i + j, and not at i + j threads"},
    };

    if (c->n < ENOUGH)
        return false;
    for (uint64_t k = 0; k <= 2 * c->k; k++)
        if (k != c->k && all_walks_take(c, next, out, k)) {
            snprintf(words, size, "where its walk is after %lu step%s, not %lu%s", k,
                     k == 1 ? "" : "s", c->k,
                     k == c->k % c->m
                         ? ": so many are left of them by the list's length, but not by its rings'"
                         : "");
            return true;
        }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && threads_of(c) < c->n; i++)
        if (all_walks(c, next, out, others[i].of)) {
            snprintf(words, size, "%s", others[i].words);
            return true;
        }
    return false;
}

static bool recognise_fit(const struct lab_case *c, const uint32_t *facts, const uint32_t *out,
                          uint64_t i, char *words, size_t size)
{
    static const char *const forgotten[SLIPS] = {
        [THREADS_NOT_WARPS] = "threads were counted, not warps",
        [THREADS_AS_THEY_ARE] = "a block took room for its threads alone, not for whole warps",
        [WARPS_ROUNDED_DOWN] = "threads that do not fill a warp did not count",
        [REGISTERS_BY_BLOCK] = "a block's registers were rounded up, not a warp's",
        [REGISTERS_NOT_ROUNDED] = "a warp's registers were not rounded up",
        [REGISTERS_OF_THREADS] =
            "registers were those of a block's threads, not of its whole warps, rounded up once",
        [REGISTERS_AS_THEY_ARE] =
            "registers were those of a block's threads, not of its whole warps, and not rounded up",
        [RESERVE_BEHIND] = "the system's part came to shared memory when that was rounded up "
                           "already, not before",
        [SHARED_NOT_ROUNDED] = "shared memory was not rounded up",
        [NO_RESERVE] = "the system's part of shared memory was left out",
        [NO_RESERVE_ALONE] = "the system's part was left out for kernels that have no shared "
                             "memory of their own",
        [RESERVE_OF_SM] = "the system's part of shared memory was taken off the SM's once, not "
                          "added to each block's",
        [NO_THREADS] = "the SM's threads were no limit",
        [WARPS_64] = "any SM held 64 warps, and not those of its own threads",
        [NO_BLOCKS] = "the SM's number of blocks was no limit",
        [BLOCKS_32] = "any SM held 32 blocks, and not its own number of them",
        [NO_REGISTERS] = "registers were no limit",
        [NO_SHARED] = "shared memory was no limit",
        [GREATER_OF_BOTH] =
            "the larger were taken of what shared memory and the rest let in, not the "
            "smaller",
        [AT_LEAST_ONE] = "one block always fitted",
    };
    const uint32_t *f = facts + i * FACTS;

    for (int slip = 1; slip < SLIPS && c->n >= ENOUGH; slip++) {
        uint64_t j = 0;

        while (j < c->n && out[j] == blocks_fit(facts + j * FACTS, (enum slip)slip))
            j++;
        if (j == c->n) {
            snprintf(words, size, "what it would be if %s; so are all others", forgotten[slip]);
            return true;
        }
    }
    snprintf(
        words, size,
        "%u, and should be %u: %u threads, %u registers each, %u bytes; an SM with %u threads, "
        "%u blocks, %u registers (given out by %u), %u bytes (by %u; %u reserved a block)",
        out[i], blocks_fit(f, NO_SLIP), f[THREADS], f[REGISTERS], f[SHARED], f[SM_THREADS],
        f[SM_BLOCKS], f[SM_REGISTERS], f[REGISTER_UNIT], f[SM_SHARED], f[SHARED_UNIT],
        f[SHARED_RESERVED]);
    return true;
}

/* Of how many blocks is another said than `sm` would hold, or `start` (starts)? cycles: another
 * grid's, of all the first's. */
static uint64_t differing(const struct lab_case *c, const void *const *inputs, const uint32_t *sm,
                          enum choice how, bool first_cycles, bool starts)
{
    uint32_t *on = calloc(2 * c->k + 1, sizeof(*on)), *from = on ? on + c->k : NULL;
    uint64_t differ = on ? 0 : UINT64_MAX;

    for (uint64_t i = 0; on && i < c->n; i++) {
        const uint32_t *cycles = (const uint32_t *)inputs[2] + (first_cycles ? 0 : i * c->k);

        schedule(how, ((const uint32_t *)inputs[0])[i], ((const uint32_t *)inputs[1])[i], cycles,
                 c->k, on, from);
        for (uint64_t b = 0; b < c->k; b++)
            differ += (starts ? from : on)[b] != sm[i * c->k + b];
    }
    free(on);
    return differ;
}

static bool scheduled(const struct lab_case *c, const void *const *inputs, const uint32_t *sm,
                      enum choice how, bool first_cycles, bool starts)
{
    return !differing(c, inputs, sm, how, first_cycles, starts);
}

/* Are these when their blocks end? */
static bool all_ends(const struct lab_case *c, const void *const *inputs, const uint32_t *got)
{
    const uint32_t *cycles = inputs[2];
    uint32_t *starts = calloc(c->n * c->k + 1, sizeof(*starts));
    bool so = starts;

    for (uint64_t i = 0; so && i < c->n * c->k; i++)
        starts[i] = got[i] - cycles[i];
    so = so && scheduled(c, inputs, starts, MOST_FREE, false, true);
    free(starts);
    return so;
}

/* got: of `sm`, or of `start` (is_start). Of a few blocks several rules come to the same. */
static bool recognise_schedule(const struct lab_case *c, const void *const *inputs, bool is_start,
                               const uint32_t *got, char *words, size_t size)
{
    static const char *const chosen[CHOICES] = {
#define SHARED_BY " so that SMs share some of them"
#define AT_START  "at the start alone the SM with the most free places got the block, and later the "
#define ANY_TIME  "that with the most is asked for at any time"
        [LAST_OF_MOST] =
            "of several SMs with the most free places the last one got the block, not the first",
        [FIRST_FREE] = "the first SM with a free place got the block, not that with the most",
        [LAST_FREE] = "the last SM with a free place got the block, not that with the most",
        [FEWEST_FREE] = "the SM with the fewest free places got the block, not that with the most",
        [START_ONLY] = AT_START "first one with a free place; " ANY_TIME,
        [LAST_START_ONLY] = AT_START "last one with a free place; " ANY_TIME,
        [FIRST_BY_PLACE] = "the first of all free places got the block, where the SMs' first "
                           "places come before their second ones and so on, not one of the SM "
                           "with the most free places",
        [LAST_BY_PLACE] = "the last of all free places got the block, where the SMs' first places "
                          "come before their second ones and so on, not one of the SM with the "
                          "most free places",
        [IN_TURNS] = "the SMs got the blocks in turns, not one with the place that is free first",
        [PLACES_IN_TURNS_BY_SM] = "the places got the blocks in turns, all of an SM, then those of "
                                  "the next, not the place that is free first",
        [RUNS_ROUNDED_UP] = "each SM got k / sms blocks in a row (rounded up), whichever SM has a "
                            "free place first",
        [RUNS_ROUNDED_DOWN] = "each SM got k / sms blocks in a row (rounded down, the last SM the "
                              "rest), whichever SM has a free place first",
        [RUNS_EVEN] = "block b ran on SM b * sms / k, whichever SM has a free place first",
        [LAST_PLACE_FIRST] = "that SM got the block whose last place is free first, not one with "
                             "the place that is free first",
        [ONE_AT_A_TIME] = "an SM had one block at a time, not one in each of its places (it comes "
                          "to the same that a block takes all places of its SM, or that the SM "
                          "with the fewest cycles so far gets it)",
        [EXCHANGED] = "sms and places were exchanged",
        [BY_SMS] = "place p of SM s had number s * sms + p, not s * places + p," SHARED_BY,
        [LAST_BY_SMS] = "place p of SM s had number s * sms + p, not s * places + p," SHARED_BY,
        [BY_PLACES] = "place p of SM s had number p * places + s, not p * sms + s," SHARED_BY,
        [LAST_BY_PLACES] = "place p of SM s had number p * places + s, not p * sms + s," SHARED_BY,
        [FROM_ZERO] = "a place was taken until its block's cycles, not from its start on so long",
#undef SHARED_BY
#undef AT_START
#undef ANY_TIME
    };
    uint64_t told = 0; /* zeros come of many faults */

    *words = '\0';
    for (uint64_t i = 0; i < c->n * c->k; i++)
        told += got[i] != 0;
    if (told < ENOUGH)
        return false;
    if (scheduled(c, inputs, got, MOST_FREE, false, !is_start)) {
        snprintf(words, size, "%s; so are all others",
                 is_start ? "where its block runs, which belongs to sm"
                          : "when its block starts, which belongs to start");
        return true;
    }
    if (is_start && all_ends(c, inputs, got)) {
        snprintf(words, size, "when its block ends; so are all others");
        return true;
    }
    if (scheduled(c, inputs, got, MOST_FREE, true, is_start)) {
        snprintf(words, size,
                 "what it would be with the cycles of grid 0 for each; so are all others");
        return true;
    }
    /* One block that is placed otherwise is what comes of several rules, and of none. */
    if (differing(c, inputs, got, MOST_FREE, false, is_start) < ENOUGH)
        return false;
    /* Each that comes to the same, a line: on other inputs all but one do not. */
    for (int how = MOST_FREE + 1; how < CHOICES; how++) {
        static const char so[] = "%swhat it would be if %s; so are all others";
        size_t length = strlen(words);

        if (length + sizeof(so) + strlen(chosen[how]) < size &&
            scheduled(c, inputs, got, (enum choice)how, false, is_start))
            snprintf(words + length, size - length, so, length ? "\n" : "", chosen[how]);
    }
    return *words;
}

static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    (void)p, (void)v;
    if (experiment_of(c) == ARITHMETIC)
        return recognise_steps(c, inputs[0], inputs[1], ((const float *)output)[element], element,
                               words, size);
    if (experiment_of(c) == WALK)
        return recognise_walk(c, inputs[0], output, words, size);
    if (experiment_of(c) == SCHEDULE)
        return recognise_schedule(c, inputs, b == START, output, words, size);
    return experiment_of(c) == FIT && recognise_fit(c, inputs[0], output, element, words, size);
}

/* Lists that say where a walk starts, and how many steps it takes: each element leads to itself, or
 * to the one behind it. */
enum { STAYS, GOES_ON, ARRANGEMENTS };

static bool arrange(const struct plan *p, const struct lab_case *c, int which, uint64_t numbers,
                    void *const *data)
{
    uint32_t *next = data[0];

    (void)numbers;
    if (experiment_of(c) != WALK || which >= ARRANGEMENTS)
        return false;
    for (uint64_t i = 0; i < p->buffers[0].count; i++)
        next[i] = (uint32_t)((i + (which == GOES_ON)) % c->m);
    return true;
}

static bool recognise_arranged(const struct plan *p, const struct lab_variant *v,
                               const struct lab_case *c, int which, const void *const *inputs,
                               const void *output, uint64_t i, char *words, size_t size)
{
    uint64_t got = ((const uint32_t *)output)[i], start = i % c->m, steps = c->k % c->m;
    uint64_t threads = v->flags & IN_PARALLEL ? threads_of(c) : c->n;
    char of[80] = "";

    (void)p, (void)inputs;
    if (got >= c->m || got == (which == STAYS ? start : (start + steps) % c->m))
        return false;
    if (v->flags & IN_PARALLEL)
        snprintf(of, sizeof(of), " (thread %lu, j = %lu)", i % threads, i / threads);
    if (which == STAYS)
        snprintf(words, size,
                 "%lu where each element of the list leads to itself, so that a walk ends where it "
                 "starts: this one%s has to start at %lu",
                 got, of, start);
    else
        snprintf(words, size,
                 "%lu where each element of the list leads to the one behind it: this walk%s has "
                 "to start at %lu and to take %lu step%s",
                 got, of, start, c->k, c->k == 1 ? "" : "s");
    return true;
}

static const struct lab_column columns[] = {
    {"occu-", "pancy", "occupancy"},
    {"loads", "a warp", "global_ld_requests/warps"},
    {"sectors", "a load", "global_ld_sectors/global_ld_requests"},
    {0},
};

/* clang-format off */
static const struct lab_prediction predictions[] = {
    {"warps_steps_1", "warps an SM gets, steps_1 on steps-warps=16", "warps/132", "steps_1", "steps-warps=16", 0.01},
    {"warps_steps_4", "the same, steps_4", "warps/132", "steps_4", "steps-warps=16", 0.01},
    {"loads_walk_1", "loads of one warp, walk_1 on walk-warps=16", "global_ld_requests/warps", "walk_1", "walk-warps=16", 0.01},
    {"loads_walk_4", "the same, walk_4", "global_ld_requests/warps", "walk_4", "walk-warps=16", 0.01},
    {"room_8", "share of its 64 warps that an SM has room for, copy-warps=8", "occupancy", "copy_1", "copy-warps=8", 0.01},
    {"room_32", "the same, copy-warps=32", "occupancy", "copy_4", "copy-warps=32", 0.01},
};
/* clang-format on */

static const struct lab_goal goals[] = {
    {"steps_4", "steps-warps=4", "ms / steps_1.ms <= 1.12",
     "four numbers take longer than one: not all are under way at once"},
    {"walk_4", "walk-warps=4", "ms / walk_1.ms <= 1.4",
     "four walks take longer than one: not all are under way at once"},
    {"copy_4", "copy-warps=8", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes load distant words"},
    {"copy_4", "copy-warps=8", "32 * global_st_sectors / global_st_bytes <= 1.5",
     "neighbouring lanes store to distant words"},
    {"copy_4", "copy-warps=8", "ms / copy_1.ms <= 0.53",
     "four elements a thread gain little: does a load wait for a store before it?"},
    {0},
};

const struct lab lab_latency_hiding = {
    .name = "latency_hiding",
    .title = "Latency hiding: something else to do while one waits",
    .bytes_formula = "4 n k (walks), 8 n (copies)",
    .flops_formula = "2 n k (steps)",
    .param_name = "warps",
    .record_items = "not used",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .applies = applies,
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .compares = compares,
    .made = made,
    .term = term,
    .recognise = recognise,
    .arrange = arrange,
    .recognise_arranged = recognise_arranged,
    .extents = "nk",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
