/* harness.c - the lab of several GPUs: variants, cases, CPU reference, launch plan.
 *
 * Ranks, which have a GPU each, share a problem: each works on its part, and what they find is
 * added up. A case's `op` says which problem, its `param` on how many ranks:
 *
 *   SHARES   which part of n a rank has, for many n: on one GPU
 *   BALL     one number: how many of n random points of a 4-dimensional cube lie in the unit ball
 *   VECTOR   one number: the sum of n integers
 *   MANY     m numbers: as BALL, for m sets of n points each
 *
 * Point i of set j has the four words of Philox's counter {i, 0, j, 0}, without their lowest bits.
 * A case with CASE_SPECIAL has one point next to the ball's surface, just outside where n is even,
 * or elements that add up to much, for two blocks a rank.
 * All of it is integers, so that a result is the same on any number of ranks, and either right or
 * wrong. The schedule of a variant is the student's (device/schedule.cuh): all ranks carry out the
 * same list.
 */
#include "base/alloc.h"
#include "lab/lab.h"
#include "lab/philox.h"
#include "lab/random.h"
#include "near.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum experiment { SHARES, BALL, VECTOR, MANY };
enum {
    BLOCK = 256,
    WORDS = 3 /* of a question: n, rank, ranks */,
    MOST_RANKS = 4,
    MOST_CHUNKS = 16,
    MOST_IDLE = 1024, /* blocks */
    FEW_BLOCKS = 2    /* so that each has as much to add up as of the greatest n on a whole GPU */
};

/* So many points are looked at here, one by one; of more there are bounds. */
enum { POINTS = 5 << 20 };
#define IN_BALL (M_PI * M_PI / 32) /* the ball's part of the cube */

/* What a variant with a schedule is about: the experiment, how results meet, and whether while
 * others are made. */
struct rule {
    const char *name;
    enum experiment experiment;
    enum schedule_what meets;
    bool overlaps;
};

/* clang-format off */
static const struct rule rules[] = {
    {"ball_gather", BALL,   DO_GATHER, false},
    {"ball_sum",    BALL,   DO_SUM,    false},
    {"vector_sum",  VECTOR, DO_SUM,    false},
    {"many_gather", MANY,   DO_GATHER, false},
    {"many_sum",    MANY,   DO_SUM,    false},
    {"many_chunks", MANY,   DO_SUM,    true},
};

/* What a variant is planned by where no file is: to try its cases. */
static const struct schedule by_gather = {.memory = RESIDENT, .chunks = 1, .nsteps = 2, .steps = {{DO_KERNEL, 0, 0, 1}, {DO_GATHER, 0, 0, 1}}};
static const struct schedule by_sum = {.memory = RESIDENT, .chunks = 1, .nsteps = 2, .steps = {{DO_KERNEL, 0, 0, 1}, {DO_SUM, 0, 0, 1}}};
static const struct schedule by_chunks = {.memory = RESIDENT, .chunks = 2, .nsteps = 6, .steps = {
    {DO_KERNEL, 0, 0, 1}, {DO_RECORD, 0, 0, 1}, {DO_WAIT, 1, 0, 1}, {DO_SUM, 1, 0, 1}, {DO_KERNEL, 0, 1, 1}, {DO_SUM, 0, 1, 1}}};

#define SCHEDULED(by) .has_schedule = true, .record = {.block_x = BLOCK, .block_y = 1, .schedule = &by}
static const struct lab_variant variants[] = {
    {.name = "shares", .number = "1", .what = "which part of n a rank has", .record = {.block_x = BLOCK, .block_y = 1}},
    {.name = "ball_gather", .number = "2", .what = "points; the first rank fetches and adds", .kernels = "ball total add_parts", SCHEDULED(by_gather)},
    {.name = "ball_sum", .number = "3", .what = "points; one sum of all ranks", .kernels = "ball total", SCHEDULED(by_sum)},
    {.name = "vector_sum", .number = "4", .what = "a vector; one sum of all ranks", .kernels = "vector total", SCHEDULED(by_sum)},
    {.name = "many_gather", .number = "5", .what = "many results; the first rank fetches", .kernels = "many add_parts", SCHEDULED(by_gather)},
    {.name = "many_sum", .number = "6", .what = "many results; one sum of all ranks", .kernels = "many", SCHEDULED(by_sum)},
    {.name = "many_chunks", .number = "7", .what = "in chunks: sums while others are made", .kernels = "many", SCHEDULED(by_chunks)},
};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define MODEL CASE_CHECK | CASE_TIME | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define QUESTIONS(id, count, flag) {.name = id, .n = count, .m = 1, .param = 1, .dtype = DT_U32, .op = SHARES, .flags = flag}
#define POINTS_OF(id, count, ranks, flag) {.name = id, .n = count, .m = 1, .param = ranks, .dtype = DT_I64, .op = BALL, .flags = flag}
#define ELEMENTS(id, count, ranks, flag) {.name = id, .n = count, .m = 1, .param = ranks, .dtype = DT_I64, .op = VECTOR, .flags = flag}
#define WITH_IDLE(of, id, count, ranks, idle) {.name = "ranks=" #ranks "-" id "-n=" #count "-idle=" #idle, .n = count, .m = 1, .k = idle, .param = ranks, .dtype = DT_I64, .op = of, .flags = CHECK}
#define SETS(id, sets, count, ranks, flag) {.name = id, .n = count, .m = sets, .param = ranks, .dtype = DT_I64, .op = MANY, .flags = flag}
#define ON_1_2(of, id, logn, flag) of("ranks=1-" id "-n=2^" #logn, 1u << logn, 1, flag), of("ranks=2-" id "-n=2^" #logn, 1u << logn, 2, flag)
#define ON_1_2_4(of, id, logn, flag) ON_1_2(of, id, logn, flag), of("ranks=4-" id "-n=2^" #logn, 1u << logn, 4, flag)
#define MANY_ON_1_2(logm, points, flag) SETS("ranks=1-many-m=2^" #logm "-n=" #points, 1u << logm, points, 1, flag), SETS("ranks=2-many-m=2^" #logm "-n=" #points, 1u << logm, points, 2, flag)
#define MANY_ON_1_2_4(logm, points, flag) MANY_ON_1_2(logm, points, flag), SETS("ranks=4-many-m=2^" #logm "-n=" #points, 1u << logm, points, 4, flag)

