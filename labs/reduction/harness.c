/* harness.c - the reduction lab: variants, cases, CPU reference, launch plan.
 *
 * A reduction is launched in levels: level 0 turns n elements into one partial result a
 * block, level 1 reduces these, and so on until one is left. Partial results ping-pong
 * between two scratch buffers, which are sized exactly so that a stray access shows.
 *
 *   in (n) --level 0--> ping (blocks) --level 1--> pong --...--> out (1)
 *
 * Kernels are called (in, out, n); reduce9 is launched once, as (in, out, n, ping).
 */
#include "lab/dtype.h"
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/special.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum op { SUM, MIN, MAX };
enum { IN, OUT, PING, PONG, NBUFFERS };

/* Flags of variants. */
enum {
    ONE_EACH = 1,     /* a thread loads one element */
    TWO_EACH = 2,     /* a thread loads two */
    G80_GRID = 4,     /* 64 blocks, as was best on the G80 */
    POWER_OF_TWO = 8, /* the tree halves the block */
    UNROLLED = 16,    /* has code for ten block sizes */
    ONE_LAUNCH = 32,
};

/* Knobs of cases. `param` forces the block size; -64 forces 64 on a record that asks for less.
 * `m` and `k` are these. */
enum { LEVEL0_ONLY = 1 }; /* m: each block's partial result is the output */
/* m of a CASE_SPECIAL case of floats: some huge, all tiny, one infinite, one NaN; of ints: one far
 * from all others. */
enum { GREAT = 2, SMALL, INFINITE, NOT_A_NUMBER, APART, EQUAL, OF_TWO };
enum { LECTURE_BYTES = 1 }; /* k: count the reads and writes of all levels */
enum { MAX_BLOCKS_G80 = 64, FULL_WARP = 32, MAX_UNROLLED = 512 };

#define KERNELS(f) f "_i32_sum " f "_f32_sum " f "_f64_sum " f "_i32_min " f "_i32_max"
#define STEP(id, what_it_is, block, items_each, blocks, flag, ...)                                 \
    {                                                                                              \
        .name = "reduce" id, .number = id, .what = what_it_is, .kernels = KERNELS("reduce" id),    \
        .has_record = true, .record = {.block_x = block, .block_y = 1, .items = items_each},       \
        blocks, .flags = flag, __VA_ARGS__                                                         \
    }
/* Allowed block sizes; steps 7 to 9 may choose the elements a thread as well. */
#define BLOCKS(least, most) .min = {.block_x = least}, .max = {.block_x = most}
#define BLOCKS_ANY(least, most)                                                                    \
    .min = {.block_x = least}, .max = {.block_x = most, .items = 1 << 20}

/* clang-format off */
static const struct lab_variant variants[] = {
    /*   number, what,                          block, items */
    STEP("1", "interleaved, divergent branch (%)", 128, 1, BLOCKS(2, 1024), ONE_EACH | POWER_OF_TWO),
    STEP("2", "interleaved, strided index",        128, 1, BLOCKS(2, 1024), ONE_EACH | POWER_OF_TWO),
    STEP("3", "sequential addressing",             128, 1, BLOCKS(2, 1024), ONE_EACH | POWER_OF_TWO),
    STEP("4", "first add during load",             128, 2, BLOCKS(1, 1024), TWO_EACH | POWER_OF_TWO),
    STEP("5", "last warp unrolled",                128, 2, BLOCKS(1, 1024), TWO_EACH | POWER_OF_TWO),
    STEP("6", "completely unrolled",               128, 2, BLOCKS(1, 512), TWO_EACH | POWER_OF_TWO | UNROLLED),
    STEP("7", "many per thread, device filled",    128, 0, BLOCKS_ANY(1, 512), POWER_OF_TWO | UNROLLED),
    STEP("8", "shuffles",                          256, 0, BLOCKS_ANY(32, 1024), 0),
    STEP("9", "your best, one launch",             512, 0, BLOCKS_ANY(32, 1024), ONE_LAUNCH, .optional = true),
    /* The lecture's own launch of step 7, kept out of the ladder's step column. */
    {.name = "reduce7_g80", .number = "7", .what = "many per thread, 64 blocks (G80)",
     .kernels = KERNELS("reduce7"), .record = {.block_x = 128, .block_y = 1}, .flags = G80_GRID},
};
/* clang-format on */

