/* harness.c - bank conflicts: a warp's shared-memory accesses at a stride, and tiles.
 *
 * Two kinds of case, told apart by op. OP_STRIDE: bank_once permutes each block of 512
 * doubles; the loops add up 256 words a thread of one table, starting at t * stride.
 * OP_TILE: the transposition of an m x n matrix of floats.
 *
 * Interface: lab_bank_conflicts.
 */
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/special.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OP_STRIDE, OP_TILE };
enum { IN, OUT };

/* What a loop variant reads; the figures are those of the kernels in bank_conflicts.cu. */
#define ROW        32
#define WINDOW     (32 * ROW)
#define ROUND      32
#define ROUNDS     8
#define WORDS      (WINDOW + (ROUND - 1) * ROW)
#define MAX_STRIDE (1 << 20) /* times 1024 threads: still an int */
#define ONCE       512       /* doubles of bank_once's shared array, and its block */

/* flags of a variant: the 32-bit words of one element, or what else it is */
enum { WORD4 = 1, WORD8 = 2, WORD16 = 4, WORD_MASK = 7, IS_ONCE = 8, IS_TILE = 16 };

#define MOST_SHARED (48 << 10) /* bytes of dynamic shared memory: what every GPU grants unasked */

/* clang-format off */
#define LOOP_SHAPE .record = {.block_x = 512, .block_y = 1, .items = 1}, .min = {.block_x = 32, .block_y = 1, .items = 1}, .max = {.block_x = 1024, .block_y = 1, .items = 1, .shared_bytes = MOST_SHARED}
#define TILE_SHAPE .record = {.block_x = 32, .block_y = 8, .items = 4}, .min = {.block_x = 32, .block_y = 1, .items = 1}, .max = {.block_x = 32, .block_y = 32, .items = 32, .shared_bytes = MOST_SHARED}
#define ONCE_SHAPE .record = {.block_x = ONCE, .block_y = 1, .items = 1}, .min = {.block_x = ONCE, .block_y = 1, .items = 1}, .max = {.block_x = ONCE, .block_y = 1, .items = 1, .shared_bytes = MOST_SHARED}
static const struct lab_variant variants[] = {
    {"bank_once",          "1",  "the lecture's: one read of a double",  NULL, true, ONCE_SHAPE, IS_ONCE},
    {"bank_loop4",         "2a", "256 reads of 4 bytes",                 NULL, true, LOOP_SHAPE, WORD4},
    {"bank_loop8",         "2b", "256 reads of 8 bytes",                 NULL, true, LOOP_SHAPE, WORD8},
    {"bank_loop16",        "2c", "256 reads of 16 bytes",                NULL, true, LOOP_SHAPE, WORD16},
    {"bank_fixed",         "3",  "2a with the words stored elsewhere",   NULL, true, LOOP_SHAPE, WORD4},
    {"transpose_conflict", "4a", "tile read across, 32 x 32",            NULL, true, TILE_SHAPE, IS_TILE},
    {"transpose_padded",   "4b", "the tile's rows are longer",           NULL, true, TILE_SHAPE, IS_TILE},
    {"transpose_swizzled", "4c", "the tile's columns are exchanged",     NULL, true, TILE_SHAPE, IS_TILE},
};

