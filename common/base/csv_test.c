/* csv_test.c - what is put for programs comes back as it went. */
#include "csv.h"

#include <criterion/criterion.h>
#include <string.h>

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

/* Lines end as on any system; within quotes such an end is a cell's. */
Test(csv, ends_of_lines)
{
    static const char *const texts[] = {"a,b\n1,\"x\ry\"\n", "a,b\r\n1,\"x\ry\"\r\n",
                                        "a,b\r1,\"x\ry\"\r", "a,b\r1,\"x\ry\""};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct csv *c = csv_parse(texts[i], strlen(texts[i]));
        cr_expect_eq(c->nrows, 2, "%zu: %d rows", i, c->nrows);
        cr_expect_str_eq(csv_cell(c, 0, 1), "b", "%zu: %s", i, csv_cell(c, 0, 1));
        cr_expect_str_eq(csv_cell(c, 1, 0), "1");
        cr_expect_str_eq(csv_cell(c, 1, 1), "x\ry");
        csv_free(c);
    }
}