#define CHECKED CASE_CHECK | CASE_QUICK
#define TIMED   CASE_CHECK | CASE_TIME | CASE_QUICK
#define LONG    CASE_CHECK | CASE_TIME
#define I32(label, length, flag)                                                                   \
    {                                                                                              \
        .name = label, .n = (length), .dtype = DT_I32, .flags = flag                               \
    }
#define BLOCK(size)                                                                                \
    {                                                                                              \
        .name = "block=" #size, .n = 4999, .param = (size), .dtype = DT_I32, .flags = CHECKED      \
    }

static const struct lab_case cases[] = {
    /* lengths that a wrong tail gets wrong */
    I32("n=0", 0, CHECKED),
    I32("n=1", 1, CHECKED),
    I32("n=2", 2, CHECKED),
    I32("n=31", 31, CHECKED),
    I32("n=33", 33, CHECKED),
    I32("n=127", 127, CHECKED),
    I32("n=129", 129, CHECKED),
    I32("n=1000", 1000, CHECKED),
    I32("n=2^14-1", (1 << 14) - 1, CHECKED),
    I32("n=2^14+1", (1 << 14) + 1, CHECKED),
    I32("n=100003", 100003, CHECKED), /* a prime */
    /* the other kernels */
    {.name = "f32", .n = 100003, .dtype = DT_F32, .flags = CHECKED},
    {.name = "f32-n=1", .n = 1, .dtype = DT_F32, .flags = CHECKED},
    {.name = "f64", .n = 100003, .dtype = DT_F64, .flags = CHECKED},
    {.name = "f64-n=33", .n = 33, .dtype = DT_F64, .flags = CHECKED},
    {.name = "min", .n = 100003, .dtype = DT_I32, .op = MIN, .flags = CHECKED},
    {.name = "max", .n = 100003, .dtype = DT_I32, .op = MAX, .flags = CHECKED},
    {.name = "min-n=0", .n = 0, .dtype = DT_I32, .op = MIN, .flags = CHECKED},
    {.name = "max-n=1", .n = 1, .dtype = DT_I32, .op = MAX, .flags = CHECKED},
    {.name = "f32-infinite",
     .n = 100003,
     .m = INFINITE,
     .dtype = DT_F32,
     .flags = CHECKED | CASE_SPECIAL},
    {.name = "equal", .n = 1000, .m = EQUAL, .dtype = DT_I32, .flags = CHECKED | CASE_SPECIAL},
    {.name = "f32-of-two",
     .n = 1000,
     .m = OF_TWO,
     .dtype = DT_F32,
     .flags = CHECKED | CASE_SPECIAL},
    /* steps 6 and 7 in each size they have code for */
    BLOCK(1),
    BLOCK(2),
    BLOCK(4),
    BLOCK(8),
    BLOCK(16),
    BLOCK(32),
    BLOCK(64),
    BLOCK(128),
    BLOCK(256),
    BLOCK(512),
    /* the lecture's table */
    I32("n=2^17", 1 << 17, TIMED),
    I32("n=2^18", 1 << 18, LONG),
    I32("n=2^19", 1 << 19, LONG),
    I32("n=2^20", 1 << 20, TIMED),
    I32("n=2^21", 1 << 21, LONG),
    I32("n=2^22", 1 << 22, TIMED),
    I32("n=2^23", 1 << 23, LONG),
    I32("n=2^24", 1 << 24, LONG),
    I32("n=2^25", 1 << 25, LONG),
    /* level 0 on the GPU and the rest on the CPU, which checks each block's partial result */
    {.name = "level0-n=2^17", .n = 1 << 17, .m = LEVEL0_ONLY, .dtype = DT_I32, .flags = TIMED},
    {.name = "n=2^22-all-levels", .n = 1 << 22, .k = LECTURE_BYTES, .dtype = DT_I32, .flags = LONG},
    {.name = "f32-n=2^22", .n = 1 << 22, .dtype = DT_F32, .flags = LONG},
    {.name = "f64-n=2^22", .n = 1 << 22, .dtype = DT_F64, .flags = LONG},
    {.name = "min-n=2^22", .n = 1 << 22, .dtype = DT_I32, .op = MIN, .flags = LONG},
};

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    if (c->param > 0)
        return v->flags & UNROLLED;
    if (c->m == LEVEL0_ONLY) /* only these are told which elements a block owns */
        return v->flags & (ONE_EACH | TWO_EACH);
    return true;
}

