/* experiment_test.c - runs on cases and inputs of one's own, within a budget. */
#include "play.h"

#define ADD_ALL "if (!t) { float s = 0; for (unsigned i = 0; i < n; i++) s += a[i]; out[0] = s; }"

Test(experiment, a_run_is_compared)
{
    struct experiment x = play_open(DT_F32, ADD_ALL);
    struct lab_case sum = play_case(SUM, DT_F32, 8), product = play_case(PRODUCT, DT_F32, 8);
    struct sample s;

    cr_expect_eq(experiment_run(&x, &sum, 3, false, &s), RUN_OK);
    sample_free(&s);
    cr_expect_eq(experiment_run(&x, &product, 3, false, &s), RUN_WRONG);
    cr_expect_eq(s.result.noutputs, 1);
    sample_free(&s);
    cr_expect_eq(play_recovered, 0);
}

Test(experiment, inputs_of_ones_own)
{
    struct experiment x = play_open(DT_F32, ADD_ALL);
    struct lab_case sum = play_case(SUM, DT_F32, 4);
    float a[] = {1, 2, 4, 8}, b[4] = {0};
    void *data[LAB_MAX_BUFFERS] = {a, b};
    struct sample s;

    cr_assert(experiment_plan(&x, &sum, &s));
    cr_expect_eq(experiment_with(&x, data, &s), RUN_OK);
    cr_expect_eq(*(float *)s.outputs.data[OUT], 15);
    a[3] = 16;
    cr_expect_eq(experiment_with(&x, data, &s), RUN_OK, "the same sample again");
    cr_expect_eq(*(float *)s.outputs.data[OUT], 23);
    sample_free(&s);
}

Test(experiment, a_budget_of_runs)
{
    struct experiment x = play_open(DT_F32, ADD_ALL);
    struct lab_case sum = play_case(SUM, DT_F32, 8);
    struct sample s;

    x.runs = 1;
    cr_expect_eq(experiment_run(&x, &sum, 3, false, &s), RUN_OK);
    sample_free(&s);
    cr_expect_eq(experiment_run(&x, &sum, 3, false, &s), RUN_NOT_TRIED);
    sample_free(&s);
}

Test(experiment, a_budget_of_instructions)
{
    struct experiment x = play_open(DT_F32, ADD_ALL);
    struct lab_case sum = play_case(SUM, DT_F32, 1000);
    struct sample s;
    uint64_t before = x.instructions;

    experiment_run(&x, &sum, 3, false, &s);
    cr_expect_gt(before - x.instructions, 1000, "a step an element at least");
    sample_free(&s);
    x.instructions = 1;
    experiment_run(&x, &sum, 3, false, &s);
    sample_free(&s);
    cr_expect_eq(x.instructions, 0, "never below");
    cr_expect_eq(experiment_run(&x, &sum, 3, false, &s), RUN_NOT_TRIED);
    sample_free(&s);
}

/* The same on every machine: no clock decides what is found. */
Test(experiment, small_changes_by_what_was_compiled)
{
    struct tries few = {.left = 1}, large = {.left = 600};
    int n = 0;

    cr_expect(tries_left(&few));
    few.left--;
    cr_expect_not(tries_left(&few));
    for (; tries_left(&large); n++)
        tries_compiled(&large, 92000, false);
    cr_expect_eq(n, 60, "of 100,000 bytes each with what any takes, six million in all: %d", n);
    large.spent = 0;
    for (n = 0; tries_left(&large); n++)
        tries_compiled(&large, 36000, true);
    cr_expect_eq(n, 300, "of 20,000: a third, and what any takes: %d", n);
}

Test(experiment, after_an_error_it_is_recovered_from)
{
    struct experiment x = play_open(DT_F32, "out[1 << 24] = 1;");
    struct lab_case sum = play_case(SUM, DT_F32, 8);
    struct sample s;

    cr_expect_neq(experiment_run(&x, &sum, 3, false, &s), RUN_OK);
    cr_expect_eq(play_recovered, 1);
    sample_free(&s);
}

Test(experiment, a_loop_without_end_ends, .timeout = 20)
{
    struct experiment x = play_open(DT_F32, "while (((volatile float *)out)[0] != 7) ;");
    struct lab_case sum = play_case(SUM, DT_F32, 8);
    struct sample s;

    cr_expect_neq(experiment_run(&x, &sum, 3, false, &s), RUN_OK);
    cr_expect_eq(s.outputs.error, cudaErrorLaunchTimeout);
    sample_free(&s);
}
