/* plan_test.c - plans as bytes: what goes in comes out, and nothing broken is believed. */
#include "plan.h"
#include "dtype.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_testlab;

static struct plan some_plan(void)
{
    static const struct device_limits limits = {.max_threads_per_block = 1024};
    struct plan p = {0};
    char err[100];

    lab_testlab.plan(&lab_testlab.variants[0], &lab_testlab.cases[2],
                     &lab_testlab.variants[0].record, &limits, &p, err, sizeof(err));
    p.steps[0].args[3] = (struct plan_arg){.kind = ARG_F64, .v.f64 = 0.1};
    p.steps[0].args[4] = (struct plan_arg){.kind = ARG_I32, .v.i32 = -3};
    p.steps[0].nargs = 5;
    p.nbuffers = 3;
    p.on_chip = true;
    p.buffers[2] = (struct lab_buffer){"w", BUF_INPUT, DT_F32, 9, "weights"};
    return p;
}

Test(plan, comes_back_as_it_went)
{
    struct plan p = some_plan(), q;
    unsigned char *bytes;
    size_t size = plan_write(&p, &bytes);
    char err[200] = "";

    cr_assert(plan_read(bytes, size, &q, err, sizeof(err)), "%s", err);
    cr_assert_eq(q.nsteps, 1);
    cr_assert_str_eq(q.steps[0].kernel, "scale");
    cr_assert_eq(q.steps[0].grid[0], 8);
    cr_assert_eq(q.steps[0].args[2].v.u32, 1000);
    cr_assert_eq(q.steps[0].args[3].v.f64, 0.1);
    cr_assert_eq(q.steps[0].args[4].v.i32, -3);
    cr_assert_eq(q.buffers[1].count, 1000);
    cr_assert_eq(q.buffers[1].role, BUF_OUTPUT);
    cr_assert_str_eq(q.buffers[1].name, "y");
    cr_assert_str_eq(q.buffers[2].symbol, "weights");
    cr_assert_eq(q.bytes, 8000.0);
    cr_assert(q.on_chip);
    free(bytes);
}

/* Whatever single byte is changed, a plan that is accepted keeps its promises. */
Test(plan, survives_any_changed_byte)
{
    struct plan p = some_plan(), q;
    unsigned char *bytes;
    size_t size = plan_write(&p, &bytes), refused = 0;
    char err[200];

    for (size_t i = 0; i < size; i++) {
        for (int flip = 1; flip < 256; flip <<= 1) {
            bytes[i] ^= (unsigned char)flip;
            if (!plan_read(bytes, size, &q, err, sizeof(err)))
                refused++;
            else
                cr_assert(plan_check(&q, NULL, err, sizeof(err)));
            bytes[i] ^= (unsigned char)flip;
        }
    }
    cr_assert_gt(refused, 400);
    for (size_t n = 0; n < size; n++)
        cr_assert_not(plan_read(bytes, n, &q, err, sizeof(err)), "cut to %zu bytes", n);
    free(bytes);
}