/* ---- the plan ---- */

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Blocks for n elements: one a chunk, or for `items` 0 as many as the device holds at once. */
static uint64_t blocks_for(const struct lab_variant *v, uint64_t n, uint32_t block, uint32_t items,
                           const struct device_limits *d)
{
    uint64_t most = UINT64_MAX;

    if (v->flags & G80_GRID)
        most = MAX_BLOCKS_G80;
    else if (items == 0)
        most = (uint64_t)d->sms * (d->max_threads_per_sm / block);
    if (items == 0)
        items = 2;

    uint64_t blocks = ceil_div(n, (uint64_t)block * items);

    return blocks == 0 ? 1 : blocks > most ? most : blocks;
}

static bool record_is_usable(const struct lab_variant *v, uint32_t block, uint32_t items,
                             uint32_t most, char *err, size_t errsize)
{
    if (block == 0 || block > most)
        snprintf(err, errsize, "%s: a block of %u threads; this device allows 1 to %u", v->name,
                 block, most);
    else if ((v->flags & POWER_OF_TWO) && (block & (block - 1)))
        snprintf(err, errsize, "%s is run in blocks of a power of two: %u is not a power of two",
                 v->name, block);
    else if (!(v->flags & POWER_OF_TWO) && block % FULL_WARP)
        snprintf(err, errsize, "%s needs full warps: %u is not a multiple of 32", v->name, block);
    else if ((v->flags & UNROLLED) && block > MAX_UNROLLED)
        snprintf(err, errsize, "%s has code for blocks of 1, 2, 4, ... 512 threads, not %u",
                 v->name, block);
    else if (items && (uint64_t)block * items < 2)
        snprintf(err, errsize, "%s: one thread with one element a block reduces nothing", v->name);
    else
        return true;
    return false;
}

static struct plan_arg buffer_arg(int b)
{
    return (struct plan_arg){.kind = ARG_BUFFER, .buffer = b};
}

static void kernel_name(char *name, size_t size, const struct lab_variant *v,
                        const struct lab_case *c)
{
    static const char *const ops[] = {[SUM] = "sum", [MIN] = "min", [MAX] = "max"};
    const char *stem = v->flags & G80_GRID ? "reduce7" : v->name;

    lab_name(name, size, "%s_%s_%s", stem,
             c->dtype == DT_F64   ? "f64"
             : c->dtype == DT_F32 ? "f32"
                                  : "i32",
             ops[c->op]);
}

static void add_level(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      int from, int to, uint64_t n, uint64_t blocks, uint32_t block)
{
    struct plan_step *s = &p->steps[p->nsteps++];

    *s = (struct plan_step){.grid = {(uint32_t)blocks, 1, 1}, .block = {block, 1, 1}, .nargs = 3};
    kernel_name(s->kernel, sizeof(s->kernel), v, c);
    s->shared_bytes = block * (uint32_t)dtype_size(c->dtype);
    s->args[0] = buffer_arg(from);
    s->args[1] = buffer_arg(to);
    s->args[2] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)n};
    if (v->flags & ONE_LAUNCH)
        s->args[s->nargs++] = buffer_arg(PING);
}

