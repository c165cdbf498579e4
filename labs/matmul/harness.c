/* harness.c - matrix multiplication: c (m x n) = a (m x k) * b (k x n), all row-major.
 *
 * A variant's launch record says how many outputs a thread makes along each side (items,
 * the lecture's V); blocks then cover block_x*V columns and block_y*V rows. Two exceptions,
 * flagged below: mm_naive has x along the rows, as printed in the lecture, and mm_tensor's
 * threads share their work, so its items is the side of the tile a block makes (L). The kernels
 * behind it say their tile in a record of their own, TENSOR (device/tensor.cuh).
 *
 * mm_sliced is two kernels: itself, and mm_sliced_half with V / 2 by V / 2 outputs a thread in the
 * same blocks, for products too small to fill the GPU. Of either, gridDim.z blocks may share a
 * tile, each with a slice of k, and meet in `partial`.
 *
 * Interface: lab_matmul.
 */
#include "base/alloc.h"
#include "lab/dtype.h"
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/tensor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reference is a triple loop in double; -O3 lets gcc use vectors for it. Every machine is to
 * make the same of it, so that no product is added in one step. */
#pragma GCC optimize("O3", "fp-contract=off")

enum {
    X_IS_ROW = 1,
    TENSOR = 2,
    SLOW = 4,
    TILES = 8 /* of the record, a block each */,
    MAPS = 16,
    SLICED = 32,
    BRAIN = 64 /* bf16 */
};
enum { A, B, C, PARTIAL }; /* buffers */
enum { ROWS = 3 };         /* what else has a stream of random numbers */

/* Above this many products only some rows are compared; the others must be
 * of a possible size. */
#define FULL_PRODUCTS (1ull << 28)
#define SAMPLED_ROWS  32

/* clang-format off */
#define BLOCK(x, y, v) {.block_x = x, .block_y = y, .items = v}
#define MOST(x, y, v)  {.block_x = x, .block_y = y, .items = v, .shared_bytes = 227 << 10} /* bytes: what a block has on the largest GPUs */
#define ANY BLOCK(1, 1, 1), MOST(1024, 1024, 16)
#define WIDE(name_, number_, what_, threads, columns, stays, flags_, from, to) \
    {.name = name_, .number = number_, .what = what_, .has_record = true, .flags = flags_, .has_tensor = true, .cc_least = from, .cc_most = to, \
     .record = {.block_x = threads, .block_y = 1, .items = 1, .tensor = {.tile = {128, columns}, .persistent = stays}}, .min = {.block_x = 32}, .max = {.block_x = 1024, .shared_bytes = 227 << 10}}
