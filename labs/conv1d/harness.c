/* harness.c - one-dimensional convolution: out[i] = sum over j < width of w[j] in[i + j].
 *
 * in has n + width - 1 elements, out has n. The lecture's two kernels take the mean of three
 * neighbours and run at width 3 alone. The variants with constant weights get them in the
 * module's variable conv_weights, not as an argument.
 *
 * Interface: lab_conv1d.
 */
#include "lab/lab.h"
#include "lab/random.h"
#include "lab/special.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The reference is n * width multiply-adds in double; -O3 lets gcc use vectors for them. */
#pragma GCC optimize("O3")

enum { MEAN3 = 1, CONSTANT = 2 };
enum { IN, OUT, WEIGHTS, STRETCHES }; /* buffers, and what else has a stream of random numbers */
#define MAX_WIDTH 255                 /* the kernels' arrays are made for it */

/* Above this many products only some stretches of out are compared; the rest must be
 * of a possible size. */
#define FULL_PRODUCTS (1ull << 28)
#define STRETCH       1024

/* clang-format off */
#define BYTES (227 << 10) /* of shared memory: what a block has on the largest GPUs */
/* An output a thread: items has no other value. */
#define SHAPE .record = {.block_x = 128, .block_y = 1, .items = 1}, .min = {.block_x = 32, .block_y = 1, .items = 1}, .max = {.block_x = 1024, .block_y = 1, .shared_bytes = BYTES}
#define MANY  .record = {.block_x = 128, .block_y = 1, .items = 4}, .min = {.block_x = 32, .block_y = 1, .items = 1}, .max = {.block_x = 1024, .block_y = 1, .items = 16, .shared_bytes = BYTES}
static const struct lab_variant variants[] = {
    {"conv3_naive",  "1", "mean of three, as the lecture prints it", NULL, true, SHAPE, MEAN3},
    {"conv3_shared", "2", "the same through shared memory",          NULL, true, SHAPE, MEAN3},
    {"conv_naive",   "3", "any width, all from global memory",       NULL, true, SHAPE, 0},
    {"conv_shared",  "4", "inputs in shared memory, with a halo",    NULL, true, SHAPE, 0},
    {"conv_const",   "5", "weights in constant memory too",          NULL, true, SHAPE, CONSTANT},
    {"conv_multi",   "6", "several outputs a thread",                NULL, true, MANY,  CONSTANT},
};