static void plan_levels(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                        uint32_t block, uint32_t items, const struct device_limits *d)
{
    uint64_t n = c->n, traffic = 0;
    int from = IN;

    do {
        uint64_t blocks = blocks_for(v, n, block, items, d);
        int scratch = from == PING ? PONG : PING;
        bool last = blocks == 1 || c->m == LEVEL0_ONLY || (v->flags & ONE_LAUNCH);
        int to = last ? OUT : scratch;

        add_level(p, v, c, from, to, n, blocks, block);
        if (!last || (v->flags & ONE_LAUNCH)) {
            if (p->buffers[scratch].count < blocks)
                p->buffers[scratch].count = blocks;
        }
        traffic += n + blocks;
        from = to;
        n = blocks;
    } while (from != OUT);

    p->buffers[OUT].count = c->m == LEVEL0_ONLY ? n : 1;
    if (c->m == LEVEL0_ONLY || c->k == LECTURE_BYTES)
        p->bytes = (double)traffic * (double)dtype_size(c->dtype);
}

static bool case_is_usable(const struct lab_case *c, char *err, size_t errsize)
{
    bool floating = c->dtype == DT_F32 || c->dtype == DT_F64;

    if (c->n >> 31)
        snprintf(err, errsize, "n is %llu: this lab's kernels index with 31 bits",
                 (unsigned long long)c->n);
    else if (c->dtype != DT_I32 && !(floating && c->op == SUM))
        snprintf(err, errsize, "there are kernels for i32 sum, min and max, f32 sum and f64 sum");
    else
        return true;
    return false;
}

static uint32_t block_of(const struct lab_case *c, const struct launch_record *r)
{
    uint32_t least = c->param < 0 ? (uint32_t)-c->param : 0;

    return c->param > 0 ? (uint32_t)c->param : r->block_x < least ? least : r->block_x;
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    static const struct lab_buffer shape[NBUFFERS] = {
        [IN] = {.name = "in", .role = BUF_INPUT},
        [OUT] = {.name = "out", .role = BUF_OUTPUT},
        [PING] = {.name = "partial", .role = BUF_SCRATCH},
        [PONG] = {.name = "partial2", .role = BUF_SCRATCH},
    };
    uint32_t block = block_of(c, r);

    if (!case_is_usable(c, err, errsize) ||
        !record_is_usable(v, block, r->items, d->max_threads_per_block, err, errsize))
        return false;
    memset(p, 0, sizeof(*p));
    p->nbuffers = NBUFFERS;
    memcpy(p->buffers, shape, sizeof(shape));
    for (int b = 0; b < NBUFFERS; b++)
        p->buffers[b].dtype = c->dtype;
    p->buffers[IN].count = c->n;
    p->bytes = (double)c->n * (double)dtype_size(c->dtype);
    plan_levels(p, v, c, block, r->items, d);
    return true;
}

/* ---- inputs and reference ---- */

/* Where a careless kernel does not look: the last element, the first, any other. */
static uint64_t hiding_place(uint64_t n, uint64_t draw)
{
    uint64_t kind = draw % 4;

    return kind == 0 ? n - 1 : kind == 1 ? 0 : draw / 4 % n;
}

/* Integers use all 32 bits: sums wrap, as int does on a GPU. Minima are of positive and maxima of
 * negative numbers, so that 0 does not pass for a neutral element. How large they are is drawn,
 * and the extreme one changes places with another: nothing but looking at all of them tells
 * which it is. */