static const struct lab_case cases[] = {
    QUESTIONS("shares-n=1", 1, CHECK), QUESTIONS("shares-n=1003", 1003, CHECK),
    POINTS_OF("ranks=1-ball-n=1", 1, 1, CHECK), POINTS_OF("ranks=4-ball-n=2", 2, 4, CHECK), POINTS_OF("ranks=3-ball-n=1003", 1003, 3, CHECK), WITH_IDLE(BALL, "ball", 515, 2, 3),
    ELEMENTS("ranks=2-vector-n=1", 1, 2, CHECK), ELEMENTS("ranks=1-vector-n=1003", 1003, 1, CHECK), ELEMENTS("ranks=3-vector-n=1003", 1003, 3, CHECK), ELEMENTS("ranks=4-vector-n=70001", 70001, 4, CHECK), WITH_IDLE(VECTOR, "vector", 515, 2, 3),
    SETS("ranks=3-many-m=1-n=1", 1, 1, 3, CHECK), SETS("ranks=2-many-m=1003-n=7", 1003, 7, 2, CHECK), SETS("ranks=4-many-m=515-n=2", 515, 2, 4, CHECK),

    ON_1_2_4(POINTS_OF, "ball", 14, SMALL), ON_1_2_4(POINTS_OF, "ball", 16, MODEL), ON_1_2_4(POINTS_OF, "ball", 18, MODEL),
    ON_1_2_4(POINTS_OF, "ball", 20, MODEL), ON_1_2_4(POINTS_OF, "ball", 22, MODEL), ON_1_2_4(POINTS_OF, "ball", 24, MODEL),
    ON_1_2_4(ELEMENTS, "vector", 16, SMALL), ON_1_2_4(ELEMENTS, "vector", 20, MODEL), ON_1_2_4(ELEMENTS, "vector", 22, MODEL), ON_1_2_4(ELEMENTS, "vector", 24, MODEL),
    MANY_ON_1_2_4(12, 16, SMALL), MANY_ON_1_2_4(16, 16, MODEL), MANY_ON_1_2_4(20, 16, MODEL),

    ON_1_2(POINTS_OF, "ball", 16, LARGE), ON_1_2(POINTS_OF, "ball", 20, LARGE), ON_1_2(POINTS_OF, "ball", 22, LARGE), ON_1_2(POINTS_OF, "ball", 24, LARGE),
    ON_1_2(POINTS_OF, "ball", 25, LARGE), ON_1_2(POINTS_OF, "ball", 26, LARGE), ON_1_2(POINTS_OF, "ball", 28, LARGE), ON_1_2(POINTS_OF, "ball", 29, LARGE), ON_1_2(POINTS_OF, "ball", 30, LARGE), ON_1_2(POINTS_OF, "ball", 31, LARGE),
    ON_1_2(ELEMENTS, "vector", 16, LARGE), ON_1_2(ELEMENTS, "vector", 20, LARGE), ON_1_2(ELEMENTS, "vector", 22, LARGE), ON_1_2(ELEMENTS, "vector", 24, LARGE),
    ON_1_2(ELEMENTS, "vector", 25, LARGE), ON_1_2(ELEMENTS, "vector", 26, LARGE), ON_1_2(ELEMENTS, "vector", 28, LARGE), ON_1_2(ELEMENTS, "vector", 29, LARGE),
    MANY_ON_1_2(12, 64, LARGE), MANY_ON_1_2(16, 64, LARGE), MANY_ON_1_2(20, 64, LARGE), MANY_ON_1_2(22, 64, LARGE), MANY_ON_1_2(24, 64, LARGE),
};
/* clang-format on */

/* NULL: it has no schedule. */
static const struct rule *rule_of(const struct lab_variant *v)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (!strcmp(rules[i].name, v->name))
            return &rules[i];
    }
    return NULL;
}

static enum experiment experiment_of(const struct lab_case *c)
{
    return (enum experiment)c->op;
}

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return (v->has_schedule ? rule_of(v)->experiment : SHARES) == experiment_of(c);
}

static int ranks(const struct lab_case *c)
{
    return (int)c->param;
}

/* ---- what a variant asks of its schedule ---- */

static const char *word(enum schedule_what what)
{
    return what == DO_SUM ? "sum" : "gather";
}

/* Is some kernel under way while step i is? */
static bool kernel_beside(const struct schedule *s, uint32_t i)
{
    for (uint32_t k = 0; k < s->nsteps; k++) {
        if (s->steps[k].what == DO_KERNEL && schedule_overlap(s, i, k))
            return true;
    }
    return false;
}

/* Chunks whose kernels can be under way while step i is. */
static uint32_t chunks_beside(const struct schedule *s, uint32_t i)
{
    uint32_t chunks = 0;

    for (uint32_t k = 0; k < s->nsteps; k++) {
        if (s->steps[k].what == DO_KERNEL && schedule_overlap(s, i, k))
            chunks += s->steps[k].count;
    }
    return chunks;
}