#define CHECK .flags = CASE_CHECK | CASE_QUICK
#define EMU   .flags = CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define GPU   .flags = CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define STRIDE(s) \
    {"stride=" #s,          1 << 17, 0, 0, s, DT_U32, OP_STRIDE, 0, EMU}, \
    {"stride=" #s " n=2^22", 1 << 22, 0, 0, s, DT_U32, OP_STRIDE, 0, GPU}
static const struct lab_case cases[] = {
    /* name       n     m     k  param dtype   op         seed flags */
    {"empty",     0,    0,    0, 1,    DT_U32, OP_STRIDE, 0, CHECK},
    {"n=1",       1,    0,    0, 1,    DT_U32, OP_STRIDE, 0, CHECK},
    {"n=1000",    1000, 0,    0, 5,    DT_U32, OP_STRIDE, 0, CHECK},
    STRIDE(1), STRIDE(2), STRIDE(3), STRIDE(4), STRIDE(8), STRIDE(16), STRIDE(32), STRIDE(33),
    {"0x0",       0,    0,    0, 0,    DT_F32, OP_TILE,   0, CHECK},
    {"1x1",       1,    1,    0, 0,    DT_F32, OP_TILE,   0, CHECK},
    {"31x33",     33,   31,   0, 0,    DT_F32, OP_TILE,   0, CHECK},
    {"1x127",     127,  1,    0, 0,    DT_F32, OP_TILE,   0, CHECK},
    {"100x65",    65,   100,  0, 0,    DT_F32, OP_TILE,   0, CHECK},
    {"2048x2048", 2048, 2048, 0, 0,    DT_F32, OP_TILE,   0, EMU},
    {"4096x4096", 4096, 4096, 0, 0,    DT_F32, OP_TILE,   0, GPU},
};

static const struct lab_column columns[] = {
    {"wavefr.", "a load", "shared_ld_wavefronts/shared_ld_requests"},
    {"confl.", "a load", "shared_ld_bank_conflicts/shared_ld_requests"},
    {"confl.", "a store", "shared_st_bank_conflicts/shared_st_requests"},
    {"sectors", "a store", "global_st_sectors/global_st_requests"},
    {0},
};

#define WAVEFRONTS "shared_ld_wavefronts/shared_ld_requests"
#define CONFLICTS  "shared_ld_bank_conflicts/shared_ld_requests"
static const struct lab_prediction predictions[] = {
    {"loop4_stride2",  "wavefronts a request, 4-byte words, stride 2",   WAVEFRONTS, "bank_loop4",  "stride=2",  0.02},
    {"loop4_stride3",  "the same, stride 3",                             WAVEFRONTS, "bank_loop4",  "stride=3",  0.02},
    {"loop4_stride32", "the same, stride 32",                            WAVEFRONTS, "bank_loop4",  "stride=32", 0.02},
    {"loop8_stride1",  "wavefronts a request, 8-byte words, stride 1",   WAVEFRONTS, "bank_loop8",  "stride=1",  0.02},
    {"loop8_free",     "conflicts a request of the same",                CONFLICTS,  "bank_loop8",  "stride=1",  0.02},
    {"loop16_stride8", "wavefronts a request, 16-byte words, stride 8",  WAVEFRONTS, "bank_loop16", "stride=8",  0.02},
    {"tile_conflicts", "conflicts a request of transpose_conflict's column reads", CONFLICTS, "transpose_conflict", "2048x2048", 0.02},
};
/* clang-format on */

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return (c->op == OP_TILE) == !!(v->flags & IS_TILE);
}

static uint32_t blocks_for(uint64_t extent, uint32_t covered)
{
    return (uint32_t)((extent + covered - 1) / covered);
}

static struct plan_arg buffer_arg(int buffer)
{
    return (struct plan_arg){.kind = ARG_BUFFER, .buffer = buffer};
}

static struct plan_arg i32_arg(int64_t value)
{
    return (struct plan_arg){.kind = ARG_I32, .v.i32 = (int32_t)value};
}

/* Buffers, grid and the last two arguments of a strided kernel. An element of w words is
 * given to the harness as w words, so that every width is compared exactly. */
static void plan_stride(const struct lab_variant *v, const struct lab_case *c,
                        const struct launch_record *r, struct plan *out)
{
    uint64_t w = v->flags & WORD_MASK;
    bool once = v->flags & IS_ONCE;
    enum dtype t = once ? DT_F64 : DT_U32;

    out->buffers[IN] = (struct lab_buffer){"in", BUF_INPUT, t, once ? c->n : WORDS * w, ""};
    out->buffers[OUT] = (struct lab_buffer){"out", BUF_OUTPUT, t, once ? c->n : c->n * w, ""};
    out->parts[IN] = out->parts[OUT] = once ? 1 : (uint32_t)w;
    out->bytes = once ? 16.0 * (double)c->n : 4.0 * (double)w * ROUND * ROUNDS * (double)c->n;
    out->on_chip = !once;
    out->nsteps = c->n != 0;
    out->steps[0].grid[0] = blocks_for(c->n, r->block_x);
    out->steps[0].grid[1] = 1;
    out->steps[0].args[2] = i32_arg((int64_t)c->n);
    out->steps[0].args[3] = i32_arg(c->param);
}

static void plan_tile(const struct lab_case *c, struct plan *out)
{
    uint64_t count = c->m * c->n;

    out->buffers[IN] = (struct lab_buffer){"in", BUF_INPUT, DT_F32, count, ""};
    out->buffers[OUT] = (struct lab_buffer){"out", BUF_OUTPUT, DT_F32, count, ""};
    out->bytes = 8.0 * (double)count;
    out->nsteps = count != 0;
    out->steps[0].grid[0] = blocks_for(c->n, 32);
    out->steps[0].grid[1] = blocks_for(c->m, 32);
    out->steps[0].args[2] = i32_arg((int64_t)c->m);
    out->steps[0].args[3] = i32_arg((int64_t)c->n);
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *out,
                 char *err, size_t errsize)
{
    struct plan_step *s = &out->steps[0];

    if (r->block_x * r->block_y > d->max_threads_per_block) {
        snprintf(err, errsize, "LAUNCH(%s, %u, %u, …): a block has at most %u threads", v->name,
                 r->block_x, r->block_y, d->max_threads_per_block);
        return false;
    }
    if ((v->flags & IS_TILE) && (uint64_t)r->block_y * r->items != 32) {
        snprintf(err, errsize, "LAUNCH(%s, 32, %u, %u): %u x %u rows are not the tile's 32",
                 v->name, r->block_y, r->items, r->block_y, r->items);
        return false;
    }
    if (c->param < 0 || c->param > MAX_STRIDE) {
        snprintf(err, errsize, "this lab's strides are 0 to %d", MAX_STRIDE);
        return false;
    }
    memset(out, 0, sizeof(*out));
    out->nbuffers = 2;
    if (v->flags & IS_TILE)
        plan_tile(c, out);
    else
        plan_stride(v, c, r, out);
    lab_name(s->kernel, sizeof(s->kernel), "%s", v->name);
    s->grid[2] = 1;
    s->block[0] = r->block_x;
    s->block[1] = r->block_y;
    s->block[2] = 1;
    s->shared_bytes = r->shared_bytes;
    s->nargs = 4;
    s->args[0] = buffer_arg(IN);
    s->args[1] = buffer_arg(OUT);
    return true;
}

/* Of any size, small and large, but far from what outputs hold before. Sizes come from bits that
 * random_f32 does not use. */
static float any_size(uint64_t stream, uint64_t i)
{
    static const float sizes[] = {0x1p-60f, 0x1p-41f, 0x1p-22f, 0x1p-3f,
                                  1,        0x1p17f,  0x1p39f,  0x1p60f};

    return random_f32(stream, i) * sizes[random_u64(stream, i) % 8];
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b);

    if (c->flags & CASE_SPECIAL) { /* all is copied, or whole numbers are added */
        special_fill(p->buffers[b].dtype, stream, p->buffers[b].count, data);
        return;
    }
    for (uint64_t i = 0; i < p->buffers[b].count; i++)
        switch (p->buffers[b].dtype) {
        case DT_F64:
            ((double *)data)[i] = (double)(int64_t)(random_u64(stream, i) >> 11) * 0x1p-52 - 1;
            break;
        case DT_F32:
            ((float *)data)[i] = any_size(stream, i);
            break;
        default:
            ((uint32_t *)data)[i] = (uint32_t)random_u64(stream, i);
        }
}