static const struct lab_variant variants[] = {
    {"mm_naive",     "0",  "one output a thread, x down the rows",   NULL, true, .record = BLOCK(32, 32, 1),  BLOCK(1, 1, 1),   MOST(1024, 1024, 1),  X_IS_ROW | SLOW},
    {"mm_coalesced", "0b", "x along the columns",                    NULL, true, .record = BLOCK(32, 32, 1),  BLOCK(1, 1, 1),   MOST(1024, 1024, 1),  0},
    {"mm_registers", "1",  "V x V outputs in registers",             NULL, true, .record = BLOCK(32, 8, 4),   ANY, 0},
    {"mm_shared",    "2a", "L x L tile in shared memory",            NULL, true, .record = BLOCK(32, 32, 1),  ANY, 0},
    {"mm_tiled",     "2",  "both: shared tile, V x V registers",     NULL, true, .record = BLOCK(16, 16, 4),  ANY, 0},
    {"mm_vector",    "3",  "16-byte loads",                          NULL, true, .record = BLOCK(8, 8, 8),    ANY, 0},
    {"mm_pipeline",  "4",  "double-buffered",                        NULL, true, .record = BLOCK(8, 8, 8),    ANY, 0},
    {"mm_sliced",    "4b", "a larger tile; slices of k",             "mm_sliced mm_sliced_half", true, .record = BLOCK(16, 16, 8), BLOCK(1, 1, 2), MOST(1024, 1024, 16), SLICED, .optional = true},
    {"mm_large",     "4c", "a tile twice as large, past the registers", NULL, true, .record = {.block_x = 256, .block_y = 1, .items = 1, .tensor = {.tile = {128, 256}}}, .min = {.block_x = 32}, .max = {.block_x = 1024, .shared_bytes = 227 << 10}, TILES, .has_tensor = true, .cc_least = 80, .optional = true},
    {"mm_tensor",    "5",  "tensor cores, f16 in, f32 sums",         NULL, true, .record = BLOCK(128, 1, 64), BLOCK(32, 1, 16), MOST(1024, 1, 256),  TENSOR},
    WIDE("mm_mma",        "6",  "mma.sync, three stages",            128, 128, 0, TENSOR | TILES,        80, 0),
    WIDE("mm_tma",        "7",  "tiles by tensor map",               128, 128, 0, TENSOR | TILES | MAPS, 90, 0),
    WIDE("mm_wgmma",      "8",  "warp groups, from shared memory",   256, 128, 0, TENSOR | TILES | MAPS, 90, 90),
    WIDE("mm_roles",      "9",  "one warp fetches for two groups",   384, 256, 0, TENSOR | TILES | MAPS, 90, 90),
    {"mm_small",     "9b", "mm_roles with small tiles",            NULL, true, .record = {.block_x = 160, .block_y = 1, .items = 1, .tensor = {.tile = {64, 128}}}, .min = {.block_x = 32}, .max = {.block_x = 1024, .shared_bytes = 227 << 10}, TENSOR | TILES | MAPS, .has_tensor = true, .cc_least = 90, .cc_most = 90, .optional = true},
    WIDE("mm_persistent", "10", "blocks that stay",                  384, 256, 1, TENSOR | TILES | MAPS, 90, 90),
    WIDE("mm_store",      "11", "stores by tensor map",              384, 256, 1, TENSOR | TILES | MAPS, 90, 90),
    {"mm_bf16",      "11b", "the same of bf16",                   NULL, true, .record = {.block_x = 384, .block_y = 1, .items = 1, .tensor = {.tile = {128, 256}, .persistent = 1}}, .min = {.block_x = 32}, .max = {.block_x = 1024, .shared_bytes = 227 << 10}, TENSOR | TILES | MAPS | BRAIN, .has_tensor = true, .cc_least = 90, .cc_most = 90, .optional = true},
    WIDE("mm_cluster",    "12", "two blocks share b's tiles",        384, 256, 1, TENSOR | TILES | MAPS, 90, 90),
};

