/* harness.c - what reductions are used for: variants, cases, CPU reference, launch plan.
 *
 * Eight experiments share the lab; a case's `op` says which one it belongs to. In most of them the
 * input is a matrix of m rows of n elements, and block r reduces row r:
 *
 *   in  |########## n ##########|  row 0  --block 0-->  out[0]
 *       |#######################|  row 1  --block 1-->  out[1]        … m rows
 *
 * COUNT, HISTOGRAM and GRID take one array of n elements, and blocks add up by atomics: there the
 * kernel `clear` goes first and sets the result to 0.
 */
#include "base/text.h"
#include "lab/lab.h"
#include "lab/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum experiment { PRODUCT, ALL, ANY, DOT, TREE, COUNT, HISTOGRAM, SOFTMAX, GRID };
/* param of a softmax: rows of any spread, or all with one element far above all others. */
enum { ANY_SPREAD = 1, ONE_ABOVE = 2 };
enum { BLOCK = 256, TREE_BLOCK = 512, EACH = 16, BINS = 64, MANY_ROWS = 4 };

/* Flags of variants: the experiment; a thread a row; which kernel is launched. */
enum { EXPERIMENT = 15, THREAD_A_ROW = 16 };

#define FLAT(threads) .record = {.block_x = threads, .block_y = 1}
#define CLEARED(name) "clear " name

/* clang-format off */
static const struct lab_variant variants[] = {
    {.name = "product_rows", .number = "1", .what = "product, modulo 2^32", FLAT(BLOCK), .flags = PRODUCT},
    {.name = "and_rows", .number = "2", .what = "bits that are set in all", FLAT(BLOCK), .flags = ALL},
    {.name = "or_rows", .number = "3", .what = "bits that are set in any", FLAT(BLOCK), .flags = ANY},
    {.name = "dot_rows", .number = "4", .what = "dot product", FLAT(BLOCK), .flags = DOT},
    {.name = "tree_2", .number = "5", .what = "sum, a tree of degree 2", FLAT(TREE_BLOCK), .flags = TREE},
    {.name = "tree_4", .number = "6", .what = "sum, a tree of degree 4", FLAT(TREE_BLOCK), .flags = TREE},
    {.name = "tree_8", .number = "7", .what = "sum, a tree of degree 8", FLAT(TREE_BLOCK), .flags = TREE},
    {.name = "count_each", .number = "8", .what = "count, an atomic an element", .kernels = CLEARED("count_each"), FLAT(BLOCK), .flags = COUNT},
    {.name = "count_block", .number = "9", .what = "count, an atomic a block", .kernels = CLEARED("count_block"), FLAT(BLOCK), .flags = COUNT},
    {.name = "count_warp", .number = "10", .what = "count, an atomic a warp", .kernels = CLEARED("count_warp"), FLAT(BLOCK), .flags = COUNT},
    {.name = "histogram", .number = "11", .what = "histogram, one a block first", .kernels = CLEARED("histogram"), FLAT(BLOCK), .flags = HISTOGRAM},
    {.name = "softmax_thread", .number = "12", .what = "softmax, a thread a row", FLAT(BLOCK), .flags = SOFTMAX | THREAD_A_ROW},
    {.name = "softmax_block", .number = "13", .what = "softmax, a block a row", FLAT(BLOCK), .flags = SOFTMAX},
    {.name = "sum_grid", .number = "14", .what = "sum, by so many blocks", .kernels = CLEARED("sum_grid"), FLAT(128), .flags = GRID},
};

#define CHECK CASE_CHECK | CASE_QUICK
#define SMALL CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define LARGE CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define ROWS(id, what, type, columns, rows, flag) {.name = id, .n = columns, .m = rows, .dtype = type, .op = what, .flags = flag}
#define FOLDS(id, what, type) \
    ROWS(id "-n=0", what, type, 0, 3, CHECK), ROWS(id "-n=1", what, type, 1, 2, CHECK), ROWS(id "-n=97", what, type, 97, 3, CHECK), ROWS(id "-n=1003", what, type, 1003, 5, CHECK), \
    ROWS(id "-n=4096", what, type, 4096, 132, SMALL), ROWS(id "-n=4096-m=8192", what, type, 4096, 8192, LARGE)
#define LIST(id, what, count, flag) {.name = id, .n = count, .dtype = DT_U32, .op = what, .flags = CASE_DATA | flag}
#define LISTS(id, what) \
    LIST(id "-n=0", what, 0, CHECK), LIST(id "-n=1", what, 1, CHECK), LIST(id "-n=10007", what, 10007, CHECK), \
    LIST(id "-n=2^19", what, 1 << 19, SMALL), LIST(id "-n=2^25", what, 1 << 25, LARGE)
#define GRIDS(id, count, blocks, flag) {.name = id, .n = count, .param = blocks, .dtype = DT_U32, .op = GRID, .flags = flag}
#define GRID_OF(b) GRIDS("grid=" #b, 1 << 19, b, SMALL), GRIDS("grid=" #b "-n=2^25", 1 << 25, b, LARGE)

