/* reference_test.c - of the reference's runs those alone are timed that a row asks times of. */
#include "engine.h"
#include "base/alloc.h"

#include <criterion/criterion.h>

/* Marks the solution's kernels of one variant, and returns how many of the reference's runs, of
 * *all, were timed. */
static int timed(const char *lab, const char *only, int *all)
{
    struct engine_options o;
    struct engine e;
    struct text why = {0};
    int n = 0;
    engine_defaults(&o);
    o.secret = "reference";
    o.only = only;
    cr_assert(engine_open(&e, lab, &o, &why), "%s", text_str(&why));
    struct verdict *v = engine_mark(&e, "solution", e.solution, e.solution_length);
    cr_expect_eq(v->score, v->max);
    cr_assert(e.reference);
    *all = e.reference->nruns;
    for (int i = 0; i < *all; i++)
        n += !e.reference->runs[i]->untimed;
    verdict_free(v);
    engine_close(&e);
    return n;
}

Test(reference, is_not_timed_for_counts, .timeout = 100)
{
    int all;
    cr_expect_eq(timed("coalescing", "strided_copy", &all), 0);
    cr_expect_gt(all, 0);
}

Test(reference, is_timed_for_speed, .timeout = 100)
{
    int all;
    cr_expect_eq(timed("latency_hiding", "copy_4", &all), all);
    cr_expect_gt(all, 0);
}
