/* hints_test.c - each wrong kernel of the bank says what its author is told about every row
 * that fails: a verdict without its feedback would go unwatched. */
#include "expect.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool has_hint(const struct expect *x, const char *id)
{
    for (int i = 0; i < x->nhints; i++)
        if (!strcmp(x->hints[i].id, id) && x->hints[i].text[0])
            return true;
    return false;
}

static void check_file(const char *path)
{
    struct expect x;
    struct text why = {0};
    char *source;
    size_t n;
    cr_assert(known_source(path, &source, &n, &why), "%s: %s", path, text_str(&why));
    cr_assert(expect_parse(source, &x, &why), "%s: %s", path, text_str(&why));
    for (int i = 0; i < x.nrows; i++)
        cr_expect(x.rows[i].any || x.rows[i].status != STATUS_FAIL || has_hint(&x, x.rows[i].id),
                  "%s expects %s to fail, and no hint of it", path, x.rows[i].id);
    cr_expect(!x.compile_fails || has_hint(&x, "compile"), "%s: no hint: compile: …", path);
    expect_free(&x);
    free(source);
}

Test(bank, asserts_what_is_said_of_each_failure)
{
    struct engine_options o;
    int n, wrong = 0;
    engine_defaults(&o);
    struct known_file *v = known_files(&o, NULL, &n);
    for (int i = 0; i < n; i++) {
        if (strcmp(v[i].kind, "wrong"))
            continue;
        check_file(v[i].path);
        wrong++;
    }
    known_files_free(v, n);
    cr_assert_geq(wrong, 12 * all_rubrics_count);
}