static const struct lab_case cases[] = {
    FOLDS("product", PRODUCT, DT_U32),
    FOLDS("and", ALL, DT_U32),
    FOLDS("or", ANY, DT_U32),
    ROWS("product-special", PRODUCT, DT_U32, 40, 7, CHECK | CASE_SPECIAL), ROWS("and-special", ALL, DT_U32, 40, 7, CHECK | CASE_SPECIAL), ROWS("or-special", ANY, DT_U32, 40, 7, CHECK | CASE_SPECIAL),
    FOLDS("dot", DOT, DT_F32),
    ROWS("dot-special", DOT, DT_F32, 100, 10, CHECK | CASE_SPECIAL),

    ROWS("tree-n=1", TREE, DT_U32, 1, 3, CHECK),
    ROWS("tree-n=100", TREE, DT_U32, 100, 4, CHECK),
    ROWS("tree-n=512", TREE, DT_U32, 512, 5, CHECK),
    ROWS("tree-m=1056", TREE, DT_U32, 512, 1056, SMALL),
    ROWS("tree-m=2^16", TREE, DT_U32, 512, 1 << 16, LARGE),

    LISTS("count", COUNT),
    LISTS("bins", HISTOGRAM),
    LIST("bins-equal", HISTOGRAM, 10240, CHECK | CASE_SPECIAL),

    ROWS("softmax-n=1", SOFTMAX, DT_F32, 1, 3, CHECK),
    ROWS("softmax-special", SOFTMAX, DT_F32, 100, 6, CHECK | CASE_SPECIAL),
    ROWS("softmax-n=1003", SOFTMAX, DT_F32, 1003, 5, CHECK),
    ROWS("softmax-n=1024", SOFTMAX, DT_F32, 1024, 264, SMALL),
    ROWS("softmax-n=4096", SOFTMAX, DT_F32, 4096, 8192, LARGE),

    GRIDS("grid-n=1003", 1003, 7, CHECK),
    GRID_OF(33), GRID_OF(66), GRID_OF(132), GRID_OF(264), GRID_OF(528), GRID_OF(1056), GRID_OF(2112), GRID_OF(4224),
    GRIDS("grid=16896-n=2^25", 1 << 25, 16896, LARGE),
    GRIDS("grid=131072-n=2^25", 1 << 25, 131072, LARGE),
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

/* One array, or a matrix. */
static bool is_list(const struct lab_case *c)
{
    return experiment_of(c) == COUNT || experiment_of(c) == HISTOGRAM || experiment_of(c) == GRID;
}

/* ---- plan ---- */

static bool usable(const struct lab_case *c, char *err, size_t errsize)
{
    enum dtype type = experiment_of(c) == DOT || experiment_of(c) == SOFTMAX ? DT_F32 : DT_U32;

    if (c->dtype != type)
        snprintf(err, errsize, "%s: these kernels are for %s", c->name, dtype_name(type));
    else if (c->n > 1u << 30 || c->m > 1u << 20 || c->n * c->m > 1u << 30)
        snprintf(err, errsize, "%s: at most 2^30 elements, in 2^20 rows", c->name);
    else if (!is_list(c) && !c->m)
        snprintf(err, errsize, "%s: there is at least one row (m)", c->name);
    else if (experiment_of(c) == TREE && c->n > TREE_BLOCK)
        snprintf(err, errsize, "%s: a tree's block has a row of at most %d elements (n)", c->name,
                 TREE_BLOCK);
    else if (experiment_of(c) == SOFTMAX && !c->n)
        snprintf(err, errsize, "%s: the softmax of no elements is not defined", c->name);
    else if (experiment_of(c) == GRID && (c->param < 1 || c->param > 1 << 24))
        snprintf(err, errsize, "%s: a grid has 1 to 2^24 blocks", c->name);
    else
        return true;
    return false;
}

static void add_buffer(struct plan *p, const char *name, enum buffer_role role, enum dtype type,
                       uint64_t count)
{
    struct lab_buffer *b = &p->buffers[p->nbuffers++];

    *b = (struct lab_buffer){.role = role, .dtype = type, .count = count};
    lab_name(b->name, sizeof(b->name), "%s", name);
}

/* Inputs first, then the one output. */
static void plan_buffers(struct plan *p, const struct lab_case *c)
{
    uint64_t elements = is_list(c) ? c->n : c->n * c->m;
    uint64_t results = c->m;

    if (experiment_of(c) == COUNT || experiment_of(c) == GRID)
        results = 1;
    else if (experiment_of(c) == HISTOGRAM)
        results = BINS;
    else if (experiment_of(c) == SOFTMAX)
        results = elements;
    add_buffer(p, experiment_of(c) == DOT ? "x" : "in", BUF_INPUT, c->dtype, elements);
    if (experiment_of(c) == DOT)
        add_buffer(p, "y", BUF_INPUT, c->dtype, elements);
    add_buffer(p, "out", BUF_OUTPUT, c->dtype, results);
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t blocks_of(const struct lab_variant *v, const struct lab_case *c, uint32_t block)
{
    uint64_t blocks = c->m;

    if (v->flags & THREAD_A_ROW)
        blocks = ceil_div(c->m, block);
    else if (experiment_of(c) == GRID)
        blocks = (uint64_t)c->param;
    else if (is_list(c))
        blocks = ceil_div(c->n, (uint64_t)block * EACH);
    return blocks ? blocks : 1;
}

static struct plan_arg u32_arg(uint64_t x)
{
    return (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)x};
}

static struct plan_step *add_step(struct plan *p, const char *kernel, uint64_t grid, uint32_t block)
{
    struct plan_step *s = &p->steps[p->nsteps++];

    *s = (struct plan_step){.grid = {(uint32_t)grid, 1, 1}, .block = {block, 1, 1}};
    lab_name(s->kernel, sizeof(s->kernel), "%s", kernel);
    return s;
}

static void plan_steps(struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                       uint32_t block)
{
    int out = p->nbuffers - 1;
    struct plan_step *s;

    if (is_list(c)) {
        s = add_step(p, "clear", 1, BINS);
        s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = out};
        s->args[s->nargs++] = u32_arg(p->buffers[out].count);
    }
    s = add_step(p, v->name, blocks_of(v, c, block), block);
    for (int b = 0; b < p->nbuffers; b++)
        s->args[s->nargs++] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = b};
    s->args[s->nargs++] = u32_arg(c->n);
    if (v->flags & THREAD_A_ROW)
        s->args[s->nargs++] = u32_arg(c->m);
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    if (!usable(c, err, errsize))
        return false;
    if (r->block_x > d->max_threads_per_block) {
        snprintf(err, errsize, "%s: a block of %u threads; this device allows 1 to %u", v->name,
                 r->block_x, d->max_threads_per_block);
        return false;
    }
    memset(p, 0, sizeof(*p));
    plan_buffers(p, c);
    p->bytes = 4.0 * (double)p->buffers[0].count;
    if (experiment_of(c) == DOT || experiment_of(c) == SOFTMAX)
        p->bytes *= 2;
    plan_steps(p, v, c, r->block_x);
    return true;
}

/* ---- inputs ---- */

/* A row of odd numbers. In two of eight one is even: that product says so. In three others the
 * product has some twos, wherever they are: of few elements, all may be even. More than so many
 * would leave little of the other numbers. */