static void fill_i32(int32_t *a, uint64_t n, int op, uint64_t seed)
{
    unsigned shift = 2 + random_u64(seed, n) % 8;
    uint64_t extreme = 0;

    for (uint64_t i = 0; op == SUM && i < n; i++)
        a[i] = (int32_t)(uint32_t)random_u64(seed, i);
    for (uint64_t i = 0; op != SUM && i < n; i++) {
        a[i] = 1 + (int32_t)((uint32_t)random_u64(seed, i) >> shift);
        if (op == MAX)
            a[i] = -a[i];
        if (op == MIN ? a[i] < a[extreme] : a[i] > a[extreme])
            extreme = i;
    }
    if (op != SUM && n > 0) {
        uint64_t place = hiding_place(n, random_u64(seed, n + 1));
        int32_t v = a[place];

        a[place] = a[extreme];
        a[extreme] = v;
    }
}

/* One is an eighth as large as all others together, wherever the seed puts it: roundings of many
 * numbers make up for each other, its does not. A power of two times what it was, it is a multiple
 * of 2^-24 still. */
static void fill_f32(float *a, uint64_t n, uint64_t seed)
{
    for (uint64_t i = 0; i < n; i++)
        a[i] = random_f32(seed, i);
    if (n > 32)
        a[random_u64(seed, n) % n] *= (float)(1ull << (63 - __builtin_clzll(n / 16)));
}

/* ---- special numbers: the sum is the same in any order, so that it is compared exactly ---- */

/* The least lies below 0 and all others above, or the greatest above and all others below, further
 * from each other than int reaches. */
static int32_t far_apart(uint64_t r, int op, bool extreme)
{
    int32_t v = INT32_MAX - (int32_t)(r % (1 << 20));

    return (op == MIN) == extreme ? -v : v;
}

/* Element i where all are alike, or are one of two, by turns or in any order: partial results are
 * alike, too. One of these is 0, 1, of any size, or less than 0. Below 2^12, so that a float has
 * room for the sum. */
static int32_t one_of_few(uint64_t i, uint64_t kind, uint64_t seed)
{
    uint64_t r = random_u64(~seed, 0), turn = r >> 60 & 1 ? i : random_u64(seed, i);
    int32_t first = (int32_t)(r % 4096 >> (r >> 12) % 12), other = (int32_t)(r >> 32) % 2 - first;

    if (kind == EQUAL)
        return first ? first : 1;
    return turn % 2 ? first : other;
}

/* All are the neutral element, so that no other one will do, or APART; sums have the ends of what
 * int holds. */
static void special_i32(int32_t *a, uint64_t n, int op, uint64_t kind, uint64_t seed)
{
    fill_i32(a, n, op, seed);
    if (kind >= EQUAL)
        for (uint64_t i = 0; i < n; i++)
            a[i] = one_of_few(i, kind, seed);
    else if (op == SUM)
        special_sprinkle(DT_I32, SPECIAL_ALL, seed, n, a);
    for (uint64_t i = 0; kind < EQUAL && op != SUM && i < n; i++)
        a[i] = kind == APART ? far_apart(random_u64(seed, i), op,
                                         i == hiding_place(n, random_u64(seed, n + 1)))
               : op == MIN   ? INT32_MAX
                             : INT32_MIN;
}

/* GREAT: one has all bits of its mantissa and nearly the greatest exponent, another one is some
 * units of its last place less than 0, and what the others are is lost beside them. SMALL: few
 * units each of a number that is all but the least; atomics take less than the least normal float
 * for 0 on a GPU. */