#define CHECK .flags = CASE_CHECK | CASE_QUICK
#define EMU   .flags = CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_EMULATOR_ONLY
#define GPU   .flags = CASE_CHECK | CASE_TIME | CASE_QUICK | CASE_GPU_ONLY
#define WIDTH(w) \
    {"width=" #w,           1 << 17, 0, 0, w, DT_F32, 0, 0, EMU}, \
    {"width=" #w " n=2^24", 1 << 24, 0, 0, w, DT_F32, 0, 0, GPU}
static const struct lab_case cases[] = {
    /* name           n     m  k  param dtype  op seed flags */
    {"empty",         0,    0, 0, 3,    DT_F32, 0, 0, CHECK},
    {"n=1",           1,    0, 0, 3,    DT_F32, 0, 0, CHECK},
    {"n=1 width=1",   1,    0, 0, 1,    DT_F32, 0, 0, CHECK},
    {"n=127",         127,  0, 0, 3,    DT_F32, 0, 0, CHECK},
    {"n=513 width=4", 513,  0, 0, 4,    DT_F32, 0, 0, CHECK},
    {"n=1000 width=6", 1000, 0, 0, 6,   DT_F32, 0, 0, CHECK},
    {"n=1021 width=17", 1021, 0, 0, 17, DT_F32, 0, 0, CHECK},
    {"n=4099 width=255", 4099, 0, 0, 255, DT_F32, 0, 0, CHECK},
    {"n=5 width=255", 5,    0, 0, 255,  DT_F32, 0, 0, CHECK},
    WIDTH(3), WIDTH(7), WIDTH(15), WIDTH(31), WIDTH(63), WIDTH(127), WIDTH(255),
};

static const struct lab_column columns[] = {
    {"global", "bytes", "global_ld_bytes"},
    {"sectors", "a load", "global_ld_sectors/global_ld_requests"},
    {"shared", "bytes", "shared_ld_bytes"},
    {"const", "loads", "const_ld_requests"},
    {0},
};

static const struct lab_prediction predictions[] = {
    {"naive3_loads",  "bytes conv3_naive's lanes load, n=2^17",                     "global_ld_bytes", "conv3_naive",  "width=3",   0.02},
    {"shared3_loads", "the same of conv3_shared", "global_ld_bytes", "conv3_shared", "width=3", 0.02},
    {"naive_loads",   "bytes conv_naive's lanes load, width 63, weights too",       "global_ld_bytes", "conv_naive",   "width=63",  0.02},
    {"const_loads",   "bytes conv_const's lanes load from global memory, width 63", "global_ld_bytes", "conv_const",   "width=63",  0.05},
    {"const_shared",  "bytes conv_const's lanes load from shared memory, width 63", "shared_ld_bytes", "conv_const",   "width=63",  0.05},
    {"multi_shared",  "the same of conv_multi, with your number of outputs",        "shared_ld_bytes", "conv_multi",   "width=63",  0.1},
};
/* clang-format on */

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return !(v->flags & MEAN3) || c->param == 3;
}

static struct plan_arg buffer_arg(int buffer)
{
    return (struct plan_arg){.kind = ARG_BUFFER, .buffer = buffer};
}

static struct plan_arg i32_arg(int64_t value)
{
    return (struct plan_arg){.kind = ARG_I32, .v.i32 = (int32_t)value};
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *out,
                 char *err, size_t errsize)
{
    uint64_t width = (uint64_t)c->param, per_block = (uint64_t)r->block_x * r->items;
    struct plan_step *s = &out->steps[0];
    bool constant = v->flags & CONSTANT;

    if (r->block_x > d->max_threads_per_block || per_block == 0) {
        snprintf(err, errsize, "LAUNCH(%s, %u, %u, %u): a block has 1 to %u threads", v->name,
                 r->block_x, r->block_y, r->items, d->max_threads_per_block);
        return false;
    }
    if (c->param < 1 || c->param > MAX_WIDTH || c->n > INT32_MAX - MAX_WIDTH) {
        snprintf(err, errsize, "this lab's widths are 1 to %d, its lengths below 2^31 - %d",
                 MAX_WIDTH, MAX_WIDTH);
        return false;
    }
    memset(out, 0, sizeof(*out));
    out->nbuffers = 3;
    out->buffers[IN] = (struct lab_buffer){"in", BUF_INPUT, DT_F32, c->n + width - 1, ""};
    out->buffers[OUT] = (struct lab_buffer){"out", BUF_OUTPUT, DT_F32, c->n, ""};
    out->buffers[WEIGHTS] = (struct lab_buffer){"weights", BUF_INPUT, DT_F32, width, ""};
    if (constant)
        lab_name(out->buffers[WEIGHTS].symbol, sizeof(out->buffers[WEIGHTS].symbol),
                 "conv_weights");
    out->bytes = 4.0 * (double)(2 * c->n + 2 * width - 1);
    out->flops = 2.0 * (double)c->n * (double)width;
    if (c->n == 0)
        return true;

    out->nsteps = 1;
    lab_name(s->kernel, sizeof(s->kernel), "%s", v->name);
    s->grid[0] = (uint32_t)((c->n + per_block - 1) / per_block);
    s->grid[1] = s->grid[2] = 1;
    s->block[0] = r->block_x;
    s->block[1] = s->block[2] = 1;
    s->shared_bytes = r->shared_bytes;
    s->args[s->nargs++] = buffer_arg(IN);
    if (!constant)
        s->args[s->nargs++] = buffer_arg(WEIGHTS);
    s->args[s->nargs++] = buffer_arg(OUT);
    s->args[s->nargs++] = i32_arg((int64_t)c->n);
    s->args[s->nargs++] = i32_arg(c->param);
    return true;
}

/* Of what kind a special case's weights are, and its inputs: as elsewhere from -1 to 1; whole
 * numbers of up to 4; all of another size, up to 2^20 or down to 2^-20; each of its own, of 2^-8 to
 * 2^8. */
enum kind { USUAL, WHOLE, SCALED, SPREAD, KINDS };

static float of_kind(uint64_t stream, uint64_t i)
{
    uint64_t r = random_u64(stream, ~(uint64_t)0), own = random_u64(~stream, i);
    float f = random_f32(stream, i);

    switch ((enum kind)(r % KINDS)) {
    case WHOLE:
        return (float)((int)(own % 9) - 4);
    case SCALED:
        return ldexpf(f, (int)(r / KINDS % 41) - 20);
    case SPREAD:
        return ldexpf(copysignf(1 + fabsf(f), f), (int)(own % 16) - 8);
    default:
        return f;
    }
}

/* Some of each fourth window's inputs, of such a size that no sum overflows in any order. None is
 * infinite, for who adds with compensation; NaN is where all outputs have it: who rounds the width
 * up, with weights of 0, is right. */
static void add_special(uint64_t stream, uint64_t width, uint64_t n, float *in)
{
    enum { SOME = 8 };

    for (uint64_t i = 0, end; i < n; i += 4 * width + SOME) {
        end = i + SOME < n ? i + SOME : n;
        special_sprinkle(DT_F32, SPECIAL_FINITE, stream ^ i, end - i, in + i);
        for (uint64_t k = i; k < end; k++)
            in[k] *= fabsf(in[k]) > 0x1p40f ? 0x1p-30f : 1;
    }
    if (n == width) /* one output */
        in[random_u64(stream, n) % n] = NAN;
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    uint64_t stream = random_u64(seed, (uint64_t)b);
    bool special = c->flags & CASE_SPECIAL;

    for (uint64_t i = 0; i < p->buffers[b].count; i++)
        ((float *)data)[i] = special ? of_kind(stream, i) : random_f32(stream, i);
    if (b == IN && special)
        add_special(stream, (uint64_t)c->param, p->buffers[b].count, data);
}

/* In large cases: the first and last stretch, and about one in 256 that the seed picks: what a
 * kernel can see, the input, does not tell which. */
static bool compared(const struct lab_case *c, uint64_t stretch)
{
    if (c->n * (uint64_t)c->param <= FULL_PRODUCTS || stretch == 0 ||
        stretch == (c->n - 1) / STRETCH)
        return true;
    return random_u64(random_u64(c->seed, STRETCHES), stretch) % 256 == 0;
}

static bool compares(const struct lab_case *c, uint64_t element)
{
    return compared(c, element / STRETCH);
}

/* A sum of `width` products in any order, rounded to 2^-24 at each step (and once more by
 * the mean's division), is off by at most (width + 1) 2^-24 sum |w x|, and by what each loses
 * below the least normal number. */
static void reference_stretch(const float *in, const float *weights, uint64_t width, uint64_t count,
                              float *want, double *tol)
{
    double sum[STRETCH] = {0}, size[STRETCH] = {0};

    for (uint64_t j = 0; j < width; j++)
        for (uint64_t i = 0; i < count; i++) {
            double product = (double)weights[j] * (double)in[i + j];

            sum[i] += product;
            size[i] += fabs(product);
        }
    for (uint64_t i = 0; i < count; i++) {
        want[i] = (float)sum[i];
        tol[i] = isfinite(size[i]) ? (double)(width + 2) * (0x1p-24 * size[i] + 0x1p-149) : 0;
    }
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    static const float third[3] = {1.0f / 3, 1.0f / 3, 1.0f / 3};
    const float *in = inputs[IN], *weights = v->flags & MEAN3 ? third : inputs[WEIGHTS];

    (void)p;
    for (uint64_t at = 0; at < c->n; at += STRETCH) {
        uint64_t count = at + STRETCH < c->n ? STRETCH : c->n - at;
        float *want = (float *)expected[OUT] + at;
        double *tol = tolerance[OUT] + at;

        if (compared(c, at / STRETCH)) {
            reference_stretch(in + at, weights, (uint64_t)c->param, count, want, tol);
            continue;
        }
        for (uint64_t i = 0; i < count; i++) {
            want[i] = 0;
            tol[i] = (double)c->param; /* |w x| < 1: no sum can be larger */
        }
    }
}

static enum lab_made made(const struct lab_variant *v, const struct lab_case *c)
{
    (void)v, (void)c;
    return MADE_SUM;
}

static bool term(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                 uint64_t element, uint64_t t, struct lab_term *out)
{
    (void)p;
    if (v->flags & MEAN3)
        *out = (struct lab_term){.times = 1.0 / 3, .nfactors = 1, .factor = {{IN, element + t}}};
    else
        *out = (struct lab_term){
            .times = 1, .nfactors = 2, .factor = {{IN, element + t}, {WEIGHTS, t}}};
    return t < (uint64_t)c->param;
}

static const struct lab_goal goals[] = {
    {"conv_shared", "width=31", "shared_ld_bytes / (4 * n * param) >= 0.9",
     "not every product has its input from shared memory"},
    {"conv_shared", "width=31", "8 * global_ld_sectors / n <= 16",
     "it loads from global memory as if there were no tile"},
    {"conv_const", "width=31", "const_ld_requests / warps >= 5",
     "it reads few weights or none from constant memory"},
    {"conv_const", "width=31", "const_ld_bytes / (4 * n * param) >= 0.9",
     "it does not read a weight for each product of one output a thread"},
    {"conv_const", "width=31", "global_ld_bytes / (4 * n) <= 3",
     "it fetches its inputs several times"},
    {"conv_multi", "width=31", "threads / n <= 0.6", "it has a thread for each output"},
    {"conv_multi", "width=31", "shared_ld_bytes / (4 * n * param) <= 0.5",
     "it reads shared memory anew for its products"},
    {"conv_multi", "width=31", "128 * shared_ld_wavefronts / shared_ld_bytes <= 2.2",
     "its loads from shared memory have bank conflicts"},
    {0},
};

const struct lab lab_conv1d = {
    .name = "conv1d",
    .title = "Convolution: reuse along a line",
    .bytes_formula = "4 (2 n + 2 width - 1)",
    .flops_formula = "2 n width",
    .record_items = "outputs a thread makes",
    .param_name = "width",
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
    .extents = "np",
    .columns = columns,
    .goals = goals,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
