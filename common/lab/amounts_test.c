/* amounts_test.c - numbers of a plan by name. */
#include "amounts.h"

#include <criterion/criterion.h>

Test(amounts, all_launches_count)
{
    struct lab_case c = {.n = 100, .m = 2, .k = 3, .param = -4, .dtype = DT_F64};
    struct plan p = {.nsteps = 2, .bytes = 800, .flops = 7};
    static const struct {
        const char *name;
        double value;
    } rows[] = {
        {"n", 100},
        {"m", 2},
        {"k", 3},
        {"param", -4},
        {"elem", 8},
        {"bytes", 800},
        {"flops", 7},
        {"launches", 2},
        {"blocks", 2 * 3 * 5 + 1},
        {"threads", 30 * 33 + 64},
        {"warps", 30 * 2 + 2},
        {"sums", 1},
        {"fetches", 2},
        {"streams", 2},
    };

    p.steps[0] = (struct plan_step){.grid = {2, 3, 5}, .block = {11, 3, 1}};
    p.steps[1] = (struct plan_step){.grid = {1, 1, 1}, .block = {4, 4, 4}};
    p.ranks = 3;
    p.ops[p.nops++] = (struct plan_op){.kind = OP_SUM, .index = 0};
    for (uint32_t r = 0; r < 3; r++) /* the first has nothing to fetch from itself */
        p.ops[p.nops++] = (struct plan_op){.kind = OP_FETCH, .rank = r};
    p.ops[p.nops++] = (struct plan_op){.kind = OP_LAUNCH, .stream = 7};
    p.ops[p.nops++] = (struct plan_op){.kind = OP_LAUNCH, .stream = 7};
    p.ops[p.nops++] = (struct plan_op){.kind = OP_WAIT, .stream = 9}; /* is no work */
    struct amounts a = amounts_of(&c, &p);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double value = -1;

        cr_assert(amount_named(&a, rows[i].name, &value), "%s", rows[i].name);
        cr_assert_eq(value, rows[i].value, "%s is %g", rows[i].name, value);
    }
    double none;
    cr_assert_not(amount_named(&a, "ms", &none));
}