#define CHECK .flags = CASE_CHECK | CASE_QUICK
#define BOTH  .flags = CASE_CHECK | CASE_TIME
#define GPU   .flags = CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
enum { MANY_TILES = 1 }; /* param of a case that is there for mm_sliced's larger tiles: many, of few steps. Of a 16-bit case: as many blocks stay as if there were so many multiprocessors */
enum { INFINITE = 2 };   /* param of a special case whose b has infinities */
static const struct lab_case cases[] = {
    /* name                 n     m     k     param dtype op seed flags */
    {"1x1x1",               1,    1,    1,    0, DT_F32, 0, 0, CHECK},
    {"empty",               8,    0,    8,    0, DT_F32, 0, 0, CHECK},
    {"k=0",                 7,    5,    0,    0, DT_F32, 0, 0, CHECK},
    {"row",                 257,  1,    31,   0, DT_F32, 0, 0, CHECK},
    {"column",              1,    127,  65,   0, DT_F32, 0, 0, CHECK},
    {"64x64x64",            64,   64,   64,   0, DT_F32, 0, 0, CHECK},
    {"33x65x17",            65,   33,   17,   0, DT_F32, 0, 0, CHECK},
    {"100x72x52",           72,   100,  52,   0, DT_F32, 0, 0, CHECK},
    {"special",             75,   90,   5,    0, DT_F32, 0, 0, CHECK | CASE_SPECIAL}, /* infinities, NaN */
    {"127x129x131",         129,  127,  131,  0, DT_F32, 0, 0, CHECK},
    {"1400x1148x20",        1148, 1400, 20,   MANY_TILES, DT_F32, 0, 0, CHECK},
    {"f16 1x1x1",           1,    1,    1,    0, DT_F16, 0, 0, CHECK},
    {"f16 k=0",             7,    5,    0,    0, DT_F16, 0, 0, CHECK},
    {"f16 33x65x17",        65,   33,   17,   0, DT_F16, 0, 0, CHECK},
    {"f16 128x64x96",       64,   128,  96,   0, DT_F16, 0, 0, CHECK},
    {"f16 200x264x136",     264,  200,  136,  0, DT_F16, 0, 0, CHECK},
    {"f16 136x8x328",       8,    136,  328,  0, DT_F16, 0, 0, CHECK}, /* small, and stages are fetched again */
    {"f16 136x72x456",      72,   136,  456,  0, DT_F16, 0, 0, CHECK}, /* k goes round four stages twice */
    {"f16 136x264x264",     264,  136,  264,  2, DT_F16, 0, 0, CHECK},
    {"bf16 8x8x8",          8,    8,    8,    0, DT_BF16, 0, 0, CHECK},
    {"bf16 136x72x456",     72,   136,  456,  0, DT_BF16, 0, 0, CHECK},
    {"bf16 136x264x264",    264,  136,  264,  2, DT_BF16, 0, 0, CHECK},
    {"n=256",               256,  256,  256,  0, DT_F32, 0, 0, BOTH | CASE_QUICK},
    {"f16 n=256",           256,  256,  256,  0, DT_F16, 0, 0, BOTH | CASE_QUICK},
    {"bf16 n=256",          256,  256,  256,  0, DT_BF16, 0, 0, BOTH | CASE_QUICK},
    {"1024x1024x32",        1024, 1024, 32,   0, DT_F32, 0, 0, BOTH | CASE_QUICK},
    {"f16 1024x1024x32",    1024, 1024, 32,   0, DT_F16, 0, 0, BOTH | CASE_QUICK},
    {"n=512",               512,  512,  512,  0, DT_F32, 0, 0, BOTH},
    {"f16 n=512",           512,  512,  512,  0, DT_F16, 0, 0, BOTH},
    {"n=1024",              1024, 1024, 1024, 0, DT_F32, 0, 0, GPU},
    {"f16 n=1024",          1024, 1024, 1024, 0, DT_F16, 0, 0, GPU},
    {"bf16 n=1024",         1024, 1024, 1024, 0, DT_BF16, 0, 0, GPU},
    {"n=4096",              4096, 4096, 4096, 0, DT_F32, 0, 0, GPU},
    {"f16 n=4096",          4096, 4096, 4096, 0, DT_F16, 0, 0, GPU},
    {"bf16 n=4096",         4096, 4096, 4096, 0, DT_BF16, 0, 0, GPU},
};

static const struct lab_column columns[] = {
    {"sectors", "a load", "global_ld_sectors/global_ld_requests"},
    {"global", "bytes", "global_ld_bytes"},
    {"shared", "bytes", "shared_ld_bytes"},
    {"confl.", "a load", "shared_ld_bank_conflicts/shared_ld_requests"},
    {0},
};

static const struct lab_prediction predictions[] = {
    {"naive_sectors",     "sectors a request of mm_naive's loads, n=256",
     "global_ld_sectors/global_ld_requests", "mm_naive",     "n=256", 0.02},
    {"coalesced_sectors", "the same of mm_coalesced",
     "global_ld_sectors/global_ld_requests", "mm_coalesced", "n=256", 0.02},
    {"naive_bytes",       "bytes mm_naive's lanes load, n=256 (2 N^3 words)",
     "global_ld_bytes",                      "mm_naive",     "n=256", 0.02},
    {"registers_bytes",   "bytes mm_registers' lanes load with your V (2 N^3 / V words)",
     "global_ld_bytes",                      "mm_registers", "n=256", 0.05},
    {"tiled_bytes",       "bytes mm_tiled's lanes load from global memory with your L",
     "global_ld_bytes",                      "mm_tiled",     "n=256", 0.05},
    {"tiled_shared",      "bytes mm_tiled's lanes load from shared memory with your V",
     "shared_ld_bytes",                      "mm_tiled",     "n=256", 0.05},
};
/* clang-format on */

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    if (c->dtype != (v->flags & BRAIN ? DT_BF16 : v->flags & TENSOR ? DT_F16 : DT_F32))
        return false;
    if (v->flags & MAPS) /* rows of multiples of 16 bytes, and some of them */
        return c->m && c->n && c->k && c->n % 8 == 0 && c->k % 8 == 0;
    if (c->param == MANY_TILES && !(v->flags & SLICED))
        return false;
    return !(v->flags & SLOW) || c->n <= 2048; /* a third of a second a launch on a large GPU */
}

static struct plan_arg buffer_arg(int buffer)
{
    return (struct plan_arg){.kind = ARG_BUFFER, .buffer = buffer};
}