static void product_row(uint64_t seed, uint64_t row, uint64_t n, uint32_t *x)
{
    enum { TWOS = 20 };
    uint64_t r = random_u64(seed, row), kind = r % 8;
    uint64_t twos = kind < 2 ? 1 : kind < 5 ? 2 + (r >> 8) % (TWOS - 1) : 0;

    for (uint64_t i = 0; i < n; i++)
        x[i] = (uint32_t)(random_u64(seed, row * n + i) >> 32) | 1;
    for (uint64_t k = 0; k < twos; k++)
        x[random_u64(r, k) % n] *= 2;
}

static void product_rows(uint64_t seed, const struct lab_case *c, uint32_t *x)
{
    for (uint64_t row = 0; c->n && row < c->m; row++)
        product_row(seed, row, c->n, x + row * c->n);
}

/* Of every fourth row all elements are alike, or one of two: sums that meet in a tree are, too. */
static uint32_t tree_element(uint64_t seed, uint64_t row, uint64_t i)
{
    uint64_t r = random_u64(~seed, row), word = random_u64(seed, i);

    if (r % 4)
        return (uint32_t)(word >> 32);
    return (uint32_t)(r >> 32) >> (r / 4 % 32) ^ (r >> 7 & word & 1);
}

/* All bits are set but for some, each of which is clear in one to three elements only, or in none.
 * Turned round that is a row for "any", and not for a sum. */
static void all_row(uint64_t seed, uint64_t row, uint64_t n, uint32_t *x)
{
    memset(x, 0xff, n * sizeof(*x));
    for (uint64_t b = 0; b < 32; b++) {
        uint64_t r = random_u64(seed, 32 * row + b);

        for (uint64_t k = 0; k < r % 4; k++)
            x[(r >> (8 + 16 * k)) % n] &= ~(1u << b);
    }
}

static void all_rows(uint64_t seed, const struct lab_case *c, uint32_t *x)
{
    for (uint64_t row = 0; c->n && row < c->m; row++)
        all_row(seed, row, c->n, x + row * c->n);
    for (uint64_t i = 0; experiment_of(c) == ANY && i < c->m * c->n; i++)
        x[i] = ~x[i];
}

/* A row lies around a number of its own, as far from 0 as exp() of it is no double any more. In
 * every fourth one element lies so far above all others that who does not find it has none for
 * them. */
static float softmax_element(uint64_t seed, uint64_t row, uint64_t i, uint64_t n)
{
    uint64_t r = random_u64(random_u64(seed, 2), row);
    float middle = 2048 * random_f32(random_u64(seed, 1), row);
    float above = row % 2 && r % 2 && (r >> 8) % n == i ? 128 : 0;

    return middle + above + 8 * random_f32(seed, row * n + i);
}

/* A row whose elements lie up to 100 below the largest, or much nearer, evenly or most of them far
 * below; or one lies above all others, whose powers are together from 16,000th of its to all of it.
 */
static float spread_element(uint64_t seed, uint64_t row, uint64_t i, uint64_t n, bool above)
{
    uint64_t r = random_u64(random_u64(seed, 2), row), kind = above ? 0 : r % 4;
    double middle = 2048 * pow((double)random_f32(random_u64(seed, 1), row), 5);
    double own = (1 - (double)random_f32(seed, row * n + i)) / 2; /* 0 to 1: how far below */
    double spread = (double)random_f32(random_u64(seed, 3), row);

    if (above)
        spread = fabs(spread);
    if (kind == 0 && (r >> 8) % n == i)
        return (float)middle;
    return (float)(middle - (kind == 0   ? log((double)n) + 4.85 * (spread + 1) + own / 16
                             : kind == 1 ? exp2(7 * spread) * own
                             : kind == 2 ? 50 * (spread + 1) * own
                                         : 100 * sqrt(own)));
}

/* Half of the numbers fall into one bin, which the seed draws. */
static uint32_t histogram_element(uint64_t seed, uint64_t i)
{
    uint32_t x = (uint32_t)(random_u64(seed, i) >> 32), hot = (uint32_t)random_u64(seed, ~0ull);

    return x % 2 ? x : hot << 26 | x % (1 << 26);
}

/* ---- special numbers ---- */

/* Of five rows one has a NaN, and 0 across from it, one an infinity, and three have one product
 * that is not 0: of a huge, a tiny or a large number and a power of two. In the next five x and y
 * have changed places. */
static void special_dot(uint64_t seed, uint64_t row, uint64_t n, bool second, float *a)
{
    static const int exponents[2][5] = {{0, 0, 100, -100, 30}, {0, 0, 20, 10, 0}};
    uint64_t r = random_u64(random_u64(seed, 3), row), kind = row % 5, at = r % n;
    bool special = (row / 5 % 2 != 0) == second;

    for (uint64_t i = 0; kind > 1 && special && i < n; i++)
        a[i] = 0;
    a[at] =
        ldexpf(special ? 1 + (float)(r >> 40 & 0x7fffff) * 0x1p-23f : 1, exponents[!special][kind]);
    if (!special && kind == 0)
        a[at] = 0;
    if (special && kind < 2)
        a[at] = kind ? (r >> 63 ? INFINITY : -INFINITY) : NAN;
}

/* Rows about as far below 0 as a float can be, or above it, some of whose elements are the largest;
 * of long rows, and of the fifth and sixth, one alone, of the first eight or the last eight. */
static float special_softmax(uint64_t seed, uint64_t row, uint64_t i, uint64_t n)
{
    uint64_t r = random_u64(random_u64(seed, 4), row * n + i);
    uint64_t at = random_u64(random_u64(seed, 5), row) % (n < 8 ? n : 8);
    float most = row % 2 ? 3.3e38f : -2.6e38f;

    if (n > 1000 || row > 3)
        return i == (row % 2 ? at : n - 1 - at) ? most : most - 2e37f * (float)(1 + r / 4 % 3);
    return r % 4 && i != row % n ? most - 2e37f * (float)(1 + r / 4 % 3) : most;
}

/* Where who has it knows the row's result already: 0 in a product, or all bits clear or set. */
static uint32_t settles(enum experiment what)
{
    return what == ANY ? ~0u : 0;
}

/* Does element i settle its row's result? Of every other row none does; of those between the last,
 * any one, the first. */
