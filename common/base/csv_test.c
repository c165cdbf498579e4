/* csv_test.c - what is put for programs comes back as it went. */
#include "csv.h"

#include <criterion/criterion.h>

Test(csv, exact_cells_come_back)
{
    static const char *const cells[] = {"=1+1", "-x", "a,b", "a \"b\"", "two\nlines", "", "@"};
    const int n = sizeof(cells) / sizeof(cells[0]);
    struct text t = {0};

    for (int row = 0; row < 2; row++) {
        for (int i = 0; i < n; i++)
            csv_put_exact(&t, cells[i]);
        csv_end(&t);
    }
    struct csv *c = csv_parse(t.s, t.length);
    cr_assert_eq(c->nrows, 2);
    cr_assert_eq(c->widths[1], n);
    for (int i = 0; i < n; i++)
        cr_assert_str_eq(csv_cell(c, 1, i), cells[i]);
    csv_free(c);
    text_free(&t);
}

/* What a person opens in a spreadsheet must not run there. */
Test(csv, formulas_are_for_programs_alone)
{
    struct text t = {0};

    csv_put(&t, "=1+1");
    csv_put(&t, "-5");
    csv_put_exact(&t, "=1+1");
    cr_assert_str_eq(t.s, "\"'=1+1\",-5,=1+1");
    text_free(&t);
}

/* A line of one empty cell is not an empty line. */
Test(csv, an_empty_first_cell_is_quoted)
{
    struct text t = {0};

    csv_put_exact(&t, "");
    cr_assert_str_eq(t.s, "\"\"");
    text_free(&t);
}
