/* goals_test.c - what a goal that is not met comes to, in words. */
#include "lab/gate.h"
#include "report.h"

#include <criterion/criterion.h>

static void expect(const char *left, double value, const char *op, const char *right, double asked,
                   const char *words)
{
    char l[80], r[80];
    struct gate_result g = {.left = value, .right = asked, .left_text = l, .right_text = r};
    struct text t = {0};
    snprintf(l, sizeof(l), "%s", left);
    snprintf(r, sizeof(r), "%s", right);
    snprintf(g.op, sizeof(g.op), "%s", op);
    goal_put(&t, &g);
    cr_expect_str_eq(text_str(&t), words);
    text_free(&t);
}

Test(goals, says_usual_quantities_in_words)
{
    expect("thread_inst_executed / inst_executed", 8.742, ">=", "16", 16,
           "8.742 of a warp's 32 lanes are active on average (thread_inst_executed / "
           "inst_executed), and at least 16 is asked for");
    expect("ms / pinned.ms", 1.29, "<", "1", 1,
           "it takes 1.29 times as long as pinned, and less than 1 is asked for");
    expect("ms / pinned.ms * 2", 1.29, "<", "1", 1,
           "ms / pinned.ms * 2 is 1.29, and less than 1 is asked for");
    expect("launches", 3, "==", "1", 1, "launches is 3, and exactly 1 is asked for");
}

/* A bound that is worked out is told as a number, too. */
Test(goals, says_what_a_bound_comes_to)
{
    expect("printed.kernel", 0.068, "<=", "record.modelled_ms + 0.003", 0.0151,
           "0.068 ms are printed for the kernel (printed.kernel), and at most 0.0151 "
           "(record.modelled_ms + 0.003) is asked for");
}