static void reference_once(const struct lab_case *c, const double *in, double *out)
{
    for (uint64_t i = 0; i < c->n; i++) {
        uint64_t from = i / ONCE * ONCE + (uint64_t)c->param * (i % ONCE) % ONCE;

        out[i] = from < c->n ? in[from] : 0;
    }
}

/* Element i of a table of w-word elements; bank_loop16's halves are added one by one. */
static uint64_t table_half(const uint32_t *in, uint64_t w, uint64_t i, uint64_t half)
{
    const uint32_t *e = in + i * w + half * 2;

    return w == 1 ? e[0] : e[0] | (uint64_t)e[1] << 32;
}

/* The sum that starts at `start`: it does not depend on the thread otherwise. */
static uint64_t loop_sum(const uint32_t *in, uint64_t w, uint64_t start, uint64_t half)
{
    uint64_t sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        for (uint64_t r = 0; r < ROUND; r++)
            sum += table_half(in, w, start + r * ROW, half);
        start = (start + ROW) % WINDOW;
    }
    return sum;
}

static void reference_loop(const struct lab_case *c, uint64_t w, uint64_t block, const uint32_t *in,
                           uint32_t *out)
{
    static _Thread_local uint64_t sums[WINDOW];

    for (uint64_t half = 0; half < (w + 1) / 2; half++) {
        for (uint64_t start = 0; start < WINDOW; start++)
            sums[start] = loop_sum(in, w, start, half);
        for (uint64_t i = 0; i < c->n; i++) {
            uint64_t sum = sums[i % block * (uint64_t)c->param % WINDOW];

            out[i * w + half * 2] = (uint32_t)sum;
            if (w > 1)
                out[i * w + half * 2 + 1] = (uint32_t)(sum >> 32);
        }
    }
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    const float *in = inputs[IN];
    float *out = expected[OUT];

    tolerance[OUT] = NULL; /* nothing is computed in floating point */
    if (v->flags & IS_ONCE)
        reference_once(c, inputs[IN], expected[OUT]);
    else if (!(v->flags & IS_TILE))
        reference_loop(c, v->flags & WORD_MASK, p->steps[0].block[0], inputs[IN], expected[OUT]);
    else
        for (uint64_t y = 0; y < c->m; y++)
            for (uint64_t x = 0; x < c->n; x++)
                out[x * c->m + y] = in[y * c->n + x];
}

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)c;
    return (v->flags & WORD_MASK) > 1 ? MADE_UNKNOWN : MADE_SUM; /* copies, too */
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    uint64_t words = v->flags & WORD_MASK, at, n = 1;

    if (v->flags & IS_TILE) {
        at = element % c->m * c->n + element / c->m;
    } else if (v->flags & IS_ONCE) {
        at = element / ONCE * ONCE + (uint64_t)c->param * (element % ONCE) % ONCE;
        n = at < c->n; /* zero past the end */
    } else {
        uint64_t thread = element / words % p->steps[0].block[0];
        uint64_t start = (thread * (uint64_t)c->param + t / ROUND * ROW) % WINDOW;

        at = start + t % ROUND * ROW;
        n = words == 1 ? ROUNDS * ROUND : 0; /* wider words carry from one to the next */
    }
    *out = (struct lab_term){.times = 1, .nfactors = 1, .factor = {{IN, at}}};
    return t < n;
}