/* Chunks whose kernels can be under way while some sum is. */
static uint32_t chunks_beside_sums(const struct schedule *s)
{
    uint32_t chunks = 0;

    for (uint32_t k = 0; k < s->nsteps; k++) {
        bool beside = false;

        for (uint32_t i = 0; i < s->nsteps && s->steps[k].what == DO_KERNEL; i++)
            beside |= s->steps[i].what == DO_SUM && schedule_overlap(s, i, k);
        chunks += beside ? s->steps[k].count : 0;
    }
    return chunks;
}

/* One chunk of sixteen beside a sum of the others hides nothing: each sum but one has half as many
 * chunks beside it as it adds up, that one has no more than half of them, and half have a sum
 * beside them. */
static bool chunks_pay(const struct schedule *s, char *err, size_t errsize)
{
    uint32_t all = s->chunks, beside = chunks_beside_sums(s);

    for (uint32_t i = 0; i < s->nsteps; i++) {
        uint32_t there = chunks_beside(s, i), of = s->steps[i].count;

        if (s->steps[i].what != DO_SUM || 2 * there >= of || (!there && of <= (all + 1) / 2))
            continue;
        if (there)
            snprintf(err, errsize,
                     "step %u, a sum of %u chunks: kernels of no more than %u can work meanwhile; "
                     "half as many as it adds up are asked for",
                     i, of, there);
        else
            snprintf(err, errsize,
                     "step %u, a sum that no kernel can work beside, has %u of %u chunks; half of "
                     "them is the most",
                     i, of, all);
        return false;
    }
    if (beside < all / 2)
        snprintf(err, errsize,
                 "kernels of %u of %u chunks can work while there is a sum; half of them are asked "
                 "for",
                 beside, all);
    return beside >= all / 2;
}

static bool keeps_rule(const struct rule *r, const struct schedule *s, char *err, size_t errsize)
{
    uint32_t met = 0, alone = 0, first_alone = 0;

    for (uint32_t i = 0; i < s->nsteps; i++) {
        const struct schedule_step *x = &s->steps[i];

        if (x->what != DO_SUM && x->what != DO_GATHER)
            continue;
        if (x->what != (uint32_t)r->meets) {
            snprintf(err, errsize, "step %u: %s is about %s, this is %s", i, r->name,
                     word(r->meets), word((enum schedule_what)x->what));
            return false;
        }
        if (!kernel_beside(s, i) && !alone++)
            first_alone = i;
        met++;
    }
    if (!r->overlaps && met > 1)
        snprintf(err, errsize, "%u steps of %s; %s has one, of all results", met, word(r->meets),
                 r->name);
    else if (r->overlaps && s->chunks < 2)
        snprintf(err, errsize, "one chunk: %s has at least 2", r->name);
    else if (r->overlaps && alone > 1)
        snprintf(err, errsize,
                 "step %u, a sum: no kernel can work meanwhile, each is over before or waits for "
                 "it. Only the last sum of %s may be alone",
                 first_alone, r->name);
    else
        return !r->overlaps || chunks_pay(s, err, errsize);
    return false;
}

/* ---- plan ---- */

enum { INPUT, OUT, PARTS };

static int add_buffer(struct plan *p, const char *name, enum buffer_role role, enum dtype type,
                      uint64_t count)
{
    struct lab_buffer *b = &p->buffers[p->nbuffers];

    *b = (struct lab_buffer){.role = role, .dtype = type, .count = count};
    lab_name(b->name, sizeof(b->name), "%s", name);
    return p->nbuffers++;
}

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* As many blocks as the device holds threads for, and none without an element; but where case c
 * asks for k more that are idle. One that has nothing to do says so: 0. */
static uint32_t blocks_of(const struct lab_case *c, const struct device_limits *d)
{
    uint32_t most = ceil_div(ceil_div(c->n, (uint64_t)c->param), BLOCK);
    uint32_t room = d->sms * (d->max_threads_per_sm / BLOCK);

    if (c->flags & CASE_SPECIAL && experiment_of(c) == VECTOR)
        room = FEW_BLOCKS;
    return (room < 1 ? 1 : room < most ? room : most) + (uint32_t)c->k;
}

static void plan_buffers(struct plan *p, const struct lab_case *c, const struct device_limits *d,
                         bool gathers)
{
    bool vector = experiment_of(c) == VECTOR;

    add_buffer(p, vector ? "in" : "key", BUF_INPUT, vector ? DT_I32 : DT_U32, vector ? c->n : 2);
    add_buffer(p, "out", BUF_OUTPUT, DT_I64, c->m);
    add_buffer(p, "parts", BUF_SCRATCH, DT_I64, gathers ? c->m * (uint64_t)c->param : 0);
    if (experiment_of(c) != MANY)
        add_buffer(p, "sums", BUF_SCRATCH, DT_I64, blocks_of(c, d));
    p->bytes = vector ? 4.0 * (double)c->n : 0;
}

static struct plan_step *add_launch(struct plan *p, uint32_t rank, const struct schedule_step *x,
                                    const char *kernel, uint32_t grid)
{
    struct plan_step *s = &p->steps[p->nsteps];

    *s = (struct plan_step){.grid = {grid, 1, 1}, .block = {BLOCK, 1, 1}};
    lab_name(s->kernel, sizeof(s->kernel), "%s", kernel);
    p->ops[p->nops++] = (struct plan_op){
        .kind = OP_LAUNCH, .stream = x->stream, .rank = rank, .index = p->nsteps++};
    return s;
}