static bool is_settling(uint64_t seed, uint64_t row, uint64_t i, uint64_t n)
{
    if (row % 2 == 0)
        return false;
    switch (row / 2 % 3) {
    case 0:
        return i == n - 1;
    case 1:
        return i == random_u64(random_u64(seed, 6), row) % n;
    default:
        return i == 0;
    }
}

static void settle(const struct lab_case *c, uint64_t seed, uint32_t *x)
{
    for (uint64_t i = 0; i < c->m * c->n; i++)
        if (is_settling(seed, i / c->n, i % c->n, c->n))
            x[i] = settles(experiment_of(c));
}

static uint32_t special_word(enum experiment what, uint64_t seed, uint64_t i)
{
    uint64_t r = random_u64(seed, i), hot = random_u64(seed, ~0ull) % 4;

    if (what == HISTOGRAM) /* all in one bin, often one at an end */
        return (uint32_t)((hot ? hot == 1 ? 0 : BINS - 1 : seed / 2 % BINS) << 26 | (r >> 38));
    return r % 2 ? (uint32_t)(r >> 32) : (uint32_t)(r >> 32) % 16 - 8;
}

static void special_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                          void *data)
{
    uint64_t n = c->n, count = p->buffers[b].count;
    float *f = data;

    for (uint64_t i = 0; i < count; i++) {
        if (experiment_of(c) == DOT)
            f[i] = 1 + random_f32(random_u64(seed, (uint64_t)b), i) / 2;
        else if (experiment_of(c) == SOFTMAX)
            f[i] = special_softmax(seed, i / n, i % n, n);
        else
            ((uint32_t *)data)[i] = special_word(experiment_of(c), seed, i);
    }
    for (uint64_t row = 0; experiment_of(c) == DOT && row < c->m; row++)
        special_dot(seed, row, n, b == 1, f + row * n);
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b), n = c->n;
    uint32_t *u = data;
    float *f = data;

    bool fold = experiment_of(c) == PRODUCT || experiment_of(c) == ALL || experiment_of(c) == ANY;

    if (c->flags & CASE_SPECIAL && n > 0 && !fold) {
        special_input(p, b, c, seed, data);
        return;
    }
    if (fold) {
        (experiment_of(c) == PRODUCT ? product_rows : all_rows)(stream, c, data);
        if (c->flags & CASE_SPECIAL)
            settle(c, stream, data);
        return;
    }
    for (uint64_t at = 0; at < p->buffers[b].count; at++) {
        switch (experiment_of(c)) {
        case TREE:
            u[at] = tree_element(stream, at / n, at);
            break;
        case DOT:
            f[at] = random_f32(stream, at);
            break;
        case SOFTMAX:
            f[at] = c->param ? spread_element(stream, at / n, at % n, n, c->param == ONE_ABOVE)
                             : softmax_element(stream, at / n, at % n, n);
            break;
        case HISTOGRAM:
            u[at] = histogram_element(stream, at);
            break;
        default:
            u[at] = (uint32_t)(random_u64(stream, at) >> 32);
        }
    }
    if (experiment_of(c) == COUNT && n && n < 1 << 16)
        u[n - 1] |= 3; /* is wanted: who counts it for others, too, is seen */
}

/* ---- reference ---- */

static uint32_t combine(enum experiment what, uint32_t a, uint32_t b)
{
    switch (what) {
    case PRODUCT:
        return a * b;
    case ALL:
        return a & b;
    case ANY:
        return a | b;
    default:
        return a + b;
    }
}

static uint32_t neutral(enum experiment what)
{
    return what == PRODUCT ? 1 : what == ALL ? ~0u : 0;
}

/* Is it counted? A quarter of all numbers is. */
static bool counts(uint32_t x)
{
    return x % 4 == 3;
}

static unsigned bin_of(uint32_t x)
{
    return x >> 26;
}

static void reference_words(const struct lab_case *c, const uint32_t *in, uint32_t *out)
{
    uint64_t rows = is_list(c) ? 1 : c->m;

    if (experiment_of(c) == HISTOGRAM) {
        memset(out, 0, BINS * sizeof(*out));
        for (uint64_t i = 0; i < c->n; i++)
            out[bin_of(in[i])]++;
        return;
    }
    for (uint64_t row = 0; row < rows; row++) {
        uint32_t result = neutral(experiment_of(c));

        for (uint64_t i = row * c->n; i < (row + 1) * c->n; i++)
            result = combine(experiment_of(c), result,
                             experiment_of(c) == COUNT ? counts(in[i]) : in[i]);
        out[row] = result;
    }
}

#define U           0x1p-24 /* half of the last place of 1 */
#define LEAST_SHARE 1e-35   /* what is less may be 0 */

/* Any order of a block's sums: a thread adds its share, a tree the threads'. Each product is
 * rounded once more. */
static void reference_dot(const struct lab_case *c, const float *x, const float *y, float *out,
                          double *tolerance)
{
    for (uint64_t row = 0; row < c->m; row++) {
        double sum = 0, sizes = 0;

        for (uint64_t i = row * c->n; i < (row + 1) * c->n; i++) {
            sum += (double)x[i] * y[i];
            sizes += fabs((double)x[i] * y[i]);
        }
        out[row] = (float)sum;
        tolerance[row] = 2 * fmin((double)c->n + 1, 32 + log2((double)c->n + 1)) * U * sizes;
        if (!isfinite(sizes)) /* the very infinity, or no number */
            tolerance[row] = 0;
    }
}

/* The difference to the largest is rounded before exp(), which makes an error of its size; exp()
 * itself and the quotient may be off by a few places, a sum one after the other by some dozens. */
static void reference_softmax(const struct lab_case *c, const float *in, float *out,
                              double *tolerance)
{
    for (uint64_t row = 0; row < c->m; row++) {
        const float *x = in + row * c->n;
        double most = -INFINITY, sum = 0;

        for (uint64_t i = 0; i < c->n; i++)
            most = fmax(most, x[i]);
        for (uint64_t i = 0; i < c->n; i++)
            sum += exp(x[i] - most);
        for (uint64_t i = 0; i < c->n; i++) {
            double value = exp(x[i] - most) / sum;

            out[row * c->n + i] = (float)value;
            tolerance[row * c->n + i] = (256 + 4 * (most - x[i])) * U * value + LEAST_SHARE;
        }
    }
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    int out = p->nbuffers - 1;

    (void)v;
    if (experiment_of(c) == DOT)
        reference_dot(c, inputs[0], inputs[1], expected[out], tolerance[out]);
    else if (experiment_of(c) == SOFTMAX)
        reference_softmax(c, inputs[0], expected[out], tolerance[out]);
    else
        reference_words(c, inputs[0], expected[out]);
}