static struct plan_arg i32_arg(uint64_t value)
{
    return (struct plan_arg){.kind = ARG_I32, .v.i32 = (int32_t)value};
}

static uint32_t blocks_for(uint64_t extent, uint32_t covered)
{
    return (uint32_t)((extent + covered - 1) / covered);
}

/* How a product is cut: outputs a thread along a side, tiles, and blocks that share one. */
struct cut {
    uint32_t v, x, y, slices;
};

/* Blocks enough that all of `room` run at a time, and no slice of fewer steps than `least`. A
 * student's file counts the blocks that are done for so many tiles: */
#define MOST_SLICED 1024
static struct cut cut(const struct lab_case *c, const struct launch_record *r, uint32_t v,
                      uint64_t room, uint64_t least)
{
    struct cut t = {v, blocks_for(c->n, r->block_x * v), blocks_for(c->m, r->block_y * v), 1};
    uint64_t tiles = (uint64_t)t.x * t.y, fit = tiles ? room / tiles : 1, most = c->k / least;

    if (tiles <= MOST_SLICED && fit > 1 && most > 1)
        t.slices = (uint32_t)(fit < most ? fit : most);
    return t;
}

/* The larger tiles, if they find work for three quarters of the SMs; of the smaller ones an SM has
 * two blocks at a time. */
static struct cut sliced(const struct lab_case *c, const struct launch_record *r, uint32_t sms)
{
    struct cut large = cut(c, r, r->items, sms, 128);

    if (4ull * large.x * large.y * large.slices >= 3ull * sms)
        return large;
    return cut(c, r, r->items / 2, 2ull * sms, 32);
}

static void plan_sliced(struct plan *p, const struct lab_case *c, const struct launch_record *r,
                        const struct device_limits *d)
{
    struct plan_step *s = &p->steps[0];
    struct cut t = sliced(c, r, d->sms);
    uint64_t elements = (uint64_t)t.x * t.y * t.slices * r->block_x * r->block_y * t.v * t.v;

    if (t.v != r->items)
        lab_name(s->kernel, sizeof(s->kernel), "mm_sliced_half");
    s->grid[0] = t.x;
    s->grid[1] = t.y;
    s->grid[2] = t.slices;
    p->buffers[PARTIAL] =
        (struct lab_buffer){"partial", BUF_SCRATCH, DT_F32, t.slices > 1 ? elements : 0, ""};
    p->nbuffers = PARTIAL + 1;
    s->args[s->nargs++] = buffer_arg(PARTIAL);
}

static bool too_large(uint64_t rows, uint64_t cols)
{
    return rows > INT32_MAX || cols > INT32_MAX || rows * cols > INT32_MAX;
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *out,
                 char *err, size_t errsize)
{
    bool tensor = v->flags & TENSOR, x_is_row = v->flags & X_IS_ROW;
    uint32_t cover_x = tensor ? r->items : r->block_x * r->items;
    uint32_t cover_y = tensor ? r->items : r->block_y * r->items;
    struct plan_step *s = &out->steps[0];
    struct device_limits device = *d;

    if (tensor && c->param > 0)
        device.sms = (uint32_t)c->param;
    if (r->block_x * r->block_y > d->max_threads_per_block) {
        snprintf(err, errsize, "LAUNCH(%s, %u, %u, …): a block has at most %u threads", v->name,
                 r->block_x, r->block_y, d->max_threads_per_block);
        return false;
    }
    if (too_large(c->m, c->k) || too_large(c->k, c->n) || too_large(c->m, c->n)) {
        snprintf(err, errsize, "each matrix of this lab has fewer than 2^31 elements");
        return false;
    }
    memset(out, 0, sizeof(*out));
    out->nbuffers = 3;
    out->buffers[A] = (struct lab_buffer){"a", BUF_INPUT, c->dtype, c->m * c->k, ""};
    out->buffers[B] = (struct lab_buffer){"b", BUF_INPUT, c->dtype, c->k * c->n, ""};
    out->buffers[C] = (struct lab_buffer){"c", BUF_OUTPUT, DT_F32, c->m * c->n, ""};
    out->bytes = (double)dtype_size(c->dtype) * (double)(c->m * c->k + c->k * c->n) +
                 4.0 * (double)(c->m * c->n);
    out->flops = 2.0 * (double)c->m * (double)c->n * (double)c->k;
    if (c->m == 0 || c->n == 0)
        return true;

    out->nsteps = 1;
    lab_name(s->kernel, sizeof(s->kernel), "%s", v->name);
    s->grid[0] = blocks_for(x_is_row ? c->m : c->n, cover_x);
    s->grid[1] = blocks_for(x_is_row ? c->n : c->m, cover_y);
    s->grid[2] = 1;
    if ((v->flags & TILES) && !tensor_grid(v, r, &device, c->m, c->n, s, err, errsize))
        return false;
    s->block[0] = r->block_x;
    s->block[1] = r->block_y;
    s->block[2] = 1;
    s->shared_bytes = r->shared_bytes;
    s->nargs = 6;
    s->args[0] = buffer_arg(A);
    s->args[1] = buffer_arg(B);
    s->args[2] = buffer_arg(C);
    s->args[3] = i32_arg(c->m);
    s->args[4] = i32_arg(c->n);
    s->args[5] = i32_arg(c->k);
    if (v->flags & SLICED)
        plan_sliced(out, c, r, d);
    return true;
}