static void buffer_arg(struct plan_step *s, int b, uint64_t offset)
{
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = b, .offset = offset};
}

static void u32_arg(struct plan_step *s, uint64_t x)
{
    s->args[s->nargs++] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)x};
}

struct range {
    uint64_t offset, count;
};

/* A rank's results of a chunk: into its part of `parts` where they are gathered, which is of all
 * chunks at once. */
static void plan_work(struct plan *p, const struct lab_case *c, const struct device_limits *d,
                      const struct schedule_step *x, struct range chunk, uint32_t rank,
                      bool gathers)
{
    int to = gathers ? PARTS : OUT;
    uint64_t at = chunk.offset + (gathers ? rank * c->m : 0);
    bool many = experiment_of(c) == MANY;
    struct plan_step *s;

    if (many) {
        s = add_launch(p, rank, x, "many", ceil_div(chunk.count, BLOCK));
        buffer_arg(s, INPUT, 0);
        buffer_arg(s, to, at);
        u32_arg(s, chunk.offset);
        u32_arg(s, chunk.count);
    } else {
        s = add_launch(p, rank, x, experiment_of(c) == BALL ? "ball" : "vector", blocks_of(c, d));
        buffer_arg(s, INPUT, 0);
        buffer_arg(s, p->nbuffers - 1, 0);
    }
    u32_arg(s, c->n);
    u32_arg(s, rank);
    u32_arg(s, (uint64_t)c->param);
    if (many)
        return;
    s = add_launch(p, rank, x, "total", 1);
    buffer_arg(s, p->nbuffers - 1, 0);
    buffer_arg(s, to, at);
    u32_arg(s, blocks_of(c, d));
}

static void plan_gather(struct plan *p, const struct lab_case *c, const struct schedule_step *x,
                        struct range chunk)
{
    for (uint32_t r = 1; r < (uint32_t)c->param; r++)
        p->ops[p->nops++] = (struct plan_op){.kind = OP_FETCH,
                                             .stream = x->stream,
                                             .rank = r,
                                             .index = PARTS,
                                             .offset = r * c->m + chunk.offset,
                                             .count = chunk.count};
    struct plan_step *s = add_launch(p, 0, x, "add_parts", ceil_div(chunk.count, BLOCK));
    buffer_arg(s, PARTS, chunk.offset);
    buffer_arg(s, OUT, chunk.offset);
    u32_arg(s, chunk.count);
    u32_arg(s, (uint64_t)c->param);
}

/* A chunk that has no results, of a small m, is left out; events stay. */
static void plan_step(struct plan *p, const struct lab_case *c, const struct device_limits *d,
                      const struct schedule *s, const struct schedule_step *x, bool gathers)
{
    struct range chunk;

    if (x->what == DO_RECORD || x->what == DO_WAIT) {
        for (uint32_t r = 0; r < (uint32_t)c->param; r++)
            p->ops[p->nops++] = (struct plan_op){.kind = x->what == DO_WAIT ? OP_WAIT : OP_RECORD,
                                                 .stream = x->stream,
                                                 .rank = r,
                                                 .event = x->first};
        return;
    }
    schedule_range(s, x, c->m, &chunk.offset, &chunk.count);
    if (!chunk.count)
        return;
    if (x->what == DO_GATHER)
        plan_gather(p, c, x, chunk);
    else if (x->what == DO_SUM)
        p->ops[p->nops++] = (struct plan_op){.kind = OP_SUM,
                                             .stream = x->stream,
                                             .index = OUT,
                                             .offset = chunk.offset,
                                             .count = chunk.count};
    for (uint32_t r = 0; r < (uint32_t)c->param && x->what == DO_KERNEL; r++)
        plan_work(p, c, d, x, chunk, r, gathers);
}

static bool usable(const struct lab_case *c, char *err, size_t errsize)
{
    enum dtype type = experiment_of(c) == SHARES ? DT_U32 : DT_I64;

    if (c->dtype != type)
        snprintf(err, errsize, "%s: results are %s", c->name, dtype_name(type));
    else if (c->param < 1 || c->param > MOST_RANKS)
        snprintf(err, errsize, "%s: %ld ranks; 1 to %d here", c->name, (long)c->param, MOST_RANKS);
    else if (c->n == 0 || c->n > 1u << 31)
        snprintf(err, errsize, "%s: n is 1 to 2^31 here", c->name);
    else if (experiment_of(c) != MANY && c->m != 1)
        snprintf(err, errsize, "%s: one result (m) here", c->name);
    else if (experiment_of(c) == SHARES && c->param != 1)
        snprintf(err, errsize, "%s: one rank here", c->name);
    else if (c->k > MOST_IDLE)
        snprintf(err, errsize, "%s: at most %d idle blocks (K) here", c->name, MOST_IDLE);
    else if (c->m == 0 || c->m > 1u << 28)
        snprintf(err, errsize, "%s: m is 1 to 2^28 here", c->name);
    else
        return true;
    return false;
}

static bool fits(const struct lab_variant *v, const struct schedule *s, char *err, size_t errsize)
{
    uint32_t most = LAB_MAX_OPS / (MOST_RANKS + 1);

    if (s->chunks > MOST_CHUNKS)
        snprintf(err, errsize, "%u chunks; %s has at most %d", s->chunks, v->name, MOST_CHUNKS);
    else if (s->nsteps > most)
        snprintf(err, errsize, "%u steps; %s has at most %u", s->nsteps, v->name, most);
    else
        return true;
    return false;
}