/* ---- why is it wrong? ---- */

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v;
    switch (experiment_of(c)) {
    case DOT:
    case TREE:
    case GRID:
        return MADE_SUM;
    case PRODUCT:
    case ALL:
    case ANY:
        return MADE_FOLD;
    default:
        return MADE_UNKNOWN; /* small shares are lost */
    }
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    uint64_t at = is_list(c) ? t : element * c->n + t;

    (void)p;
    *out = (struct lab_term){
        .times = 1, .nfactors = experiment_of(c) == DOT ? 2 : 1, .factor = {{0, at}, {1, at}}};
    return made(v, c) != MADE_UNKNOWN && t < c->n;
}

/* What count_*, and a bin of histogram, counts; what a row's fold comes to beside neutral ones. */
static bool unit(const struct lab_variant *v, const struct lab_case *c, uint64_t element,
                 double *one, double *zero)
{
    enum experiment e = experiment_of(c);

    (void)v;
    if (e <= ANY) {
        *one = e == ALL ? 4294967294 : e == PRODUCT ? 3 : 1;
        *zero = neutral(e);
        return true;
    }
    *one = e == COUNT ? 3 : (double)(element << 26);
    *zero = e == COUNT ? 0 : (double)(element ? 0 : 1u << 26);
    return e == COUNT || e == HISTOGRAM;
}

static uint32_t folded(enum experiment op, uint32_t from, const uint32_t *row, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++)
        from = combine(op, from, row[j]);
    return from;
}

/* An operation's result on rows `first` to `end`: exclusive or is of no kernel here. To 0, and
 * to what the kernel's own begins with, others come as well: of one row it is not enough. */
static bool explains(const struct lab_case *c, const uint32_t *in, const uint32_t *out, int op,
                     uint64_t first, uint64_t end)
{
    bool rich = false;

    for (uint64_t r = first; r < end; r++) {
        const uint32_t *row = in + r * c->n;
        uint32_t value = op < 0 ? 0 : folded(op, neutral(op), row, c->n);

        for (uint64_t j = 0; j < c->n && op < 0; j++)
            value ^= row[j];
        if (value != out[r])
            return false;
        rich |= value != 0 && value != neutral(experiment_of(c));
    }
    return (rich || end > first + 1) && (op >= 0 || c->n > 1);
}

/* What rows give under another operation: all of them, or this one. Two of them can give the same
 * there: both are told. */
static bool recognise_fold(const struct lab_case *c, const uint32_t *in, const uint32_t *out,
                           uint64_t element, char *words, size_t size)
{
    static const struct {
        int op;
        const char *name;
    } all[] = {
        {PRODUCT, "product"}, {ALL, "and"}, {ANY, "or"}, {TREE, "sum"}, {-1, "exclusive or"}};
    enum { OPERATIONS = sizeof(all) / sizeof(all[0]) };
    int own = experiment_of(c), n = 0;
    struct text told = {0};

    for (int whole = 1; whole >= 0 && !n; whole--) {
        for (int i = 0; i < OPERATIONS; i++) {
            if (all[i].op == own ||
                !explains(c, in, out, all[i].op, whole ? 0 : element, whole ? c->m : element + 1))
                continue;
            text_addf(&told, "%s%s", n++ ? " or " : "", all[i].name);
        }
    }
    for (int i = 0; i < OPERATIONS && n; i++) {
        if (all[i].op == own)
            snprintf(words, size, "what %s makes of the row, not %s", told.s, all[i].name);
    }
    text_free(&told);
    return n > 0;
}

/* What a fold of bits starts with, by all rows: a bit of "and" that no row has, one of "or" that
 * all have. */
static uint32_t start_of_bits(const struct lab_case *c, const uint32_t *in, const uint32_t *out)
{
    uint32_t start = neutral(experiment_of(c));

    for (uint64_t r = 0; r < c->m; r++) {
        uint32_t want = folded(experiment_of(c), start, in + r * c->n, c->n);

        if (experiment_of(c) == ALL)
            start &= ~(want & ~out[r]);
        else
            start |= out[r] & ~want;
    }
    return start;
}

/* All rows give what comes of `start`, and not all what comes of the neutral element. */
static bool starts_with(const struct lab_case *c, const uint32_t *in, const uint32_t *out,
                        uint32_t start)
{
    enum experiment own = experiment_of(c);
    bool other = false;

    for (uint64_t r = 0; r < c->m; r++) {
        uint32_t from = folded(own, start, in + r * c->n, c->n);

        if (out[r] != from)
            return false;
        other |= from != folded(own, neutral(own), in + r * c->n, c->n);
    }
    return other;
}

/* What all rows give when the neutral element is another's, or some number: of few rows that says
 * nothing, of many only the bits that they lose. By some rows two of them look alike. */
static bool recognise_start(const struct lab_case *c, const uint32_t *in, const uint32_t *out,
                            char *words, size_t size)
{
    static const uint32_t starts[] = {0, 1, ~0u};
    static const char *const names[] = {[PRODUCT] = "product", [ALL] = "and", [ANY] = "or"};
    enum experiment own = experiment_of(c);
    uint32_t start = start_of_bits(c, in, out), bits = start ^ neutral(own), explains = 0;
    int n = 0;

    for (int i = 0; i < 3; i++) {
        if (starts_with(c, in, out, starts[i]))
            explains = starts[i], n++;
    }
    if (n == 1)
        snprintf(words, size,
                 "what %s makes of the row and of %u: who has no element brings the neutral one",
                 names[own], explains);
    if (n || own == PRODUCT || c->m < MANY_ROWS || !starts_with(c, in, out, start))
        return n == 1;
    snprintf(words, size,
             "what %s makes of the row and of a number with %s bit %d, and %d other bits, in all "
             "rows: is the neutral one %u, and do all bits stay where two are put together?",
             names[own], own == ALL ? "0 in" : "1 in", __builtin_ctz(bits),
             __builtin_popcount(bits) - 1, neutral(own));
    return true;
}