/* The sum that starts at `start`, of other reads than it should be. */
struct other_loop {
    uint64_t round, rounds;
    const char *words;
};

static uint64_t other_sum(const struct other_loop *o, const uint32_t *in, uint64_t w,
                          uint64_t start, uint64_t half)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < o->rounds; i++) {
        for (uint64_t r = 0; r < o->round && start + r * ROW < WORDS; r++)
            sum += table_half(in, w, start + r * ROW, half);
        start = (start + ROW) % WINDOW;
    }
    return sum;
}

/* Of words wider than 4 bytes: more or fewer reads, or both halves of bank_loop16's in one. */
static bool recognise_loop(const struct plan *p, const struct lab_case *c, uint64_t w,
                           const uint32_t *in, const uint32_t *out, uint64_t element, char *words,
                           size_t size)
{
    static const struct other_loop others[] = {
        {ROUND + 1, ROUNDS, "33 reads a round are added, not 32"},
        {ROUND - 1, ROUNDS, "31 reads a round are added, not 32"},
        {ROUND, ROUNDS + 1, "9 rounds are added, not 8"},
        {ROUND, ROUNDS - 1, "7 rounds are added, not 8"},
        {ROUND, 1, "one round is added, not 8"},
        {1, ROUNDS, "one read a round is added, not 32"},
    };
    const struct other_loop whole = {ROUND, ROUNDS, ""};
    uint64_t thread = element / w, half = element % w / 2;
    uint64_t start = thread % p->steps[0].block[0] * (uint64_t)c->param % WINDOW;
    uint64_t got = out[thread * w + half * 2] | (uint64_t)out[thread * w + half * 2 + 1] << 32;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (other_sum(&others[i], in, w, start, half) != got)
            continue;
        snprintf(words, size, "what it would be if %s", others[i].words);
        return true;
    }
    uint64_t in_grid = thread * (uint64_t)c->param % WINDOW;
    uint64_t last = (start + (ROUNDS - 1) * ROW) % WINDOW + (ROUND - 1) * ROW;
    if (in_grid != start && other_sum(&whole, in, w, in_grid, half) == got) {
        snprintf(words, size,
                 "what it would be if it started by the thread's number in the grid, not in its "
                 "block");
        return true;
    }
    if (table_half(in, w, last, half) == got) {
        snprintf(words, size, "a part of the last word that is read, to which none is added");
        return true;
    }
    if (w < 4 || other_sum(&whole, in, w, start, 0) + other_sum(&whole, in, w, start, 1) != got)
        return false;
    snprintf(words, size,
             "a part of the sum of both halves of each word: bytes 8 to 15 are added "
             "to bytes 0 to 7");
    return true;
}