Test(plan, refuses_what_no_device_can_launch)
{
    struct device_limits small = {.max_threads_per_block = 64};
    struct plan p = some_plan();
    char err[200] = "";

    cr_assert(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert_not(plan_check(&p, &small, err, sizeof(err)));
    p.steps[0].block[1] = 9; /* 128 × 9 */
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert(strstr(err, "1152 threads"), "%s", err);
    p = some_plan();
    p.steps[0].block[2] = 1025;
    p.steps[0].block[1] = 2;
    p.steps[0].grid[0] = 7;
    p.steps[0].grid[1] = 8;
    p.steps[0].grid[2] = 9;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert(strstr(err, "grid 7×8×9, block 128×2×1025 too large"), "%s", err);
    p.steps[0].block[2] = 1;
    cr_assert(plan_check(&p, NULL, err, sizeof(err)), "%s", err);
    p.steps[0].grid[1] = 65535;
    cr_assert(plan_check(&p, NULL, err, sizeof(err)), "%s", err);
    p.steps[0].grid[1] = 65536;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    p = some_plan();
    p.steps[0].grid[2] = 0;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert(strstr(err, "a grid or block of 0"), "%s", err);
    p = some_plan();
    p.steps[0].args[0].offset = 1001;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    p = some_plan();
    p.steps[0].args[0].buffer = 2; /* the variable */
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    p = some_plan();
    strcpy(p.steps[0].kernel, "a b");
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
}

/* A plan with operations: a copy in on stream 3, an event, a launch that waits, a copy out. */
static struct plan with_operations(void)
{
    static const struct plan_op ops[] = {
        {.kind = OP_COPY_IN, .stream = 3, .index = 0, .offset = 10, .count = 990},
        {.kind = OP_RECORD, .stream = 3, .event = 255},
        {.kind = OP_WAIT, .stream = 15, .event = 255},
        {.kind = OP_LAUNCH, .stream = 15, .index = 0},
        {.kind = OP_COPY_OUT, .stream = 15, .index = 1, .offset = 0, .count = 1},
    };
    struct plan p = some_plan();

    p.memory = MAPPED;
    p.nops = sizeof(ops) / sizeof(ops[0]);
    memcpy(p.ops, ops, sizeof(ops));
    return p;
}

Test(plan, operations_come_through)
{
    struct plan p = with_operations(), q;
    unsigned char *bytes;
    char err[200] = "";
    size_t size = plan_write(&p, &bytes);

    cr_assert(plan_read(bytes, size, &q, err, sizeof(err)), "%s", err);
    cr_assert(q.memory == MAPPED && q.nops == p.nops);
    cr_assert_not(memcmp(q.ops, p.ops, (size_t)p.nops * sizeof(p.ops[0])));
    for (size_t n = 0; n < size; n++)
        cr_assert_not(plan_read(bytes, n, &q, err, sizeof(err)), "cut to %zu bytes", n);
    free(bytes);
}

Test(plan, refuses_operations_on_what_is_not_there)
{
    const struct plan good = with_operations();
    char err[200] = "";
    struct plan bad[9];

    cr_assert(plan_check(&good, NULL, err, sizeof(err)), "%s", err);
    for (int i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].memory = NO_MEMORY;
    bad[1].memory = HOST_MEMORIES;
    bad[2].nops = LAB_MAX_OPS + 1;
    bad[3].ops[0].stream = SCHEDULE_STREAMS;
    bad[4].ops[1].event = SCHEDULE_EVENTS;
    bad[5].ops[3].index = bad[5].nsteps;
    bad[6].ops[0].index = 2; /* the variable */
    bad[7].ops[0].count = bad[7].buffers[0].count - 9;
    bad[8].ops[4].offset = bad[8].buffers[1].count + 1;
    for (int i = 0; i < 9; i++)
        cr_expect_not(plan_check(&bad[i], NULL, err, sizeof(err)), "%d", i);
}

Test(plan, ranks_are_among_those_there_are)
{
    struct plan good = with_operations(), q;
    unsigned char *bytes;
    char err[200] = "";
    struct plan bad[7];

    good.memory = PINNED;
    good.ranks = 3;
    good.nbuffers = 2; /* no variable */
    good.ops[3].rank = 2;
    good.ops[4].kind = OP_SUM;
    size_t size = plan_write(&good, &bytes);
    cr_assert(plan_read(bytes, size, &q, err, sizeof(err)), "%s", err);
    cr_assert(q.ranks == 3 && q.ops[3].rank == 2 && q.ops[4].kind == OP_SUM);
    free(bytes);
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].ranks = LAB_MAX_RANKS + 1;
    bad[1].ranks = 2;
    bad[2].memory = MAPPED;
    bad[3].nbuffers = 3;
    bad[4].ops[4].index = 2;
    bad[5].memory = RESIDENT; /* and copied in */
    bad[6].ops[4].kind = OP_FETCH;
    bad[6].ops[4].rank = 3;
    for (int i = 0; i < 7; i++)
        cr_expect_not(plan_check(&bad[i], NULL, err, sizeof(err)), "%d", i);
}

/* Another kernel's name must not come of one that is too long. */
Test(plan, a_case_may_force_the_block)
{
    static const struct device_limits limits = {.max_threads_per_block = 1024};
    const struct lab_variant *v = &lab_testlab.variants[0];
    struct lab_case c = lab_testlab.cases[2];
    struct plan p;
    char err[100];

    c.block = 64;
    cr_assert(plan_make(&lab_testlab, v, &c, &v->record, &limits, &p, err, sizeof(err)));
    cr_assert_eq(p.steps[0].block[0], 64);
    cr_assert_eq(p.steps[0].grid[0], 16);
    c.block = 2048;
    cr_assert_not(plan_make(&lab_testlab, v, &c, &v->record, &limits, &p, err, sizeof(err)));
}

static bool refuses(const struct lab_variant *v, const struct lab_case *c,
                    const struct launch_record *r, const struct device_limits *d, struct plan *p,
                    char *err, size_t errsize)
{
    (void)v, (void)r, (void)d, (void)p;
    snprintf(err, errsize, "%s", c->name);
    return false;
}

/* What does not fit is cut between characters, and marked. */
Test(plan, a_long_reason_is_cut_with_a_mark)
{
    static const struct {
        const char *reason, *told;
    } rows[] = {
        {"123456789abcd", "123456789abcd"},
        {"123456789abcdefghi", "123456789abc…"},
        {"123456789ab×××", "123456789ab…"},
    };
    const struct lab lab = {.plan = refuses};
    const struct lab_variant *v = &lab_testlab.variants[0];
    struct plan p;
    char err[16];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lab_case c = {.name = rows[i].reason};

        cr_assert_not(plan_make(&lab, v, &c, &v->record, NULL, &p, err, sizeof(err)));
        cr_expect_str_eq(err, rows[i].told);
    }
    p.nbuffers = LAB_MAX_BUFFERS + 1;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_expect_str_eq(err, "plan: 9 buff…");
}

