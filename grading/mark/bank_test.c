/* bank_test.c - every kernel whose verdict is known gets it: the labs' solutions and skeletons,
 * wrong/ and right/. One parameter a file, so that a failure names it. */
#include "expect.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

struct bank_file {
    char lab[64], path[512], kind[16];
};

ParameterizedTestParameters(bank, verdict)
{
    struct engine_options o;
    int n;
    engine_defaults(&o);
    struct known_file *v = known_files(&o, NULL, &n);
    struct bank_file *all = cr_malloc((size_t)(n + 1) * sizeof(*all));
    for (int i = 0; i < n; i++) {
        snprintf(all[i].lab, sizeof(all[i].lab), "%s", v[i].lab);
        snprintf(all[i].path, sizeof(all[i].path), "%s", v[i].path);
        snprintf(all[i].kind, sizeof(all[i].kind), "%s", v[i].kind);
    }
    known_files_free(v, n);
    return cr_make_param_array(struct bank_file, all, (size_t)n);
}

ParameterizedTest(struct bank_file *f, bank, verdict, .timeout = 120)
{
    struct engine_options o;
    struct engine e;
    struct text t = {0};
    struct text why = {0};
    engine_defaults(&o);
    o.secret = "selftest-secret";
    cr_assert(engine_open(&e, f->lab, &o, &why), "%s", text_str(&why));
    int bad = expect_file(&e, &o, f->path, f->kind, &t);
    cr_assert_eq(bad, 0, "%s:\n%s", f->path, text_str(&t));
    text_free(&t);
    engine_close(&e);
}

Test(bank, is_large_enough)
{
    struct engine_options o;
    int n;
    engine_defaults(&o);
    for (int i = 0; i < all_rubrics_count; i++) {
        struct known_file *v = known_files(&o, all_rubrics[i]->lab, &n);
        int wrong = 0, right = 0;
        for (int k = 0; k < n; k++) {
            wrong += !strcmp(v[k].kind, "wrong");
            right += !strcmp(v[k].kind, "right");
        }
        known_files_free(v, n);
        cr_assert_geq(wrong, 12, "%s has %d wrong kernels", all_rubrics[i]->lab, wrong);
        cr_assert_geq(right, 3, "%s has %d right kernels", all_rubrics[i]->lab, right);
    }
}