static void special_float(enum dtype t, void *a, uint64_t n, uint64_t kind, uint64_t seed)
{
    int bits = t == DT_F32 ? 24 : 53, most = t == DT_F32 ? 128 : 1024;
    uint64_t r = random_u64(seed, n), first = r % n, second = (first + 1 + (r >> 32) % n) % n;

    for (uint64_t i = 0; kind >= EQUAL && i < n; i++)
        dtype_set(t, a, i, one_of_few(i, kind, seed));
    for (uint64_t i = 0; kind < EQUAL && i < n; i++) {
        double unit = random_f32(seed, i);

        dtype_set(t, a, i,
                  kind == SMALL ? ldexp(1 + (double)(random_u64(seed, i) % 8191), 16 - most)
                                : ldexp(unit, kind == GREAT ? -100 : 0));
    }
    if (kind == GREAT) {
        uint64_t whole = (r | 1) << (64 - bits) >> (64 - bits) | 1ull << (bits - 1);

        dtype_set(t, a, first, ldexp((double)whole, most - bits));
        if (second != first)
            dtype_set(t, a, second, ldexp(-1 - (double)(r >> 20 & 511), most - bits));
    }
    if (kind == INFINITE)
        dtype_set(t, a, first, r >> 61 & 1 ? INFINITY : -INFINITY);
    if (kind == NOT_A_NUMBER)
        dtype_set(t, a, first, NAN);
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t n = p->buffers[b].count;

    if (c->flags & CASE_SPECIAL) {
        if (c->dtype == DT_I32)
            special_i32(data, n, c->op, c->m, seed);
        else if (n > 0)
            special_float(c->dtype, data, n, c->m, seed);
        return;
    }
    if (c->dtype == DT_I32)
        fill_i32(data, n, c->op, seed);
    if (c->dtype == DT_F32)
        fill_f32(data, n, seed);
    for (uint64_t i = 0; c->dtype == DT_F64 && i < n; i++)
        ((double *)data)[i] = (double)(int64_t)random_u64(seed, i) * 0x1p-63;
}

static int32_t reduce_i32(const int32_t *a, uint64_t n, int op)
{
    int32_t v = op == SUM ? 0 : op == MIN ? INT32_MAX : INT32_MIN;

    for (uint64_t i = 0; i < n; i++) {
        if (op == SUM)
            v = (int32_t)((uint32_t)v + (uint32_t)a[i]);
        else if (op == MIN ? a[i] < v : a[i] > v)
            v = a[i];
    }
    return v;
}

/* Each addition errs by at most u = 2^-24 (float) or 2^-53 (double) of its result. A tree of n
 * leaves has log2 n of them one behind the other, so it is off by at most log2 n u sum|x|
 * (Higham, Accuracy and Stability, ch. 4). One thread that adds all n errs no more here: numbers
 * of mean 0 have partial sums of about sqrt(n), whose errors add up to half of u sum|x|. Twice
 * the tree's and 16 for whatever lies between; n numbers have no more than n - 1 additions. */

/* Of numbers that fill_f32() made: multiples of 2^-24 below 1 but for one, so that a double holds
 * the sum of 2^28 of them exactly, in any order. */
static void sum_f32(const float *in, uint64_t n, double *sum, double *magnitude)
{
    double s[4] = {0}, m[4] = {0};

    for (uint64_t i = 0; i < n; i++) {
        s[i % 4] += (double)in[i];
        m[i % 4] += fabs((double)in[i]);
    }
    *sum = s[0] + s[1] + s[2] + s[3];
    *magnitude = m[0] + m[1] + m[2] + m[3];
}

