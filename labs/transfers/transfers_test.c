/* transfers_test.c - the lab's own logic, without a device. */
#include "lab/lab.h"
#include "labs/testing.h"

#include <criterion/criterion.h>
#include <string.h>

extern const struct lab lab_transfers;
static const struct device_limits h200 = {.max_threads_per_block = 1024};

static bool planned(const char *variant, const struct schedule *s, uint64_t n, struct plan *p,
                    char err[300])
{
    const struct lab_variant *v = variant_of(&lab_transfers, variant);
    struct lab_case c = *case_of(&lab_transfers, "n=1003");
    struct launch_record r = v->record;

    c.n = n;
    r.schedule = s;
    return plan_make(&lab_transfers, v, &c, &r, &h200, p, err, 300);
}

/* 1003 elements in 4 chunks of 256: the last has 235. */
Test(transfers, a_schedule_becomes_operations)
{
    struct schedule s = {.memory = PINNED, .chunks = 4};
    struct plan p;
    char err[300];

    for (uint32_t i = 0; i < s.chunks; i++)
        for (uint32_t what = DO_COPY_IN; what <= DO_COPY_OUT; what++)
            s.steps[s.nsteps++] = (struct schedule_step){what, i % 2, i, 1};
    cr_assert(planned("two_streams", &s, 1003, &p, err), "%s", err);
    cr_assert(p.memory == PINNED && p.nops == 12 && p.nsteps == 4 && p.nbuffers == 2);
    const struct plan_op *in = &p.ops[9], *work = &p.ops[10], *out = &p.ops[11];
    cr_expect(in->kind == OP_COPY_IN && in->index == 0 && in->stream == 1);
    cr_expect(in->offset == 768 && in->count == 235);
    cr_expect(work->kind == OP_LAUNCH && work->index == 3 && work->stream == 1);
    cr_expect(out->kind == OP_COPY_OUT && out->index == 1 && out->offset == 768);
    cr_expect(p.steps[3].grid[0] == 1 && p.steps[3].args[0].offset == 768);
    cr_expect(p.steps[3].args[2].v.u32 == 235 && p.steps[3].args[3].v.u32 == 7);
    cr_expect_eq(p.steps[0].grid[0], 1);
}

Test(transfers, chunks_without_elements_are_left_out)
{
    const struct lab_variant *v = variant_of(&lab_transfers, "two_streams");
    struct plan p;
    char err[300];

    cr_assert(planned("two_streams", v->record.schedule, 1, &p, err), "%s", err);
    cr_assert(p.nops == 3 && p.nsteps == 1 && p.ops[0].count == 1);
    cr_assert(
        planned("pipeline", variant_of(&lab_transfers, "pipeline")->record.schedule, 33, &p, err));
    cr_assert(p.nops == 7 && p.ops[1].kind == OP_RECORD && p.ops[5].kind == OP_WAIT &&
              p.ops[5].event == 1);
}

Test(transfers, a_variant_has_its_rule)
{
    static const struct {
        const char *variant, *as, *says;
    } rows[] = {
        {"pinned", "pageable", "pinned is about PINNED memory, this is PAGEABLE"},
        {"mapped", "managed", "mapped is about MAPPED memory"},
        {"pinned", "two_streams", "2 streams at work; pinned has 1"},
        {"two_streams", "pinned", "1 stream at work; two_streams has 2"},
        {"two_streams", "pipeline", "3 streams at work; two_streams has 2"},
        {"pipeline", "two_streams", "2 streams at work; pipeline has at least 3"},
    };
    struct plan p;
    char err[300];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct schedule *s = variant_of(&lab_transfers, rows[i].as)->record.schedule;

        cr_expect_not(planned(rows[i].variant, s, 1003, &p, err), "%s", rows[i].says);
        cr_expect(strstr(err, rows[i].says), "%s", err);
    }
}

/* Three streams, but chunk 1's kernel is on the stream of the copies in. */
Test(transfers, a_pipeline_keeps_its_streams_apart)
{
    struct schedule s = {.memory = PINNED, .chunks = 2};
    struct plan p;
    char err[300];

    for (uint32_t i = 0; i < 2; i++) {
        s.steps[s.nsteps++] = (struct schedule_step){DO_COPY_IN, 0, i, 1};
        s.steps[s.nsteps++] = (struct schedule_step){DO_RECORD, 0, 0, 1};
        s.steps[s.nsteps++] = (struct schedule_step){DO_WAIT, 1, 0, 1};
        s.steps[s.nsteps++] = (struct schedule_step){DO_KERNEL, 1 - i, i, 1};
        s.steps[s.nsteps++] = (struct schedule_step){DO_RECORD, 1 - i, 1, 1};
        s.steps[s.nsteps++] = (struct schedule_step){DO_WAIT, 2, 1, 1};
        s.steps[s.nsteps++] = (struct schedule_step){DO_COPY_OUT, 2, i, 1};
    }
    cr_assert_not(planned("pipeline", &s, 1003, &p, err));
    cr_assert(strstr(err, "step 10: stream 0 has copies in already"), "%s", err);
}

Test(transfers, sizes_have_bounds)
{
    const struct schedule *s = variant_of(&lab_transfers, "pinned")->record.schedule;
    struct plan p;
    char err[300];

    cr_expect(planned("pinned", s, 1, &p, err));
    cr_expect_not(planned("pinned", s, 0, &p, err));
    cr_expect(strstr(err, "n is 1 to 2^30"), "%s", err);
    cr_expect_not(planned("pinned", s, (1ull << 30) + 1, &p, err));
    cr_expect_not(planned("pinned", NULL, 1, &p, err));
    cr_expect(strstr(err, "there is no schedule"), "%s", err);
}

/* By hand: a = 1, x = 1, 0.5, -0.5, 3.5, 1.5 - 1 / 3.5. */
Test(transfers, steps_by_hand)
{
    const struct lab_variant *v = variant_of(&lab_transfers, "pinned");
    struct lab_case c = *case_of(&lab_transfers, "n=1003");
    struct plan p;
    char err[300];
    float in[2] = {1, 0.75f}, out[2];
    double tolerance[2];
    const void *inputs[LAB_MAX_BUFFERS] = {in};
    void *expected[LAB_MAX_BUFFERS] = {NULL, out};
    double *bounds[LAB_MAX_BUFFERS] = {NULL, tolerance};

    cr_assert(planned("pinned", v->record.schedule, 2, &p, err));
    c.n = 2;
    for (c.k = 0; c.k < 5; c.k++) {
        static const float x[] = {1, 0.5f, -0.5f, 3.5f, 1.5f - 1 / 3.5f};

        lab_transfers.reference(&p, v, &c, inputs, expected, bounds);
        cr_expect(out[0] == x[c.k] && tolerance[0] == 0, "%lu: %g", c.k, out[0]);
    }
    c.k = 2; /* 0.75: 0.5, 0, and then there is no quotient */
    lab_transfers.reference(&p, v, &c, inputs, expected, bounds);
    cr_expect_eq(out[1], 0);
    c.k = 3;
    lab_transfers.reference(&p, v, &c, inputs, expected, bounds);
    cr_expect(isinf(tolerance[1]), "infinity is not compared");
}