/* Where rows make numbers of many bits, all of out holds 0 and 1 alone, and both or a 1: not their
 * lowest bit. */
static bool recognise_truth(const struct lab_case *c, const uint32_t *in, const uint32_t *out,
                            char *words, size_t size)
{
    bool wide = false, lowest = true, any = false;

    for (uint64_t r = 0; r < c->m; r++) {
        uint32_t want = neutral(experiment_of(c));

        for (uint64_t j = 0; j < c->n; j++)
            want = combine(experiment_of(c), want, in[r * c->n + j]);
        wide |= want > 1;
        lowest &= out[r] == (want & 1);
        any |= out[r] == 1;
        if (out[r] > 1)
            return false;
    }
    if (!wide || lowest || !any || experiment_of(c) == PRODUCT)
        return false;
    snprintf(words, size,
             "0 or 1, as all of out is: && and || give truth values, & and | each bit's");
    return true;
}

enum { FEW = 4 }; /* less than these may be so by chance */

/* Which of the elements that belong to a count are counted, if not all. */
enum part { FIRST_LANES, FIRST_WARPS, FIRST_ROUND, LAST_ROUND, PARTS };

static bool is_in(enum part which, const struct lab_case *c, uint64_t i)
{
    uint64_t block = i % BLOCK, threads = ceil_div(c->n, BLOCK * EACH) * BLOCK;

    switch (which) {
    case FIRST_LANES:
        return block % 32 == 0;
    case FIRST_WARPS:
        return block < 32;
    case FIRST_ROUND:
        return i < threads;
    default:
        return i + threads >= c->n;
    }
}

static bool recognise_part(const struct lab_case *c, const uint32_t *in, uint32_t got, char *words,
                           size_t size)
{
    static const char *const names[PARTS] = {
        [FIRST_LANES] = "lane 0 of each warp",
        [FIRST_WARPS] = "the first warp of each block",
        [FIRST_ROUND] = "each thread in its first round of the loop",
        [LAST_ROUND] = "each thread in its last round of the loop",
    };

    for (int part = 0; part < PARTS; part++) {
        uint32_t count = 0;

        for (uint64_t i = 0; i < c->n; i++)
            count += is_in((enum part)part, c, i) && counts(in[i]);
        if (count != got || count < FEW)
            continue;
        snprintf(words, size, "as many as are wanted of what %s reads, not of all", names[part]);
        return true;
    }
    return false;
}

/* More lanes of a warp than its first add what they have after the last round: partial sums, each
 * of other lanes' counts. */
static bool recognise_lanes(const struct lab_case *c, const uint32_t *in, uint32_t got, char *words,
                            size_t size)
{
    uint64_t threads = ceil_div(c->n, BLOCK * EACH) * BLOCK;
    uint32_t by_step[32] = {0}; /* of each so many-th lane */

    for (uint64_t warp = 0; warp < threads / 32; warp++) {
        uint32_t count[32] = {0};

        for (uint64_t i = 32 * warp; i < c->n; i += threads) {
            for (uint64_t lane = 0; lane < 32 && i + lane < c->n; lane++)
                count[lane] += counts(in[i + lane]);
        }
        for (uint32_t d = 16; d > 0; d /= 2) { /* as __shfl_down_sync: past the last, its own */
            for (uint32_t lane = 0; lane < 32; lane++)
                count[lane] += count[lane + d < 32 ? lane + d : lane];
        }
        for (uint32_t step = 1; step < 32; step *= 2) {
            for (uint32_t lane = 0; lane < 32; lane += step)
                by_step[step] += count[lane];
        }
    }
    for (uint32_t step = 1; step < 32; step *= 2) {
        if (got != by_step[step])
            continue;
        snprintf(words, size,
                 "what it would be if %u lanes of a warp added their sums, partial ones, too: the "
                 "warp's is lane 0's alone",
                 32 / step);
        return true;
    }
    return false;
}

/* Other numbers counted, or each several times, or those of some threads alone. */
static bool recognise_count(const struct lab_case *c, const uint32_t *in, uint32_t got, char *words,
                            size_t size)
{
    uint32_t of[4] = {0}, threads[] = {2, 32, BLOCK};

    for (uint64_t i = 0; i < c->n; i++)
        of[in[i] % 4]++;
    for (int r = 0; r < 3; r++) {
        if (got == of[r] && got != of[3] && got >= FEW) {
            snprintf(words, size, "as many as give %d modulo 4; wanted are those that give 3", r);
            return true;
        }
    }
    for (int k = 0; k < 3; k++) {
        if (of[3] && got == threads[k] * of[3]) {
            snprintf(words, size, "%u times the count: is each added that often?", threads[k]);
            return true;
        }
    }
    return recognise_lanes(c, in, got, words, size) || recognise_part(c, in, got, words, size);
}

/* All bins that are wrong, and several, are 0. */
static bool recognise_bins(const struct lab_case *c, const uint32_t *in, const uint32_t *out,
                           char *words, size_t size)
{
    uint32_t want[BINS] = {0};
    int first = BINS, last = 0, wrong = 0;

    for (uint64_t i = 0; i < c->n; i++)
        want[bin_of(in[i])]++;
    for (int b = 0; b < BINS; b++) {
        if (out[b] == want[b])
            continue;
        if (out[b])
            return false;
        first = wrong++ ? first : b;
        last = b;
    }
    snprintf(words, size,
             "0, as are all %d bins that are wrong%s (the first %d, the last %d): are all %d bins "
             "counted in, and written back?",
             wrong, wrong == last - first + 1 ? ", which follow on each other" : "", first, last,
             BINS);
    return wrong >= 4;
}

/* All of a row is as much too large, or too small: its sum is another one, and perhaps that of all
 * elements but one. */