/* Words wider than 4 bytes are no sum of what is stored in their parts, but a part may be left. */
static bool recognise(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, int b, const void *output, uint64_t element,
                      char *words, size_t size)
{
    uint64_t each = v->flags & WORD_MASK, part = element % (each ? each : 1);
    const uint32_t *out = output;

    (void)b;
    if (v->flags & (IS_TILE | IS_ONCE) || each < 2)
        return false;
    if (recognise_loop(p, c, each, inputs[IN], out, element, words, size))
        return true;
    for (uint64_t i = part; i < p->buffers[p->nbuffers - 1].count; i += each)
        if (out[i])
            return false;
    snprintf(words, size, "0, as bytes %llu to %llu of each result are: is nothing added there?",
             4ull * part, 4ull * part + 3);
    return true;
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    (void)p;
    return c->op != OP_TILE ? 0 : b == IN ? c->n : c->m;
}

static const struct lab_goal goals[] = {
    {"bank_once", "stride=32", "shared_ld_requests > 0", "it reads nothing from shared memory"},
    {"bank_fixed", "stride=32", "shared_ld_bytes / threads >= 1000",
     "it reads fewer than 256 words a thread from shared memory"},
    {"bank_fixed", "stride=32", "shared_ld_bank_conflicts / shared_ld_requests <= 0.1",
     "its loads still have bank conflicts"},
    {"bank_fixed", "stride=8", "shared_ld_bank_conflicts / shared_ld_requests <= 0.1",
     "its loads still have bank conflicts"},
    {"bank_fixed", "stride=1", "shared_ld_bank_conflicts / shared_ld_requests <= 0.1",
     "its loads now have bank conflicts"},
    {"transpose_padded", "2048x2048", "shared_ld_bank_conflicts / shared_ld_requests <= 0.1",
     "its loads still have bank conflicts"},
    {"transpose_padded", "2048x2048", "shared_st_bank_conflicts / shared_st_requests <= 0.1",
     "its stores to shared memory have bank conflicts"},
    {"transpose_padded", "2048x2048", "32 * global_st_sectors / global_st_bytes <= 1.5",
     "its stores are spread over rows"},
    {"transpose_padded", "2048x2048", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "its loads are spread over rows"},
    {"transpose_padded", "2048x2048", "(global_ld_bytes + global_st_bytes) / bytes <= 1.2",
     "elements are loaded and stored more than once"},
    {"transpose_swizzled", "2048x2048", "shared_ld_bank_conflicts / shared_ld_requests <= 0.1",
     "its loads still have bank conflicts"},
    {"transpose_swizzled", "2048x2048", "shared_st_bank_conflicts / shared_st_requests <= 0.1",
     "its stores to shared memory have bank conflicts"},
    {"transpose_swizzled", "2048x2048", "32 * global_st_sectors / global_st_bytes <= 1.5",
     "its stores are spread over rows"},
    {"transpose_swizzled", "2048x2048", "32 * global_ld_sectors / global_ld_bytes <= 1.5",
     "its loads are spread over rows"},
    {"transpose_swizzled", "2048x2048", "(global_ld_bytes + global_st_bytes) / bytes <= 1.2",
     "elements are loaded and stored more than once"},
    {"transpose_swizzled", "2048x2048", "shared_block_bytes / blocks <= 4200",
     "its tile has more words than elements"},
    {0},
};

const struct lab lab_bank_conflicts = {
    .name = "bank_conflicts",
    .title = "Bank conflicts: 32 doors, one at a time",
    .bytes_formula =
        "loops: the shared memory's, 256 w n with words of w bytes; bank_once: 16 n; tiles: 8 m n",
    .flops_formula = "0",
    .record_items = "transpositions: rows a thread handles; otherwise 1",
    .param_name = "stride",
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
    .recognise = recognise,
    .row = row,
    .extents = "nm",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