/* The half with value i / 1024, |i| < 2048: 11 bits, so exact. */
static uint16_t half_of_1024ths(int i)
{
    unsigned mag = (unsigned)(i < 0 ? -i : i), sign = i < 0 ? 0x8000 : 0;

    if (mag == 0)
        return 0;
    int top = 31 - __builtin_clz(mag);
    return (uint16_t)(sign | (unsigned)(top - 10 + 15) << 10 | (mag << (10 - top) & 0x3ff));
}

/* The upper half of the float of value i / 256, |i| < 256: 8 bits, so exact. */
static uint16_t brain_of_256ths(int i)
{
    float f = (float)i / 256;
    uint32_t bits;

    memcpy(&bits, &f, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static double brain_value(uint16_t b)
{
    uint32_t bits = (uint32_t)b << 16;
    float f;

    memcpy(&f, &bits, sizeof(f));
    return f;
}

/* Rows of a and columns of b that are large, tiny or have one number that is none, each of which is
 * its own results' alone; in some rows of a every second number is 0, among them the one that meets
 * b's NaN: 0 times NaN is NaN. None is infinite but where that is asked, which is where tiles are:
 * who adds what roundings have lost takes an infinity from itself. A column of b has one infinity
 * then, not in the last row: what is left of it in a tile that k does not fill meets zeros of a. */
static float special(const struct lab_case *c, int b, uint64_t stream, uint64_t i)
{
    static const int of_row[] = {0, 100, -60, 13, 0}, of_column[] = {0, 0, -30, 0, 14, 0, 0};
    uint64_t of = b == A ? i / c->k : i % c->n, step = b == A ? i % c->k : i / c->n;
    uint64_t drawn = random_u64(stream, ~of);

    if (b == A && of % 5 == 0 && step == drawn % c->k)
        return NAN;
    if (b == B && of % 7 == 6 && step == drawn % ((c->k + 1) / 2) * 2)
        return NAN;
    if (b == A && of % 5 == 4 && step % 2 == 0)
        return 0;
    if (b == B && c->param == INFINITE && of % 7 < 5 && step == drawn % (c->k - 1))
        return INFINITY;
    return ldexpf(random_f32(stream, i), b == A ? of_row[of % 5] : of_column[of % 7]);
}

/* The same of halves: some products are beyond 65504, the greatest half, and some factors below
 * 2^-14, the least that is normal. Each is exact: a number of 10 bits by a power of 2. */
static uint16_t special_half(const struct lab_case *c, int b, uint64_t stream, uint64_t i)
{
    static const int of_row[] = {0, 10, -12, 3, 0}, of_column[] = {0, 0, -8, 0, 9, 0, 0};
    enum { NO_NUMBER = 0x7e00, MINUS_0 = 0x8000 };
    uint64_t of = b == A ? i / c->k : i % c->n, step = b == A ? i % c->k : i / c->n;
    uint64_t drawn = random_u64(stream, ~of);
    int v = (int)(random_u64(stream, i) % 2047) - 1023;

    if (b == A && of % 5 == 0 && step == drawn % c->k)
        return NO_NUMBER;
    if (b == B && of % 7 == 6 && step == drawn % ((c->k + 1) / 2) * 2)
        return NO_NUMBER;
    if (b == A && of % 5 == 4 && step % 2 == 0)
        return MINUS_0;
    return half_from_float(ldexpf((float)v / 1024, b == A   ? of_row[of % 5]
                                                   : b == B ? of_column[of % 7]
                                                            : 0));
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b), count = p->buffers[b].count;

    for (uint64_t i = 0; i < count; i++)
        if (c->dtype == DT_F16)
            ((uint16_t *)data)[i] =
                c->flags & CASE_SPECIAL
                    ? special_half(c, b, stream, i)
                    : half_of_1024ths((int)(random_u64(stream, i) % 2047) - 1023);
        else if (c->dtype == DT_BF16)
            ((uint16_t *)data)[i] = brain_of_256ths((int)(random_u64(stream, i) % 511) - 255);
        else
            ((float *)data)[i] =
                c->flags & CASE_SPECIAL ? special(c, b, stream, i) : random_f32(stream, i);
}

static double element(const void *data, enum dtype t, uint64_t i)
{
    if (t == DT_F32)
        return ((const float *)data)[i];
    return t == DT_F16 ? half_to_float(((const uint16_t *)data)[i])
                       : brain_value(((const uint16_t *)data)[i]);
}

/* Is row compared? All are in small cases; in large ones the first, the last and some that the
 * seed picks: what a kernel can see, the input, does not tell which. */
static bool compared(const struct lab_case *c, uint64_t row)
{
    if (c->m * c->n * c->k <= FULL_PRODUCTS || row == 0 || row == c->m - 1)
        return true;
    return random_u64(random_u64(c->seed, ROWS), row) % c->m < SAMPLED_ROWS;
}

static bool compares(const struct lab_case *c, uint64_t element)
{
    return compared(c, element / c->n);
}

enum { SLICE = 256 }; /* columns */

/* Columns lo to lo + width of b in double, and the squares of their lengths. */
static void read_columns(const struct lab_case *c, const void *b, uint64_t lo, uint64_t width,
                         double *columns, double *squares)
{
    memset(squares, 0, width * sizeof(*squares));
    for (uint64_t i = 0; i < c->k; i++)
        for (uint64_t j = 0; j < width; j++) {
            double v = element(b, c->dtype, i * c->n + lo + j);

            columns[i * width + j] = v;
            squares[j] += v * v;
        }
}

/* One row of c from column lo on, and its bound.
 *
 * A sum of k products in any order, each step rounded with unit u, is off by at most
 * k u (1 + k u) sum |a b|; by Cauchy-Schwarz sum |a b| <= |row of a| |column of b|, which
 * costs less to find. u is 2^-24 in f32. Tensor cores cut sums off and not at full width:
 * there we allow 2^-22. */
#if defined(__x86_64__) && !defined(WITH_ASAN)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
static void
reference_slice(const struct lab_case *c, const void *a, const double *columns,
                const double *squares, uint64_t row, uint64_t width, float *want, double *tol)
{
    double sum[SLICE] = {0}, a2 = 0, u = c->dtype == DT_F32 ? 0x1p-24 : 0x1p-22;
    double ku = (double)c->k * u;

    for (uint64_t i = 0; i < c->k; i++) {
        double av = element(a, c->dtype, row * c->k + i);

        a2 += av * av;
        for (uint64_t j = 0; j < width; j++)
            sum[j] += av * columns[i * width + j];
    }
    for (uint64_t j = 0; j < width; j++) {
        want[j] = (float)sum[j];
        tol[j] = ku * (1 + ku) * sqrt(a2 * squares[j]) + fabs(sum[j]) * 0x1p-24;
        if (isinf(want[j])) /* nothing but the same infinity is as good */
            tol[j] = 0;
    }
}

/* A row that is not compared: inputs are below 1, so no sum can be larger than k. */
static void any_row(const struct lab_case *c, float *want, double *tol)
{
    for (uint64_t j = 0; j < c->n; j++) {
        want[j] = 0;
        tol[j] = (double)c->k;
    }
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    float *want = expected[C];
    double *tol = tolerance[C], *columns = xmalloc((c->k * SLICE + 1) * sizeof(*columns));
    double squares[SLICE];

    (void)p;
    (void)v;
    for (uint64_t row = 0; row < c->m; row++)
        if (!compared(c, row))
            any_row(c, want + row * c->n, tol + row * c->n);
    for (uint64_t lo = 0; lo < c->n; lo += SLICE) {
        uint64_t width = lo + SLICE < c->n ? SLICE : c->n - lo;

        read_columns(c, inputs[B], lo, width, columns, squares);
        for (uint64_t row = 0; row < c->m; row++) {
            uint64_t at = row * c->n + lo;

            if (compared(c, row))
                reference_slice(c, inputs[A], columns, squares, row, width, want + at, tol + at);
        }
    }
    free(columns);
}

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v, (void)c;
    return MADE_SUM;
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    uint64_t row = element / c->n, column = element % c->n;

    (void)p, (void)v;
    *out = (struct lab_term){
        .times = 1, .nfactors = 2, .factor = {{A, row * c->k + t}, {B, t * c->n + column}}};
    return t < c->k;
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    (void)p;
    return b == A ? c->k : c->n;
}

