/* tensor_test.c - records of tensor kernels: the grid, the arguments, and what is wrong with one.
 */
#include "tensor.h"
#include "plan.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 24 /* of x; y has rows of 5 */

static bool planned(const struct lab_variant *v, const struct lab_case *c,
                    const struct launch_record *r, const struct device_limits *d, struct plan *p,
                    char *err, size_t errsize)
{
    struct plan_step *s = &p->steps[0];

    p->nbuffers = 2;
    p->buffers[0] = (struct lab_buffer){"x", BUF_INPUT, DT_F16, WIDTH * c->m, ""};
    p->buffers[1] = (struct lab_buffer){"y", BUF_OUTPUT, DT_F32, 5 * c->m, ""};
    p->nsteps = 1;
    *s = (struct plan_step){.kernel = "k", .block = {r->block_x, 1, 1}, .nargs = 3};
    s->args[1].buffer = 1;
    s->args[2] = (struct plan_arg){.kind = ARG_I32, .v.i32 = 7};
    return tensor_grid(v, r, d, c->m, c->n, s, err, errsize);
}

static uint64_t row(const struct plan *p, const struct lab_case *c, int b)
{
    (void)p, (void)c;
    return b ? 5 : WIDTH;
}

static const struct lab lab = {.plan = planned, .row = row};
static const struct lab_variant variant = {.name = "k", .has_tensor = true};
static const struct device_limits limits = {.sms = 7, .max_threads_per_block = 1024};
static struct plan p;
static char err[300];

static bool make(struct tensor_record t)
{
    const struct lab_case c = {.m = 300, .n = 200};
    const struct launch_record r = {.block_x = 128, .items = 1, .tensor = t};

    err[0] = '\0';
    return plan_make(&lab, &variant, &c, &r, &limits, &p, err, sizeof(err));
}

Test(tensor, a_map_is_an_argument_that_comes_back)
{
    struct plan q;
    unsigned char *bytes;

    cr_assert(
        make((struct tensor_record){.tile = {128, 64}, .map = {{0, TENSOR_F16, {8, 64}, 3, 2}}}),
        "%s", err);
    size_t size = plan_write(&p, &bytes);
    cr_assert(plan_read(bytes, size, &q, err, sizeof(err)), "%s", err);
    const struct plan_arg *a = &q.steps[0].args[0];
    cr_expect(a->kind == ARG_TENSOR && a->buffer == 0 && a->offset == WIDTH);
    cr_expect(a->v.box.width == 8 && a->v.box.height == 64 && a->v.box.swizzle == 3 &&
              a->v.box.promotion == 2);
    cr_expect_eq(q.steps[0].args[1].kind, ARG_BUFFER);
    free(bytes);
}

/* 300 x 200 outputs */
Test(tensor, a_block_for_each_tile)
{
    static const struct {
        uint32_t rows, columns, cluster, persistent, blocks;
    } grids[] = {{128, 64, 0, 0, 3 * 4}, {128, 64, 2, 0, 4 * 4}, {1, 1, 1, 0, 300 * 200},
                 {128, 64, 1, 1, 7},     {128, 64, 2, 1, 6},     {300, 200, 1, 1, 1},
                 {300, 200, 8, 1, 8}};

    for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
        cr_assert(make((struct tensor_record){.tile = {grids[i].rows, grids[i].columns},
                                              .cluster = grids[i].cluster,
                                              .persistent = grids[i].persistent}),
                  "%s", err);
        cr_expect_eq(p.steps[0].grid[0], grids[i].blocks, "%zu: %u", i, p.steps[0].grid[0]);
    }
}

Test(tensor, says_what_is_wrong_with_a_record)
{
#define TILE .tile = { 128, 64 }
    static const struct {
        struct tensor_record t;
        const char *says;
    } wrong[] = {
        {{.tile = {0, 64}}, "a tile of 0 x 64"},
        {{.tile = {64, 5000}}, "a tile of 64 x 5000"},
        {{TILE, .cluster = 3}, "clusters of 3 blocks"},
        {{TILE, .cluster = 16}, "clusters of 16 blocks"},
        {{TILE, .persistent = 2}, "persistent 2"},
        {{TILE, .map = {{3, TENSOR_F16, {8, 8}, 0, 0}}}, "argument 3 is not there"},
        {{TILE, .map = {{2, TENSOR_F16, {8, 8}, 0, 0}}}, "argument 2 is no array"},
        {{TILE, .map = {{0, TENSOR_F16, {8, 8}, 0, 0}, {0, TENSOR_F16, {8, 8}, 0, 0}}},
         "two maps of argument 0 (x)"},
        {{TILE, .map = {{0, TENSOR_F32, {8, 8}, 0, 0}}},
         "(x) has elements of type f16, not TENSOR_F32"},
        {{TILE, .map = {{0, 9, {8, 8}, 0, 0}}}, "not a type that is not known"},
        {{TILE, .map = {{0, TENSOR_F16, {8, 257}, 0, 0}}}, "at most 256 elements a side"},
        {{TILE, .map = {{0, TENSOR_F16, {65544, 8}, 0, 0}}}, "at most 256 elements a side"},
        {{TILE, .map = {{0, TENSOR_F16, {8, 8}, 4, 0}}}, "one of SWIZZLE_"},
        {{TILE, .map = {{0, TENSOR_F16, {8, 8}, 0, 256}}}, "one of SWIZZLE_"},
        {{TILE, .map = {{0, TENSOR_F16, {0, 8}, 0, 0}}}, "1 to 256 elements a side"},
        {{TILE, .map = {{0, TENSOR_F16, {4, 8}, 0, 0}}}, "a row of its box is no multiple of 16"},
        {{TILE, .map = {{0, TENSOR_F16, {24, 8}, 1, 0}}}, "wider than what is swizzled"},
        {{TILE, .map = {{1, TENSOR_F32, {4, 8}, 0, 0}}}, "a row of the array is no multiple of 16"},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cr_expect_not(make(wrong[i].t), "%s", wrong[i].says);
        cr_expect(strstr(err, wrong[i].says), "%zu: %s", i, err);
    }
}