static void plan_shares(struct plan *p, const struct lab_case *c)
{
    struct plan_step *s = &p->steps[p->nsteps++];

    *s = (struct plan_step){.grid = {ceil_div(c->n, BLOCK), 1, 1}, .block = {BLOCK, 1, 1}};
    lab_name(s->kernel, sizeof(s->kernel), "shares");
    add_buffer(p, "asked", BUF_INPUT, DT_U32, WORDS * c->n);
    add_buffer(p, "out", BUF_OUTPUT, DT_U32, 2 * c->n);
    buffer_arg(s, INPUT, 0);
    buffer_arg(s, OUT, 0);
    u32_arg(s, c->n);
}

static bool plan_ranks(const struct lab_variant *v, const struct lab_case *c,
                       const struct launch_record *r, const struct device_limits *d, struct plan *p,
                       char *err, size_t errsize)
{
    const struct schedule *s = r->schedule;
    bool gathers = rule_of(v)->meets == DO_GATHER;

    if (!s)
        snprintf(err, errsize, "%s: there is no schedule", v->name);
    if (!s || !schedule_check(s, err, errsize))
        return false;
    if (s->memory != RESIDENT) {
        snprintf(err, errsize, "%s is about RESIDENT data, this is %s", v->name,
                 host_memory_names[s->memory]);
        return false;
    }
    if (!keeps_rule(rule_of(v), s, err, errsize) || !fits(v, s, err, errsize))
        return false;
    p->memory = RESIDENT;
    p->ranks = (int)c->param;
    plan_buffers(p, c, d, gathers);
    for (uint32_t i = 0; i < s->nsteps; i++)
        plan_step(p, c, d, s, &s->steps[i], gathers);
    return true;
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    if (!usable(c, err, errsize))
        return false;
    memset(p, 0, sizeof(*p));
    if (v->has_schedule)
        return plan_ranks(v, c, r, d, p, err, errsize);
    plan_shares(p, c);
    return true;
}

/* ---- inputs, reference ---- */

/* Of all sizes, the greatest, and fewer than there are ranks; some of very many ranks. */
static void make_question(uint64_t stream, uint64_t i, uint32_t *asked)
{
    static const uint32_t some[] = {0, 1, 1u << 31, (1u << 31) - 1, 1u << 30, 3};
    uint64_t r = random_u64(stream, i);

    asked[0] = (uint32_t)(r >> 32 & 0x7fffffff) >> (r & 31);
    if (i % 4 == 0)
        asked[0] = some[r % (sizeof(some) / sizeof(some[0]))];
    asked[2] = 1 + (uint32_t)(r >> 8) % (i % 32 == 31 ? 1u << 20
                                         : i % 8 == 7 ? 1000
                                                      : LAB_MAX_RANKS);
    asked[1] = i % 16 < 2 ? asked[2] - 1 : (uint32_t)(r >> 16) % asked[2];
}

/* Elements whose sums are great: all of one sign, or all as great as can be. */
static uint32_t great_element(uint64_t kind, uint64_t word)
{
    uint32_t x = kind & 1 ? INT32_MAX : (uint32_t)(word >> 33);

    return kind & 2 ? ~x : x;
}

/* A vector, or a key. */
static void make_special(const struct plan *p, const struct lab_case *c, uint64_t stream,
                         uint32_t *u)
{
    uint64_t count = p->buffers[INPUT].count, kind = random_u64(stream, ~0ull);

    if (experiment_of(c) != VECTOR) {
        memcpy(u, near_keys[c->n % 2][kind % NEAR_KEYS], sizeof(near_keys[0][0]));
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        u[i] = great_element(kind, random_u64(stream, i));
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b);
    uint32_t *u = data;

    if (c->flags & CASE_SPECIAL) {
        make_special(p, c, stream, u);
        return;
    }
    for (uint64_t i = 0; i < p->buffers[b].count; i++) {
        if (experiment_of(c) != SHARES)
            u[i] = (uint32_t)(random_u64(stream, i) >> 32);
        else if (i % WORDS == 0)
            make_question(stream, i / WORDS, u + i);
    }
}

/* Squares of 31 bits: the sum of four is below 2^64. */
static bool in_ball_of(const uint32_t *key, uint64_t point, uint64_t set, int dimensions)
{
    struct philox_words w =
        philox((struct philox_words){{(uint32_t)point, 0, (uint32_t)set, 0}}, key[0], key[1]);
    uint64_t far = 0;

    for (int k = 0; k < dimensions; k++)
        far += (uint64_t)(w.w[k] >> 1) * (w.w[k] >> 1);
    return far < 1ull << 62;
}

static bool in_ball(const uint32_t *key, uint64_t point, uint64_t set)
{
    return in_ball_of(key, point, set, 4);
}

static int64_t hits(const uint32_t *key, uint64_t n, uint64_t set)
{
    int64_t sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += in_ball(key, i, set);
    return sum;
}

/* So many of n random points, give or take six times their deviation. */
static void guess(uint64_t n, int64_t *out, double *tolerance)
{
    *out = llround((double)n * IN_BALL);
    *tolerance = fmin((double)n, 1 + 6 * sqrt((double)n * IN_BALL * (1 - IN_BALL)));
}