static bool recognise_divisor(const float *x, uint64_t n, double most, const float *out,
                              char *words, size_t size)
{
    double sum = 0, divisor = INFINITY;

    for (uint64_t i = 0; i < n; i++) {
        sum += exp(x[i] - most);
        divisor = x[i] == most ? 1 / (double)out[i] : divisor;
    }
    if (n < 2 || !isfinite(divisor))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        double value = exp(x[i] - most) / divisor;

        if (!(fabs(out[i] - value) <= 1e-5 * value + LEAST_SHARE))
            return false;
    }
    for (uint64_t j = 0; j < n && n > 1; j++) {
        double share = exp(x[j] - most);

        if (share < 1e-3 * sum || fabs(sum - share - divisor) > 2e-6 * sum)
            continue;
        snprintf(words, size,
                 "what comes of a sum without element %lu of its row; so is all of its row", j);
        return true;
    }
    snprintf(words, size,
             "exp(x - largest), divided by %.6g; its row's sum of these is %.6g. So is all of its "
             "row",
             divisor, sum);
    return fabs(divisor - sum) > 1e-4 * sum;
}

/* Each thread's own: of elements t, t + BLOCK and so on. */
static bool recognise_threads(const float *x, uint64_t n, double most, const float *out,
                              char *words, size_t size)
{
    double sum = 0, largest[BLOCK], own[BLOCK];
    bool by_largest = true, by_sum = true;

    for (uint64_t t = 0; t < BLOCK; t++) {
        largest[t] = -INFINITY;
        own[t] = 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        largest[i % BLOCK] = fmax(largest[i % BLOCK], x[i]);
        own[i % BLOCK] += exp(x[i] - most);
    }
    for (uint64_t i = 0; i < n; i++)
        sum += exp(x[i] - largest[i % BLOCK]);
    for (uint64_t i = 0; i < n; i++) {
        double value = exp(x[i] - largest[i % BLOCK]) / sum;
        double share = exp(x[i] - most) / own[i % BLOCK];

        by_largest &= fabs(out[i] - value) <= 1e-5 * value + LEAST_SHARE;
        by_sum &= fabs(out[i] - share) <= 1e-5 * share + LEAST_SHARE;
    }
    snprintf(words, size,
             "what it would be with the %s of its thread's own elements, not of the row",
             by_largest ? "largest" : "sum");
    return n > 1 && (by_largest || by_sum);
}

static float sum_of_exp(const float *x, uint64_t n, float less)
{
    float sum = 0;

    for (uint64_t i = 0; i < n; i++)
        sum += expf(x[i] - less);
    return sum;
}

/* A row's shares, with `least` taken from each number before exp(), and `from` in the sum. */
static bool is_shares(const float *x, uint64_t n, const float *out, float least, float from)
{
    float sum = sum_of_exp(x, n, from);

    for (uint64_t i = 0; i < n; i++) {
        float share = expf(x[i] - least) / sum;

        if (isfinite(share) ? !(fabsf(out[i] - share) <= 1e-5f * fmaxf(share, 1))
            : isnan(share)  ? !isnan(out[i])
                            : out[i] != share)
            return false;
    }
    return true;
}

/* Are such shares numbers, and not all next to 0? What comes of infinities and of 0, others may
 * come to as well. */
static bool are_numbers(const float *x, uint64_t n, float least, float from)
{
    float sum = sum_of_exp(x, n, from), most = 0;
    bool all = isfinite(sum) && sum > 0;

    for (uint64_t i = 0; i < n && all; i++) {
        float share = expf(x[i] - least) / sum;

        all = isfinite(share);
        most = fmaxf(most, share);
    }
    return all && most > 1e-3f;
}

/* A row of which exp() of the numbers themselves is made, which leaves the floats. */
static bool is_without_largest(const float *x, uint64_t n, const float *out)
{
    float sum = sum_of_exp(x, n, 0);

    return (!isfinite(sum) || sum == 0) && is_shares(x, n, out, 0, 0);
}

/* Numbers and others: where there are only such, anything may have come to that. */
static bool is_mixed(const float *out, uint64_t n)
{
    uint64_t numbers = 0;

    for (uint64_t i = 0; i < n; i++)
        numbers += !isnan(out[i]);
    return numbers && numbers < n;
}

static float largest_of(const float *x, uint64_t n)
{
    float most = -INFINITY;

    for (uint64_t i = 0; i < n; i++)
        most = fmaxf(most, x[i]);
    return most;
}

/* Rows whose numbers are below 0 come out with 0 as their largest, and others as they should: a row
 * above says that something is taken from each. */
static bool is_begun_at_0(const struct lab_case *c, const float *in, const float *out)
{
    bool below = false, above = false;

    for (uint64_t r = 0; r < c->m; r++) {
        const float *x = in + r * c->n, *shares = out + r * c->n;
        float most = largest_of(x, c->n);

        if (!is_shares(x, c->n, shares, fmaxf(most, 0), fmaxf(most, 0)))
            return false;
        below |= most < 0 && is_without_largest(x, c->n, shares);
        above |= most > 0 && !is_shares(x, c->n, shares, 0, 0);
    }
    return below && above;
}

/* … or nothing was divided by. out: all of it. */
static bool recognise_softmax(const struct lab_case *c, const float *in, const float *out,
                              uint64_t element, char *words, size_t size)
{
    uint64_t first = element / c->n * c->n;
    const float *x = in + first;
    double most = largest_of(x, c->n), own = in[element], got = out[element];

    if (is_begun_at_0(c, in, out))
        snprintf(words, size,
                 "%s in rows of numbers below 0 alone: what does their maximum begin with, and how "
                 "are two of them compared?",
                 isnan(got) ? "no number" : "wrong");
    else if (is_mixed(out + first, c->n) && is_without_largest(x, c->n, out + first))
        snprintf(words, size,
                 "%s: is the row's largest element (%.0f) taken from each before exp()?",
                 isnan(got) ? "no number" : "0", most);
    else if (fabs(got - exp(own - most)) <= 1e-5 * exp(own - most))
        snprintf(words, size, "exp(x - largest), which is still to be divided by the row's sum");
    else
        return recognise_threads(x, c->n, most, out + first, words, size) ||
               recognise_divisor(x, c->n, most, out + first, words, size);
    return true;
}

static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    (void)p, (void)v, (void)b;
    if (experiment_of(c) == SOFTMAX)
        return recognise_softmax(c, inputs[0], output, element, words, size);
    if (experiment_of(c) == COUNT)
        return recognise_count(c, inputs[0], *(const uint32_t *)output, words, size);
    if (experiment_of(c) == HISTOGRAM)
        return recognise_bins(c, inputs[0], output, words, size);
    return experiment_of(c) <= ANY && (recognise_truth(c, inputs[0], output, words, size) ||
                                       recognise_start(c, inputs[0], output, words, size) ||
                                       recognise_fold(c, inputs[0], output, element, words, size));
}

