/* testlab.c - a lab for the harness's own tests: y = 2 x + 1, in integers and in floats. */
#include "lab/lab.h"
#include "lab/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct lab_variant variants[] = {
    {.name = "scale", .number = "1", .what = "one element a thread", .has_record = true,
     .record = {128, 1, 1, 0}, .min = {.block_x = 32}, .max = {.block_x = 1024}},
    {.name = "scale_float", .number = "2", .what = "the same in floats", .record = {128, 1, 1, 0}},
    {.name = "scale_best", .number = "3", .what = "your own", .record = {256, 1, 1, 0}, .optional = true},
};
static const struct lab_case cases[] = {
    {.name = "empty",  .n = 0,    .dtype = DT_I32, .flags = CASE_CHECK},
    {.name = "one",    .n = 1,    .dtype = DT_I32, .flags = CASE_CHECK},
    {.name = "n=1000", .n = 1000, .dtype = DT_I32, .flags = CASE_CHECK | CASE_QUICK},
    {.name = "n=4096", .n = 4096, .dtype = DT_I32, .flags = CASE_CHECK | CASE_TIME | CASE_QUICK},
    {.name = "f32",    .n = 4096, .dtype = DT_F32, .flags = CASE_CHECK | CASE_TIME | CASE_QUICK},
    {.name = "gpu",    .n = 1 << 24, .dtype = DT_I32, .flags = CASE_CHECK | CASE_TIME | CASE_GPU_ONLY},
};
static const struct lab_column columns[] = {
    {"sectors", "a load", "global_ld_sectors / global_ld_requests"},
    {"global", "stores", "global_st_requests"},
    {0},
};
static const struct lab_prediction predictions[] = {
    {"sectors", "sectors a load", "global_ld_sectors / global_ld_requests", "scale", "n=4096", 0.01},
    {"warps", "warps of the grid", "warps", "scale", "n=4096", 0},
};
/* clang-format on */

static bool applies(const struct lab_variant *v, const struct lab_case *c)
{
    return (c->dtype == DT_F32) == !strcmp(v->name, "scale_float");
}

static bool plan(const struct lab_variant *v, const struct lab_case *c,
                 const struct launch_record *r, const struct device_limits *d, struct plan *p,
                 char *err, size_t errsize)
{
    uint32_t block = r->block_x;
    struct plan_step *s = &p->steps[0];

    if (block > d->max_threads_per_block) {
        snprintf(err, errsize, "%s: %u threads", v->name, block);
        return false;
    }
    if (c->n > 1 << 30) {
        snprintf(err, errsize, "%s: at most 2^30 elements", c->name);
        return false;
    }
    p->nbuffers = 2;
    p->buffers[0] =
        (struct lab_buffer){.name = "x", .role = BUF_INPUT, .dtype = c->dtype, .count = c->n};
    p->buffers[1] =
        (struct lab_buffer){.name = "y", .role = BUF_OUTPUT, .dtype = c->dtype, .count = c->n};
    p->bytes = 8.0 * (double)c->n;
    if (!c->n)
        return true;
    p->nsteps = 1;
    lab_name(s->kernel, sizeof(s->kernel), "%s", v->name);
    s->grid[0] = (uint32_t)((c->n + block - 1) / block);
    s->block[0] = block;
    s->grid[1] = s->grid[2] = s->block[1] = s->block[2] = 1;
    s->nargs = 3;
    s->args[0] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = 0};
    s->args[1] = (struct plan_arg){.kind = ARG_BUFFER, .buffer = 1};
    s->args[2] = (struct plan_arg){.kind = ARG_U32, .v.u32 = (uint32_t)c->n};
    return true;
}

static void make_input(const struct plan *p, int b, const struct lab_case *c, uint64_t seed,
                       void *data)
{
    for (uint64_t i = 0; i < p->buffers[b].count; i++) {
        if (c->dtype == DT_F32)
            ((float *)data)[i] = random_f32(seed, i);
        else
            ((int32_t *)data)[i] = (int32_t)(random_u64(seed, i) % 1000);
    }
}

static void reference(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    (void)v;
    for (uint64_t i = 0; i < p->buffers[1].count; i++) {
        if (c->dtype == DT_F32) {
            ((float *)expected[1])[i] = 2 * ((const float *)inputs[0])[i] + 1;
            tolerance[1][i] = 0x1p-22 * (1 + fabs((double)((float *)expected[1])[i]));
        } else {
            ((int32_t *)expected[1])[i] = 2 * ((const int32_t *)inputs[0])[i] + 1;
        }
    }
}

const struct lab lab_testlab = {
    .name = "testlab",
    .title = "y = 2 x + 1",
    .bytes_formula = "8 n",
    .variants = variants,
    .nvariants = sizeof(variants) / sizeof(variants[0]),
    .cases = cases,
    .ncases = sizeof(cases) / sizeof(cases[0]),
    .applies = applies,
    .plan = plan,
    .make_input = make_input,
    .reference = reference,
    .columns = columns,
    .predictions = predictions,
    .npredictions = sizeof(predictions) / sizeof(predictions[0]),
};