static void reference_shares(const struct lab_case *c, const uint32_t *asked, uint32_t *out)
{
    for (uint64_t i = 0; i < c->n; i++, asked += WORDS) {
        for (uint64_t k = 0; k < 2; k++)
            out[2 * i + k] = (uint32_t)((uint64_t)asked[0] * (asked[1] + k) / asked[2]);
    }
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    int64_t *out = expected[OUT];
    uint64_t sets = POINTS / c->n, of = sets ? (c->m + sets - 1) / sets : UINT64_MAX;

    (void)p, (void)v;
    if (experiment_of(c) == SHARES || experiment_of(c) == VECTOR || of == 1)
        tolerance[OUT] = NULL;
    if (experiment_of(c) == SHARES) {
        reference_shares(c, inputs[INPUT], expected[OUT]);
        return;
    }
    if (experiment_of(c) == VECTOR) {
        for (uint64_t i = 0; i < c->n; i++)
            *out += ((const int32_t *)inputs[INPUT])[i];
        return;
    }
    for (uint64_t j = 0; j < c->m; j++) {
        if (sets && random_u64(c->seed, j) % of == 0)
            out[j] = hits(inputs[INPUT], c->n, j);
        else
            guess(c->n, &out[j], &tolerance[OUT][j]);
    }
}

/* ---- why is it wrong? ---- */

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v;
    return experiment_of(c) == VECTOR   ? MADE_SUM
           : experiment_of(c) == SHARES ? MADE_OTHERWISE
                                        : MADE_UNKNOWN;
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    bool share = experiment_of(c) == SHARES;
    uint64_t from = share ? element / 2 * WORDS : 0;

    (void)p, (void)v;
    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{INPUT, from + t}}};
    return (share && t < WORDS) || (experiment_of(c) == VECTOR && t < c->n);
}

/* Elements or points [first, end) of element's result. */
static int64_t part_of(const struct lab_case *c, const void *input, uint64_t first, uint64_t end,
                       uint64_t element)
{
    int64_t sum = 0;

    for (uint64_t i = first; i < end; i++)
        sum +=
            experiment_of(c) == VECTOR ? ((const int32_t *)input)[i] : in_ball(input, i, element);
    return sum;
}

static const struct lab_column columns[] = {
    {"sums", "of ranks", "sums"},
    {"fetched", "parts", "fetches"},
    {"kernels", "run", "launches"},
    {0},
};

/* Question k's first or end by other arithmetic. */
enum { ENOUGH = 16 }; /* questions */
enum share_slip {
    IN_32_BITS,
    ROUNDED_DOWN,
    ROUNDED_UP,
    ONE_LESS,
    REST_TO_FIRST,
    REST_TO_LAST,
    REST_TO_ENDS,
    END_UP,
    NEAREST,
    SHARE_SLIPS
};

static uint32_t slipped_share(const uint32_t *asked, uint64_t k, enum share_slip slip)
{
    uint32_t n = asked[0], r = asked[1] + (uint32_t)k, ranks = asked[2], rest = n % ranks,
             equal = n / ranks * r, late = r > ranks - rest ? r - (ranks - rest) : 0;
    uint64_t each = ((uint64_t)n + ranks - 1) / ranks * r, all = (uint64_t)n * r;

    switch (slip) {
    case IN_32_BITS:
        return n * r / ranks;
    case ROUNDED_DOWN:
        return equal;
    case ROUNDED_UP:
        return (uint32_t)(each < n ? each : n);
    case ONE_LESS:
        return (uint32_t)(all / ranks) - 1;
    case REST_TO_FIRST:
        return equal + (r < rest ? r : rest);
    case REST_TO_LAST:
        return r == ranks ? n : equal;
    case REST_TO_ENDS:
        return equal + late;
    case END_UP:
        return (uint32_t)((all + ranks - 1) / ranks);
    default:
        return (uint32_t)((all + ranks / 2) / ranks);
    }
}

/* All firsts, or all ends, are what the same other arithmetic makes of their questions: one alone
 * may be so by chance. */
static bool recognise_share(const struct lab_case *c, const uint32_t *asked, const uint32_t *out,
                            uint64_t element, char *words, size_t size)
{
    static const char *const slips[] = {
        "what comes of n * rank in 32 bits, which are too few for it",
        "n / ranks for each: what is left over has no rank",
        "n / ranks rounded up for each",
        "one less than it should be, and so are all such",
        "n / ranks for each, and one more for each of the first "
        "ranks, as long as any is left over",
        "n / ranks for each, and all that is left over for the last",
        "n / ranks for each, and one more for each of the last "
        "ranks, as many as are left over",
        "n * rank / ranks rounded up",
        "n * rank / ranks rounded to the nearest"};
    const uint32_t *of = asked + element / 2 * WORDS;

    for (int slip = 0; slip < SHARE_SLIPS && c->n >= ENOUGH; slip++) {
        bool so = true;

        for (uint64_t e = element % 2; e < 2 * c->n && so; e += 2)
            so = out[e] == slipped_share(asked + e / 2 * WORDS, e % 2, (enum share_slip)slip);
        if (!so)
            continue;
        snprintf(words, size, "%s (n = %u, rank %u of %u)", slips[slip], of[0], of[1], of[2]);
        return true;
    }
    return false;
}