/* Rows of no numbers, once more around 0, where nothing need be taken from them. */
static bool arrange(const struct plan *p, const struct lab_case *c, int which, uint64_t numbers,
                    void *const *data)
{
    (void)p;
    if (experiment_of(c) != SOFTMAX || which || numbers == c->n * c->m)
        return false;
    for (uint64_t r = 0; r < c->m; r++) {
        float *x = (float *)data[0] + r * c->n, middle = x[0];

        for (uint64_t i = 0; i < c->n; i++)
            x[i] = remainderf(x[i] - middle, 16);
    }
    return true;
}

/* A row's infinities alone: exp() of what is near 0 is none. */
static bool is_infinite(const float *out, uint64_t n)
{
    bool all = true;

    for (uint64_t i = 0; i < n; i++)
        all &= isinf(out[i]) != 0;
    return all;
}

static bool recognise_arranged(const struct plan *p, const struct lab_variant *v,
                               const struct lab_case *c, int which, const void *const *inputs,
                               const void *output, uint64_t element, char *words, size_t size)
{
    bool right = true, above = true, infinite = true;

    (void)p, (void)v, (void)which, (void)element;
    for (uint64_t r = 0; r < c->m; r++) {
        const float *x = (const float *)inputs[0] + r * c->n,
                    *out = (const float *)output + r * c->n;
        float most = largest_of(x, c->n);

        right &= is_shares(x, c->n, out, 0, 0);
        above &= are_numbers(x, c->n, 0, most) && is_shares(x, c->n, out, 0, most);
        infinite &= is_infinite(out, c->n);
    }
    if (right)
        snprintf(words, size,
                 "no number, and right where all of the row's elements are near 0: is the row's "
                 "largest element taken from each before exp()?");
    else if (above)
        snprintf(words, size,
                 "exp(x), divided by the sum of exp(x - largest), where all of the row's elements "
                 "are near 0: the row's largest element is taken from each before exp() in both");
    else
        snprintf(words, size,
                 "infinite, and so where all of the row's elements are near 0: is the sum 0 that "
                 "it is divided by?");
    return right || above || infinite;
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    return is_list(c) || (b == p->nbuffers - 1 && experiment_of(c) != SOFTMAX) ? 0 : c->n;
}

static const struct lab_column columns[] = {
    {"barrier", "a warp", "barriers/warps"},
    {"atomics", "global", "global_atom_requests+global_red_requests"},
    {"lanes,", "address", "global_atom_passes"},
    {"sectors", "a load", "global_ld_sectors/global_ld_requests"},
    {0},
};

/* clang-format off */
#define ATOMICS "global_atom_passes"
static const struct lab_prediction predictions[] = {
    {"barriers_2", "barriers a warp, tree of degree 2", "barriers/warps", "tree_2", "tree-m=1056", 0.01},
    {"barriers_4", "the same, degree 4", "barriers/warps", "tree_4", "tree-m=1056", 0.01},
    {"barriers_8", "the same, degree 8", "barriers/warps", "tree_8", "tree-m=1056", 0.01},
    {"turns_each", "turns at the counter's address, count_each", ATOMICS, "count_each", "count-n=2^19", 0.02},
    {"turns_warp", "the same, count_warp", ATOMICS, "count_warp", "count-n=2^19", 0.02},
    {"turns_block", "the same, count_block", ATOMICS, "count_block", "count-n=2^19", 0.02},
};
/* clang-format on */

static const struct lab_goal goals[] = {
    {"product_rows", "product-n=4096", "thread_inst_executed_pred_on / inst_executed >= 16",
     "most lanes of its warps wait for others"},
    {"and_rows", "and-n=4096", "thread_inst_executed_pred_on / inst_executed >= 16",
     "most lanes of its warps wait for others"},
    {"or_rows", "or-n=4096", "thread_inst_executed_pred_on / inst_executed >= 16",
     "most lanes of its warps wait for others"},
    {"dot_rows", "dot-n=4096", "thread_inst_executed_pred_on / inst_executed >= 16",
     "most lanes of its warps wait for others"},
    {"dot_rows", "dot-n=4096", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {"tree_4", "tree-m=1056", "barriers / warps <= 7.5",
     "it has as many rounds as a tree of a lower degree"},
    {"tree_4", "tree-m=1056", "thread_inst_executed_pred_on / inst_executed >= 23",
     "the threads that add are spread over its warps"},
    {"tree_8", "tree-m=1056", "barriers / warps <= 5.5",
     "it has as many rounds as a tree of a lower degree"},
    {"tree_8", "tree-m=1056", "thread_inst_executed_pred_on / inst_executed >= 23",
     "the threads that add are spread over its warps"},
    {"count_block", "count-n=2^19",
     "(global_atom_requests + global_red_requests) / global_ld_requests <= 0.5",
     "it still has an atomic on global memory for each load"},
    {"count_warp", "count-n=2^19",
     "(global_atom_requests + global_red_requests) / global_ld_requests <= 0.5",
     "it still has an atomic on global memory for each load"},
    {"count_warp", "count-n=2^19", "global_atom_passes / warps <= 8",
     "the lanes of a warp still take turns at the counter"},
    {"count_warp", "count-n=2^19", "shared_block_bytes == 0",
     "it counts in shared memory, as count_block does"},
    {"histogram", "bins-n=2^19",
     "(global_atom_requests + global_red_requests) / global_ld_requests <= 0.5",
     "it still has an atomic on global memory for each load"},
    {"softmax_block", "softmax-n=1024", "global_ld_bytes / (4 * n * m) <= 3.5",
     "it loads each element more often than its three passes need"},
    {"softmax_block", "softmax-n=1024", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {0},
};

const struct lab lab_reduction_uses = {
    .name = "reduction_uses",
    .title = "What reductions are for: other operations, trees, counting, softmax",
    .bytes_formula = "4 n m, 8 n m (dot, softmax); 4 n (count, histogram, sum_grid)",
    .param_name = "blocks",
    .record_items = "not used",
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
    .unit = unit,
    .recognise = recognise,
    .arrange = arrange,
    .recognise_arranged = recognise_arranged,
    .row = row,
    .extents = "nm",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