Test(plan, refuses_a_name_that_is_too_long)
{
    struct plan p = some_plan();
    char err[200] = "";

    lab_name(p.steps[0].kernel, sizeof(p.steps[0].kernel), "scale%059d", 0);
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert(strstr(err, "step 0: its kernel is no C identifier of 1 to 63 letters"), "%s", err);
    p = some_plan();
    lab_name(p.buffers[1].name, sizeof(p.buffers[1].name), "%s",
             "a_name_of_more_than_31_letters_or_so");
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert(strstr(err, "buffer 1: its name"), "%s", err);
    p = some_plan();
    lab_name(p.buffers[2].symbol, sizeof(p.buffers[2].symbol), "%s",
             "weights_with_a_name_of_more_than_31");
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
}

Test(dtype, halves)
{
    cr_assert_eq(half_from_float(1.0f), 0x3c00);
    cr_assert_eq(half_from_float(65536.0f), 0x7c00);
    cr_assert_eq(half_from_float(1.0f + 0x1p-11f), 0x3c00); /* a tie goes to even */
    cr_assert_eq(half_to_float(0x8001), -0x1p-24f);
    for (uint32_t h = 0; h < 0x10000; h++) {
        if (!isnan(half_to_float((uint16_t)h)))
            cr_assert_eq(half_from_float(half_to_float((uint16_t)h)), h);
    }
}

Test(dtype, brain_floats)
{
    cr_assert_eq(bf16_from_float(1.0f), 0x3f80);
    cr_assert_eq(bf16_from_float(1.0f + 0x1p-8f), 0x3f80); /* ties go to even */
    cr_assert_eq(bf16_from_float(1.0f + 0x1.8p-7f), 0x3f82);
    cr_assert_eq(bf16_from_float(0x1.ffp127f), 0x7f80);
    cr_assert(isnan(bf16_to_float(bf16_from_float(NAN))));
    cr_assert_eq(dtype_size(DT_BF16), 2);
    for (uint32_t b = 0; b < 0x10000; b++) {
        uint16_t back;

        if (isnan(bf16_to_float((uint16_t)b)))
            continue;
        dtype_set(DT_BF16, &back, 0, dtype_get(DT_BF16, &(uint16_t){(uint16_t)b}, 0));
        cr_assert_eq(back, b);
    }
}

/* x to y, from real to complex, of 4 x 6 numbers: y has 4 x 4 pairs. */
static struct plan transform_plan(void)
{
    struct plan p = {
        .nbuffers = 2,
        .buffers = {{"x", BUF_INPUT, DT_F32, 24, ""}, {"y", BUF_OUTPUT, DT_F32, 32, ""}}};

    lab_fft(&p, "cufftExecR2C", 0, 1, 4, 6, true);
    return p;
}

Test(plan, has_transforms)
{
    struct plan p = transform_plan(), q;
    unsigned char *bytes;
    size_t size = plan_write(&p, &bytes);
    char err[200] = "";

    cr_assert(plan_read(bytes, size, &q, err, sizeof(err)), "%s", err);
    cr_assert_eq(q.steps[0].kind, STEP_FFT);
    cr_assert_str_eq(q.steps[0].kernel, "cufftExecR2C");
    cr_assert_eq(q.steps[0].args[FFT_COLUMNS].v.u32, 6);
    cr_assert_eq(q.steps[0].args[FFT_DIRECTION].v.i32, -1);
    cr_assert_str_eq(plan_kernel(&q), "no kernel");
    free(bytes);
}

Test(plan, has_room_for_its_transforms)
{
    struct plan p = transform_plan();
    char err[200];

    p.buffers[1].count--;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert_str_eq(err, "plan: step 0: cufftExecR2C of 4 × 6 does not fit its buffers");
    p = transform_plan();
    p.steps[0].args[FFT_OUT].buffer = 0;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)), "only C2C is done in place");
    p = transform_plan();
    p.steps[0].args[FFT_ROWS].v.u32 = 0;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    cr_assert_str_eq(err,
                     "cufftExecR2C: cuFFT refuses a plane of 0 × 6: there is no element in it");
    p = transform_plan();
    lab_name(p.steps[0].kernel, sizeof(p.steps[0].kernel), "cufftExecXYZ");
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
    p = transform_plan();
    p.steps[0].kind = (enum step_kind)2;
    cr_assert_not(plan_check(&p, NULL, err, sizeof(err)));
}