/* A line of what one output is, where it can be several things. */
static void add_line(char *words, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_line(char *words, size_t size, const char *format, ...)
{
    size_t used = strlen(words);
    va_list ap;

    if (used && used + 1 < size)
        words[used++] = '\n';
    va_start(ap, format);
    vsnprintf(words + used, size - used, format, ap);
    va_end(ap);
}

/* What ranks do in place of counting their shares' points. */
enum rank_slip {
    NO_FIRST, /* of the chunk: its sets begin with set 0 */
    FIRST_ALONE,
    FIRST_TIMES,
    OTHERS,
    FROM_0,
    TO_N,
    AS_MANY_FROM_0,
    ALL_OF_IT,
    ONE_MORE,
    LAST_OUT,
    FIRST_OUT,
    RANK_SLIPS
};
static const struct {
    const char *words;
    bool of_many; /* of many results alone: of one rank_alone() says it */
} rank_slips[RANK_SLIPS] = {
    [NO_FIRST] = {"as if `first`, where its chunk begins, were not added", true},
    [FIRST_ALONE] = {"what rank 0 of %lu found alone", true},
    [FIRST_TIMES] = {"%lu times what rank 0 found", true},
    [OTHERS] = {"what all ranks but rank 0 found", true},
    [FROM_0] = {"what it would be if each rank began at 0, not where its share does", false},
    [TO_N] = {"what it would be if each rank went on to n, past its share", false},
    [AS_MANY_FROM_0] = {"what it would be if each rank took as many points as its share has, but "
                        "from point 0 on, as rank 0 does",
                        false},
    [ALL_OF_IT] = {"%lu times the result: each of the ranks did all of it", false},
    [ONE_MORE] = {"what it would be if each rank took a point more, the first behind its share",
                  false},
    [LAST_OUT] = {"what it would be if each rank left out the last point of its share", false},
    [FIRST_OUT] = {"what it would be if each rank left out the first point of its share", false},
};

/* The first set of the chunk that set j is in. */
static uint64_t chunk_of(const struct plan *p, uint64_t j)
{
    for (int i = 0; i < p->nsteps; i++) {
        const struct plan_arg *args = p->steps[i].args;

        if (!strcmp(p->steps[i].kernel, "many") && j >= args[2].v.u32 &&
            j - args[2].v.u32 < args[3].v.u32)
            return args[2].v.u32;
    }
    return 0;
}

/* What rank r adds to set j's result. below: of all points before each, so many are in the ball. */
static int64_t slipped_part(const struct lab_case *c, const int64_t *below, uint64_t r,
                            enum rank_slip slip)
{
    uint64_t n = c->n, all = (uint64_t)c->param, first = n * r / all, end = n * (r + 1) / all;
    bool some = end > first;

#define PART(from, to) (below[to] - below[from])
    switch (slip) {
    case FIRST_ALONE:
        return r ? 0 : PART(first, end);
    case FIRST_TIMES:
        return PART(0, n / all);
    case OTHERS:
        return r ? PART(first, end) : 0;
    case FROM_0:
        return PART(0, end);
    case TO_N:
        return PART(first, n);
    case AS_MANY_FROM_0:
        return PART(0, end - first);
    case ALL_OF_IT:
        return PART(0, n);
    case ONE_MORE:
        return PART(first, end + 1);
    case LAST_OUT:
        return PART(first, end - some);
    case FIRST_OUT:
        return PART(first + some, end);
    default:
        return PART(first, end);
    }
#undef PART
}

/* Of the slips (a bit each) those by which set j's result comes to this. */
static unsigned that_come_to(const struct plan *p, const struct lab_case *c, const uint32_t *key,
                             uint64_t j, int64_t got, unsigned slips, int64_t *below)
{
    unsigned left = 0;

    for (uint64_t i = 0; i <= c->n; i++)
        below[i + 1] = below[i] + in_ball(key, i, j);
    for (unsigned slip = 0; slip < RANK_SLIPS; slip++) {
        int64_t sum = 0;

        if (!(slips >> slip & 1))
            continue;
        if (slip == NO_FIRST)
            sum = hits(key, c->n, j - chunk_of(p, j));
        for (uint64_t r = 0; r < (uint64_t)c->param && slip != NO_FIRST; r++)
            sum += slipped_part(c, below, r, (enum rank_slip)slip);
        left |= (unsigned)(sum == got) << slip;
    }
    return left;
}

/* All of out, of several sets or a set of many points, is what comes of such a slip. */
static void recognise_ranks(const struct plan *p, const struct lab_case *c, const uint32_t *key,
                            const int64_t *out, uint64_t element, char *words, size_t size)
{
    bool many = experiment_of(c) == MANY, differ = false;
    unsigned slips = (1u << RANK_SLIPS) - 1;

    if (c->n * c->m > POINTS || (many ? c->m < ENOUGH : c->n < 64))
        return;
    int64_t *below = xcalloc(c->n + 2, sizeof(*below));
    for (uint64_t j = 0; j < c->m && slips; j++) {
        slips = that_come_to(p, c, key, j, out[j], slips, below);
        differ |= out[j] != out[0];
    }
    free(below);
    for (unsigned slip = 0; slip < RANK_SLIPS && (differ || !many); slip++) {
        char one[200];

        if (!(slips >> slip & 1) || (rank_slips[slip].of_many && !many))
            continue;
        if (slip == NO_FIRST)
            snprintf(one, sizeof(one), "the result of set %lu, not of set %lu: %s",
                     element - chunk_of(p, element), element, rank_slips[slip].words);
        else
            snprintf(one, sizeof(one), rank_slips[slip].words, (uint64_t)c->param);
        add_line(words, size, "%s%s", one, many ? "; so are all others" : "");
    }
}

/* All of out is what comes of parts that are looked for set by set: they lie rank by rank. */
static void recognise_layout(const struct lab_case *c, const void *input, const int64_t *out,
                             char *words, size_t size)
{
    uint64_t n = c->n, m = c->m, all = (uint64_t)c->param;
    bool so = experiment_of(c) == MANY && m >= 16 && all > 1 && n * m <= POINTS;
    int64_t *parts = xcalloc(so ? all * m : 1, sizeof(*parts));

    for (uint64_t i = 0; i < all * m && so; i++)
        parts[i] = part_of(c, input, n * (i / m) / all, n * (i / m + 1) / all, i % m);
    for (uint64_t j = 0; j < m && so; j++) {
        int64_t sum = 0;

        for (uint64_t r = 0; r < all; r++)
            sum += parts[j * all + r];
        so = out[j] == sum;
    }
    free(parts);
    if (so)
        add_line(words, size,
                 "parts[j * ranks + r] of all ranks r added up, and so is all of out: rank r's "
                 "part of set j is at r * m + j");
}

/* The points of a share are counted again by each block before: blocks of 256 threads. */
static void recognise_strides(const struct lab_case *c, const void *input, int64_t got,
                              uint64_t element, char *words, size_t size)
{
    uint64_t n = c->n, all = (uint64_t)c->param;
    int64_t sum = 0;

    if (experiment_of(c) != BALL)
        return;
    for (uint64_t r = 0; r < all; r++)
        for (uint64_t i = n * r / all, first = i; i < n * (r + 1) / all; i++)
            sum += part_of(c, input, i, i + 1, element) * (int64_t)((i - first) / BLOCK + 1);
    if (sum == got && sum != part_of(c, input, 0, n, element))
        add_line(words, size,
                 "what it would be if each block went on as if it were alone: a thread's next "
                 "point is as many on as all blocks have threads");
}

/* Points by another key, or in a ball of fewer dimensions. */
static void recognise_points(const struct lab_case *c, const uint32_t *key, int64_t got,
                             uint64_t element, char *words, size_t size)
{
    const uint32_t turned[] = {key[1], key[0]};
    int64_t by_turned = 0, of_three = 0;

    for (uint64_t i = 0; i < c->n; i++) {
        by_turned += in_ball(turned, i, element);
        of_three += in_ball_of(key, i, element, 3);
    }
    if (got == by_turned)
        add_line(words, size, "what comes of the key's two words in each other's place");
    if (got == of_three)
        add_line(words, size, "what comes of three of a point's four numbers");
}

/* What one of the ranks found, or so many times that. */
static void recognise_rank_alone(const struct lab_case *c, const void *input, int64_t got,
                                 uint64_t element, char *words, size_t size)
{
    uint64_t n = c->n, all = (uint64_t)c->param;

    for (uint64_t r = 0; r < all && all > 1; r++) {
        int64_t part = part_of(c, input, n * r / all, n * (r + 1) / all, element);

        if (part == got)
            add_line(words, size, "what rank %lu of %lu found alone", r, all);
        else if (part * (int64_t)all == got)
            add_line(words, size, "%lu times what rank %lu found", all, r);
    }
}

static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    if (experiment_of(c) == SHARES)
        return recognise_share(c, inputs[INPUT], output, element, words, size);
    int64_t got = ((const int64_t *)output)[element];

    (void)v, (void)b;
    if (c->n > POINTS)
        return false;
    recognise_layout(c, inputs[INPUT], output, words, size);
    recognise_ranks(p, c, inputs[INPUT], output, element, words, size);
    if (c->n < 64 || experiment_of(c) == MANY)
        return *words;
    recognise_strides(c, inputs[INPUT], got, element, words, size);
    if (experiment_of(c) == BALL)
        recognise_points(c, inputs[INPUT], got, element, words, size);
    recognise_rank_alone(c, inputs[INPUT], got, element, words, size);
    return *words;
}