static const struct lab_goal goals[] = {
    {"mm_coalesced", "n=256", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    {"mm_coalesced", "n=256", "32 * global_st_sectors / global_st_bytes <= 1.5",
     "neighbouring lanes store to distant words"},
    {"mm_registers", "n=256", "global_ld_bytes / flops <= 1.1",
     "it loads more than a quarter of what threads of one output do"},
    {"mm_shared", "n=256", "global_ld_bytes / flops <= 0.3",
     "it loads more than a tile of 16 x 16 outputs needs"},
    {"mm_shared", "n=256", "shared_ld_bytes / flops >= 1.8",
     "not all of its products have their factors from shared memory"},
    {"mm_tiled", "n=256", "global_ld_bytes / flops <= 0.15",
     "it loads more than a tile of 32 x 32 outputs needs"},
    {"mm_tiled", "n=256", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "neighbouring lanes read distant words"},
    /* Tiles may hang over the edge, and what is multiplied there counts. */
    {"mm_tiled", "n=256", "shared_ld_bytes / (flop_fp32 + flop_fp64) <= 1.1",
     "it reads more of shared memory than 4 x 4 outputs a thread need"},
    {"mm_tiled", "n=256", "shared_st_bank_conflicts / shared_st_requests <= 3",
     "its stores to the tiles have bank conflicts"},
    {"mm_vector", "n=256", "global_ld_bytes / global_ld_requests >= 256",
     "its loads are of 4 bytes a lane"},
    {"mm_vector", "n=256", "shared_ld_bytes / shared_ld_requests >= 256",
     "its loads from shared memory are of 4 bytes a lane"},
    {"mm_vector", "n=256", "shared_ld_bank_conflicts / shared_ld_requests <= 0.1",
     "its loads from shared memory have bank conflicts"},
    {"mm_pipeline", "n=256", "barriers_close / warps <= 2", "its warps wait twice for each tile"},
    {"mm_pipeline", "n=256", "influence(ahead) >= 0.9",
     "it puts down each tile before it multiplies the one before: nothing is on its way meanwhile"},
    {"mm_tensor", "f16 n=256", "tensor_flop / flops >= 0.9",
     "its products are not made by tensor cores"},
    {"mm_tensor", "f16 n=256", "global_ld_bytes / flops <= 0.07",
     "it loads more than a tile of 32 x 32 outputs needs"},
    {"mm_mma", "f16 n=256", "tensor_flop / flops >= 0.9",
     "its products are not made by tensor cores"},
    {"mm_mma", "f16 n=256", "async_bytes / global_ld_bytes >= 0.9",
     "its tiles do not come by asynchronous copies"},
    {"mm_mma", "f16 n=256", "async_flight / async_bytes >= 16",
     "it waits for its copies before it multiplies anything"},
    {"mm_wgmma", "f16 n=256", "wgmma_ops / flops >= 0.9", "its products are not made by wgmma"},
    {"mm_roles", "f16 n=256", "barriers / warps <= 3",
     "its warps still wait at barriers from stage to stage"},
    {"mm_cluster", "f16 n=256", "async_bytes / (elem * (m + n) * k) <= 1.2",
     "each of its blocks fetches all of b's tile"},
    {0},
};

const struct lab lab_matmul = {
    .name = "matmul",
    .title = "Matrix multiplication: reuse, from registers to tensor cores",
    .bytes_formula = "elem (m k + k n) + 4 m n",
    .flops_formula = "2 m n k",
    .record_items = "V: a thread makes V x V outputs (mm_tensor: L, a block makes L x L; behind it "
                    "TENSOR's tile)",
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
    .row = row,
    .extents = "kmn",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
