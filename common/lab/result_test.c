/* result_test.c - what a run's outputs come to. */
#include "result.h"
#include "base/alloc.h"
#include "dataset.h"
#include "plan.h"
#include "random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

extern const struct lab lab_testlab;

static const struct lab_variant *variant;
static const struct lab_case *input;
static struct plan plan;
static struct dataset data;
static struct job job;

/* The outputs of a right run of y = 2x + 1 on 1000 numbers. */
static struct outputs right(void)
{
    static const struct device_limits limits = {.max_threads_per_block = 1024};
    struct job_options options = {.poison = POISON_ALL, .seed = 5};
    struct outputs o = {.stage = STAGE_DONE, .changed = -1};
    static int32_t *y;
    char err[200];

    variant = &lab_testlab.variants[0];
    input = &lab_testlab.cases[2];
    cr_assert(plan_make(&lab_testlab, variant, input, &variant->record, &limits, &plan, err,
                        sizeof(err)));
    dataset_make(&data, &lab_testlab, &plan, input, 5);
    job = dataset_job(&data, &plan, &options);
    large_free(y);
    y = o.data[1] = large_alloc(plan_buffer_bytes(&plan, 1));
    for (int i = 0; i < 1000; i++)
        y[i] = 2 * ((const int32_t *)data.data[0])[i] + 1;
    return o;
}

static struct result judge(const struct outputs *o)
{
    static struct result r;

    result_free(&r);
    result_of(&lab_testlab, variant, input, 1, &variant->record, &job, o, &r);
    return r;
}

static uint64_t seen;

static void note_seed(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                      const void *const *inputs, void **expected, double **tolerance)
{
    seen = c->seed;
    lab_testlab.reference(p, v, c, inputs, expected, tolerance);
}

/* What a lab compares of a large product is drawn from it, not from what a kernel can see. */
Test(result, the_reference_knows_the_seed)
{
    struct outputs o = right();
    struct lab lab = lab_testlab;
    struct result r;

    lab.reference = note_seed;
    result_of(&lab, variant, input, 77, &variant->record, &job, &o, &r);
    cr_assert_eq(r.end, RUN_OK);
    cr_assert_eq(seen, 77);
}

static uint64_t asked;

static void count_asked(const struct plan *p, const struct lab_variant *v, const struct lab_case *c,
                        const void *const *inputs, void **expected, double **tolerance)
{
    for (uint64_t i = asked = 0; i < p->buffers[1].count; i++)
        asked += lab_asks(c, 1, i);
    lab_testlab.reference(p, v, c, inputs, expected, tolerance);
}

/* Of a disturbed run the reference is asked for what was written alone, in groups of 64. */
Test(result, the_reference_is_asked_for_what_was_written)
{
    struct outputs o = right();
    struct lab lab = lab_testlab;
    struct result r;

    lab.reference = count_asked;
    memset((int32_t *)o.data[1] + 100, poison_byte(5), 900 * sizeof(int32_t));
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        job.options.disturb = disturbed ? 1u << DISTURB_few : 0;
        result_of(&lab, variant, input, 5, &variant->record, &job, &o, &r);
        cr_expect_eq(asked, disturbed ? 128 : 1000);
        cr_expect_eq(r.wrong, 900);
        cr_expect_eq(r.unwritten, 900);
        result_free(&r);
    }
}

Test(result, right_is_ok)
{
    struct outputs o = right();
    struct result r = judge(&o);

    cr_assert_eq(r.end, RUN_OK);
    cr_assert_eq(r.compared, 1000);
    cr_assert_eq(r.noutputs, 0);
}

Test(result, one_wrong_element_is_wrong)
{
    struct outputs o = right();

    ((int32_t *)o.data[1])[999] ^= 1;
    struct result r = judge(&o);
    cr_assert_eq(r.end, RUN_WRONG);
    cr_assert_eq(r.wrong, 1);
    cr_assert_eq(r.outputs[0].buffer, 1);
    cr_assert_eq(r.outputs[0].comparison.shown[0].index, 999);
    cr_assert(r.outputs[0].cause && strstr(r.outputs[0].cause, "last element"), "%s",
              r.outputs[0].cause);
}

/* Right outputs of an input that the kernel changed are not right. */
Test(result, a_changed_input_is_never_ok)
{
    struct outputs o = right();

    o.changed = 0;
    cr_assert_eq(judge(&o).end, RUN_INPUT_CHANGED);
    ((int32_t *)o.data[1])[0] ^= 1;
    struct result r = judge(&o);
    cr_assert_eq(r.end, RUN_INPUT_CHANGED);
    cr_assert_eq(r.wrong, 1);
}

Test(result, what_stopped_says_how)
{
    static const struct {
        enum stage stage;
        int32_t error;
        enum run_end end;
    } rows[] = {
        {STAGE_OPEN, 0, RUN_NO_KERNEL},  {STAGE_RUN, 0, RUN_ERROR},
        {STAGE_RUN, 700, RUN_ERROR},     {STAGE_RUN, 702, RUN_ENDLESS},
        {STAGE_OPEN, 801, RUN_INTERNAL}, {STAGE_RUN, 218, RUN_INTERNAL},
    };
    struct outputs o = right();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        o.stage = rows[i].stage;
        o.error = rows[i].error;
        cr_assert_eq(judge(&o).end, rows[i].end, "row %zu", i);
    }
}

Test(result, every_end_has_a_word)
{
    for (int i = 0; i < RUN_ENDS; i++)
        cr_assert(run_end_words[i] && *run_end_words[i], "end %d", i);
}