/* clang-format off */
static const struct lab_prediction predictions[] = {
    {"us_one", "microseconds that 2^14 points take on one rank, ball_sum", "1000 * ms", "ball_sum", "ranks=1-ball-n=2^14", 0.3},
    {"us_two", "the same on two ranks", "1000 * ms", "ball_sum", "ranks=2-ball-n=2^14", 0.3},
    {"us_four", "the same on four ranks", "1000 * ms", "ball_sum", "ranks=4-ball-n=2^14", 0.3},
    {"us_gather", "on four ranks, fetched by the first, ball_gather", "1000 * ms", "ball_gather", "ranks=4-ball-n=2^14", 0.3},
    {"kernels_gather", "kernels that the four run together, ball_gather", "launches", "ball_gather", "ranks=4-ball-n=2^14", 0.001},
};
/* clang-format on */

static const struct lab_goal goals[] = {
    {"ball_gather", "ranks=4-ball-n=2^14", "inst_executed / n <= 12",
     "all ranks together do more work than there are points"},
    {"ball_sum", "ranks=4-ball-n=2^14", "inst_executed / n <= 12",
     "all ranks together do more work than there are points"},
    {"vector_sum", "ranks=2-vector-n=2^16", "global_ld_bytes / (4 * n) <= 1.2",
     "elements are loaded by more than one rank"},
    {"vector_sum", "ranks=2-vector-n=2^20", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {"many_gather", "ranks=4-many-m=2^12-n=16", "inst_executed / (n * m) <= 7",
     "all ranks together do more work than there are points"},
    {"many_sum", "ranks=4-many-m=2^12-n=16", "inst_executed / (n * m) <= 7",
     "all ranks together do more work than there are points"},
    {"many_chunks", "ranks=4-many-m=2^12-n=16", "inst_executed / (n * m) <= 7",
     "all ranks together do more work than there are points"},
    {"many_chunks", "ranks=2-many-m=2^12-n=16", "sums <= 9",
     "its many sums take longer than what they hide"},
    {0},
};

const struct lab lab_multi_gpu = {
    .name = "multi_gpu",
    .title = "Several GPUs: shares, sums and what they cost",
    .bytes_formula = "4 n of a vector",
    .flops_formula = "",
    .record_items = "not used",
    .param_name = "ranks",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .applies = applies,
    .ranks = ranks,
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .made = made,
    .term = term,
    .recognise = recognise,
    .extents = "pnm",
    .integer_bounds = true,
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