static void reduce_float(const struct lab_case *c, const void *in, void *expected,
                         double *tolerance)
{
    long double sum = 0, magnitude = 0;
    double u = c->dtype == DT_F32 ? 0x1p-24 : 0x1p-53;

    if (c->dtype == DT_F32) {
        double exact, size;

        sum_f32(in, c->n, &exact, &size);
        magnitude = size;
        *(float *)expected = (float)exact;
    }
    for (uint64_t i = 0; c->dtype == DT_F64 && i < c->n; i++) {
        sum += ((const double *)in)[i];
        magnitude += fabs(((const double *)in)[i]);
    }
    if (c->dtype == DT_F64)
        *(double *)expected = (double)sum;
    double n = (double)c->n;
    *tolerance =
        c->flags & CASE_SPECIAL ? 0 : 2 * fmin(n, 8 + log2(fmax(n, 1))) * u * (double)magnitude;
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    if (c->dtype != DT_I32) {
        reduce_float(c, inputs[IN], expected[OUT], tolerance[OUT]);
        return;
    }

    uint64_t parts = p->buffers[OUT].count;
    uint64_t chunk =
        parts == 1 ? c->n : (uint64_t)p->steps[0].block[0] * (v->flags & TWO_EACH ? 2 : 1);

    for (uint64_t b = 0; b < parts; b++) {
        uint64_t first = b * chunk, left = c->n - first;

        ((int32_t *)expected[OUT])[b] =
            reduce_i32((const int32_t *)inputs[IN] + first, left < chunk ? left : chunk, c->op);
    }
}

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    static const enum lab_made of[] = {[SUM] = MADE_SUM, [MIN] = MADE_MIN, [MAX] = MADE_MAX};

    (void)v;
    return of[c->op];
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    uint64_t chunk = p->buffers[OUT].count == 1
                         ? c->n
                         : (uint64_t)p->steps[0].block[0] * (v->flags & TWO_EACH ? 2 : 1);
    uint64_t at = element * chunk + t;

    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{IN, at}}};
    return t < chunk && at < c->n;
}

static const struct lab_column columns[] = {
    {"active", "lanes", "thread_inst_executed_pred_on/inst_executed"},
    {"bank", "confl.", "shared_ld_bank_conflicts"},
    {"barrier", "waits", "barriers"},
    {"sectors", "a load", "global_ld_sectors/global_ld_requests"},
    {0},
};

static const struct lab_prediction predictions[] = {
    {"sectors_per_request", "sectors a warp's load touches, step 3",
     "global_ld_sectors/global_ld_requests", "reduce3", "n=2^20", 0.02},
    {"conflicts_reduce2", "passes over the banks a load takes, step 2",
     "shared_ld_wavefronts/shared_ld_requests", "reduce2", "n=2^20", 0.15},
    {"conflicts_reduce3", "bank conflicts of loads, step 3", "shared_ld_bank_conflicts", "reduce3",
     "n=2^20", 0},
    {"barriers_reduce3", "warps' arrivals at barriers, n=2^20, step 3", "barriers", "reduce3",
     "n=2^20", 0.02},
    {"barriers_reduce5", "warps' arrivals at barriers, n=2^20, step 5", "barriers", "reduce5",
     "n=2^20", 0.02},
};

static const struct lab_goal goals[] = {
    {"reduce2", "n=2^20", "divergent_branches / warps <= 4", "its warps still part in every round"},
    {"reduce3", "n=2^17", "shared_ld_bank_conflicts / shared_ld_requests <= 0.5",
     "its loads still meet in the same banks"},
    {"reduce5", "n=2^17", "barriers / warps <= 5",
     "its last warp still waits for all others at each step"},
    {"reduce6", "n=2^17", "barriers / warps <= 5",
     "its last warp still waits for all others at each step"},
    {"reduce7", "n=2^20", "threads / n <= 0.4", "it has as many threads as step 6"},
    {"reduce7", "n=2^20", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {"reduce8", "n=2^20", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {"reduce8", "n=2^20", "shared_ld_requests / warps <= 2",
     "lanes of its warps still meet in shared memory"},
    {"reduce8", "n=2^20", "thread_inst_executed_pred_on / inst_executed >= 20",
     "most lanes of its warps wait for others"},
    {"reduce9", "n=2^20", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {"reduce9", "n=2^20", "thread_inst_executed_pred_on / inst_executed >= 20",
     "most lanes of its warps wait for others"},
    {0},
};

const struct lab lab_reduction = {
    .name = "reduction",
    .title = "Reduction: one number out of many",
    .bytes_formula = "element size * n (cases level0 and all-levels: reads + writes)",
    .flops_formula = NULL,
    .record_items = "elements a thread; 0: as many blocks as the device holds at once",
    .param_name = "block",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .applies = applies,
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .made = made,
    .term = term,
    .extents = "n",
    .blocks = {64, 256, 512},
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
